/* gen_common.c - the parallel drivers that every kind of generator uses: edges, rows, weights, renumbering, sorting.
 *
 * Method: counter-based random numbers (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), so a
 * number belongs to an edge or a vertex and not to a thread; permutations by a Feistel network with cycle walking
 * (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
 *
 * Invariants: N1, N2 of generate.h. Loops run in slabs, so that the calling thread polls between them.
 * Cost: O(n + m) time; 4 n bytes while renumbering.
 */
#include "graph/generate.h"

#define SLAB_EDGES ((uint64_t)1 << 21) /* edges between two polls: some 50 ms */
#define FEISTEL_ROUNDS 6u
#define RADIX_BITS 11u

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

nf__shuffle nf__shuffle_make(uint64_t key, uint64_t n)
{
    nf__shuffle s = {.key = key, .n = n, .half = 1};
    while (s.half < 32 && (UINT64_C(1) << (2 * s.half)) < n)
        s.half++;
    return s;
}

uint64_t nf__shuffle_at(const nf__shuffle *s, uint64_t i)
{
    const uint64_t mask = (UINT64_C(1) << s->half) - 1;
    do {
        uint64_t l = i >> s->half, r = i & mask;
        for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
            const uint64_t mixed = l ^ (nf__hash64(s->key + round, r) & mask);
            l = r, r = mixed;
        }
        i = l << s->half | r;
    } while (i >= s->n);
    return i;
}

nf_status nf__gen_room(nf__gen *g, nf_eid m)
{
    nf_status st = NF_OK;
    g->arcs.n = g->n, g->arcs.m = m;
    NF_TRY_ALLOC(g->arcs.src, nf__alloc(g->mem, m, sizeof(nf_vid)));
    NF_TRY_ALLOC(g->arcs.dst, nf__alloc(g->mem, m, sizeof(nf_vid)));
done:
    return st;
}

nf_status nf__gen_edges(nf__gen *g, nf__draw_fn draw)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_room(g, g->m));
    nf_vid *const src = g->arcs.src, *const dst = g->arcs.dst;
    for (nf_eid lo = 0; lo < g->m; lo += SLAB_EDGES) {
        NF_TRY(nf__progress(g->ctx, "drawing edges", lo, g->m));
        const nf_eid hi = least(lo + SLAB_EDGES, g->m);
#pragma omp parallel for schedule(static) num_threads(g->threads)
        for (nf_eid e = lo; e < hi; e++)
            draw(g, e, &src[e], &dst[e]);
    }
done:
    return st;
}

/* One chunk of consecutive vertices; dst NULL: count only. */
static uint64_t write_chunk(const nf__gen *g, nf__row_fn row, uint64_t lo, uint64_t hi, nf_vid *src, nf_vid *dst)
{
    uint64_t sum = 0;
    for (uint64_t u = lo; u < hi; u++) {
        const uint64_t count = row(g, (nf_vid)u, dst == NULL ? NULL : dst + sum);
        for (uint64_t i = 0; dst != NULL && i < count; i++)
            src[sum + i] = (nf_vid)u;
        sum += count;
    }
    return sum;
}

static nf_status pass_over_chunks(nf__gen *g, nf__row_fn row, uint64_t chunk, uint64_t chunks, uint64_t *off,
                                  bool write)
{
    nf_status st = NF_OK;
    const uint64_t batch = 4096;
    nf_vid *const src = g->arcs.src, *const dst = g->arcs.dst;
    for (uint64_t b = 0; b < chunks; b += batch) {
        NF_TRY(nf__progress(g->ctx, write ? "writing edges" : "counting edges", b, chunks));
        const uint64_t end = least(b + batch, chunks);
#pragma omp parallel for schedule(dynamic, 4) num_threads(g->threads)
        for (uint64_t c = b; c < end; c++) {
            const uint64_t hi = least((c + 1) * chunk, g->n);
            if (write)
                write_chunk(g, row, c * chunk, hi, src + off[c], dst + off[c]);
            else
                off[c + 1] = write_chunk(g, row, c * chunk, hi, NULL, NULL);
        }
    }
done:
    return st;
}

nf_status nf__gen_rows(nf__gen *g, nf__row_fn row)
{
    nf_status st = NF_OK;
    const uint64_t chunk = g->n / 16384 + 1, chunks = g->n / chunk + 1;
    uint64_t *off = NULL;
    NF_TRY_ALLOC(off, nf__zalloc(g->mem, chunks + 1, sizeof *off));
    NF_TRY(pass_over_chunks(g, row, chunk, chunks, off, false));
    for (uint64_t c = 0; c < chunks; c++)
        off[c + 1] += off[c];
    NF_TRY(nf__gen_room(g, off[chunks]));
    NF_TRY(pass_over_chunks(g, row, chunk, chunks, off, true));
done:
    nf__free(off);
    return st;
}

static inline void store_weight(nf_type type, void *w, nf_eid e, double x)
{
    switch (type) {
    case NF_I32: ((int32_t *)w)[e] = (int32_t)rint(x); break;
    case NF_U32: ((uint32_t *)w)[e] = (uint32_t)rint(x); break;
    case NF_F32: ((float *)w)[e] = (float)x; break;
    default: ((double *)w)[e] = x; break;
    }
}

