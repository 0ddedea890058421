/* step_bfs.cuh - the step of breadth-first search: a vertex seen for the first time gets its level and is listed.
 *
 * Invariants
 *   B1 hop[v] goes from UNSEEN to its level once; all who write it in a round write the same;
 *   B2 parent[v] is a vertex of the level before; with `least` the smallest, since each of them comes by and lowers it;
 *   B3 atomic64: one word holds (level, parent), lowered by 64-bit atomic minimum: the first to reach v lists it, and
 *      the parent is the smallest. exact: the first by compare-and-swap lists it. Else whoever finds v unseen lists it.
 */
#ifndef NF_GPU_STEP_BFS_CUH
#define NF_GPU_STEP_BFS_CUH

#include "gpu/expand.cuh"

namespace SIMT_FLAVOUR
{

#define UNSEEN 0xffffffffu

struct bfs_step {
    static const bool LISTS = true, EVERY_MAPPING = true, BLIND = true, PILES = false, KEYED = false;
    uint32_t *hop;
    uint32_t *parent; /* or NULL */
    word64 *word;     /* atomic64; else NULL */
    uint32_t level;
    bool exact, least;
};

static __device__ __forceinline__ void begin_round(bfs_step &f, unsigned round, slot *next)
{
    (void)next;
    f.level = round + 1;
}

static __device__ __forceinline__ word64 source_of(const bfs_step &f, uint32_t u)
{
    (void)f;
    (void)u;
    return 0;
}

template <class Off>
static __device__ __forceinline__ void load_arc(const bfs_step &f, const arena<Off> &a, word64 e, arc_data *c,
                                                bool once = false)
{
    (void)f;
    c->v = once ? simt_load_once(&a.adj[e]) : __ldg(&a.adj[e]);
}

/* Targets alone, 16 bytes at once. */
template <class Off>
static __device__ __forceinline__ void load_targets(const arena<Off> &a, word64 e, arc_data c[AHEAD])
{
    const uint4 t = simt_load16_once(&a.adj[e]);
    c[0].v = t.x;
    c[1].v = t.y;
    c[2].v = t.z;
    c[3].v = t.w;
}

template <class Off>
static __device__ __forceinline__ void load_arcs(const bfs_step &f, const arena<Off> &a, word64 e, arc_data c[AHEAD])
{
    (void)f;
    load_targets(a, e, c);
}

static __device__ __forceinline__ bool is_worth_a_look(const bfs_step &, word64, const arc_data &)
{
    return true;
}

/* As of the beginning of the round or later. Where an atomic decides who lists v, that is soon enough, and L1 may
 * answer for hubs. */
static __device__ __forceinline__ word64 peek(const bfs_step &f, uint32_t v)
{
    if (f.word != NULL)
        return simt_load_nearby(&f.word[v]);
    return f.exact ? simt_load_nearby(&f.hop[v]) : simt_load_relaxed(&f.hop[v]);
}

static __device__ __forceinline__ bool is_reached(const bfs_step &f, uint32_t v)
{
    return f.word != NULL ? simt_load_relaxed(&f.word[v]) != ~0ull : simt_load_relaxed(&f.hop[v]) != UNSEEN;
}

/* u is a parent of v. */
static __device__ __forceinline__ void take_parent(const bfs_step &f, uint32_t u, uint32_t v)
{
    if (f.parent == NULL)
        return;
    if (!f.least)
        simt_store_relaxed(&f.parent[v], u);
    else if (u < simt_load_relaxed(&f.parent[v]))
        (void)atomicMin(&f.parent[v], u);
}

/* atomic64 (B3). */
static __device__ __forceinline__ bool claim_word(const bfs_step &f, uint32_t u, uint32_t v, word64 seen, word64 *old)
{
    const word64 mine = ((word64)f.level << 32) | u;
    const uint32_t level = (uint32_t)(seen >> 32);
    if (level < f.level || (level == f.level && (!f.least || seen <= mine)))
        return false;
    *old = atomicMin(&f.word[v], mine);
    return true;
}

static __device__ __forceinline__ bool claim(bfs_step &f, uint32_t u, word64 source, arc_data c, word64 e, word64 seen,
                                             word64 *old)
{
    (void)source;
    (void)e;
    if (f.word != NULL)
        return claim_word(f, u, c.v, seen, old);
    *old = seen;
    if (seen != UNSEEN)
        return f.least && seen == f.level; /* only the parent may change */
    if (f.exact)
        *old = atomicCAS(&f.hop[c.v], UNSEEN, f.level);
    else
        simt_store_relaxed(&f.hop[c.v], f.level);
    return true;
}

static __device__ __forceinline__ unsigned judge(bfs_step &f, uint32_t u, word64 source, arc_data c, word64 seen,
                                                 word64 old)
{
    (void)source;
    if (f.word != NULL)
        return old >> 32 > f.level ? VERDICT_LIST : seen >> 32 > f.level ? VERDICT_AGAIN : VERDICT_NO;
    const unsigned verdict = seen != UNSEEN ? VERDICT_NO : old != UNSEEN ? VERDICT_AGAIN : VERDICT_LIST;
    if (verdict == VERDICT_LIST || f.least)
        take_parent(f, u, c.v);
    return verdict;
}

/* The same without a look at v first: what v held before. */
static __device__ __forceinline__ word64 claim_blindly(const bfs_step &f, uint32_t u, word64 source, const arc_data &c)
{
    const uint32_t v = c.v;
    (void)source;
    return f.word != NULL ? atomicMin(&f.word[v], ((word64)f.level << 32) | u) : atomicCAS(&f.hop[v], UNSEEN, f.level);
}

static __device__ __forceinline__ unsigned judge_blindly(const bfs_step &f, uint32_t u, word64 source,
                                                         const arc_data &c, word64 old)
{
    (void)source;
    const uint32_t level = (uint32_t)(f.word != NULL ? old >> 32 : old);
    const unsigned verdict = level == UNSEEN ? VERDICT_LIST : level == f.level ? VERDICT_AGAIN : VERDICT_NO;
    if (verdict == VERDICT_LIST || (verdict == VERDICT_AGAIN && f.least))
        take_parent(f, u, c.v);
    return verdict;
}

template <class Off>
static __device__ __forceinline__ void prefetch_arcs(const bfs_step &f, const arena<Off> &a, word64 e)
{
    (void)f;
    simt_prefetch(&a.adj[e]);
}

static __device__ __forceinline__ bool seed(bfs_step &f, uint32_t v)
{
    if (f.word != NULL)
        return atomicMin(&f.word[v], (word64)v) == ~0ull;
    if (f.parent != NULL)
        simt_store_relaxed(&f.parent[v], v);
    return atomicCAS(&f.hop[v], UNSEEN, 0u) == UNSEEN;
}

} /* namespace SIMT_FLAVOUR */

#endif
