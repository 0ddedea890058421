/* bfs_bit_parallel.cuh - breadth-first search from up to 256 sources at once, a bit each (`bit-parallel`): the kernels.
 *
 * Method: Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014; on GPUs: Liu, Huang
 * and Hu, "iBFS: concurrent breadth-first search on GPUs", SIGMOD 2016. Every vertex has W words of 32 bits in `seen`
 * and in `front`; bit i belongs to source i, so that one look at an arc serves them all. W neighbouring lanes work on
 * an arc, a word each, so that a warp has 32 / W arcs in hand and a vertex's words are one transaction whatever W is.
 * All levels of a batch are one cooperative launch, with one barrier a level, and each level goes one of two ways:
 *   push   from a queue of the vertices that got bits in the level before, arcs shared out evenly to all warps
 *          (once_queue.cuh): what is new of front[u] goes to next[v] by an atomic or. Whoever sets a bit there writes
 *          hop and parent of its source; whoever sets the first bit of v puts it into the next queue;
 *   pull   every vertex that misses a live bit gathers them along its incoming arcs, until none is missing: W lanes
 *          by themselves for the first OWN_ARCS arcs, the whole warp for the rest; long lists, which one late source
 *          would make a warp read to the end, lie in pieces for all warps. Live bits are those that the frontier has
 *          at all: no others can come. Incoming arcs in the order of their sources give the least parent
 *          first, so that deterministic parents end early too.
 * A level pulls iff the arcs out of the frontier exceed m / share. Nearest-source runs have one bit for all sources.
 * Invariants: L3 to L5 of levels.cuh, O2 and O3 of once_queue.cuh.
 *   M1 bit i of seen[v] is set exactly if hop_i(v) has been written; both happen in the level that is hop_i(v) - 1;
 *   M2 three fronts take turns: level i reads front i mod 3, adds to i + 1 mod 3, and clears i + 2 mod 3 where the
 *      queue of level i - 1 says; so do the queues, the marks and the live bits;
 *   M3 pushing, a bit of next[v] is set by one thread, its winner, who sets it in seen[v] too; v is queued by who finds
 *      its word empty (W = 1) or its mark clear;
 *   M4 pulling, the words of v are written by its own lanes alone; where its list lies in pieces, as in M3;
 *   M5 least parents: pushing, every arc lowers the parent of a bit whose hop is unset or of this level (L2); pulling,
 *      the first in ascending order, or the least of all arcs where these do not ascend; the least of its pieces.
 * Cost, for R sources at once on H200's terms: pushing, an arc costs 4 bytes of targets, a sector of seen[v] and, where
 * something is new, two atomics of 4 W bytes; a level's chain is queue search (3 reads), offsets, target, seen, atomic,
 * place in the queue (atomic) and one barrier of the grid: 8 dependent steps. Pulling reads 4 m bytes of targets at
 * most, a sector of front for each arc, and 8 W n bytes of words; 4 arcs are under way in each lane. A pair of vertex
 * and source costs one store of its hop (and parent). H200: docs/results/bfs-h200.md.
 * Memory on the device: (16 W + 20.375 + 4 R) n bytes for W = R / 32 rounded up to a power of two, 8 n more with
 * 64-bit offsets, 24 m / long for pieces, parents 4 R n more, and the transpose of directed graphs, which stays with
 * the graph.
 */
#ifndef NF_GPU_BFS_BIT_PARALLEL_CUH
#define NF_GPU_BFS_BIT_PARALLEL_CUH

#include "gpu/once_queue.cuh"