/* A number of the range (exact: 53 bits hold every i32 and u32). */
static inline double draw_weight(const nf__gen *g, nf_eid e)
{
    const uint64_t bits = nf__hash64(g->key[NF__KEY_WEIGHTS], e);
    if (nf__is_float(g->weight_type))
        return fmin(g->lo + (g->hi - g->lo) * nf__unit(bits), g->hi);
    return g->lo + (double)nf__below(bits, (uint64_t)(g->hi - g->lo) + 1);
}

nf_status nf__gen_weigh(nf__gen *g, const nf__generator *kind)
{
    nf_status st = NF_OK;
    nf__arcs *const arcs = &g->arcs;
    const bool own = kind->weight != NULL && (!g->has_range || (kind->flags & NF__GEN_OWN_RANGE) != 0);
    if (g->weight_type == NF_NONE)
        goto done;
    NF_TRY_ALLOC(arcs->w, nf__alloc(g->mem, arcs->m, nf_type_size(g->weight_type)));
    arcs->weight_type = g->weight_type;
    for (nf_eid lo = 0; lo < arcs->m; lo += SLAB_EDGES) {
        NF_TRY(nf__progress(g->ctx, "drawing weights", lo, arcs->m));
        const nf_eid hi = least(lo + SLAB_EDGES, arcs->m);
#pragma omp parallel for schedule(static) num_threads(g->threads)
        for (nf_eid e = lo; e < hi; e++) {
            const double x = own ? kind->weight(g, e, arcs->src[e], arcs->dst[e]) : draw_weight(g, e);
            store_weight(g->weight_type, arcs->w, e, x);
        }
    }
done:
    return st;
}

static nf_status permute_coordinates(nf__gen *g, const nf_vid *name)
{
    nf_status st = NF_OK;
    double *xy = NULL;
    NF_TRY_ALLOC(xy, nf__alloc(g->mem, 2 * (uint64_t)g->n, sizeof *xy));
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (nf_vid v = 0; v < g->n; v++) {
        xy[2 * (size_t)name[v]] = g->xy[2 * (size_t)v];
        xy[2 * (size_t)name[v] + 1] = g->xy[2 * (size_t)v + 1];
    }
    nf__free(g->xy);
    g->xy = xy;
done:
    return st;
}

nf_status nf__gen_permute(nf__gen *g)
{
    nf_status st = NF_OK;
    nf_vid *name = NULL;
    NF_TRY(nf__poll(g->ctx));
    NF_TRY_ALLOC(name, nf__alloc(g->mem, g->n, sizeof *name));
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (nf_vid v = 0; v < g->n; v++)
        name[v] = (nf_vid)nf__shuffle_at(&g->shuffle, v);
    for (nf_eid lo = 0; lo < g->arcs.m; lo += SLAB_EDGES) {
        NF_TRY(nf__progress(g->ctx, "renumbering", lo, g->arcs.m));
        const nf_eid hi = least(lo + SLAB_EDGES, g->arcs.m);
#pragma omp parallel for schedule(static) num_threads(g->threads)
        for (nf_eid e = lo; e < hi; e++) {
            g->arcs.src[e] = name[g->arcs.src[e]];
            g->arcs.dst[e] = name[g->arcs.dst[e]];
        }
    }
    if (g->xy != NULL)
        NF_TRY(permute_coordinates(g, name));
done:
    nf__free(name);
    return st;
}

/* One pass of the sort by the digit at `shift`. */
static void radix_pass(uint64_t n, uint32_t shift, const uint64_t *keys, const uint32_t *items, uint64_t *to_keys,
                       uint32_t *to_items)
{
    uint64_t at[1u << RADIX_BITS] = {0};
    const uint64_t mask = (1u << RADIX_BITS) - 1;
    for (uint64_t i = 0; i < n; i++)
        at[keys[i] >> shift & mask]++;
    uint64_t sum = 0;
    for (uint64_t d = 0; d <= mask; d++) {
        const uint64_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t to = at[keys[i] >> shift & mask]++;
        to_keys[to] = keys[i];
        if (items != NULL)
            to_items[to] = items[i];
    }
}

void nf__radix_sort(uint64_t n, uint64_t *keys, uint32_t *items, uint64_t *spare_keys, uint32_t *spare_items,
                    uint32_t bits)
{
    uint64_t *const home = keys;
    for (uint32_t shift = 0; shift < bits; shift += RADIX_BITS) {
        radix_pass(n, shift, keys, items, spare_keys, spare_items);
        uint64_t *const k = keys;
        uint32_t *const v = items;
        keys = spare_keys, spare_keys = k;
        if (items != NULL)
            items = spare_items, spare_items = v;
    }
    if (keys != home) {
        memcpy(home, keys, n * sizeof *keys);
        if (items != NULL)
            memcpy(spare_items, items, n * sizeof *items);
    }
}
