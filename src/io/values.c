/* values.c - matrices written out number by number (TSPLIB, Matrix Market array): the numbers, then the arcs they
 * stand for.
 *
 * Method: numbers are counted and parsed by chunk, as lists of arcs are; entry (r, c) is found by arithmetic.
 * Invariant V1: number i of the body is element i of w at any number of threads.
 * Cost: O(bytes / threads) and O(n^2 / threads); one copy of the matrix besides the arcs.
 */
#include "io/text.h"

uint64_t nf__stored_count(nf__stored stored, uint64_t n)
{
    switch (stored) {
    case NF__FULL: return n * n;
    case NF__LOWER_DIAG:
    case NF__UPPER_DIAG: return n * (n + 1) / 2;
    default: return n == 0 ? 0 : n * (n - 1) / 2;
    }
}

/* Where entry (r, c) is in the list; the entry must be one that is stored. */
static uint64_t place_of(nf__stored stored, uint64_t n, uint64_t r, uint64_t c)
{
    switch (stored) {
    case NF__FULL: return r * n + c;
    case NF__LOWER: return r * (r - 1) / 2 + c;
    case NF__LOWER_DIAG: return r * (r + 1) / 2 + c;
    case NF__UPPER: return r * (2 * n - r - 1) / 2 + (c - r - 1);
    default: return r * (2 * n - r + 1) / 2 + (c - r);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

typedef struct job {
    nf__values *values;
    unsigned style;
} job;

static void parse_chunk(nf__chunk *c, void *arg)
{
    const job *j = arg;
    uint64_t i = c->first_number;
    c->low = INT64_MAX;
    c->high = INT64_MIN;
    c->real = false;
    const char *p = nf__skip_to_data(c->begin, c->end, j->style);
    while (p < c->end) {
        while (!nf__at_line_end(p, c->end)) {
            if (!nf__take_weight(c, &p, c->end, j->values->mode, j->values->w, i++))
                return;
            if (p < c->end && (*p == ',' || *p == ';')) {
                nf__chunk_fail(c, p, "'%c' stands between numbers; expected blanks", *p);
                return;
            }
            p = nf__skip_blanks(p, c->end);
        }
        p = nf__skip_to_data(p, c->end, j->style);
    }
}

nf_status nf__values_read(nf_context *ctx, nf__text *text, nf__values *v)
{
    nf_status st = NF_OK;
    job j = {v, text->style};
    for (;;) {
        nf__free(v->w);
        NF_TRY_ALLOC(v->w, nf__alloc(nf__context_mem(ctx), text->numbers,
                                     v->mode == NF__W_F64 ? sizeof(double) : sizeof(uint32_t)));
        NF_TRY(nf__text_each(ctx, text, parse_chunk, &j));
        v->type = nf__weight_type_found(text, v->mode);
        if (v->mode != NF__W_AUTO || v->type != NF_F64)
            break;
        v->mode = NF__W_F64;
    }
done:
    return st;
}

const char *nf__number_place(const nf__text *text, uint64_t i)
{
    uint64_t k = 0;
    while (k + 1 < text->count && text->chunks[k + 1].first_number <= i)
        k++;
    const char *end = text->chunks[k].end;
    const char *p = nf__skip_to_data(text->chunks[k].begin, end, text->style);
    for (uint64_t left = i - text->chunks[k].first_number; left > 0 && p < end; left--) {
        while (p < end && *p != '\n' && !nf__is_blank(*p))
            p++;
        p = nf__skip_blanks(p, end);
        if (nf__at_line_end(p, end))
            p = nf__skip_to_data(p, end, text->style);
    }
    return p;
}

uint64_t nf__values_asymmetry(const nf__values *v, uint64_t n)
{
    size_t size = nf_type_size(v->type);
    const char *w = v->w;
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t c = 0; c < r; c++)
            if (memcmp(w + (r * n + c) * size, w + (c * n + r) * size, size) != 0)
                return r * n + c;
    return UINT64_MAX;
}

/* ---- arcs -------------------------------------------------------------------------------------------------------- */

typedef struct plan {
    const nf__values *values;
    uint64_t n;
    nf__stored stored;
    bool swap;
    nf__stored part; /* FULL, LOWER or UPPER: the entries that become arcs */
    nf__pairs *pairs;
} plan;

static void put(const plan *p, uint64_t r, uint64_t c, uint64_t at)
{
    uint64_t from = place_of(p->stored, p->n, r, c);
    p->pairs->src[at] = (nf_vid)(p->swap ? c : r);
    p->pairs->dst[at] = (nf_vid)(p->swap ? r : c);
    if (p->values->type == NF_F64)
        ((double *)p->pairs->w)[at] = ((const double *)p->values->w)[from];
    else
        ((uint32_t *)p->pairs->w)[at] = ((const uint32_t *)p->values->w)[from];
}

static void put_row(const plan *p, uint64_t r)
{
    uint64_t at = p->part == NF__FULL    ? r * (p->n - 1)
                  : p->part == NF__LOWER ? r * (r - (r > 0)) / 2
                                         : r * (2 * p->n - r - 1) / 2;
    for (uint64_t c = 0; p->part != NF__UPPER && c < r; c++)
        put(p, r, c, at++);
    for (uint64_t c = r + 1; p->part != NF__LOWER && c < p->n; c++)
        put(p, r, c, at++);
}

static bool is_zero(const nf__values *v, uint64_t i)
{
    if (v->type == NF_F64)
        return ((const double *)v->w)[i] == 0;
    if (v->type == NF_F32)
        return ((const float *)v->w)[i] == 0;
    return ((const uint32_t *)v->w)[i] == 0;
}

/* The loops after all other arcs, from arc `at` on; returns their number, and only counts if at is 0. */
static uint64_t put_loops(const plan *p, uint64_t at)
{
    uint64_t count = 0;
    for (uint64_t r = 0; r < p->n; r++)
        if (!is_zero(p->values, place_of(p->stored, p->n, r, r))) {
            if (at != 0)
                put(p, r, r, at + count);
            count++;
        }
    return count;
}

nf_status nf__values_to_pairs(nf_context *ctx, nf__values *v, nf_vid n, nf__stored stored, bool swap, bool half,
                              bool loops, nf__pairs *q)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    bool lower = stored == NF__LOWER || stored == NF__LOWER_DIAG;
    plan p = {v, n, stored, swap, stored == NF__FULL && !half ? NF__FULL : lower ? NF__LOWER : NF__UPPER, q};
    bool diagonal = loops && stored != NF__LOWER && stored != NF__UPPER;
    uint64_t others = nf__stored_count(NF__LOWER, n) * (p.part == NF__FULL ? 2 : 1);
    uint64_t extra = diagonal ? put_loops(&p, 0) : 0;
    q->m = others + extra;
    NF_TRY_ALLOC(q->src, nf__alloc(mem, q->m, sizeof *q->src));
    NF_TRY_ALLOC(q->dst, nf__alloc(mem, q->m, sizeof *q->dst));
    NF_TRY_ALLOC(q->w, nf__alloc(mem, q->m, nf_type_size(v->type)));
    q->type = v->type;
#pragma omp parallel for num_threads(nf__context_threads(ctx)) schedule(dynamic, 64) if (q->m >= NF__PARALLEL_LEAST)
    for (uint64_t r = 0; r < n; r++)
        put_row(&p, r);
    if (extra > 0 && others > 0)
        (void)put_loops(&p, others);
    else if (extra > 0)
        put(&p, 0, 0, 0); /* n = 1 */
    NF_TRY(nf__poll(ctx));
done:
    nf__free(v->w);
    v->w = NULL;
    return st;
}