namespace SIMT_FLAVOUR
{

enum {
    MOST_WORDS = 8,
    PULL_EACH = 4, /* arcs of a lane under way, pulling */
    OWN_ARCS = 32, /* arcs of a list that its own lanes look at before the warp does; a multiple of PULL_EACH */
};

enum { WAY_PUSH = 0, WAY_PULL };
enum { COUNT_BITS = COUNT_FOURTH }; /* pairs of vertex and source found */

typedef struct bits_state {
    word64 tail[3]; /* of the queues */
    uint32_t live[3][MOST_WORDS];
} bits_state;

typedef struct bits_method {
    uint32_t n;
    word64 m;
    unsigned words; /* of a vertex: W, a power of two */
    uint32_t *seen, *front, *mark;
    once_queue q; /* three of vertices, two of arcs before them */
    bits_state *st;
    uint32_t full[MOST_WORDS]; /* the bits in use */
    const uint32_t *targets;
    unsigned target_count;
    double share;
    int only;      /* the way asked for; -1: as the rule says */
    bool whole;    /* least parents need every arc of a list */
    uint32_t most; /* arcs of a list that a warp takes alone; even; longer ones have pieces of half as many */
    uint2 *pieces; /* vertex and number of each; the first tells how many there are */
} bits_method;

/* What a level works on (M2); in shared memory, since registers are short. */
typedef struct bits_view {
    const uint32_t *front;
    uint32_t *next, *mark;
    once_queue now, then;
} bits_view;

typedef struct bits_space {
    level_share share;
    bits_view view;
    uint32_t slots[LEVEL_WARPS][ONCE_SLOTS];
} bits_space;

/* What a lane has found in a level. */
typedef struct bits_level {
    const bits_view *view;
    uint32_t *slots;
    unsigned level, word; /* of the lane */
    unsigned looked, checked, pairs, found, fill;
    uint32_t live; /* bits found: those of the next level */
    word64 arcs;
    bool lower; /* pulling, a parent may not be the last word */
} bits_level;

/* ---- a level's places -------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ once_queue queue_of(const bits_method &m, unsigned level)
{
    once_queue q = m.q;
    q.vertex += (uint64_t)m.n * (level % 3);
    if (q.before32 != NULL)
        q.before32 += (uint64_t)m.n * (level % 2);
    else
        q.before64 += (uint64_t)m.n * (level % 2);
    q.tail = &m.st->tail[level % 3];
    return q;
}

static __device__ __forceinline__ uint32_t *front_of(const bits_method &m, unsigned level)
{
    return m.front + (uint64_t)m.n * m.words * (level % 3);
}

static __device__ __forceinline__ uint32_t *mark_of(const bits_method &m, unsigned level)
{
    return m.mark + ((uint64_t)m.n + 31) / 32 * (level % 3);
}

/* The lanes that work on the same arc or vertex. */
static __device__ __forceinline__ unsigned group_lanes(const bits_method &m)
{
    return ((1u << m.words) - 1u) << (simt_lane() & ~(m.words - 1));
}

/* Where hop and parent of bit `bit` of the lane's word lie. */
static __device__ __forceinline__ uint64_t cell_of(const bits_method &m, unsigned word, int bit, uint32_t v)
{
    return (uint64_t)(word * 32 + (unsigned)bit) * m.n + v;
}

/* ---- push -------------------------------------------------------------------------------------------------------- */

/* u is a parent of v for the bits `won`; with `least` it may be one for all bits of f (M5). */
static __device__ __forceinline__ void push_parents(const level_search &s, const bits_method &m, const bits_level &at,
                                                    uint32_t u, uint32_t v, uint32_t f, uint32_t won)
{
    for (uint32_t bits = s.least ? f : won; bits != 0; bits &= bits - 1) {
        const uint64_t cell = cell_of(m, at.word, __ffs((int)bits) - 1, v);
        if (!s.least) {
            simt_store_relaxed(&s.parent[cell], u);
            continue;
        }
        const uint32_t hop = simt_load_relaxed(&s.hop[cell]);
        if ((hop == at.level + 1 || hop == UNSEEN) && u < simt_load_relaxed(&s.parent[cell]))
            (void)atomicMin(&s.parent[cell], u);
    }
}

/* The lane's word of v gets bits that it has not seen before this level; *won: those of them that are the lane's (M3).
 * True if v is to be queued. */
static __device__ __forceinline__ bool settle(const level_search &s, const bits_method &m, bits_level *at, uint32_t v,
                                              uint32_t bits, uint32_t *won)
{
    const uint64_t to = (uint64_t)v * m.words + at->word;
    const uint32_t old = bits != 0 ? atomicOr(&at->view->next[to], bits) : UNSEEN, bit = 1u << (v & 31);
    *won = bits & ~old;
    if (*won != 0)
        (void)atomicOr(&m.seen[to], *won);
    for (uint32_t rest = *won; rest != 0; rest &= rest - 1)
        simt_store_relaxed(&s.hop[cell_of(m, at->word, __ffs((int)rest) - 1, v)], at->level + 1);
    at->pairs += (unsigned)__popc(*won);
    at->live |= *won;
    return old == 0 && (m.words == 1 || (atomicOr(&at->view->mark[v >> 5], bit) & bit) == 0);
}

/* The lane's word of up to ONCE_EACH arcs u -> v; bit k of the result where v is to be queued. */
static __device__ __forceinline__ unsigned push_several(const level_search &s, const bits_method &m, bits_level *at,
                                                        const uint32_t u[ONCE_EACH], const uint32_t v[ONCE_EACH],
                                                        const bool live[ONCE_EACH])
{
    uint32_t f[ONCE_EACH], bits[ONCE_EACH];
    unsigned queue = 0;
#pragma unroll
    for (int k = 0; k < ONCE_EACH; k++)
        f[k] = live[k] ? at->view->front[(uint64_t)u[k] * m.words + at->word] : 0;
#pragma unroll
    for (int k = 0; k < ONCE_EACH; k++)
        bits[k] = f[k] != 0 ? f[k] & ~simt_load_relaxed(&m.seen[(uint64_t)v[k] * m.words + at->word]) : 0;
#pragma unroll
    for (int k = 0; k < ONCE_EACH; k++) {
        uint32_t won = 0;
        queue |= (unsigned)settle(s, m, at, v[k], bits[k], &won) << k;
        if (s.parent != NULL)
            push_parents(s, m, *at, u[k], v[k], f[k], won);
    }
    return queue;
}

/* The arcs [from, to) of the queue by one warp. */
static __device__ __forceinline__ void push_stretch(const level_search &s, const bits_method &m, bits_level *at,
                                                    const once_part &p, word64 from, word64 to)
{
    const unsigned step = 32 / m.words, mine = simt_lane() / m.words;
    uint64_t i = once_find(at->view->now, p, from);
    while (from < to) {
        const once_window w = once_look(s, at->view->now, p, i, from);
        const word64 end = w.end < to ? w.end : to;
        for (word64 x = 0; x < end - from; x += ONCE_EACH * step) {
            uint32_t u[ONCE_EACH], v[ONCE_EACH];
            bool live[ONCE_EACH];
#pragma unroll
            for (unsigned k = 0; k < ONCE_EACH; k++) {
                const word64 y = x + k * step + mine;
                const int owner = once_owner(w, (uint32_t)y);
                const uint64_t arc0 = __shfl_sync(WARP_ALL, w.arc0, owner);
                u[k] = __shfl_sync(WARP_ALL, w.u, owner);
                live[k] = y < end - from;
                v[k] = live[k] ? __ldg(&s.out.adj[arc0 + y]) : 0;
            }
            const unsigned queue = push_several(s, m, at, u, v, live);
            at->found += (unsigned)__popc(queue);
            if (!__any_sync(WARP_ALL, queue != 0))
                continue;
#pragma unroll
            for (unsigned k = 0; k < ONCE_EACH; k++)
                once_put(s, at->view->then, at->slots, &at->fill, (queue >> k & 1) != 0, v[k], &at->arcs);
        }
        from = end;
        i += 32;
    }
}

static __device__ __forceinline__ void push_level(const level_search &s, const bits_method &m, bits_level *at)
{
    const level_slot *now = level_slot_of(s, at->level);
    const once_part p = {0, simt_load_relaxed(&now->found), 0, simt_load_relaxed(&now->arcs)};
    const word64 warps = (word64)gridDim.x * (blockDim.x / 32),
                 me = (word64)blockIdx.x * (blockDim.x / 32) + simt_warp();
    const word64 even = (p.arcs + warps - 1) / warps, least = ONCE_STRETCH / m.words,
                 share = even < least ? least : (even + 31) / 32 * 32;
    const word64 from = me * share, to = p.arcs < from + share ? p.arcs : from + share;
    if (from >= p.arcs)
        return;
    push_stretch(s, m, at, p, from, to);
    at->looked += simt_lane() == 0 ? (unsigned)(to - from) : 0;
}

/* ---- pull -------------------------------------------------------------------------------------------------------- */

/* u is the first parent of v for these bits, or one of all (M5). */
static __device__ __forceinline__ void pull_parents(const level_search &s, const bits_method &m, const bits_level &at,
                                                    uint32_t u, uint32_t v, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        uint32_t *parent = &s.parent[cell_of(m, at.word, __ffs((int)bits) - 1, v)];
        if (!at.lower)
            simt_store_relaxed(parent, u);
        else if (u < simt_load_relaxed(parent))
            (void)atomicMin(parent, u);
    }
}

