/* bfs_direction_up.cuh - levels up of direction-optimizing search, and what its files share.
 *
 * In a level up every unseen vertex looks among its incoming arcs for a seen one, and stops at the first. What a vertex
 * waits for: offsets, quad of arcs, bits. Two ways to share the vertices out:
 *   lists   a warp lists the unseen ones of up to UP_WORDS words of the bitmap, so that no lane idles; each lane has
 *           UP_EACH of them under way at once and looks at their arcs by aligned quads, one load of 16 bytes each; when
 *           few lanes still look, or lists are long, what is open is searched by the whole warp, one after another;
 *   spread  where there are GROUP threads a vertex, so many lanes take its quads in turns, and a warp has 8 vertices:
 *           such a level takes as long as its longest list, not as 32 lists one after another. In a small directed
 *           graph that is most of a search: vertices that cannot be reached have all their arcs looked at. H200, 20,000
 *           vertices and 10 million arcs: 22 to 27 us for 1.0 to 1.8 million arcs, 108 to 220 by lists; 30,000 vertices
 *           and 90 million arcs: 168 us for 48 million, 1,697 by lists.
 * Invariants
 *   U1 a word of the other bitmap, spread: a byte, is written by one warp, whether or not something was found (D1 of
 *      bfs_direction.cu);
 *   U2 the quads that a group looks at in a step lie side by side, so the least vertex it hits is, in a list that
 *      ascends, the first seen one of that list.
 */
#ifndef NF_GPU_BFS_DIRECTION_UP_CUH
#define NF_GPU_BFS_DIRECTION_UP_CUH

#include "gpu/once_queue.cuh"

