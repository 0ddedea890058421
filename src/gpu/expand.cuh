/* expand.cuh - one round of a frontier: every arc of every vertex in the queue is shown to a step, under a mapping of
 * the catalogue (L1 to L10), and the vertices the step lists go into the next queue.
 *
 * A step is a struct F with these functions beside it (C-style; Off is the type of offsets):
 *   void begin_round(F &, unsigned round, slot *next)      before each round
 *   word64 source_of(const F &, uint32_t u)                what is known of u; once a vertex or arc
 *   void load_arc(const F &, const arena<Off> &, word64 e, arc_data *, bool once = false)      one arc; once: what lies
 *                                                          beside it is asked for by the same warp now, or never
 *   void load_arcs(const F &, const arena<Off> &, word64 e, arc_data[4])    arcs e .. e + 3, e a multiple of 4
 *   word64 peek(const F &, uint32_t v)                     a plain look at v, before any atomic
 *   bool is_worth_a_look(const F &, word64 source, arc)    false: claim will refuse it, whatever v has
 *   bool claim(F &, uint32_t u, word64 source, arc_data, word64 e, word64 seen, word64 *old)     tries to change v;
 *                                                          *old is what its atomic gave
 *   unsigned judge(F &, uint32_t u, word64 source, arc_data, word64 seen, word64 old)  VERDICT_*, where claim was true
 *   bool seed(F &, uint32_t v)                             v is a source; false if it was one already
 *   F::LISTS                                               false: it never lists a vertex
 *   F::EVERY_MAPPING                                       false: it is only ever run under L1, L2, L3 and L9
 *   F::PILES                                               it may also put vertices off (VERDICT_FAR, far.cuh)
 *   is_parted<F>, is_switching<F>, is_adapting<F>          F5, F6 and F7 of far.cuh hold for it
 *
 * Invariants
 *   E1 a mapping is run by whole blocks, p.size of them; each arc of the frontier is visited exactly once;
 *   E2 lanes of a warp stay together: visit_arcs and all that lists vertices is called by all 32 of them;
 *   E3 four arcs of a thread are under way at a time: their targets, then their labels, then their atomics, then what
 *      follows from these; no result is waited for before all four are asked for.
 * Cost: O(arcs of the frontier) and what the mapping adds, said in its file.
 */
#ifndef NF_GPU_EXPAND_CUH
#define NF_GPU_EXPAND_CUH

#include "gpu/frontier.cuh"

