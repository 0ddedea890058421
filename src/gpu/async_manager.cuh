/* async_manager.cuh - the warp of `async` that hands work out (async.cuh has the invariants). A lane looks after a pile
 * and after up to 64 workers.
 *
 * A step: who is idle; how far the tails are; which bucket is the current one; idle workers get entries, those of long
 * lists first, then those to be moved, then buckets from the current one on; now and then, how busy workers were.
 * Jobs are small while there are idle workers, so that many begin at once, and 32 entries when there are none.
 * Width of buckets: doubled when fewer than BUSY_LEAST of the workers had work, since waiting is all a wider bucket
 * costs then; halved when more than BUSY_MOST had, since then entries that are not urgent keep others waiting. After a
 * change of mind the next look comes twice as late. It stays between WIDTH_LEAST and WIDTH_MOST times the first one:
 * where a graph has no more parallelism to give, wider buckets only relax more arcs (H200: without these bounds a mesh
 * of 16.8 M vertices took 17 s).
 */
#ifndef NF_GPU_ASYNC_MANAGER_CUH
#define NF_GPU_ASYNC_MANAGER_CUH

#include "gpu/async.cuh"
#include "gpu/lead.cuh"

namespace SIMT_FLAVOUR
{

#define WIDTH_MOST 4.0f
#define WIDTH_LEAST 0.0625f
#define LISTEN_STEPS 64u /* between looks at the clock, of about 1 us */

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* Those of the lane's k-th 32 workers that there are. */
template <class K> static __device__ __forceinline__ unsigned workers_of(const async_task<K> &t, unsigned k)
{
    const unsigned first = (simt_lane() + 32 * k) * 32;
    return first >= t.workers ? 0 : t.workers - first < 32 ? (1u << (t.workers - first)) - 1 : WARP_ALL;
}

/* Workers that are idle, over all lanes; who has become so no longer counts as busy. */
template <class K>
static __device__ __forceinline__ unsigned look_at_workers(const async_task<K> &t, async_space<K> *ws,
                                                           async_manager<K> &m)
{
    __syncwarp(); /* all lanes have read `busy` in the step before */
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        const unsigned first = (simt_lane() + 32 * k) * 32;
        unsigned here = 0;
        if (first < t.workers)
            here = ~(simt_load_acquire(&t.done[first / 32]) ^ m.given[k]) & workers_of(t, k); /* O1 */
        for (unsigned fresh = here & ~m.idle[k]; fresh != 0; fresh &= fresh - 1)
            (void)atomicSub(&ws->busy[ws->owner[first + (unsigned)__ffs((int)fresh) - 1]], 1u);
        m.idle[k] = here;
    }
    __syncwarp();
    return simt_reduce_add(WARP_ALL, (unsigned)(__popc(m.idle[0]) + __popc(m.idle[1])));
}

/* Tail and segment of the lane's pile. What has no segment is skipped: it is among the missed (M3). */
template <class K>
static __device__ __forceinline__ void look_at_pile(const async_task<K> &t, const async_space<K> *ws,
                                                    async_manager<K> &m)
{
    m.waiting = simt_load_relaxed(&t.st->tail[simt_lane()].x) - m.head;
    m.limit = (int)(m.limit - m.head) < 0 ? m.head : m.limit;
    if (ws->busy[simt_lane()] == 0 && ws->busy[OWNER_MOVE] == 0)
        m.mark = m.head / SEGMENT;
    if (m.waiting == 0 || m.number == m.head / SEGMENT)
        return;
    const word64 x = simt_load_relaxed(table_at(t, simt_lane(), m.head / SEGMENT));
    if ((unsigned)(x >> 32) != m.head / SEGMENT)
        return; /* on its way */
    m.number = m.head / SEGMENT;
    m.segment = (unsigned)x;
    if (m.segment == NO_SEGMENT) {
        const unsigned rest = SEGMENT - m.head % SEGMENT, skipped = rest < m.waiting ? rest : m.waiting;
        m.head += skipped;
        m.waiting -= skipped;
        m.number = NO_SEGMENT;
    }
}

