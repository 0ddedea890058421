/* bfs_direction.cu - direction-optimizing breadth-first search (`direction-optimizing`, catalogue B8).
 *
 * Method: Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", SC 2012; on GPUs: Hiragushi and
 * Takahashi 2013, Wang et al. (Gunrock) 2016. The whole search is one cooperative launch, and each level goes one of
 * three ways:
 *   block  a frontier of few arcs is one block's; it lies in shared memory with its offsets, few long lists are shared
 *          by all its warps, and a level costs one barrier of that block. The other blocks sleep;
 *   grid   top-down from a queue, arcs shared out evenly to all warps (once_queue.cuh);
 *   up     every unseen vertex looks among its incoming arcs for a seen one, and stops at the first
 *          (bfs_direction_up.cuh).
 * A level goes up iff the arcs out of the frontier exceed both the arcs out of unseen vertices / alpha and n / beta
 * (the price of looking at all vertices): both are sums of degrees, counted as vertices are found. In a directed graph
 * vertices that no search will find look at all their arcs in every level up: there a level goes up after another only
 * if that one looked at no more than twice the arcs out of the frontier.
 * Two things differ from the papers. A vertex is compared with everything seen before the level, not with the frontier
 * alone: an unseen vertex has no neighbour in an earlier level, so the answer is the same, and a queue never has to be
 * turned into a bitmap; only the way back, bitmap to queue, exists. Vertices without incoming arcs are never looked at.
 * Deterministic parents are the first found where incoming arcs lie in the order of their sources (device_graph.h);
 * where they do not, levels that go up look at all of them.
 * With relabel=1 the search goes over a copy of the graph numbered by degree (relabel.cu), which stays with the graph:
 * hubs lie together and come first in lists, levels up end before the vertices without arcs. Hops and parents are
 * carried back into the queue's memory; deterministic parents are found there, from the hops.
 * Invariants: L1 to L5 of levels.cuh, O1 to O3 of once_queue.cuh, U1 and U2 of bfs_direction_up.cuh.
 *   D1 seen[which] holds exactly the vertices with a hop while a level begins; a level up writes all words of the
 *      other bitmap (U1), and reads this one only; top-down sets bits here by atomics, whose winner owns the vertex;
 *   D2 the frontier is queued, places [first, first + found), or it is what the two bitmaps differ by;
 *   D3 all blocks meet before one works alone, since it uses slots again that they have read; it hands them its place
 *      when it wakes them, and they have read that before they meet again.
 * Cost: O(n + m) time, mostly far fewer arcs than m on graphs of small diameter; on the device 12.375 n bytes (64-bit
 * offsets: 16.375 n), parents 4 n more, and the transpose of directed graphs, which stays with the graph.
 */
#include "gpu/bfs_direction_up.cuh"