namespace SIMT_FLAVOUR
{

enum { AHEAD = 4 }; /* arcs of a thread under way (E3) */

typedef struct arc_data {
    uint32_t v;
    word64 w; /* the weight's bits */
} arc_data;

typedef enum mapping_kind {
    MAP_AUTO = 0,
    MAP_THREAD,
    MAP_VIRTUAL_WARP,
    MAP_DYNAMIC,
    MAP_CHILDREN,
    MAP_CTA_WARP_SCAN,
    MAP_DIRECT_SEARCH,
    MAP_WARP_SEARCH,
    MAP_BLOCK_SEARCH,
    MAP_TWO_PHASE,
    MAP_MULTI_PHASE,
    MAP_COUNT
} mapping_kind;

/* A mapping and its numbers. */
typedef struct tuning {
    int mapping;
    unsigned width;        /* virtual-warp:N; MAP_AUTO: what suits the mean degree */
    unsigned least;        /* dynamic-virtual-warp: K1 */
    unsigned block_th;     /* cta-warp-scan: CTA_TH */
    unsigned warp_th;      /* and WARP_TH */
    unsigned searches;     /* multi-phase: IS */
    bool in_registers;     /* warp-search */
    bool extended;         /* and EXT */
    unsigned child_degree; /* dynamic-parallelism: vertices of more arcs go to children */
    unsigned child_arcs;   /* K3 */
    unsigned degree_most;  /* of the graph, for MAP_AUTO */
    unsigned degree_mean;
} tuning;

/* A round as the blocks that work on it know it. */
template <class F, class Off> struct job {
    F f;
    queue<Off> from;
    uint32_t count;
    word64 arcs;
    part p;
    workspace *ws;
    slot *next;
    unsigned again; /* duplicates this thread met */
};

/* The arcs of one vertex. */
typedef struct list {
    word64 begin, end;
    uint32_t u;
} list;

/* The arcs before entry i; past the end, all of them. */
template <class F, class Off> static __device__ __forceinline__ word64 scan_at(const job<F, Off> &j, word64 i)
{
    return i < j.count ? (word64)j.from.scan[i] : j.arcs;
}

/* Entry i of the queue; an empty list past its end. */
template <class F, class Off> static __device__ __forceinline__ list list_of(const job<F, Off> &j, word64 i)
{
    list l = {0, 0, 0};
    if (i < j.count) {
        const Off scan = __ldcs(&j.from.scan[i]);
        l.u = __ldcs(&j.from.vertex[i]);
        l.begin = (Off)(scan + __ldcs(&j.from.shift[i]));
        l.end = l.begin + ((i + 1 < j.count ? (word64)__ldcs(&j.from.scan[i + 1]) : j.arcs) - scan);
    }
    return l;
}

/* F5 of far.cuh. */
template <class F> struct is_parted {
    static const bool value = false;
};

/* F6 of far.cuh. */
template <class F> struct is_switching {
    static const bool value = false;
};

/* C1 of ceiling.cuh. */
template <class F> struct is_capped {
    static const bool value = false;
};

/* F7 of far.cuh. */
template <class F> struct is_adapting {
    static const bool value = false;
};

/* ---- arcs -------------------------------------------------------------------------------------------------------- */

/* Shows up to AHEAD arcs of each thread to the step, whose targets it has peeked at. All lanes. */
template <class F, class Off>
static __device__ __forceinline__ void show_seen(const arena<Off> &a, job<F, Off> &j, const bool live[AHEAD],
                                                 const uint32_t u[AHEAD], const word64 source[AHEAD],
                                                 const word64 e[AHEAD], const arc_data c[AHEAD],
                                                 const word64 seen[AHEAD])
{
    word64 old[AHEAD] = {};
    bool tried[AHEAD];
    unsigned listed = 0, off = 0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        tried[k] = live[k] && claim(j.f, u[k], source[k], c[k], e[k], seen[k], &old[k]);
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        unsigned verdict = tried[k] ? judge(j.f, u[k], source[k], c[k], seen[k], old[k]) : (unsigned)VERDICT_NO;
        if constexpr (is_parted<F>::value) {
            off |= (unsigned)((verdict & VERDICT_FIRST) != 0) << k;
            verdict &= VERDICT_FIRST - 1;
        }
        listed |= (unsigned)(verdict == VERDICT_LIST) << k;
        off |= (unsigned)(verdict == VERDICT_FAR) << k;
        j.again += verdict == VERDICT_AGAIN;
    }
    const four x = {{c[0].v, c[1].v, c[2].v, c[3].v}};
    if (F::LISTS && __any_sync(WARP_ALL, listed != 0))
        put_four(a, j.ws, listed, x);
    if constexpr (F::PILES)
        if (__any_sync(WARP_ALL, off != 0))
            put_far(j.ws, off, x, AHEAD);
}

/* What their targets have, where that matters. All lanes. */
template <class F>
static __device__ __forceinline__ void look_ahead(const F &f, const bool live[AHEAD], const word64 source[AHEAD],
                                                  const arc_data c[AHEAD], word64 seen[AHEAD])
{
    bool worth[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        worth[k] = live[k] && is_worth_a_look(f, source[k], c[k]);
        seen[k] = worth[k] ? peek(f, c[k].v) : 0;
    }
    if constexpr (is_capped<F>::value)
        count_passed(f, live, worth);
}

