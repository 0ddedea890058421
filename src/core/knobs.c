/* knobs.c - the settings of algorithms: checked once at the boundary, read by name inside. */
#include "core/knobs.h"

#include <assert.h>

#include "core/backend.h"

static const nf_knob_info *find_knob(const nf_algorithm_info *a, const char *name, size_t length)
{
    for (size_t i = 0; i < a->knob_count; i++)
        if (strlen(a->knobs[i].name) == length && strncmp(a->knobs[i].name, name, length) == 0)
            return &a->knobs[i];
    return NULL;
}

static bool is_choice(const char *choices, const char *value)
{
    const size_t length = strlen(value);
    for (const char *p = choices; *p != '\0'; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == length && strncmp(p, value, length) == 0)
            return true;
    return false;
}

static nf_status check_value(const nf_algorithm_info *a, const nf_knob_info *k, const char *value)
{
    double x = 0;
    if (k->type == NF_KNOB_CHOICE)
        return is_choice(k->choices, value) ? NF_OK
                                            : nf__fail(NF_EINVAL, "%s: knob %s is '%s'; expected one of: %s", a->name,
                                                       k->name, value, k->choices);
    const bool number = nf__read_real(value, &x);
    const double low = k->type == NF_KNOB_BOOL ? 0 : k->min, high = k->type == NF_KNOB_BOOL ? 1 : k->max;
    if (!number || x < low || x > high || (k->type != NF_KNOB_REAL && x != floor(x)))
        return nf__fail(NF_EINVAL, "%s: knob %s is '%s'; expected a%s number from %g to %g", a->name, k->name, value,
                        k->type == NF_KNOB_REAL ? "" : " whole", low, high);
    return NF_OK;
}

nf_status nf__knobs_check(const nf_algorithm_info *a, const char *const *knobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *equals = knobs[i] != NULL ? strchr(knobs[i], '=') : NULL;
        if (equals == NULL)
            return nf__fail(NF_EINVAL, "knob '%s': expected name=value", knobs[i] != NULL ? knobs[i] : "(null)");
        const nf_knob_info *k = find_knob(a, knobs[i], (size_t)(equals - knobs[i]));
        if (k == NULL)
            return nf__fail(NF_EINVAL, "%s has no knob '%.*s'", a->name, (int)(equals - knobs[i]), knobs[i]);
        nf_status st = check_value(a, k, equals + 1);
        if (st != NF_OK)
            return st;
    }
    return NF_OK;
}

/* The last value given for a knob, or its default. */
static const char *knob_text(const nf__run *run, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = run->knob_count; i-- > 0;)
        if (strncmp(run->knobs[i], name, length) == 0 && run->knobs[i][length] == '=')
            return run->knobs[i] + length + 1;
    const nf_knob_info *k = find_knob(&run->algorithm->info, name, length);
    assert(k != NULL);
    return k->default_text;
}

double nf__knob_number(const nf__run *run, const char *name)
{
    double x = 0;
    (void)nf__read_real(knob_text(run, name), &x); /* checked by nf__knobs_check */
    return x;
}

const char *nf__knob_choice(const nf__run *run, const char *name)
{
    return knob_text(run, name);
}