/* One list by the whole warp: what of `missing`, the lane's word of v, it brings. All lanes; those of one word get the
 * same. */
static __device__ __forceinline__ uint32_t pull_together(const level_search &s, const bits_method &m, bits_level *at,
                                                         uint32_t v, uint64_t from, uint64_t to, uint32_t missing)
{
    const unsigned step = 32 / m.words, mine = simt_lane() / m.words;
    uint32_t got = 0;
    for (uint64_t e = from; e < to && __any_sync(WARP_ALL, missing != 0); e += PULL_EACH * step) {
        uint32_t u[PULL_EACH], f[PULL_EACH];
#pragma unroll
        for (unsigned k = 0; k < PULL_EACH; k++) {
            const uint64_t x = e + k * step + mine;
            u[k] = x < to ? __ldg(&s.in.adj[x]) : UNSEEN;
            at->looked += at->word == 0 && x < to;
        }
#pragma unroll
        for (unsigned k = 0; k < PULL_EACH; k++)
            f[k] = u[k] != UNSEEN ? at->view->front[(uint64_t)u[k] * m.words + at->word] & missing : 0;
#pragma unroll
        for (unsigned k = 0; k < PULL_EACH; k++) {
            uint32_t upto = s.parent != NULL ? f[k] : k == 0 ? f[0] | f[1] | f[2] | f[3] : 0;
            if (s.parent == NULL && k != 0)
                continue;
            for (unsigned far = m.words; far < 32; far *= 2) {
                const uint32_t other = __shfl_up_sync(WARP_ALL, upto, far);
                upto |= simt_lane() >= far ? other : 0;
            }
            const uint32_t before = __shfl_up_sync(WARP_ALL, upto, m.words);
            if (s.parent != NULL)
                pull_parents(s, m, *at, u[k], v, f[k] & (m.whole ? UNSEEN : missing & ~(mine != 0 ? before : 0)));
            const uint32_t all = __shfl_sync(WARP_ALL, upto, (int)(32 - m.words + at->word));
            got |= all;
            missing &= m.whole ? UNSEEN : ~all;
        }
    }
    return got;
}