/* The same, with the look at them. */
template <class F, class Off>
static __device__ __forceinline__ void show_arcs(const arena<Off> &a, job<F, Off> &j, const bool live[AHEAD],
                                                 const uint32_t u[AHEAD], const word64 source[AHEAD],
                                                 const word64 e[AHEAD], const arc_data c[AHEAD])
{
    word64 seen[AHEAD];
    look_ahead(j.f, live, source, c, seen);
    show_seen(a, j, live, u, source, e, c, seen);
}

/* The same, loading them first. */
template <class F, class Off>
static __device__ __forceinline__ void visit_arcs(const arena<Off> &a, job<F, Off> &j, const bool live[AHEAD],
                                                  const uint32_t u[AHEAD], const word64 source[AHEAD],
                                                  const word64 e[AHEAD])
{
    arc_data c[AHEAD] = {};
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        if (live[k])
            load_arc(j.f, a, e[k], &c[k]);
    show_arcs(a, j, live, u, source, e, c);
}

/* One list by `width` lanes of each group, `within` being the lane's place: strides of the width. */
template <class F, class Off>
static __device__ __forceinline__ void walk_list(const arena<Off> &a, job<F, Off> &j, list l, unsigned width,
                                                 unsigned within)
{
    const word64 source = l.begin < l.end ? source_of(j.f, l.u) : 0;
    word64 at = l.begin + within;
    while (__any_sync(WARP_ALL, at < l.end)) {
        const uint32_t u[AHEAD] = {l.u, l.u, l.u, l.u};
        const word64 from[AHEAD] = {source, source, source, source};
        const word64 e[AHEAD] = {at, at + width, at + 2 * width, at + 3 * width};
        const bool live[AHEAD] = {e[0] < l.end, e[1] < l.end, e[2] < l.end, e[3] < l.end};
        visit_arcs(a, j, live, u, from, e);
        at += (word64)AHEAD * width;
    }
}

/* One long list by `threads` threads, whole warps, 16 bytes of targets a thread at a time; `me` counts them. */
template <class F, class Off>
static __device__ __forceinline__ void strip_list(const arena<Off> &a, job<F, Off> &j, list l, unsigned threads,
                                                  unsigned me)
{
    const word64 source = source_of(j.f, l.u);
    for (word64 base = l.begin & ~(word64)(AHEAD - 1); base < l.end; base += (word64)AHEAD * threads) {
        const word64 at = base + (word64)AHEAD * me;
        const uint32_t u[AHEAD] = {l.u, l.u, l.u, l.u};
        const word64 from[AHEAD] = {source, source, source, source};
        const word64 e[AHEAD] = {at, at + 1, at + 2, at + 3};
        bool live[AHEAD];
        arc_data c[AHEAD] = {};
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            live[k] = e[k] >= l.begin && e[k] < l.end;
        if (at < l.end)
            load_arcs(j.f, a, at, c);
        show_arcs(a, j, live, u, from, e, c);
    }
}

/* ---- searches ---------------------------------------------------------------------------------------------------- */

/* search_sorted (scan.cuh) by a whole warp, 32 probes at a time. All lanes. */
template <class T> static __device__ __forceinline__ uint32_t search_by_warp(const T *key, uint32_t count, word64 x)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t step = (high - low - 1) / 32 + 1;
        const word64 probe = (word64)low + (word64)step * (simt_lane() + 1);
        const unsigned mask = __ballot_sync(WARP_ALL, probe < high && (word64)key[probe] <= x);
        const word64 next = (word64)low + (word64)step * (__popc(mask) + 1);
        low += step * __popc(mask);
        high = next < high ? (uint32_t)next : high;
    }
    return low;
}

} /* namespace SIMT_FLAVOUR */

#include "gpu/mapping_block_search.cuh"
#include "gpu/mapping_cta_warp_scan.cuh"
#include "gpu/mapping_direct_search.cuh"
#include "gpu/mapping_dynamic.cuh"
#include "gpu/mapping_multi_phase.cuh"
#include "gpu/mapping_thread.cuh"
#include "gpu/mapping_two_phase.cuh"
#include "gpu/mapping_virtual_warp.cuh"
#include "gpu/mapping_warp_search.cuh"

