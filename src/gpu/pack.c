/* pack.c - the host's share of moving (pack.h). Cost: one pass over what is read and written, at memory speed. */
#include "gpu/pack.h"

#define GRAIN \
    ((uint64_t)256 << 10) /* bytes worth a thread: some 30 us of copying, three times what waking one costs \
                                     */

static int crew(uint64_t bytes, int threads)
{
    const uint64_t worth = bytes / GRAIN + 1;
    return worth < (uint64_t)threads ? (int)worth : threads;
}

void nf__pack_copy(const void *source, uint64_t at, uint64_t bytes, void *to, int threads)
{
    const char *from = (const char *)source + at;
    const int team = crew(bytes, threads);
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
    for (uint64_t i = 0; i < bytes; i += GRAIN)
        memcpy((char *)to + i, from + i, (size_t)(bytes - i < GRAIN ? bytes - i : GRAIN));
}

void nf__pack_pairs(const void *source, uint64_t at, uint64_t bytes, void *to, int threads)
{
    const nf_csr *csr = source;
    const uint64_t first = at / 8, count = bytes / 8;
    const nf_vid *adj = csr->adj + first;
    const uint32_t *w = csr->weight_type != NF_NONE ? (const uint32_t *)csr->weights + first : NULL;
    uint32_t *pair = to;
    const int team = crew(bytes, threads);
    if (w == NULL) {
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
        for (uint64_t i = 0; i < count; i++) {
            pair[2 * i] = adj[i];
            pair[2 * i + 1] = 1;
        }
        return;
    }
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
    for (uint64_t i = 0; i < count; i++) {
        pair[2 * i] = adj[i];
        pair[2 * i + 1] = w[i];
    }
}

#define WIDEN(T, UNREACHED)                                                                                        \
    _Pragma("omp parallel for num_threads(team) schedule(static) if (team > 1)") for (uint64_t v = 0; v < n; v++)( \
        (T *)to)[v] = hops[v] == UINT32_MAX ? (UNREACHED) : (T)hops[v];

void nf__pack_hops(const uint32_t *hops, uint64_t n, nf_type type, void *to, int threads)
{
    const int team = crew(n * 8, threads);
    switch (type) {
    case NF_I64: WIDEN(int64_t, NF_UNREACHED_I64) break;
    case NF_F32: WIDEN(float, INFINITY) break;
    case NF_F64: WIDEN(double, (double)INFINITY) break;
    default: nf__pack_copy(hops, 0, n * sizeof *hops, to, threads); break;
    }
}
