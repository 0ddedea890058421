/* list.c - `algorithms`, `devices`, `version` and the lists of formats and generators: what this build can do. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"

#define NAME_WIDTH 22 /* of the longest name of an algorithm */

/* "gpu:1" names a device of the kind "gpu"; "auto" or NULL any. */
static bool device_matches(const char *wanted, const char *kind)
{
    if (wanted == NULL || strcmp(wanted, "auto") == 0)
        return true;
    size_t length = strcspn(wanted, ":");
    return strlen(kind) == length && memcmp(wanted, kind, length) == 0;
}

const nf_algorithm_info *cli_algorithm(nf_problem problem, const char *device, const char *name)
{
    for (size_t i = 0; nf_algorithm_get(i) != NULL; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (a->problem == problem && name != NULL && strcmp(a->name, name) == 0 && device_matches(device, a->device))
            return a;
    }
    return NULL;
}

/* ---- algorithms -------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t flag;
    const char *name;
} traits[] = {{NF_ALG_NEGATIVE, "negative"}, {NF_ALG_UNDIRECTED_ONLY, "undirected-only"},
              {NF_ALG_DENSE, "dense"},       {NF_ALG_TRANSPOSE, "transpose"},
              {NF_ALG_ORACLE, "oracle"},     {NF_ALG_ROUNDED, "rounded"},
              {NF_ALG_AUTO, "auto"},         {NF_ALG_HOPS, "hops"}};

static const char *const knob_types[] = {"int", "real", "bool", "choice"};

static void put_knob(cli_json *j, const nf_knob_info *k)
{
    cli_json_begin(j, NULL, '{');
    cli_json_text(j, "name", k->name);
    cli_json_text(j, "type", knob_types[k->type]);
    cli_json_text(j, "default", k->default_text);
    if (k->type == NF_KNOB_INT || k->type == NF_KNOB_REAL) {
        cli_json_real(j, "min", k->min);
        cli_json_real(j, "max", k->max);
    }
    if (k->choices != NULL)
        cli_json_text(j, "choices", k->choices);
    cli_json_text(j, "summary", k->summary);
    cli_json_end(j, '}');
}

static void put_algorithm(cli_json *j, const nf_algorithm_info *a)
{
    cli_json_begin(j, NULL, '{');
    cli_json_text(j, "name", a->name);
    cli_json_text(j, "problem", nf_problem_name(a->problem));
    cli_json_text(j, "device", a->device);
    cli_json_text(j, "summary", a->summary);
    cli_json_text(j, "paper", a->paper);
    cli_json_text(j, "memory", a->memory);
    cli_json_begin(j, "traits", '[');
    for (size_t t = 0; t < sizeof traits / sizeof traits[0]; t++)
        if ((a->flags & traits[t].flag) != 0)
            cli_json_text(j, NULL, traits[t].name);
    cli_json_end(j, ']');
    cli_json_begin(j, "knobs", '[');
    for (size_t k = 0; k < a->knob_count; k++)
        put_knob(j, &a->knobs[k]);
    cli_json_end(j, ']');
    cli_json_end(j, '}');
}

static void print_algorithm(const cli_app *app, const nf_algorithm_info *a)
{
    const char *sep = "";
    printf("%s%-5s %-*s%s %-9s %s", cli_bold(app), nf_problem_name(a->problem), NAME_WIDTH, a->name, cli_plain(app),
           a->device, a->summary);
    for (size_t t = 0; t < sizeof traits / sizeof traits[0]; t++)
        if ((a->flags & traits[t].flag) != 0 && traits[t].flag != NF_ALG_AUTO) {
            printf("%s%s", sep[0] ? sep : " [", traits[t].name);
            sep = ", ";
        }
    printf("%s\n", sep[0] ? "]" : "");
    if (a->paper != NULL && a->paper[0] != '\0')
        printf("%*s%s\n", NAME_WIDTH + 17, "", a->paper);
    for (size_t k = 0; k < a->knob_count; k++)
        printf("%*s--set %s=%s  %s\n", NAME_WIDTH + 17, "", a->knobs[k].name, a->knobs[k].default_text,
               a->knobs[k].summary);
}

static int check_device(cli_app *app)
{
    const char *names[8] = {"auto", "cpu", "gpu", "emulator"};
    char near[64];
    if (app->args.device == NULL)
        return CLI_OK;
    for (size_t i = 0; i < 4; i++)
        if (device_matches(app->args.device, names[i]) || strcmp(app->args.device, names[i]) == 0)
            return CLI_OK;
    cli_nearest(app->args.device, names, 4, near, sizeof near);
    return cli_usage(app, "--device: no device is called \"%s\"%s%s", app->args.device,
                     near[0] ? "; the nearest: " : "", near);
}

int cli_cmd_algorithms(cli_app *app)
{
    cli_json j = {.file = stdout};
    size_t listed = 0;
    int code = check_device(app);
    if (code != CLI_OK)
        return code;
    if (app->args.json)
        cli_json_begin(&j, NULL, '[');
    for (size_t i = 0; nf_algorithm_get(i) != NULL; i++) {
        const nf_algorithm_info *a = nf_algorithm_get(i);
        if (!device_matches(app->args.device, a->device))
            continue;
        listed++;
        if (app->args.json)
            put_algorithm(&j, a);
        else if (!app->args.quiet)
            print_algorithm(app, a);
    }
    if (app->args.json) {
        cli_json_end(&j, ']');
        cli_json_finish(&j);
    }
    if (listed == 0)
        cli_warn(app, "this build has no algorithm for device %s", app->args.device);
    return CLI_OK;
}

/* ---- devices and version ----------------------------------------------------------------------------------------- */

int cli_cmd_devices(cli_app *app)
{
    cli_json j = {.file = stdout};
    nf_device_info d;
    char total[32], left[32];
    if (app->args.json)
        cli_json_begin(&j, NULL, '[');
    for (size_t i = 0; nf_device_get(i, &d) == NF_OK; i++) {
        if (app->args.json) {
            cli_json_begin(&j, NULL, '{');
            cli_json_text(&j, "name", d.name);
            cli_json_text(&j, "description", d.description);
            cli_json_count(&j, "memory_total", d.memory_total);
            cli_json_count(&j, "memory_free", d.memory_free);
            cli_json_int(&j, "threads", d.threads);
            cli_json_end(&j, '}');
        } else if (!app->args.quiet) {
            printf("%s%-10s%s %s", cli_bold(app), d.name, cli_plain(app), d.description);
            if (d.memory_total > 0)
                printf("; %s of memory, %s free", cli_bytes(d.memory_total, total), cli_bytes(d.memory_free, left));
            printf("\n");
        }
    }
    if (app->args.json) {
        cli_json_end(&j, ']');
        cli_json_finish(&j);
    }
    return CLI_OK;
}

int cli_cmd_version(cli_app *app)
{
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_text(&j, "version", NF_VERSION_STRING);
        cli_json_text(&j, "library", nf_version());
        cli_json_text(&j, "libraries", nf_libraries());
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    } else if (strcmp(nf_version(), NF_VERSION_STRING) == 0) {
        printf("nearfar %s\n", NF_VERSION_STRING);
    } else {
        printf("nearfar %s (library %s)\n", NF_VERSION_STRING, nf_version());
    }
    if (!app->args.json && nf_libraries()[0] != '\0')
        printf("with %s\n", nf_libraries());
    return CLI_OK;
}