namespace SIMT_FLAVOUR
{

/* What MAP_AUTO takes for a frontier, from its size, its arcs and the graph's largest degree: lists that are all short
 * go to virtual warps; else arcs are shared out evenly. */
#define SHORT_LISTS 64u

static __device__ __forceinline__ int choose_mapping(const tuning &t)
{
    return t.mapping != MAP_AUTO ? t.mapping : t.degree_most <= SHORT_LISTS ? MAP_VIRTUAL_WARP : MAP_TWO_PHASE;
}

/* A step that is only run under the mappings of MAP_AUTO and their kin: a smaller kernel, that keeps more of what it
 * has in registers. */
template <class F> struct lean : F {
    static const bool EVERY_MAPPING = false;
};

static inline bool is_lean(int mapping)
{
    return mapping == MAP_AUTO || mapping == MAP_THREAD || mapping == MAP_VIRTUAL_WARP || mapping == MAP_DYNAMIC
           || mapping == MAP_TWO_PHASE;
}

/* A step for many rounds over small frontiers (near.cuh), with a list for each virtual warp: one block a multiprocessor
 * and all the registers it asks for, since there is little to do and all of it waits. */
template <class F> struct deep : F {
    static const bool EVERY_MAPPING = false;
};

template <class F> struct is_deep {
    static const bool value = false;
};

template <class F> struct is_deep<deep<F>> {
    static const bool value = true;
};

/* Threads of a block under F at most, two blocks on a multiprocessor: fewer leave more registers to each. Whoever opens
 * the engine for F keeps to it. */
template <class F> struct threads_under {
    static const int value = ENGINE_THREADS;
};

template <class F> struct threads_under<lean<F>> {
    static const int value = threads_under<F>::value;
};

template <class F> struct threads_under<deep<F>> {
    static const int value = threads_under<F>::value;
};

/* Is F an algorithm's own step, neither lean nor deep? */
template <class F> struct is_plain {
    static const bool value = !is_deep<F>::value;
};

template <class F> struct is_plain<lean<F>> {
    static const bool value = false;
};

/* Lists are short, and few: roads and meshes, whose frontiers stay small for hundreds of rounds. */
#define FEW_ARCS 8u /* mean degree */

static inline bool is_for_deep(const tuning &t)
{
    return t.degree_most <= SHORT_LISTS && t.degree_mean <= FEW_ARCS && t.mapping != MAP_TWO_PHASE;
}

/* The round's arcs under a mapping. All threads of p.size blocks (E1). MAP_CHILDREN is not here: it needs kernels. */
template <class F, class Off>
static __device__ __forceinline__ void expand(const arena<Off> &a, job<F, Off> &j, const tuning &t)
{
    const int mapping = choose_mapping(t);
    if (is_deep<F>::value || mapping == MAP_THREAD || mapping == MAP_VIRTUAL_WARP || mapping == MAP_DYNAMIC) {
        expand_lists(a, j,
                     mapping == MAP_THREAD         ? thread_width()
                     : mapping == MAP_VIRTUAL_WARP ? t.width
                                                   : dynamic_width((word64)j.p.size * blockDim.x, j.count, t.least));
        return;
    }
    switch (F::EVERY_MAPPING ? mapping : MAP_TWO_PHASE) {
    case MAP_CTA_WARP_SCAN: expand_cta_warp_scan(a, j, t.block_th, t.warp_th); break;
    case MAP_DIRECT_SEARCH: expand_direct_search(a, j); break;
    case MAP_WARP_SEARCH: expand_warp_search(a, j, t.in_registers, t.extended); break;
    case MAP_BLOCK_SEARCH: expand_block_search(a, j); break;
    case MAP_MULTI_PHASE: expand_multi_phase(a, j, t.searches); break;
    default: expand_two_phase(a, j); break;
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
