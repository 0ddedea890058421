/* generate_help.h - what the tests of the generators share: options, views, degrees, and the check that a graph is
 * simple. */
#ifndef NF_TESTS_GENERATE_HELP_H
#define NF_TESTS_GENERATE_HELP_H

#include "unit.h"

static inline nf_generate_options defaults(const char *kind)
{
    nf_generate_options o = {.size = sizeof o};
    assert_int_equal(nf_generate_defaults(kind, &o), NF_OK);
    assert_string_equal(o.kind, kind);
    o.seed = 1;
    return o;
}

static inline nf_generate_options of_size(const char *kind, uint64_t n)
{
    nf_generate_options o = defaults(kind);
    o.n = n;
    return o;
}

static inline nf_graph *generate(const nf_generate_options *o)
{
    nf_graph *g = NULL;
    OK(nf_generate(NULL, o, &g));
    return g;
}

static inline nf_csr view(const nf_graph *g)
{
    nf_csr csr;
    assert_int_equal(nf_graph_view(NULL, g, &csr), NF_OK);
    return csr;
}

static inline nf_eid off(const nf_csr *csr, nf_vid v)
{
    return csr->off32 != NULL ? csr->off32[v] : csr->off64[v];
}

static inline nf_eid degree(const nf_csr *csr, nf_vid v)
{
    return off(csr, v + 1) - off(csr, v);
}

static inline double weight(const nf_csr *csr, nf_eid e)
{
    switch (csr->weight_type) {
    case NF_I32: return ((const int32_t *)csr->weights)[e];
    case NF_U32: return ((const uint32_t *)csr->weights)[e];
    case NF_F32: return (double)((const float *)csr->weights)[e];
    case NF_F64: return ((const double *)csr->weights)[e];
    default: return 1;
    }
}

static inline uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    return h;
}

static inline uint64_t hash_of(const nf_graph *g)
{
    const nf_csr csr = view(g);
    uint64_t h = mix(UINT64_C(14695981039346656037), &csr.n, sizeof csr.n);
    for (nf_vid v = 0; v < csr.n; v++) {
        const nf_eid d = degree(&csr, v);
        h = mix(h, &d, sizeof d);
    }
    h = mix(h, csr.adj, csr.m * sizeof *csr.adj);
    h = mix(h, csr.weights, csr.m * nf_type_size(csr.weight_type));
    const double *xy = nf_graph_coordinates(g);
    return xy == NULL ? h : mix(h, xy, 2 * (size_t)csr.n * sizeof *xy);
}

/* The arc u -> v of a graph with sorted rows, or m. */
static inline nf_eid find_arc(const nf_csr *csr, nf_vid u, nf_vid v)
{
    nf_eid lo = off(csr, u), hi = off(csr, u + 1);
    while (lo < hi) {
        const nf_eid mid = lo + (hi - lo) / 2;
        if (csr->adj[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < off(csr, u + 1) && csr->adj[lo] == v ? lo : csr->m;
}

/* No loops, no duplicates, rows sorted; if undirected, every arc has its twin of the same weight. */
static inline void check_simple(const nf_graph *g)
{
    const nf_csr csr = view(g);
    nf_graph_info info = {.size = sizeof info};
    assert_int_equal(nf_graph_get_info(g, &info), NF_OK);
    assert_string_equal(info.format, "generated");
    for (nf_vid u = 0; u < csr.n; u++) {
        for (nf_eid e = off(&csr, u); e < off(&csr, u + 1); e++) {
            assert_true(csr.adj[e] < csr.n && csr.adj[e] != u);
            assert_true(e == off(&csr, u) || csr.adj[e - 1] < csr.adj[e]);
            if (info.directed)
                continue;
            const nf_eid twin = find_arc(&csr, csr.adj[e], u);
            assert_true(twin < csr.m);
            assert_true(weight(&csr, twin) == weight(&csr, e));
        }
    }
}

static inline uint64_t reached_from(const nf_graph *g, nf_vid source)
{
    nf_result *r = NULL;
    nf_row_info info = {.size = sizeof info};
    assert_int_equal(nf_bfs(NULL, g, source, NULL, &r), NF_OK);
    assert_int_equal(nf_result_row_info(r, 0, &info), NF_OK);
    nf_result_free(r);
    return info.reached;
}

static inline nf_graph_stats stats_of(const nf_graph *g)
{
    nf_graph_stats s = {.size = sizeof s};
    assert_int_equal(nf_graph_get_stats(NULL, g, 0, &s), NF_OK);
    return s;
}

static inline bool is_negative_kind(const char *kind)
{
    return strncmp(kind, "negative", 8) == 0;
}

#endif