/* The first arcs of each group's list by its own lanes; *e moves on. What they bring of the lane's word. All lanes. */
static __device__ __forceinline__ uint32_t pull_own(const level_search &s, const bits_method &m, bits_level *at,
                                                    uint32_t v, uint64_t *e, uint64_t end, uint32_t missing)
{
    const uint64_t stop = end - *e < OWN_ARCS ? end : *e + OWN_ARCS;
    const unsigned lanes = group_lanes(m);
    bool open = (__ballot_sync(WARP_ALL, missing != 0) & lanes) != 0 && *e < stop;
    uint32_t got = 0;
    while (__any_sync(WARP_ALL, open)) {
        uint32_t u[PULL_EACH], f[PULL_EACH];
#pragma unroll
        for (unsigned k = 0; k < PULL_EACH; k++) {
            const bool there = open && *e + k < stop;
            u[k] = there ? __ldg(&s.in.adj[*e + k]) : UNSEEN;
            at->looked += at->word == 0 && there;
        }
#pragma unroll
        for (unsigned k = 0; k < PULL_EACH; k++)
            f[k] = u[k] != UNSEEN && missing != 0 ? at->view->front[(uint64_t)u[k] * m.words + at->word] : 0;
#pragma unroll
        for (unsigned k = 0; k < PULL_EACH; k++) {
            const uint32_t hit = f[k] & missing;
            if (s.parent != NULL)
                pull_parents(s, m, *at, u[k], v, hit);
            got |= hit;
            missing &= m.whole ? UNSEEN : ~hit;
        }
        if (open)
            *e = *e + PULL_EACH < stop ? *e + PULL_EACH : stop;
        open = (__ballot_sync(WARP_ALL, missing != 0) & lanes) != 0 && *e < stop;
    }
    return got;
}

