/* internal.h - numbers, rows and reports as the checkers' files share them.
 *
 * Invariants
 *   C1 integer distances are held in 128 bits, so that no sum wraps; float distances in a double, exact in their type;
 *   C2 unreached is C_INFINITE for integers and +infinity for floats: greater than every distance;
 *   C3 a float sum is rounded to the distance type after every addition, and weights are converted to it first.
 */
#ifndef NF_CHECK_INTERNAL_H
#define NF_CHECK_INTERNAL_H

#include <math.h>

#include "check.h"

typedef __int128 c_wide;
#define C_INFINITE ((c_wide)1 << 120)

typedef struct c_num {
    c_wide i; /* integers */
    double f; /* floats */
} c_num;

/* The type arithmetic is done in, and what "equal" means. */
typedef struct c_field {
    bool real;
    bool f32;         /* real and single precision */
    double tolerance; /* real only */
    double scale;     /* least magnitude errors are relative to */
} c_field;

/* One row under the lens. */
typedef struct c_row {
    c_field field;
    nf_csr csr;
    bool hops;  /* BFS: every arc counts 1 */
    c_num *d;   /* n */
    bool *root; /* n: sources at distance 0 */
    const nf_vid *parents, *owners, *sources;
    uint64_t source_count;
    bool nearest;
    bool limited;
    c_num limit;
    bool partial; /* limited, with negative weights: ancestors may be missing */
    nf_check_report *report;
} c_row;

static inline nf_eid c_off(const nf_csr *csr, nf_vid v)
{
    return csr->off32 != NULL ? csr->off32[v] : csr->off64[v];
}

static inline bool c_is_float(nf_type type)
{
    return type == NF_F32 || type == NF_F64;
}

/* -1, 0, 1; within the tolerance is 0. */
static inline int c_compare(const c_field *f, c_num a, c_num b)
{
    if (!f->real)
        return a.i < b.i ? -1 : a.i > b.i;
    if (f->tolerance > 0 && isfinite(a.f) && isfinite(b.f)
        && fabs(a.f - b.f) <= f->tolerance * fmax(f->scale, fmax(fabs(a.f), fabs(b.f))))
        return 0;
    return a.f < b.f ? -1 : a.f > b.f;
}

static inline bool c_reached(const c_field *f, c_num a)
{
    return f->real ? a.f < INFINITY : a.i < C_INFINITE;
}

static inline c_num c_add(const c_field *f, c_num a, c_num b)
{
    c_num sum = {.i = a.i + b.i, .f = f->f32 ? (double)((float)a.f + (float)b.f) : a.f + b.f};
    return sum;
}

/* Element i of a distance or weight array, in the field. */
c_num c_load(const c_field *field, nf_type type, const void *array, uint64_t i);
/* The weight of arc e; 1 when unweighted. */
c_num c_weight(const c_field *field, nf_type type, const void *weights, nf_eid e);
c_field c_field_of(nf_type type, double tolerance);
/* Writes a number as text; "unreached" where it is. */
void c_text(const c_field *field, c_num a, char text[48]);

/* Decimal digits of a wide number. */
void c_wide_text(c_wide value, char text[48]);

void c_begin(nf_check_report *report);
/* Records the error unless one is there already; returns false. */
bool c_broken(nf_check_report *report, nf_check_rule rule, nf_vid vertex, nf_vid from, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A failure to look; returns status. */
nf_status c_fail(nf_check_report *report, nf_status status, const char *text);

/* hops.c: a row of a breadth-first search from one source, the whole of it. */
typedef struct c_hops {
    const nf_csr *csr;
    const int32_t *hop;
    const nf_vid *parent; /* or NULL */
    nf_vid source;
} c_hops;

/* Do rules 1 to 7 hold? False also where memory is short: nothing is said then. */
bool c_hops_hold(const c_hops *h);

/* rules.c: rules 7, 9 and 10. *ok as the rule stands; `scratch` helpers allocate O(n). */
nf_status c_check_support(c_row *r);
nf_status c_check_deterministic(c_row *r);
nf_status c_check_owners(c_row *r);

#endif