namespace SIMT_FLAVOUR
{

enum {
    ALONE_ARCS = 1024, /* of a frontier that is one block's, and so the most vertices it can find */
    UP_WORDS = 8,      /* of the bitmap that a warp takes at a time, going up, at most */
    UP_EACH = 2,       /* vertices of a lane under way */
    PROBES = 16,       /* quads of arcs a lane looks at by itself, at most, */
    FEW_LANES = 6,     /* and while more lanes than these do: then it is faster to take the lists one by one */
    GROUP = 4          /* lanes of a vertex, spread: a warp's vertices are a byte of the bitmap then */
};

enum { WAY_BLOCK = 0, WAY_GRID, WAY_UP };
enum { COUNT_CONVERTED = COUNT_FOURTH };

/* Where the search is, the same in all threads at work. */
typedef struct direction_place {
    word64 explored; /* arcs out of the levels before the frontier */
    word64 arc;      /* arcs in the queue before the frontier, */
    uint32_t first;  /* and vertices */
    unsigned level, which;
    bool queued; /* D2 */
} direction_place;

typedef struct direction_state {
    word64 tail; /* of the queue */
    direction_place handed;
    unsigned apart[32], wake; /* naps that are over; alone in its line of the cache */
} direction_state;

typedef struct direction_method {
    uint32_t n;
    uint32_t reach; /* levels up look at vertices before this one: all, or those that have arcs */
    word64 m;
    once_queue q;
    uint32_t *seen[2];
    uint32_t *closed; /* vertices without incoming arcs */
    direction_state *st;
    double alpha, beta;
    word64 alone;                  /* most arcs of a frontier for one block, */
    unsigned wide;                 /* and most threads there for one list */
    bool spread;                   /* levels up of small graphs: GROUP lanes a vertex */
    int only;                      /* the way asked for, top-down in both forms; -1: as the rule says */
    bool directed;                 /* arcs in are not arcs out */
    bool whole;                    /* going up, the least parent may be the last of a list */
    const device_relabelled *copy; /* on the host: what the search goes over, or NULL for the graph itself */
    bool ascending;                /* incoming arcs of the graph lie in order; known where parents are deterministic */
} direction_method;

typedef struct direction_space {
    level_share share;
    uint32_t slots[LEVEL_WARPS][ONCE_SLOTS];
    uint32_t fresh[LEVEL_WARPS][UP_WORDS];
    uint32_t vertex[2][ALONE_ARCS], degree[2][ALONE_ARCS];
    uint64_t begin[2][ALONE_ARCS];
    word64 arcs[3];
    unsigned count[3];
} direction_space;

/* ---- up ---------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ bool has_bit(const uint32_t *bits, uint32_t v)
{
    return (bits[v >> 5] >> (v & 31) & 1) != 0;
}

/* Vertices of a lane on their way up. */
typedef struct climb {
    uint32_t v[UP_EACH], best[UP_EACH]; /* UNSEEN: no parent yet */
    uint64_t at[UP_EACH], end[UP_EACH]; /* arcs still to be looked at */
} climb;

/* One list by the whole warp: a seen vertex in it, the first, with `whole` the smallest; UNSEEN when there is none. */
static __device__ __forceinline__ uint32_t search_together(const level_search &s, const uint32_t *seen, uint64_t from,
                                                           uint64_t to, bool whole, unsigned *looked)
{
    uint32_t best = UNSEEN;
    for (uint64_t e = from; e < to && (whole || best == UNSEEN); e += 32) {
        const bool live = e + simt_lane() < to;
        const uint32_t u = live ? __ldg(&s.in.adj[e + simt_lane()]) : UNSEEN;
        const uint32_t least = simt_reduce_min(WARP_ALL, live && has_bit(seen, u) ? u : UNSEEN);
        *looked += live;
        best = least < best ? least : best;
    }
    return best;
}

/* Looks at the next quad of each vertex that is open, and goes `step` arcs on; how many lanes have one with more. All
 * loads of a kind are under way at once: what lies outside a list is vertex 0, and does not count. All lanes. */
static __device__ __forceinline__ unsigned climb_quads(const level_search &s, const uint32_t *seen, climb *c,
                                                       unsigned step, bool whole, unsigned *looked)
{
    uint32_t u[UP_EACH][4], word[UP_EACH][4];
    bool more = false;
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        const uint64_t first = c->at[k] & ~3ull;
        uint4 quad = {0, 0, 0, 0};
        if (c->at[k] < c->end[k])
            quad = simt_load16(&s.in.adj[first]);
        u[k][0] = first >= c->at[k] ? quad.x : 0;
        u[k][1] = first + 1 >= c->at[k] && first + 1 < c->end[k] ? quad.y : 0;
        u[k][2] = first + 2 >= c->at[k] && first + 2 < c->end[k] ? quad.z : 0;
        u[k][3] = first + 3 < c->end[k] ? quad.w : 0;
    }
#pragma unroll
    for (int k = 0; k < UP_EACH; k++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            word[k][j] = seen[u[k][j] >> 5];
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        const uint64_t first = c->at[k] & ~3ull;
        uint32_t best = UNSEEN;
#pragma unroll
        for (int j = 3; j >= 0; j--) {
            const bool live = first + j >= c->at[k] && first + j < c->end[k];
            const bool hit = live && (word[k][j] >> (u[k][j] & 31) & 1) != 0;
            best = hit && (!whole || u[k][j] < best) ? u[k][j] : best;
            *looked += live;
        }
        c->best[k] = best < c->best[k] ? best : c->best[k];
        c->at[k] = c->at[k] < c->end[k] ? first + step : c->end[k];
        c->end[k] = !whole && c->best[k] != UNSEEN ? c->at[k] : c->end[k];
        more = more || c->at[k] < c->end[k];
    }
    return (unsigned)__popc(__ballot_sync(WARP_ALL, more));
}

/* A parent for each vertex of the lanes, if it has one. All lanes. */
static __device__ __forceinline__ void find_parents(const level_search &s, const uint32_t *seen, climb *c, bool whole,
                                                    unsigned *looked)
{
    unsigned more = 32;
    for (int p = 0; p < PROBES && more > FEW_LANES; p++)
        more = climb_quads(s, seen, c, 4, whole, looked);
    if (more == 0)
        return;
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        unsigned rest = __ballot_sync(WARP_ALL, c->at[k] < c->end[k]);
        for (; rest != 0; rest &= rest - 1) {
            const int owner = __ffs((int)rest) - 1;
            const uint64_t from = __shfl_sync(WARP_ALL, c->at[k], owner), to = __shfl_sync(WARP_ALL, c->end[k], owner);
            const uint32_t other = search_together(s, seen, from, to, whole, looked);
            if ((int)simt_lane() == owner)
                c->best[k] = other < c->best[k] ? other : c->best[k];
        }
    }
}

