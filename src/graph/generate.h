/* generate.h - what the graph generators share: the table entry of a kind, the state of one generation, the parallel
 * drivers.
 *
 * A kind is one const nf__generator. nf_generate copies the caller's options into an nf__gen, lets the kind `plan`
 * (check its parameters, settle n and a bound on m), asks whether the memory is there, lets it `make` its edges, and
 * then does what is common: weights, renumbering, symmetrising and removal of duplicates.
 *
 * Invariants
 *   N1 every random number is nf__hash64(g->key[stream], index): no generator has a state that depends on threads;
 *   N2 an edge's weight depends on its place in arcs.src/dst only, so that both arcs of an undirected edge share it;
 *   N3 plan() sets g->n and bounds the edges that make() may write (forest-fire grows instead), before anything is
 *      allocated.
 */
#ifndef NF_GRAPH_GENERATE_H
#define NF_GRAPH_GENERATE_H

#include "core/base.h"
#include "graph/graph.h"

/* Streams of random numbers (N1). */
enum {
    NF__KEY_EDGES = 0,
    NF__KEY_WEIGHTS,
    NF__KEY_PERMUTE,
    NF__KEY_DROP,
    NF__KEY_PLACES,
    NF__KEY_EXTRA,
    NF__KEY_COUNT
};

/* A bijection of 0 .. n-1: a Feistel network on the next power of four, walked until it lands inside. */
typedef struct nf__shuffle {
    uint64_t key, n;
    uint32_t half; /* bits of each half */
} nf__shuffle;

nf__shuffle nf__shuffle_make(uint64_t key, uint64_t n);
uint64_t nf__shuffle_at(const nf__shuffle *s, uint64_t i);

typedef struct nf__gen {
    nf_context *ctx;
    nf__mem *mem;
    int threads;
    nf_generate_options o;
    uint64_t key[NF__KEY_COUNT];
    nf_vid n;
    nf_eid m;                   /* after plan(): the most edges that make() writes */
    uint64_t rows, cols, depth; /* grids, bipartite: settled by plan() */
    nf__shuffle shuffle;        /* the renumbering, when o.permute */
    double lo, hi;              /* settled range of the weights */
    bool has_range;             /* the caller, or the kind's defaults, named one */
    nf_type weight_type;        /* settled */
    uint64_t extra_bytes;       /* scratch that plan() foresees */
    nf__arcs arcs;
    double *xy; /* 2 n coordinates, or NULL */
    void *aux;  /* the kind's own, an nf__alloc block */
} nf__gen;

/* Flags of a kind. */
#define NF__GEN_DIRECTED 1u  /* always directed */
#define NF__GEN_OWN_RANGE 2u /* the weight range steers the kind's own weights instead of replacing them */

typedef struct nf__generator {
    nf_generator_info info;
    nf_generate_options defaults;
    uint32_t flags;
    nf_type own_type; /* of the kind's own weights; NF_NONE: it has none */
    nf_status (*plan)(nf__gen *g);
    nf_status (*make)(nf__gen *g);
    double (*weight)(const nf__gen *g, nf_eid e, nf_vid u, nf_vid v); /* own weights; whole when the type is */
} nf__generator;

extern const nf__generator nf__gen_rmat, nf__gen_kronecker;                            /* gen_rmat.c */
extern const nf__generator nf__gen_uniform, nf__gen_bipartite, nf__gen_hub;            /* gen_random.c */
extern const nf__generator nf__gen_forest_fire;                                        /* gen_forest_fire.c */
extern const nf__generator nf__gen_small_world;                                        /* gen_small_world.c */
extern const nf__generator nf__gen_grid2d, nf__gen_grid3d;                             /* gen_grid.c */
extern const nf__generator nf__gen_delaunay;                                           /* gen_delaunay.c */
extern const nf__generator nf__gen_road;                                               /* gen_road.c */
extern const nf__generator nf__gen_complete, nf__gen_star, nf__gen_path, nf__gen_tree; /* gen_simple.c */
extern const nf__generator nf__gen_dag_chain;                                          /* gen_dag_chain.c */
extern const nf__generator nf__gen_negative, nf__gen_negative_cycle;                   /* gen_negative.c */

/* ---- for plan() (generate.c) ------------------------------------------------------------------------------------- */

/* n from o.n or o.scale, checked against `most`. */
nf_status nf__gen_plan_n(nf__gen *g, uint64_t most);
/* m from o.edges or o.edge_factor. */
nf_status nf__gen_plan_m(nf__gen *g);
/* NF_EINVAL unless 0 <= value <= 1. */
nf_status nf__gen_check_share(const char *name, double value);

/* ---- for make() (gen_common.c) ----------------------------------------------------------------------------------- */

/* Allocates room for m edges in g->arcs. */
nf_status nf__gen_room(nf__gen *g, nf_eid m);
/* Draws edges 0 .. g->m-1 independently of each other, in parallel. */
typedef void (*nf__draw_fn)(const nf__gen *g, nf_eid e, nf_vid *u, nf_vid *v);
nf_status nf__gen_edges(nf__gen *g, nf__draw_fn draw);
/* Writes the edges of each vertex in parallel: the function gives their number, and writes them if dst is not NULL. */
typedef uint64_t (*nf__row_fn)(const nf__gen *g, nf_vid u, nf_vid *dst);
nf_status nf__gen_rows(nf__gen *g, nf__row_fn row);

/* Weights for g->arcs: the kind's own, or drawn from the range. */
nf_status nf__gen_weigh(nf__gen *g, const nf__generator *kind);
/* Renumbers arcs and coordinates by g->shuffle. */
nf_status nf__gen_permute(nf__gen *g);

/* ---- Delaunay triangulations (gen_triangulate.c) ----------------------------------------------------------------- */

#define NF__MESH_SIDE ((int32_t)1 << 26)  /* coordinates lie in 0 .. this, so that predicates are exact in 128 bits */
#define NF__MESH_MOST ((uint64_t)1 << 29) /* points at most: half-edges are counted in 32 bits */

/* Half-edges 2i and 2i+1 are the two directions of edge i; around a vertex they form rings. */
typedef struct nf__mesh {
    uint32_t n;
    const int32_t *x, *y; /* borrowed */
    uint32_t *org;        /* origin, NF_NO_VERTEX for unused slots; 6 n of each */
    uint32_t *onext;      /* the next half-edge around the origin, counter-clockwise */
    uint32_t *oprev;
} nf__mesh;

/* Triangulates n points that ascend strictly by (x, y). mesh must be zeroed; free it with nf__mesh_free, always. */
nf_status nf__mesh_make(nf_context *ctx, uint32_t n, const int32_t *x, const int32_t *y, nf__mesh *mesh);
void nf__mesh_free(nf__mesh *mesh);
/* The vertex that makes a triangle with half-edge e on its left, NF_NO_VERTEX on the outside. */
uint32_t nf__mesh_apex(const nf__mesh *mesh, uint32_t e);

/* Sorts keys, carrying items (may be NULL) along; ascending, stable. spare arrays have n elements too. */
void nf__radix_sort(uint64_t n, uint64_t *keys, uint32_t *items, uint64_t *spare_keys, uint32_t *spare_items,
                    uint32_t bits);

#endif
