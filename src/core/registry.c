/* registry.c - the one file that names the backends; devices and algorithms are listed and looked up here. */
#include "core/registry.h"

#include <stdlib.h>

#include "cpu/cpu.h"
#include "gpu/gpu.h"

static const nf__backend *const backends[] = {
    &nf__cpu_backend,
#if defined(NF_HAS_EMULATOR)
    &nf__emulator_backend,
#endif
#if defined(NF_HAS_GPU)
    &nf__gpu_backend,
#endif
};
#define BACKENDS (sizeof backends / sizeof *backends)

static const char *const device_words[] = {"auto", "cpu", "gpu", "emulator"};

/* Splits "gpu:1" into name length and index; false when the index is not a number. */
static bool split_device(const char *text, size_t *length, int *index)
{
    const char *colon = strchr(text, ':');
    *length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    *index = 0;
    if (colon == NULL)
        return true;
    char *end = NULL;
    const long k = strtol(colon + 1, &end, 10);
    *index = (int)k;
    return end != colon + 1 && *end == '\0' && k >= 0 && k < 1024;
}

static nf_status no_device(const char *name)
{
    char near[96];
    size_t length;
    int index;
    if (!split_device(name, &length, &index))
        return nf__fail(NF_ENODEVICE, "device '%s': expected a name or name:number", name);
    if (length == 3 && strncmp(name, "gpu", 3) == 0)
        return nf__fail(NF_ENODEVICE, "device '%s': built without CUDA", name);
    if (length == 8 && strncmp(name, "emulator", 8) == 0)
        return nf__fail(NF_ENODEVICE, "device '%s': built without the emulator", name);
    nf__nearest_names(name, device_words, sizeof device_words / sizeof *device_words, near, sizeof near);
    return nf__fail(NF_ENODEVICE, "unknown device '%s'; %s%s", name,
                    near[0] != '\0' ? "did you mean " : "expected auto or cpu", near);
}

/* Why there is no device `index`, said by the backend where it knows. */
static nf_status not_here(const nf__backend *backend, const char *name, int count)
{
    if (count == 0 && backend->absence != NULL)
        return nf__fail(NF_ENODEVICE, "device '%s': %s", name, backend->absence());
    return nf__fail(NF_ENODEVICE, "device '%s': this machine has %d of them", name, count);
}

nf_status nf__registry_device(const char *name, const nf__backend **backend, int *index)
{
    size_t length = 0;
    *index = 0;
    if (name == NULL || strcmp(name, "auto") == 0) {
        *backend = &nf__cpu_backend;
        return NF_OK;
    }
    if (!split_device(name, &length, index))
        return no_device(name);
    for (size_t i = 0; i < BACKENDS; i++) {
        if (strlen(backends[i]->name) != length || strncmp(backends[i]->name, name, length) != 0)
            continue;
        const int count = backends[i]->device_count();
        *backend = backends[i];
        return *index < count ? NF_OK : not_here(backends[i], name, count);
    }
    return no_device(name);
}

static bool has_algorithm(const nf__backend *backend, nf_problem problem, const char *name)
{
    for (size_t i = 0; i < backend->algorithm_count; i++)
        if (backend->algorithms[i]->info.problem == problem && strcmp(backend->algorithms[i]->info.name, name) == 0)
            return true;
    return false;
}

const nf__backend *nf__registry_faster(nf_problem problem, const char *name)
{
#if defined(NF_HAS_GPU)
    if (has_algorithm(&nf__gpu_backend, problem, name) && nf__gpu_backend.device_count() > 0)
        return &nf__gpu_backend;
#endif
    (void)has_algorithm;
    (void)problem;
    (void)name;
    return NULL;
}

nf_status nf_device_get(size_t i, nf_device_info *info)
{
    if (info == NULL)
        return nf__fail(NF_EINVAL, "nf_device_get: info is NULL");
    for (size_t b = 0; b < BACKENDS; b++) {
        const size_t count = (size_t)backends[b]->device_count();
        if (i < count)
            return backends[b]->device_info((int)i, info);
        i -= count;
    }
    return nf__fail(NF_ENOTFOUND, "there are no more devices");
}

const nf_algorithm_info *nf_algorithm_get(size_t i)
{
    for (size_t b = 0; b < BACKENDS; b++) {
        if (i < backends[b]->algorithm_count)
            return &backends[b]->algorithms[i]->info;
        i -= backends[b]->algorithm_count;
    }
    return NULL;
}

nf_status nf__registry_algorithm(const nf__backend *backend, nf_problem problem, const char *name,
                                 const nf__algorithm **out)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    char near[160];
    for (size_t i = 0; i < backend->algorithm_count; i++) {
        const nf__algorithm *a = backend->algorithms[i];
        if (a->info.problem != problem)
            continue;
        if (strcmp(a->info.name, name) == 0) {
            *out = a;
            return NF_OK;
        }
        if (count < MOST)
            names[count++] = a->info.name;
    }
    nf__nearest_names(name, names, count, near, sizeof near);
    return nf__fail(NF_ENOTFOUND, "unknown %s algorithm '%s' on device %s; %s%s", nf_problem_name(problem), name,
                    backend->name, near[0] != '\0' ? "did you mean " : "`nearfar algorithms` lists them", near);
}