/* What v gets of the lane's word, of which `missing` could come. All lanes. */
static __device__ __forceinline__ uint32_t pull_word(const level_search &s, const bits_method &m, bits_level *at,
                                                     uint32_t v, uint32_t missing)
{
    const bool open = (__ballot_sync(WARP_ALL, missing != 0) & group_lanes(m)) != 0;
    uint64_t e = open ? csr_offset(s.in, v) : 0, end = open ? csr_offset(s.in, v + 1) : 0;
    end = end - e > m.most ? e : end; /* pull_pieces */
    at->checked += open && at->word == 0;
    uint32_t got = pull_own(s, m, at, v, &e, end, missing);
    const uint32_t left = m.whole ? missing : missing & ~got;
    unsigned rest = __ballot_sync(WARP_ALL, left != 0 && e < end);
    while (rest != 0) {
        const int first = (int)((unsigned)(__ffs((int)rest) - 1) & ~(m.words - 1)); /* lane of the group */
        const uint64_t from = __shfl_sync(WARP_ALL, e, first), to = __shfl_sync(WARP_ALL, end, first);
        const uint32_t owner = __shfl_sync(WARP_ALL, v, first),
                       wanted = __shfl_sync(WARP_ALL, left, first + (int)at->word);
        const uint32_t more = pull_together(s, m, at, owner, from, to, wanted);
        if ((simt_lane() & ~(m.words - 1)) == (unsigned)first)
            got |= more;
        rest &= ~(((1u << m.words) - 1u) << first);
    }
    return got;
}

/* Of the bits of `live`, those that v had not seen when the level began. */
static __device__ __forceinline__ uint32_t missed_before(const level_search &s, const bits_method &m,
                                                         const bits_level &at, uint32_t v, uint32_t live, uint32_t have)
{
    uint32_t missing = live & ~have;
    if (s.parent == NULL || !s.least)
        return missing;
    for (uint32_t rest = live & have; rest != 0; rest &= rest - 1) {
        const int bit = __ffs((int)rest) - 1;
        const uint32_t hop = simt_load_relaxed(&s.hop[cell_of(m, at.word, bit, v)]);
        missing |= (uint32_t)(hop == at.level + 1 || hop == UNSEEN) << bit;
    }
    return missing;
}

/* The pieces of long lists, to warps in turn. */
static __device__ __forceinline__ void pull_pieces(const level_search &s, const bits_method &m, bits_level *at,
                                                   uint32_t live)
{
    const uint32_t count = m.pieces[0].x, warps = gridDim.x * (blockDim.x / 32);
    at->lower = s.least;
    for (uint32_t i = blockIdx.x * (blockDim.x / 32) + simt_warp(); i < count; i += warps) {
        const uint2 part = m.pieces[i + 1];
        const uint64_t end = csr_offset(s.in, part.x + 1),
                       from = csr_offset(s.in, part.x) + (uint64_t)part.y * (m.most / 2);
        const uint32_t have = simt_load_relaxed(&m.seen[(uint64_t)part.x * m.words + at->word]);
        const uint32_t missing = missed_before(s, m, *at, part.x, live, have);
        const uint32_t got =
            pull_together(s, m, at, part.x, from, end - from < m.most / 2 ? end : from + m.most / 2, missing);
        uint32_t won = 0;
        const bool queue = settle(s, m, at, part.x, simt_lane() < m.words ? got & ~have : 0, &won);
        __syncwarp();
        once_put(s, at->view->then, at->slots, &at->fill, queue, part.x, &at->arcs);
        at->found += queue;
    }
    at->lower = m.whole;
}

/* Hops of what the lanes' vertices got: bit by bit, so that neighbouring lanes write neighbouring places. All lanes. */
static __device__ __forceinline__ void pull_hops(const level_search &s, const bits_method &m, const bits_level &at,
                                                 uint32_t v, uint32_t got)
{
    for (uint32_t any = simt_reduce_or(WARP_ALL, got); any != 0; any &= any - 1) {
        const int bit = __ffs((int)any) - 1;
        if ((got >> bit & 1) != 0)
            simt_store_relaxed(&s.hop[cell_of(m, at.word, bit, v)], at.level + 1);
    }
    __syncwarp();
}

