/* reduce.c - rows sorted by target, and parallel arcs reduced to one.
 *
 * A row-wise sort is two stable transpositions: the first groups arcs by target, the second by source again, targets
 * now ascending. No comparisons, no worst rows. Then each row is folded over runs of equal targets: counted, placed,
 * written. Cost O(n + m) time and one more copy of the arcs.
 */
#include "graph/reduce.h"

#include "graph/sort.h"

nf_status nf__sort_rows(nf_context *ctx, const nf_csr *csr, nf__storage *out)
{
    nf_status st = NF_OK;
    nf__storage t = {NULL, NULL, NULL, NULL};
    nf_eid m = 0;
    nf__arc_source from = {.n = csr->n,
                           .m = csr->m,
                           .csr = csr,
                           .dst = csr->adj,
                           .weight_type = csr->weight_type,
                           .w = csr->weights,
                           .reverse = true};
    NF_TRY(nf__sort_arcs(ctx, &from, NULL, &t, &m));
    const nf_csr turned = nf__storage_view(&t, csr->n, m, csr->weight_type);
    from.csr = &turned;
    from.dst = turned.adj;
    from.w = turned.weights;
    NF_TRY(nf__sort_arcs(ctx, &from, NULL, out, &m));
done:
    nf__storage_free(&t);
    return st;
}

/* Folds weight e of `w` into the weight at *kept (same array type); false when a sum leaves the type. */
static bool fold(nf_type type, nf_duplicates how, const void *w, nf_eid e, void *kept)
{
#define FOLD(T, ADD)                                  \
    do {                                              \
        const T x = ((const T *)w)[e];                \
        T *k = kept;                                  \
        if (how == NF_DUP_SUM)                        \
            ADD;                                      \
        else if (how == NF_DUP_MIN ? x < *k : x > *k) \
            *k = x;                                   \
        return true;                                  \
    } while (0)
    switch (type) {
    case NF_I32: FOLD(int32_t, return !__builtin_add_overflow(*k, x, k));
    case NF_U32: FOLD(uint32_t, return !__builtin_add_overflow(*k, x, k));
    case NF_F32: FOLD(float, return !isinf(*k += x));
    case NF_F64: FOLD(double, return !isinf(*k += x));
    default: return true;
    }
#undef FOLD
}

/* Folds the runs of one sorted row into place `to` of the result; false on overflow. */
static bool fold_row(const nf_csr *c, nf_vid u, nf_duplicates how, uint64_t to, const nf__storage *out)
{
    const size_t width = nf_type_size(c->weight_type);
    const nf_eid end = nf__off(c, u + 1);
    bool fits = true;
    for (nf_eid e = nf__off(c, u); e < end;) {
        char *kept = width != 0 ? (char *)out->w + to * width : NULL;
        const nf_eid first = e;
        out->adj[to] = c->adj[e];
        if (width != 0)
            memcpy(kept, (const char *)c->weights + e * width, width);
        for (e++; e < end && c->adj[e] == c->adj[first]; e++)
            fits &= fold(c->weight_type, how, c->weights, e, kept);
        to++;
    }
    return fits;
}

/* off[u+1] = distinct targets of u, then their prefix sum. */
static uint64_t count_distinct(nf_context *ctx, const nf_csr *c, uint64_t *off)
{
    const int threads = nf__threads_for(ctx, c->m);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (nf_vid u = 0; u < c->n; u++) {
        const nf_eid begin = nf__off(c, u), end = nf__off(c, u + 1);
        uint64_t distinct = begin < end;
        for (nf_eid e = begin + 1; e < end; e++)
            distinct += c->adj[e] != c->adj[e - 1];
        off[u + 1] = distinct;
    }
    off[0] = 0;
    for (nf_vid u = 0; u < c->n; u++)
        off[u + 1] += off[u];
    return off[c->n];
}

/* 64-bit offsets to 32 bits where they fit (G6). */
static nf_status shrink_offsets(nf__mem *mem, nf_vid n, nf_eid m, nf__storage *s)
{
    if (m > UINT32_MAX)
        return NF_OK;
    s->off32 = nf__alloc(mem, (uint64_t)n + 1, sizeof(uint32_t));
    if (s->off32 == NULL)
        return NF_ENOMEM;
    for (uint64_t v = 0; v <= n; v++)
        s->off32[v] = (uint32_t)s->off64[v];
    nf__free(s->off64);
    s->off64 = NULL;
    return NF_OK;
}

static void swap_storage(nf__storage *a, nf__storage *b)
{
    const nf__storage x = *a;
    *a = *b;
    *b = x;
}

nf_status nf__reduce_duplicates(nf_context *ctx, nf_vid n, nf_type weight_type, nf_duplicates how, nf__storage *s,
                                nf_eid *m)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    const int threads = nf__threads_for(ctx, *m);
    nf__storage sorted = {NULL, NULL, NULL, NULL}, made = {NULL, NULL, NULL, NULL};
    const nf_csr before = nf__storage_view(s, n, *m, weight_type);
    int overflow = 0;
    (void)threads;
    NF_TRY(nf__sort_rows(ctx, &before, &sorted));
    nf__storage_free(s);
    const nf_csr c = nf__storage_view(&sorted, n, *m, weight_type);
    NF_TRY_ALLOC(made.off64, nf__alloc(mem, (uint64_t)n + 1, sizeof(uint64_t)));
    const uint64_t kept = count_distinct(ctx, &c, made.off64);
    NF_TRY_ALLOC(made.adj, nf__alloc(mem, kept, sizeof(nf_vid)));
    if (weight_type != NF_NONE)
        NF_TRY_ALLOC(made.w, nf__alloc(mem, kept, nf_type_size(weight_type)));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(| : overflow)
    for (nf_vid u = 0; u < n; u++)
        overflow |= !fold_row(&c, u, how, made.off64[u], &made);
    if (overflow != 0)
        NF_TRY(nf__fail(NF_EOVERFLOW, "the sum of parallel arcs does not fit %s weights", nf_type_name(weight_type)));
    NF_TRY(shrink_offsets(mem, n, kept, &made));
    *m = kept;
    swap_storage(s, &made);
done:
    nf__storage_free(&sorted);
    nf__storage_free(&made);
    return st;
}