namespace SIMT_FLAVOUR
{

#define ALPHA "15" /* as on the CPU */
/* H200: a level of two lists of 500 arcs takes 3.6 to 4.1 us, with a warp each 5.5 to 6.7; large graphs do not care */
#define WIDE "512"
#define BETA "2048" /* H200, rmat22: a late level up takes 14 to 17 us, one back down through the queue 25 */

/* ---- arcs, top-down ---------------------------------------------------------------------------------------------- */

/* Up to ONCE_EACH arcs u -> v of a thread: bit k of the result where it won v. */
static __device__ __forceinline__ unsigned reach_several(const level_search &s, uint32_t *seen, unsigned level,
                                                         const uint32_t u[ONCE_EACH], const uint32_t v[ONCE_EACH],
                                                         const bool live[ONCE_EACH])
{
    uint32_t word[ONCE_EACH];
    unsigned won = 0;
#pragma unroll
    for (int k = 0; k < ONCE_EACH; k++)
        word[k] = live[k] ? simt_load_relaxed(&seen[v[k] >> 5]) : UNSEEN;
#pragma unroll
    for (int k = 0; k < ONCE_EACH; k++) {
        const uint32_t bit = 1u << (v[k] & 31);
        if ((word[k] & bit) == 0)
            word[k] = atomicOr(&seen[v[k] >> 5], bit);
        won |= (unsigned)((word[k] & bit) == 0) << k;
    }
#pragma unroll
    for (int k = 0; k < ONCE_EACH; k++) {
        const bool mine = (won >> k & 1) != 0;
        if (mine)
            simt_store_relaxed(&s.hop[v[k]], level + 1);
        if (s.parent == NULL || !live[k] || !(mine || s.least))
            continue;
        const uint32_t hop = mine ? level + 1 : simt_load_relaxed(&s.hop[v[k]]);
        if (hop == level + 1 || hop == UNSEEN) /* seen and without a hop: its winner is about to write it */
            level_parent(s, u[k], v[k]);
    }
    return won;
}

/* ---- grid -------------------------------------------------------------------------------------------------------- */

/* The arcs [from, to) of the queue by one warp. */
static __device__ __forceinline__ void expand_stretch(const level_search &s, const direction_method &m,
                                                      const direction_place &at, const once_part &p, word64 from,
                                                      word64 to, uint32_t *slots, unsigned *found, word64 *arcs)
{
    uint32_t *seen = m.seen[at.which];
    unsigned fill = 0;
    uint64_t i = once_find(m.q, p, from);
    while (from < to) {
        const once_window w = once_look(s, m.q, p, i, from);
        const word64 end = w.end < to ? w.end : to;
        for (word64 x = 0; x < end - from; x += ONCE_SLOTS) {
            uint32_t u[ONCE_EACH], v[ONCE_EACH];
            bool live[ONCE_EACH];
#pragma unroll
            for (unsigned k = 0; k < ONCE_EACH; k++) {
                const word64 y = x + k * 32 + simt_lane();
                const int owner = once_owner(w, (uint32_t)y);
                const uint64_t arc0 = __shfl_sync(WARP_ALL, w.arc0, owner);
                u[k] = __shfl_sync(WARP_ALL, w.u, owner);
                live[k] = y < end - from;
                v[k] = live[k] ? __ldg(&s.out.adj[arc0 + y]) : 0;
            }
            const unsigned won = reach_several(s, seen, at.level, u, v, live);
            *found += (unsigned)__popc(won);
            if (!__any_sync(WARP_ALL, won != 0))
                continue;
#pragma unroll
            for (unsigned k = 0; k < ONCE_EACH; k++)
                once_put(s, m.q, slots, &fill, (won >> k & 1) != 0, v[k], arcs);
        }
        from = end;
        i += 32;
    }
    *arcs += once_flush(s, m.q, slots, fill);
}

static __device__ __forceinline__ void expand_queue(const level_search &s, const direction_method &m,
                                                    direction_space *ws, const direction_place &at)
{
    level_slot *more = &ws->share.more;
    const once_part p = {at.first, ws->share.found, at.arc, ws->share.arcs};
    const word64 warps = (word64)gridDim.x * (blockDim.x / 32),
                 me = (word64)blockIdx.x * (blockDim.x / 32) + simt_warp();
    /* H200: with 256 arcs at least for a warp rmat22 takes 215 us instead of 201, uniform22 410 instead of 389 */
    const word64 even = (p.arcs + warps - 1) / warps, share = (even + 31) / 32 * 32;
    const word64 from = p.arc + me * share, end = p.arc + p.arcs, to = end < from + share ? end : from + share;
    unsigned found = 0;
    word64 arcs = 0;
    if (me * share >= p.arcs)
        return;
    expand_stretch(s, m, at, p, from, to, ws->slots[simt_warp()], &found, &arcs);
    level_found(more, found);
    if (simt_lane() == 0) {
        add_by_halves(&more->count[COUNT_ARCS], to - from);
        add_by_halves(&more->arcs, arcs);
    }
}

/* ---- from up to down --------------------------------------------------------------------------------------------- */

/* Bitmap to queue: what the last level up has found (D2). */
static __device__ __forceinline__ void queue_found(const level_search &s, const direction_method &m,
                                                   direction_space *ws, const direction_place &at)
{
    const uint64_t words = ((uint64_t)m.reach + 31) / 32;
    uint32_t *slots = ws->slots[simt_warp()];
    unsigned fill = 0, moved = 0;
    word64 arcs = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < words;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t i = base + simt_lane();
        uint32_t bits = i < words ? m.seen[at.which][i] & ~m.seen[1 - at.which][i] : 0;
        moved += (unsigned)__popc(bits);
        for (; __any_sync(WARP_ALL, bits != 0); bits &= bits - 1)
            once_put(s, m.q, slots, &fill, bits != 0, (uint32_t)(i * 32) + (bits != 0 ? __ffs((int)bits) - 1 : 0),
                     &arcs);
    }
    (void)once_flush(s, m.q, slots, fill);
    level_add(&ws->share.more.count[COUNT_CONVERTED], moved);
}