static __device__ __forceinline__ void pull_level(const level_search &s, const bits_method &m, bits_level *at)
{
    const uint32_t live = simt_load_relaxed(&m.st->live[at->level % 3][at->word]);
    const unsigned step = 32 / m.words, mine = simt_lane() / m.words, lanes = group_lanes(m);
    pull_pieces(s, m, at, live);
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.n;
         base += (uint64_t)gridDim.x * blockDim.x)
        for (unsigned k = 0; k < m.words; k++) { /* 32 vertices in all: whole lines of a row */
            const uint64_t x = base + k * step + mine, to = x * m.words + at->word;
            const uint32_t v = (uint32_t)x, have = x < m.n ? simt_load_relaxed(&m.seen[to]) : UNSEEN,
                           missing = live & ~have;
            if (!__any_sync(WARP_ALL, missing != 0))
                continue;
            const uint32_t got = pull_word(s, m, at, v, missing);
            const unsigned votes = __ballot_sync(WARP_ALL, got != 0);
            if (votes == 0)
                continue;
            if (got != 0) {
                simt_store_relaxed(&m.seen[to], have | got); /* the leader may look at it as a target */
                at->view->next[to] = got;
            }
            const bool queue = at->word == 0 && (votes & lanes) != 0;
            pull_hops(s, m, *at, v, got);
            once_put(s, at->view->then, at->slots, &at->fill, queue, v, &at->arcs);
            at->found += queue;
            at->pairs += (unsigned)__popc(got);
            at->live |= got;
        }
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* All threads of the block, none of which looks at the level before any more. */
static __device__ __forceinline__ bits_level bits_begin(const bits_method &m, bits_space *ws, unsigned level)
{
    bits_level at = {};
    if (threadIdx.x == 0) {
        ws->view.front = front_of(m, level);
        ws->view.next = front_of(m, level + 1);
        ws->view.mark = mark_of(m, level + 1);
        ws->view.now = queue_of(m, level);
        ws->view.then = queue_of(m, level + 1);
    }
    __syncthreads();
    at.view = &ws->view;
    at.slots = ws->slots[simt_warp()];
    at.level = level;
    at.word = simt_lane() & (m.words - 1);
    at.lower = m.whole;
    return at;
}

/* What the warp has found and counted, to where all see it. All lanes. */
static __device__ __forceinline__ void bits_tell(const level_search &s, const bits_method &m, level_share *share,
                                                 bits_level *at)
{
    level_slot *more = &share->more;
    uint32_t *live = &m.st->live[(at->level + 1) % 3][at->word];
    at->arcs += once_flush(s, at->view->then, at->slots, at->fill);
    if (simt_lane() == 0 && at->arcs != 0)
        add_by_halves(&more->arcs, at->arcs);
    for (unsigned far = m.words; far < 32; far *= 2)
        at->live |= __shfl_xor_sync(WARP_ALL, at->live, (int)far);
    if (simt_lane() < m.words && (at->live & ~simt_load_relaxed(live)) != 0)
        (void)atomicOr(live, at->live);
    __syncwarp();
    level_found(more, at->found);
    level_add(&more->count[COUNT_ARCS], at->looked);
    level_add(&more->count[COUNT_CHECKED], at->checked);
    level_add(&more->count[COUNT_BITS], at->pairs);
    level_hand(share, level_slot_of(s, at->level + 1));
}

/* What the level before has left, `count` vertices in its queue (M2). */
static __device__ __forceinline__ void forget_level(const bits_method &m, unsigned level, uint32_t count)
{
    const uint32_t *vertex = queue_of(m, level + 2).vertex;
    uint32_t *front = front_of(m, level + 2), *mark = mark_of(m, level + 2);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (uint64_t)count * m.words;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t v = vertex[i / m.words], word = (uint32_t)(i & (m.words - 1));
        front[(uint64_t)v * m.words + word] = 0;
        if (word == 0)
            simt_store_relaxed(&mark[v >> 5], 0u); /* all of whose vertices are in that queue */
    }
}

