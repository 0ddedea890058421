/* status.c - names, error texts, versions and near misses. The one mutable thing is the thread's own error text. */
#include "core/base.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>

static _Thread_local char last_error[1024];

const char *nf_last_error(void)
{
    return last_error;
}

nf_status nf__fail(nf_status status, const char *format, ...)
{
    char text[sizeof last_error]; /* apart, since an argument may be last_error itself */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(last_error, text, sizeof text);
    return status;
}

const char *nf_status_name(nf_status status)
{
    switch (status) {
#define CASE(name, number, text) \
    case name: return #name;
        NF_STATUS_MAP(CASE)
#undef CASE
    }
    return "NF_?";
}

const char *nf_status_text(nf_status status)
{
    switch (status) {
#define CASE(name, number, text) \
    case name: return text;
        NF_STATUS_MAP(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *nf_type_name(nf_type type)
{
    static const char *const names[] = {"none", "i32", "u32", "i64", "u64", "f32", "f64"};
    return (unsigned)type < sizeof names / sizeof *names ? names[type] : "?";
}

size_t nf_type_size(nf_type type)
{
    static const size_t sizes[] = {0, 4, 4, 8, 8, 4, 8};
    return (unsigned)type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}

const char *nf_problem_name(nf_problem problem)
{
    static const char *const names[] = {"bfs", "sssp", "apsp", "path"};
    return (unsigned)problem < sizeof names / sizeof *names ? names[problem] : "?";
}

const char *nf_version(void)
{
    return NF_VERSION_STRING;
}

#ifndef NF_LIBRARIES
#define NF_LIBRARIES ""
#endif

const char *nf_libraries(void)
{
    return NF_LIBRARIES;
}

bool nf__read_real(const char *text, double *out)
{
    char local[64], *end = NULL;
    const char *point = localeconv()->decimal_point, *dot = strchr(text, '.');
    const int before = dot != NULL ? (int)(dot - text) : (int)strlen(text);
    const int length =
        snprintf(local, sizeof local, "%.*s%s%s", before, text, dot != NULL ? point : "", dot != NULL ? dot + 1 : "");
    if (length <= 0 || (size_t)length >= sizeof local || isspace((unsigned char)text[0]))
        return false;
    *out = strtod(local, &end);
    return *end == '\0' && !isnan(*out);
}

void nf__print_real(double x, char *text, size_t capacity)
{
    const char *point = localeconv()->decimal_point;
    const size_t width = strlen(point);
    snprintf(text, capacity, "%.17g", x);
    char *at = width > 0 ? strstr(text, point) : NULL;
    if (at == NULL)
        return;
    *at = '.';
    memmove(at + 1, at + width, strlen(at + width) + 1);
}

/* Levenshtein distance of two names, case ignored, both cut at 31 characters. */
static unsigned edit_distance(const char *a, const char *b)
{
    enum { MOST = 31 };
    unsigned row[MOST + 1];
    const size_t la = strlen(a) < MOST ? strlen(a) : MOST, lb = strlen(b) < MOST ? strlen(b) : MOST;
    for (size_t j = 0; j <= lb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            const bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            unsigned best = diagonal + (same ? 0 : 1);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[lb];
}

/* How far a name is from what was typed; a name that contains it, or begins it, is near. */
static unsigned remoteness(const char *wrong, const char *name)
{
    if (*wrong != '\0' && (strstr(name, wrong) != NULL || strstr(wrong, name) != NULL))
        return 1;
    return edit_distance(wrong, name);
}

void nf__nearest_names(const char *wrong, const char *const *names, size_t count, char *text, size_t capacity)
{
    const unsigned far = (unsigned)strlen(wrong) / 2 + 1;
    size_t best[3], found = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned r = remoteness(wrong, names[i]);
        if (r > far)
            continue;
        size_t at = found < 3 ? found++ : 3;
        while (at > 0 && remoteness(wrong, names[best[at - 1]]) > r) {
            if (at < 3)
                best[at] = best[at - 1];
            at--;
        }
        if (at < 3)
            best[at] = i;
    }
    text[0] = '\0';
    for (size_t i = 0; i < found && used < capacity; i++) {
        const char *joint = i == 0 ? "" : i + 1 == found ? " or " : ", ";
        const int k = snprintf(text + used, capacity - used, "%s%s", joint, names[best[i]]);
        used += k > 0 ? (size_t)k : 0;
    }
}