/* ---- block ------------------------------------------------------------------------------------------------------- */

/* Into the list for the next level: the v of each lane that won it, with its offsets. All lanes. */
static __device__ __forceinline__ void list_found(const level_search &s, direction_space *ws, unsigned to, unsigned sum,
                                                  bool want, uint32_t v)
{
    unsigned total, start = 0;
    const unsigned rank = warp_rank(want, &total);
    if (simt_lane() == 0 && total != 0)
        start = atomicAdd(&ws->count[sum], total);
    start = __shfl_sync(WARP_ALL, start, 0);
    if (want) {
        const uint64_t begin = csr_offset(s.out, v), degree = csr_offset(s.out, v + 1) - begin;
        ws->vertex[to][start + rank] = v;
        ws->begin[to][start + rank] = begin;
        ws->degree[to][start + rank] = degree < UNSEEN ? (uint32_t)degree : UNSEEN; /* too many: not for a block */
        add_by_halves(&ws->arcs[sum], degree);
    }
}

/* The frontier from the queue to shared memory. */
static __device__ __forceinline__ void load_list(const level_search &s, const direction_method &m, direction_space *ws,
                                                 const direction_place &at, uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        const uint32_t v = m.q.vertex[at.first + i];
        const uint64_t begin = csr_offset(s.out, v);
        ws->vertex[0][i] = v;
        ws->begin[0][i] = begin;
        ws->degree[0][i] = (uint32_t)(csr_offset(s.out, v + 1) - begin);
    }
    if (threadIdx.x < 3) {
        ws->count[threadIdx.x] = 0;
        ws->arcs[threadIdx.x] = 0;
    }
    __syncthreads();
}

/* The list in shared memory by virtual warps, as wide as the threads suffice for: up to `wide`, whole warps then. */
static __device__ __forceinline__ void expand_list(const level_search &s, direction_space *ws, uint32_t *seen,
                                                   unsigned wide, unsigned level, unsigned list, uint32_t count,
                                                   unsigned sum)
{
    unsigned width = 1;
    while (width * 2 <= wide && width * 2 * count <= blockDim.x && blockDim.x % (width * 2) == 0)
        width *= 2;
    const unsigned groups = blockDim.x / width, within = threadIdx.x & (width - 1);
    for (uint32_t base = simt_warp() * 32 / width; base < count; base += groups) {
        const uint32_t i = base + simt_lane() / width;
        const bool has = i < count;
        const uint32_t w = has ? ws->vertex[list][i] : 0, degree = has ? ws->degree[list][i] : 0;
        const uint64_t begin = has ? ws->begin[list][i] : 0;
        for (uint32_t x = within; __any_sync(WARP_ALL, x < degree); x += ONCE_EACH * width) {
            const uint32_t u[ONCE_EACH] = {w, w, w, w};
            uint32_t v[ONCE_EACH];
            bool live[ONCE_EACH];
#pragma unroll
            for (unsigned k = 0; k < ONCE_EACH; k++) {
                live[k] = x + k * width < degree;
                v[k] = live[k] ? __ldg(&s.out.adj[begin + x + k * width]) : 0;
            }
            const unsigned won = reach_several(s, seen, level, u, v, live);
#pragma unroll
            for (unsigned k = 0; k < ONCE_EACH; k++)
                if (__any_sync(WARP_ALL, (won >> k & 1) != 0))
                    list_found(s, ws, 1 - list, sum, (won >> k & 1) != 0, v[k]);
        }
    }
}