/* Has every source reached every target? The leader. */
static __device__ __forceinline__ bool all_arrived(const level_search &s, const bits_method &m)
{
    unsigned *next = &s.st->target;
    for (; *next < m.target_count; *next += 1)
        for (unsigned k = 0; k < m.words; k++)
            if ((m.full[k] & ~simt_load_relaxed(&m.seen[(uint64_t)m.targets[*next] * m.words + k])) != 0)
                return false;
    return m.target_count != 0;
}

static __device__ __forceinline__ void lead_level(const level_search &s, const bits_method &m, unsigned level, int way,
                                                  uint32_t found)
{
    level_slot *next = level_slot_of(s, level + 1);
    level_lead(s, level, (unsigned)way);
    m.st->tail[(level + 2) % 3] = 0;
    for (unsigned k = 0; k < m.words; k++)
        m.st->live[(level + 2) % 3][k] = 0;
    if (all_arrived(s, m))
        (void)atomicOr(&next->stop, (unsigned)LEVEL_STOP_TARGETS);
    (void)atomicAdd(&next->count[COUNT_FRONTIER], (word64)found);
}

static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    bits_kernel(const __grid_constant__ level_search s, const __grid_constant__ bits_method m)
{
    SIMT_SHARED(bits_space, ws, 1);
    uint32_t older = 0;
    unsigned level = 0;
    level_open(&ws->share);
    for (; level_begin(s, &ws->share, level); level++) {
        const uint32_t found = ws->share.found;
        const bool many = (double)ws->share.arcs * m.share > (double)m.m;
        const int way = m.only >= 0 ? m.only : many ? WAY_PULL : WAY_PUSH;
        bits_level at = bits_begin(m, ws, level);
        if (level_is_leader())
            lead_level(s, m, level, way, found);
        __syncwarp();
        if (way == WAY_PULL)
            pull_level(s, m, &at);
        else
            push_level(s, m, &at);
        bits_tell(s, m, &ws->share, &at);
        forget_level(m, level, older);
        older = found;
        simt_grid_sync();
    }
    if (level_is_leader())
        level_end(s, level);
}

/* The pieces of lists longer than m.most. */
static __global__ void find_pieces(const level_search s, const bits_method m)
{
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < m.n; v += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t degree = csr_offset(s.in, (uint32_t)v + 1) - csr_offset(s.in, (uint32_t)v);
        if (degree <= m.most)
            continue;
        const uint32_t count = (uint32_t)((degree - 1) / (m.most / 2) + 1), first = atomicAdd(&m.pieces[0].x, count);
        for (uint32_t k = 0; k < count; k++)
            m.pieces[first + 1 + k] = {(uint32_t)v, k};
    }
}

/* Sources get their bits, hops and parents, and are queued: bit i for source i, or one for all of them. */
static __global__ void bits_start(const level_search s, const bits_method m, const uint32_t *sources, uint64_t count,
                                  bool one)
{
    SIMT_SHARED(bits_space, ws, 1);
    const once_queue q = queue_of(m, 0);
    level_slot *first = level_slot_of(s, 0);
    word64 arcs = 0;
    unsigned fill = 0, found = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < count;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t i = base + simt_lane();
        const uint32_t v = i < count ? sources[i] : 0, row = one ? 0 : (uint32_t)i, bit = 1u << (row & 31);
        bool queue = false;
        if (i < count) {
            const uint64_t to = (uint64_t)v * m.words + row / 32;
            const uint32_t mark = 1u << (v & 31);
            (void)atomicOr(&m.front[to], bit);
            (void)atomicOr(&m.seen[to], bit);
            (void)atomicOr(&m.st->live[0][row / 32], bit);
            simt_store_relaxed(&s.hop[(uint64_t)row * m.n + v], 0u);
            if (s.parent != NULL)
                simt_store_relaxed(&s.parent[(uint64_t)row * m.n + v], v);
            queue = (atomicOr(&m.mark[v >> 5], mark) & mark) == 0;
        }
        __syncwarp();
        once_put(s, q, ws->slots[simt_warp()], &fill, queue, v, &arcs);
        found += queue;
    }
    arcs += once_flush(s, q, ws->slots[simt_warp()], fill);
    if (simt_lane() == 0 && arcs != 0)
        (void)atomicAdd(&first->arcs, arcs);
    level_found(first, found);
}

} /* namespace SIMT_FLAVOUR */

#endif