/* Why to stop, if a worker (`stop`) or the host wants it; progress for the host. */
template <class K>
static __device__ __forceinline__ unsigned listen(const async_task<K> &t, async_manager<K> &m, unsigned stop)
{
    if (simt_lane() == 0 && m.steps % LISTEN_STEPS == 0 && simt_clock() - m.heard >= LISTEN_NS) {
        m.heard = simt_clock();
        simt_store_relaxed(&t.shared->progress, (uint64_t)m.buckets);
        stop |= simt_load_relaxed(&t.shared->cancel) != 0 ? (unsigned)STOP_CANCEL : 0;
    }
    return simt_reduce_or(WARP_ALL, stop);
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

template <class K> static __device__ __forceinline__ void publish(const async_task<K> &t, const async_manager<K> &m)
{
    if (simt_lane() == 0) {
        simt_store_relaxed(&t.st->base, (word64)m.w.base);
        simt_store_relaxed(&t.st->pace, (word64)__float_as_uint(m.w.rate) << 32 | m.w.now);
    }
    __threadfence();
    __syncwarp();
}

/* Are all targets in buckets before the current one (O2)? Not to be told once entries were missed. */
template <class K> static __device__ __forceinline__ bool has_targets(const async_task<K> &t, async_manager<K> &m)
{
    while (m.target < t.target_count) {
        const K key = simt_load_relaxed(&t.f.label[t.targets[m.target]]);
        if (!__all_sync(WARP_ALL, key != t.f.s.infinity && bucket_of(t.f.s, m.w, key) < m.w.now))
            return false;
        m.target++;
    }
    return t.target_count != 0 && m.sweeps == 0 && __all_sync(WARP_ALL, simt_load_relaxed(&t.st->full) == 0);
}

/* Everything in the far pile is to be moved (O4). */
template <class K> static __device__ __forceinline__ void empty_far(const async_task<K> &t, async_manager<K> &m)
{
    if (simt_lane() == PILE_FAR) {
        (void)atomicExch(&t.st->far_least, EMPTY_ENTRY);
        __threadfence();
        m.limit = simt_load_relaxed(&t.st->tail[PILE_FAR].x);
    }
    __syncwarp();
}

/* All are idle: new width, from the current bucket on, and everything in piles is moved (O5). */
template <class K> static __device__ __forceinline__ void turn(const async_task<K> &t, async_manager<K> &m)
{
    const double passed = (double)m.w.now * (double)m.width;
    if (t.f.s.real)
        m.w.base = key_of((decltype(real_of(m.w.base)))((double)real_of(m.w.base) + passed));
    else
        m.w.base += (K)passed;
    m.width = m.wanted;
    m.w.rate = 1 / m.width;
    m.w.now = 0;
    m.turning = false;
    m.turns++;
    if (simt_lane() < PILE_FAR)
        m.limit = m.head + m.waiting;
    empty_far(t, m);
    publish(t, m);
}

/* All is done but what was missed: that again, from bucket 0 (M3). */
template <class K> static __device__ __forceinline__ void begin_sweep(const async_task<K> &t, async_manager<K> &m)
{
    m.w.base = t.f.s.zero;
    m.w.now = 0;
    m.other = 0;
    m.other_end = (t.n + 31) / 32;
    m.other_op = OP_SWEEP;
    m.sweeps++;
    /* A pile that ends in a place without memory goes on behind it: all workers are idle, nobody adds to its tail. */
    const word64 last = simt_load_relaxed(table_at(t, simt_lane(), m.head / SEGMENT));
    if (m.head % SEGMENT != 0 && last == ((word64)(m.head / SEGMENT) << 32 | NO_SEGMENT)) {
        m.head += SEGMENT - m.head % SEGMENT;
        m.limit = m.head;
        simt_store_relaxed(&t.st->tail[simt_lane()].x, m.head);
    }
    if (simt_lane() == 0) {
        simt_store_relaxed(&t.st->full, 0u);
        simt_store_relaxed(&t.st->far_least, EMPTY_ENTRY);
    }
    publish(t, m);
}

/* Nothing is on its way between piles: which bucket is the current one (O2, O4)? */
template <class K>
static __device__ __forceinline__ void advance(const async_task<K> &t, const async_space<K> *ws, async_manager<K> &m,
                                               unsigned idle)
{
    const bool held = simt_lane() < RING && (m.waiting != 0 || ws->busy[simt_lane()] != 0);
    const unsigned steps =
        simt_reduce_min(WARP_ALL, held ? (simt_lane() + RING - m.w.now % RING) % RING : (unsigned)RING);
    const bool far = __shfl_sync(WARP_ALL, m.waiting, PILE_FAR) != 0;
    unsigned next = m.w.now + (steps < RING ? steps : 0), far_bucket = LAST_BUCKET;
    if (far) {
        const word64 least = simt_load_relaxed(&t.st->far_least);
        if (least != EMPTY_ENTRY) /* else who pushes there is at work yet, or nothing of it is left */
            far_bucket = bucket_of(t.f.s, m.w, (K)least);
        else if (steps == RING)
            far_bucket = m.w.now;
        far_bucket = simt_reduce_min(WARP_ALL, far_bucket > m.w.now ? far_bucket : m.w.now);
        next = steps == RING || next > far_bucket ? far_bucket : next;
    } else if (steps == RING && idle == t.workers) { /* N2 */
        if (__any_sync(WARP_ALL, simt_load_relaxed(&t.st->full) != 0))
            begin_sweep(t, m);
        else
            m.closing = true;
        return;
    }
    if (far && (far_bucket < next + RING / 2 || steps == RING))
        empty_far(t, m);
    if (next == m.w.now)
        return;
    m.w.now = next;
    m.buckets++;
    publish(t, m);
    m.closing = has_targets(t, m);
}

/* ---- handing out ------------------------------------------------------------------------------------------------- */

/* A job for each of the first `jobs` idle workers, of `each` entries, `count` in all. */
template <class K>
static __device__ __forceinline__ void hand(const async_task<K> &t, async_space<K> *ws, async_manager<K> &m, int op,
                                            unsigned owner, word64 first, unsigned count, unsigned each, unsigned jobs)
{
    for (unsigned given = 0, some_lanes = 0; given < jobs; given += some_lanes) {
        const bool low = m.idle[0] != 0; /* selects, not an index: registers have none */
        const unsigned idle = low ? m.idle[0] : m.idle[1], bit = idle & (0u - idle);
        const unsigned j = given + warp_rank(idle != 0, &some_lanes);
        if (idle == 0 || j >= jobs)
            continue;
        const unsigned w = (simt_lane() + (low ? 0 : 32)) * 32 + (unsigned)__ffs((int)bit) - 1;
        const unsigned some = count - j * each < each ? count - j * each : each;
        m.idle[0] ^= low ? bit : 0;
        m.idle[1] ^= low ? 0 : bit;
        m.given[0] ^= low ? bit : 0;
        m.given[1] ^= low ? 0 : bit;
        ws->owner[w] = (uint8_t)owner;
        simt_store_relaxed(&t.mail[(size_t)w * MAIL_WORDS], (word64)(((low ? m.given[0] : m.given[1]) & bit) != 0) << 63
                                                                | (word64)(unsigned)op << 60 | (word64)some << 52
                                                                | (first + (word64)j * each));
    }
    __syncwarp();
    if (simt_lane() == 0)
        (void)atomicAdd(&ws->busy[owner], jobs);
    __syncwarp();
}

/* How urgent the lane's pile is, and what may be handed out of it. */
template <class K>
static __device__ __forceinline__ unsigned rank_pile(const async_task<K> &t, const async_manager<K> &m, unsigned *count)
{
    const unsigned lane = simt_lane(), room = SEGMENT - m.head % SEGMENT;
    const bool moves = (int)(m.limit - m.head) > 0;
    const unsigned there = moves ? m.limit - m.head : m.waiting;
    const unsigned away = lane < RING ? (lane + RING - m.w.now % RING) % RING : (unsigned)RING;
    *count = there < room ? there : room;
    if (m.waiting == 0 || m.number != m.head / SEGMENT || m.head / SEGMENT - m.mark >= SPAN)
        return 255;
    if (lane == PILE_PARTS)
        return 0;
    if (moves)
        return 1;
    return away < t.ahead && !m.turning ? 2 + away : 255u;
}

/* Jobs for idle workers, the most urgent first. */
template <class K>
static __device__ __forceinline__ void hand_out(const async_task<K> &t, async_space<K> *ws, async_manager<K> &m,
                                                unsigned idle)
{
    while (idle != 0 && m.other < m.other_end) {
        const unsigned left = m.other_end - m.other, jobs = (left + 31) / 32 < idle ? (left + 31) / 32 : idle;
        const unsigned count = left < jobs * 32 ? left : jobs * 32;
        hand(t, ws, m, m.other_op, (unsigned)OWNER_OTHER, (word64)m.other, count, 32, jobs);
        m.other += count;
        idle -= jobs;
    }
    while (idle != 0) {
        unsigned count;
        const unsigned best = simt_reduce_min(WARP_ALL, rank_pile(t, m, &count) << 8 | simt_lane());
        const unsigned pile = best & 255, rank = best >> 8;
        if (rank == 255)
            return;
        count = __shfl_sync(WARP_ALL, count, (int)pile);
        const unsigned first = __shfl_sync(WARP_ALL, m.head, (int)pile);
        const word64 index = (word64)__shfl_sync(WARP_ALL, m.segment, (int)pile) * SEGMENT + first % SEGMENT;
        const unsigned least = rank == 0 ? 1 : t.least, most = rank == 0 ? (unsigned)PARTS_AT_ONCE : 32u;
        unsigned each = (count + idle - 1) / idle;
        each = each < least ? least : each > most ? most : each;
        const unsigned jobs = (count + each - 1) / each < idle ? (count + each - 1) / each : idle;
        count = count < jobs * each ? count : jobs * each;
        hand(t, ws, m,
             rank == 0   ? OP_PARTS
             : rank == 1 ? OP_MOVE
                         : OP_RELAX,
             rank == 1 ? (unsigned)OWNER_MOVE : pile, index, count, each, jobs);
        idle -= jobs;
        if (simt_lane() == pile) {
            m.head += count;
            m.waiting -= count;
            const word64 x = m.waiting != 0 && m.number != m.head / SEGMENT
                                 ? simt_load_relaxed(table_at(t, pile, m.head / SEGMENT))
                                 : 0;
            if (m.waiting != 0 && m.number != m.head / SEGMENT && (unsigned)(x >> 32) == m.head / SEGMENT
                && (unsigned)x != NO_SEGMENT) {
                m.number = m.head / SEGMENT;
                m.segment = (unsigned)x;
            }
        }
        __syncwarp();
    }
}

/* ---- the width --------------------------------------------------------------------------------------------------- */

template <class K>
static __device__ __forceinline__ void adapt(const async_task<K> &t, async_manager<K> &m, unsigned idle)
{
    m.steps++;
    m.at_once = t.workers - idle > m.at_once ? t.workers - idle : m.at_once;
    m.rest_sum += idle;
    if (++m.watched < m.wait)
        return;
    const float busy = 1 - (float)m.rest_sum / ((float)m.watched * (float)t.workers);
    const int trend = busy < BUSY_LEAST ? 1 : busy > BUSY_MOST ? -1 : 0;
    m.watched = 0;
    m.rest_sum = 0;
    if (trend == 0 || !t.adapt || m.turns >= TURNS_MOST || m.turning)
        return;
    m.wait = trend == -m.trend && m.wait < (1u << 20) ? m.wait * 2 : m.wait;
    m.trend = trend;
    m.wanted = trend > 0 ? m.width * 2 : m.width / 2;
    m.turning =
        m.wanted > 1e-30f && m.wanted < 1e30f && m.wanted <= m.first * WIDTH_MOST && m.wanted >= m.first * WIDTH_LEAST;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

template <class K>
static __device__ __forceinline__ void open_manager(const async_task<K> &t, async_space<K> *ws, async_manager<K> &m,
                                                    float width)
{
    m.number = NO_SEGMENT;
    m.other_end = t.source_count;
    m.other_op = OP_SEED;
    m.w.base = t.f.s.zero;
    m.width = m.wanted = m.first = width;
    m.w.rate = 1 / width;
    m.wait = ADAPT_STEPS;
    m.heard = simt_clock();
#pragma unroll
    for (unsigned k = 0; k < 2; k++)
        m.idle[k] = workers_of(t, k);
    for (unsigned i = simt_lane(); i < OWNERS; i += 32)
        ws->busy[i] = 0;
    __syncwarp();
    publish(t, m);
}

/* Sends all workers home; they are idle. */
template <class K> static __device__ __forceinline__ void close_manager(const async_task<K> &t, async_manager<K> &m)
{
#pragma unroll
    for (unsigned k = 0; k < 2; k++)
        for (unsigned rest = m.idle[k]; rest != 0; rest &= rest - 1) {
            const unsigned bit = rest & (0u - rest), w = (simt_lane() + 32 * k) * 32 + (unsigned)__ffs((int)bit) - 1;
            simt_store_relaxed(&t.mail[(size_t)w * MAIL_WORDS],
                               (word64)((m.given[k] & bit) == 0) << 63 | (word64)OP_EXIT << 60);
        }
    if (simt_lane() == 0) {
        t.st->buckets = m.buckets;
        t.st->turns = m.turns;
        t.st->sweeps = m.sweeps;
        t.st->steps = m.steps;
        t.st->at_once = m.at_once;
        t.st->width = m.width;
    }
}

/* True when all is done and workers have been told so. */
template <class K>
static __device__ __forceinline__ bool manage(const async_task<K> &t, async_space<K> *ws, async_manager<K> &m)
{
    const unsigned stop = simt_load_relaxed(&t.st->stop); /* under way while the others are read */
    const unsigned idle = look_at_workers(t, ws, m);
    look_at_pile(t, ws, m);
    if (listen(t, m, stop) != 0)
        m.closing = true;
    if (!m.closing) {
        const bool moves = (int)(m.limit - m.head) > 0,
                   parts = simt_lane() == PILE_PARTS && (m.waiting != 0 || ws->busy[PILE_PARTS] != 0);
        const bool moving = __any_sync(WARP_ALL, moves || parts) || ws->busy[OWNER_MOVE] != 0
                            || ws->busy[OWNER_OTHER] != 0 || m.other < m.other_end;
        if (!moving && m.turning && idle == t.workers)
            turn(t, m);
        else if (!moving && !m.turning)
            advance(t, ws, m, idle);
    }
    if (m.closing) {
        if (idle == t.workers)
            close_manager(t, m);
        else
            simt_spin();
        return idle == t.workers;
    }
    hand_out(t, ws, m, idle);
    adapt(t, m, idle);
    simt_spin();
    return false;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* Launched cooperatively, once. Worker numbers go from block to block first, so that few of them are spread over many
 * multiprocessors. Where there is but one warp it is manager and worker in turn. */
template <class K, class Off>
static __global__ void __launch_bounds__(ASYNC_THREADS, 2)
    async_kernel(const __grid_constant__ async_task<K> t, const __grid_constant__ arena<Off> a, float width)
{
    SIMT_SHARED(async_space<K>, ws, 1);
    const bool manages = blockIdx.x == 0 && simt_warp() == 0, alone = gridDim.x * (blockDim.x / 32) == 1;
    const unsigned number = simt_warp() * gridDim.x + blockIdx.x;
    async_manager<K> m = {};
    async_worker<K> me = {};
    if (manages)
        open_manager(t, ws, m, width);
    if (!alone) {
        /* block 0 has its first `spare` warps apart: numbers of others close the gaps */
        const unsigned gaps = blockIdx.x == 0 ? t.spare : simt_warp() + 1 < t.spare ? simt_warp() + 1 : t.spare;
        me.id = number - gaps;
        if (blockIdx.x == 0 && simt_warp() < t.spare && !manages)
            return;
    }
    for (;;) {
        if (manages && manage(t, ws, m) && !alone)
            break;
        if ((!manages || alone) && !work(t, a, ws, me, !manages))
            break;
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