/* What the block's thread that leads knows of a level: into the slot that others would have filled. */
static __device__ __forceinline__ void fill_slot(const level_search &s, unsigned level, uint32_t found, word64 arcs,
                                                 word64 looked)
{
    level_slot *slot = level_slot_of(s, level);
    slot->found = found;
    slot->arcs = arcs;
    slot->count[COUNT_ARCS] = looked;
}

/* Looked: arcs that a level up looked at, if the last one was. */
static __device__ __forceinline__ int choose_way(const direction_method &m, word64 explored, uint32_t found,
                                                 word64 arcs, word64 looked)
{
    const word64 unseen = m.m - explored - arcs;
    const bool up = (double)arcs * m.alpha > (double)unseen && (double)arcs * m.beta > (double)m.reach
                    && (!m.directed || looked <= 2 * arcs);
    if (m.only == WAY_UP || (m.only < 0 && up))
        return WAY_UP;
    return arcs <= m.alone && found <= m.alone ? WAY_BLOCK : WAY_GRID;
}

/* The list of the last level to the queue, as others expect it. */
static __device__ __forceinline__ void queue_list(const level_search &s, const direction_method &m, direction_space *ws,
                                                  unsigned list, uint32_t count)
{
    word64 arcs = 0;
    unsigned fill = 0;
    for (uint32_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const uint32_t i = base + simt_lane();
        once_put(s, m.q, ws->slots[simt_warp()], &fill, i < count, i < count ? ws->vertex[list][i] : 0, &arcs);
    }
    (void)once_flush(s, m.q, ws->slots[simt_warp()], fill);
}