/* The open vertices of the warp's words, one word a lane, into its list; how many. All lanes. */
static __device__ __forceinline__ unsigned list_open(uint32_t open, uint16_t *list)
{
    unsigned count = 0;
#pragma unroll
    for (int w = 0; w < UP_WORDS; w++) {
        const uint32_t bits = __shfl_sync(WARP_ALL, open, w);
        if ((bits >> simt_lane() & 1) != 0)
            list[count + __popc(bits & lanes_below())] = (uint16_t)(w * 32 + simt_lane());
        count += __popc(bits);
    }
    __syncwarp();
    return count;
}

/* What a thread has met going up. */
typedef struct climb_counts {
    unsigned looked, checked, found;
    word64 arcs;
} climb_counts;

/* v, which has so many incoming arcs, is found. */
static __device__ __forceinline__ void take_parent(const level_search &s, unsigned level, uint32_t v, uint32_t parent,
                                                   uint64_t degree, climb_counts *n)
{
    simt_store_relaxed(&s.hop[v], level + 1);
    if (s.parent != NULL)
        s.parent[v] = parent;
    n->arcs += s.in.adj == s.out.adj ? degree : csr_offset(s.out, v + 1) - csr_offset(s.out, v);
    n->found++;
}

/* What the thread has met goes to the block's counts. All lanes. */
static __device__ __forceinline__ void count_climb(direction_space *ws, const climb_counts &n)
{
    word64 sum = 0;
    (void)warp_scan(n.arcs, &sum);
    if (simt_lane() == 0 && sum != 0)
        add_by_halves(&ws->share.more.arcs, sum);
    level_found(&ws->share.more, n.found);
    level_add(&ws->share.more.count[COUNT_ARCS], n.looked);
    level_add(&ws->share.more.count[COUNT_CHECKED], n.checked);
}

/* Up to 32 UP_EACH vertices of the list, numbers from `base` on. All lanes. */
static __device__ __forceinline__ void climb_some(const level_search &s, const uint32_t *seen, unsigned level,
                                                  uint64_t base, const uint16_t *list, unsigned count, bool whole,
                                                  uint32_t *fresh, climb_counts *n)
{
    climb c;
    uint64_t degree[UP_EACH];
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        const bool has = k * 32 + simt_lane() < count;
        c.v[k] = (uint32_t)base + (has ? list[k * 32 + simt_lane()] : 0u);
        c.best[k] = UNSEEN;
        c.at[k] = has ? csr_offset(s.in, c.v[k]) : 0;
        c.end[k] = has ? csr_offset(s.in, c.v[k] + 1) : 0;
        degree[k] = c.end[k] - c.at[k];
        n->checked += has;
    }
    find_parents(s, seen, &c, whole, &n->looked);
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        const uint32_t v = c.v[k];
        if (c.best[k] == UNSEEN)
            continue;
        take_parent(s, level, v, c.best[k], degree[k], n);
        (void)atomicOr(&fresh[(v - (uint32_t)base) >> 5], 1u << (v & 31));
    }
}