/* Levels by this block alone, as long as they are small. */
static __device__ __forceinline__ void go_alone(const level_search &s, const direction_method &m, direction_space *ws,
                                                direction_place *at)
{
    uint32_t count = ws->share.found;
    word64 arcs = ws->share.arcs;
    unsigned list = 0;
    bool more = true;
    load_list(s, m, ws, *at, count);
    at->first += count;
    at->arc += arcs;
    while (more) {
        const unsigned sum = (at->level + 1) % 3, after = (at->level + 2) % 3;
        const word64 looked = arcs;
        if (level_is_leader()) {
            level_lead(s, at->level, WAY_BLOCK);
            level_slot_of(s, at->level + 1)->count[COUNT_FRONTIER] = count;
            ws->count[after] = 0;
            ws->arcs[after] = 0;
        }
        __syncwarp();
        expand_list(s, ws, m.seen[at->which], m.wide, at->level, list, count, sum);
        __syncthreads();
        at->explored += arcs;
        at->level++;
        list = 1 - list;
        count = ws->count[sum];
        arcs = ws->arcs[sum];
        more = count != 0 && simt_load_relaxed(&level_slot_of(s, at->level)->stop) == 0
               && choose_way(m, at->explored, count, arcs, 0) == WAY_BLOCK;
        if (level_is_leader())
            fill_slot(s, at->level, count, arcs, looked);
    }
    queue_list(s, m, ws, list, count);
    __syncthreads();
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* One block works, the others sleep until it has done (D3). */
static __device__ __forceinline__ void block_turn(const level_search &s, const direction_method &m, direction_space *ws,
                                                  direction_place *at, unsigned nap)
{
    simt_grid_sync();
    if (blockIdx.x == 0) {
        go_alone(s, m, ws, at);
        if (threadIdx.x == 0) {
            m.st->handed = *at;
            simt_store_release(&m.st->wake, nap);
        }
        return;
    }
    if (threadIdx.x == 0)
        while (simt_load_acquire(&m.st->wake) < nap)
            simt_doze();
    __syncthreads();
    *at = m.st->handed;
}

/* One level by all blocks, up to its barrier. */
static __device__ __forceinline__ void grid_turn(const level_search &s, const direction_method &m, direction_space *ws,
                                                 direction_place *at, int way)
{
    const uint32_t found = ws->share.found;
    const word64 arcs = ws->share.arcs;
    if (level_is_leader()) {
        level_lead(s, at->level, (unsigned)way);
        add_by_halves(&ws->share.more.count[COUNT_FRONTIER], found);
    }
    __syncwarp();
    if (way == WAY_UP)
        go_up(s, m, ws, *at);
    else
        expand_queue(s, m, ws, *at);
    level_hand(&ws->share, level_slot_of(s, at->level + 1));
    at->explored += arcs;
    at->first += at->queued ? found : 0;
    at->arc += at->queued ? arcs : 0;
    at->queued = way != WAY_UP;
    at->which ^= way == WAY_UP;
    at->level++;
}

/* Sources, which lie in the queue, get their bits and their arcs. One warp. */
static __device__ __forceinline__ void direction_start(const level_search &s, const direction_method &m)
{
    const uint32_t count = level_slot_of(s, 0)->found;
    word64 sum = 0;
    for (uint64_t base = 0; base < count; base += 32) {
        const uint64_t i = base + simt_lane();
        const uint32_t v = i < count ? m.q.vertex[i] : 0;
        const word64 degree = i < count ? csr_offset(s.out, v + 1) - csr_offset(s.out, v) : 0;
        word64 all = 0;
        const word64 before = sum + warp_scan(degree, &all);
        sum += all;
        if (i >= count)
            continue;
        (void)atomicOr(&m.seen[0][v >> 5], 1u << (v & 31));
        if (m.q.before32 != NULL)
            m.q.before32[i] = (uint32_t)before;
        else
            m.q.before64[i] = before;
    }
    if (threadIdx.x == 0) {
        *m.q.tail = ((word64)count << m.q.arc_bits) | sum;
        level_slot_of(s, 0)->arcs = sum;
    }
}

static __global__ void __launch_bounds__(LEVEL_THREADS, 2)
    direction_kernel(const __grid_constant__ level_search s, const __grid_constant__ direction_method m)
{
    SIMT_SHARED(direction_space, ws, 1);
    direction_place at = {0, 0, 0, 0, 0, true};
    unsigned naps = 0;
    level_open(&ws->share);
    if (blockIdx.x == 0 && simt_warp() == 0)
        direction_start(s, m);
    simt_grid_sync();
    while (level_begin(s, &ws->share, at.level)) {
        const word64 looked = at.queued ? 0 : ws->share.looked;
        const int way = choose_way(m, at.explored, ws->share.found, ws->share.arcs, looked);
        if (way != WAY_UP && !at.queued) {
            queue_found(s, m, ws, at);
            level_hand(&ws->share, level_slot_of(s, at.level + 1));
            at.queued = true;
            simt_grid_sync();
        }
        if (way == WAY_BLOCK) {
            block_turn(s, m, ws, &at, ++naps);
        } else {
            grid_turn(s, m, ws, &at, way);
            simt_grid_sync();
        }
    }
    if (level_is_leader())
        level_end(s, at.level);
}

static __global__ void find_closed(const level_search s, const direction_method m)
{
    for (uint64_t base = (uint64_t)blockIdx.x * blockDim.x + simt_warp() * 32; base < m.n;
         base += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t v = (uint32_t)(base + simt_lane());
        const bool closed = base + simt_lane() >= m.n || csr_offset(s.in, v) == csr_offset(s.in, v + 1);
        const unsigned word = __ballot_sync(WARP_ALL, closed);
        if (simt_lane() == 0)
            m.closed[base / 32] = word;
    }
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

static nf_status allocate(levels *l, direction_method *m)
{
    nf_status st = NF_OK;
    const uint64_t words = ((uint64_t)m->n + 31) / 32, even = (words + 31) / 32 * 32; /* a line of the cache */
    NF_TRY(levels_alloc(l, m->n, &m->q.vertex));
    if (l->s.out.off32 != NULL)
        NF_TRY(levels_alloc(l, m->n, &m->q.before32));
    else
        NF_TRY(levels_alloc(l, m->n, &m->q.before64));
    NF_TRY(levels_alloc(l, even + sizeof *m->st / 4, &m->seen[0]));
    NF_TRY(levels_alloc(l, words, &m->seen[1]));
    NF_TRY(levels_alloc(l, words, &m->closed));
    m->st = reinterpret_cast<direction_state *>(m->seen[0] + even);
    m->q.tail = &m->st->tail;
    l->zero = m->seen[0];
    l->zeros = even + sizeof *m->st / 4;
    l->s.first = m->q.vertex;
done:
    return st;
}

/* The copy numbered by degree, where there is one, and the order of lists, where it matters. */
static nf_status choose_graph(nf__run *run, levels *l, direction_method *m, const device_relabelled *copy)
{
    nf_status st = NF_OK;
    m->copy = copy;
    m->reach = copy != NULL ? copy->reach : m->n;
    m->ascending = true;
    if (run->deterministic)
        NF_TRY(device_graph_ascending(run, &m->ascending));
    m->whole = !m->ascending && copy == NULL;
    if (copy != NULL)
        NF_TRY(levels_relabel(l, copy));
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    levels *l = NULL;
    direction_method *m = NULL;
    const char *only = nf__knob_choice(run, "direction");
    const device_relabelled *copy = NULL;
    if (nf__knob_number(run, "relabel") != 0)
        NF_TRY(device_graph_relabel(run, &copy));
    NF_TRY(levels_open(run, GRAPH_TARGETS, copy != NULL ? 0 : GRAPH_TARGETS, &l));
    NF_TRY_ALLOC(m, (direction_method *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *m));
    l->own = m;
    m->n = run->csr.n;
    m->m = run->csr.m;
    m->q.arc_bits = bits_of(m->m);
    m->alpha = nf__knob_number(run, "alpha");
    m->beta = nf__knob_number(run, "beta");
    m->alone = (word64)nf__knob_number(run, "alone");
    m->wide = (unsigned)nf__knob_number(run, "wide");
    m->spread = nf__knob_number(run, "spread") != 0;
    m->directed = l->s.in.adj != l->s.out.adj;
    m->only = strcmp(only, "up") == 0 ? WAY_UP : strcmp(only, "down") == 0 ? WAY_GRID : -1;
    if (m->q.arc_bits + bits_of(m->n) > 64)
        NF_TRY(nf__fail(NF_EUNSUPPORTED, "a graph of %llu vertices and %llu arcs is too large for direction-optimizing",
                        (unsigned long long)m->n, m->m));
    NF_TRY(choose_graph(run, l, m, copy));
    NF_TRY(allocate(l, m));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(find_closed, device_grid(m->n, l->block, 1), levels_block(l, m->n), 0, l->d->stream,
                                  l->s, *m));
done:
    return st;
}

/* Results of a search over the copy, in the graph's numbers: in the memory of the queue, which is done with. */
static nf_status carry_back(levels *l, nf__row *row, const direction_method &m, const level_words *words)
{
    nf_status st = NF_OK;
    level_state end;
    const device_graph *g = device_graph_of(l->run);
    uint32_t *hop = m.q.vertex, *parent = m.q.before32 != NULL ? m.q.before32 : (uint32_t *)m.q.before64;
    const bool least = l->run->deterministic && row->parent != NULL;
    word64 arcs = 0;
    NF_TRY(levels_wait(l, words, &end));
    row->iterations = end.level;
    row->edges_relaxed = end.total[COUNT_ARCS];
    NF_TRY(levels_check(l, end.level, end.slots[end.level % 3].found));
    NF_TRY(relabelled_back(l->d, m.copy, l->hop, least || row->parent == NULL ? NULL : l->parent, hop, parent));
    if (least) {
        NF_TRY(device_fill_bytes(l->d, m.q.tail, 0, sizeof arcs));
        NF_TRY(device_least_parents(l->d, g->symmetric ? &g->out : &g->in, m.ascending, hop, parent, m.q.tail));
        NF_TRY(device_download(l->d, &arcs, m.q.tail, sizeof arcs));
        row->edges_relaxed += arcs;
    }
    NF_TRY(device_stop(l->d));
    NF_TRY(levels_download(l, row, hop, parent));
done:
    return st;
}

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const level_words words = {{"block", "grid", "up"}, {NULL, NULL, NULL, "converted"}};
    nf_status st = NF_OK;
    levels *l = (levels *)run->scratch;
    const direction_method m = *(const direction_method *)l->own;
    NF_TRY(levels_start(l, row));
    if (m.copy != NULL && run->deterministic)
        l->s.parent = NULL; /* carry_back finds them */
    NF_TRY(levels_launch(l, direction_kernel, m, m.n > m.m ? m.n : m.m));
    NF_TRY(m.copy != NULL ? carry_back(l, row, m, &words) : levels_finish(l, row, &words));
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {"alpha", "up when the frontier's arcs exceed the unseen vertices' arcs / alpha, and n / beta", NF_KNOB_REAL, ALPHA,
     0.001, 1e9, NULL},
    {"beta", "what looking at all vertices costs: as much as n / beta arcs", NF_KNOB_REAL, BETA, 0.001, 1e9, NULL},
    {"direction", "the only way to go: down from the frontier, up from unseen vertices", NF_KNOB_CHOICE, "auto", 0, 0,
     "auto down up"},
    {"alone", "arcs of a frontier that one block takes alone, in shared memory; 0: none", NF_KNOB_INT, "1024", 0,
     ALONE_ARCS, NULL},
    {"wide", "threads of that block that may share a list", NF_KNOB_INT, WIDE, 32, LEVEL_THREADS, NULL},
    {"spread", "small graphs: four lanes look for the parent of a vertex", NF_KNOB_BOOL, "1", 0, 1, NULL},
    {"relabel", "search a copy of the graph numbered by degree, which is made once and kept", NF_KNOB_BOOL, "0", 0, 1,
     NULL},
};

extern const nf__algorithm bfs_direction = {
    .info = {.name = "direction-optimizing",
             .problem = NF_BFS,
             .device = NF_DEVICE_NAME,
             .summary = "top-down while the frontier is small, bottom-up while it is large, in one launch",
             .paper = "Beamer, Asanovic, Patterson 2012; Hiragushi, Takahashi 2013; Wang et al. 2016",
             .memory = "on the device 12.375 n (64-bit offsets: 16.375 n); parents 4 n more; the transpose of directed "
                       "graphs, and a copy numbered by degree, stay with the graph",
             .flags = NF_ALG_NEGATIVE | NF_ALG_TRANSPOSE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = begin,
    .end = levels_end,
    .run = run_row,
    .all_rows = false,
    .choose = NULL,
};

} /* namespace SIMT_FLAVOUR */