static __device__ __forceinline__ void go_up_lists(const level_search &s, const direction_method &m,
                                                   direction_space *ws, const direction_place &at)
{
    const uint32_t *seen = m.seen[at.which];
    uint32_t *after = m.seen[1 - at.which], *fresh = ws->fresh[simt_warp()];
    uint16_t *list = (uint16_t *)ws->slots[simt_warp()];
    const uint64_t words = ((uint64_t)m.reach + 31) / 32, warps = (uint64_t)gridDim.x * (blockDim.x / 32);
    /* small graphs: fewer at a time, so that no warp idles while others walk long lists */
    const unsigned take = words < warps * UP_WORDS ? (unsigned)((words + warps - 1) / warps) : (unsigned)UP_WORDS;
    climb_counts n = {0, 0, 0, 0};
    for (uint64_t base = ((uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp()) * take; base < words;
         base += warps * take) {
        const uint64_t i = base + simt_lane();
        const bool mine = simt_lane() < take && i < words;
        const uint32_t word = mine ? seen[i] : UNSEEN;
        if (simt_lane() < UP_WORDS)
            fresh[simt_lane()] = 0;
        const unsigned count = list_open(mine ? ~(word | m.closed[i]) : 0, list);
        for (unsigned first = 0; first < count; first += 32 * UP_EACH)
            climb_some(s, seen, at.level, base * 32, list + first, count - first, m.whole, fresh, &n);
        __syncwarp();
        if (mine)
            after[i] = word | fresh[simt_lane()];
        __syncwarp();
    }
    count_climb(ws, n);
}

/* The least vertex that a group's lanes have hit, to all of them; then, unless `whole`, the group is done (U2). How
 * many lanes have more. All lanes. */
static __device__ __forceinline__ unsigned meet_group(climb *c, bool whole)
{
    uint32_t best = c->best[0];
    bool more = false;
#pragma unroll
    for (int k = 1; k < UP_EACH; k++)
        best = c->best[k] < best ? c->best[k] : best;
#pragma unroll
    for (int mask = 1; mask < GROUP; mask *= 2) {
        const uint32_t other = __shfl_xor_sync(WARP_ALL, best, mask);
        best = other < best ? other : best;
    }
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        c->best[k] = best;
        c->end[k] = !whole && best != UNSEEN ? c->at[k] : c->end[k];
        more = more || c->at[k] < c->end[k];
    }
    return (unsigned)__popc(__ballot_sync(WARP_ALL, more));
}

/* A vertex for each group of lanes, if it is open: was it found? The same in its lanes. All lanes. */
static __device__ __forceinline__ bool climb_group(const level_search &s, const uint32_t *seen, unsigned level,
                                                   uint32_t v, bool open, bool whole, climb_counts *n)
{
    const unsigned within = simt_lane() % GROUP;
    const uint64_t begin = open ? csr_offset(s.in, v) : 0, end = open ? csr_offset(s.in, v + 1) : 0;
    unsigned more = 32;
    climb c;
#pragma unroll
    for (int k = 0; k < UP_EACH; k++) {
        const unsigned quad = k * GROUP + within;
        c.v[k] = v;
        c.best[k] = UNSEEN;
        c.at[k] = quad == 0 ? begin : (begin & ~3ull) + quad * 4;
        c.end[k] = end;
    }
    while (more != 0) {
        (void)climb_quads(s, seen, &c, 4 * GROUP * UP_EACH, whole, &n->looked);
        more = meet_group(&c, whole);
    }
    n->checked += open && within == 0;
    if (c.best[0] != UNSEEN && within == 0)
        take_parent(s, level, v, c.best[0], end - begin, n);
    return c.best[0] != UNSEEN;
}

static __device__ __forceinline__ void go_up_spread(const level_search &s, const direction_method &m,
                                                    direction_space *ws, const direction_place &at)
{
    const uint32_t *seen = m.seen[at.which];
    uint8_t *after = (uint8_t *)m.seen[1 - at.which];
    const uint64_t bytes = ((uint64_t)m.reach + 31) / 32 * 4, warps = (uint64_t)gridDim.x * (blockDim.x / 32);
    climb_counts n = {0, 0, 0, 0};
    for (uint64_t i = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); i < bytes; i += warps) {
        const uint32_t v = (uint32_t)(i * 8) + simt_lane() / GROUP, word = seen[i / 4];
        const bool open = ((word | m.closed[i / 4]) >> (v & 31) & 1) == 0;
        const bool found = climb_group(s, seen, at.level, v, open, m.whole, &n);
        const int whose = (int)(simt_lane() * GROUP % 32); /* the first 8 lanes ask for the groups in order */
        const unsigned fresh = __ballot_sync(WARP_ALL, __shfl_sync(WARP_ALL, (int)found, whose) != 0) & 0xff;
        if (simt_lane() == 0)
            after[i] = (uint8_t)(word >> i % 4 * 8 | fresh);
    }
    count_climb(ws, n);
}

static __device__ __forceinline__ void go_up(const level_search &s, const direction_method &m, direction_space *ws,
                                             const direction_place &at)
{
    if (m.spread && (uint64_t)m.reach * GROUP <= (uint64_t)gridDim.x * blockDim.x)
        go_up_spread(s, m, ws, at);
    else
        go_up_lists(s, m, ws, at);
}

} /* namespace SIMT_FLAVOUR */

#endif
