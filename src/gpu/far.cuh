/* far.cuh - the pile of a step that puts vertices off: those whose keys are not below its limit wait here until the
 * others have been seen to (Near-Far pile: Davidson, Baxter, Garland, Owens 2014, section IV.D).
 *
 * A split goes through the pile with the next limit: what is below it becomes the frontier, what is not stays, and what
 * fell below the old limit meanwhile is dropped, since it was listed then. It is a round of its own, over an empty
 * frontier. Blocks gather what they put off in shared memory and write it out together, with one atomic.
 *
 * Invariants
 *   F1 a vertex comes to the pile when its label falls from infinity to a key that is not near, and at no other time:
 *      so every vertex with a finite key that is not near is in the pile once, and n places suffice;
 *   F2 sides rotate as slots do (Q4): the split of phase p reads side p mod 3 and array p mod 2, writes the next ones,
 *      and clears the side after that. In between, what is put off goes to side p mod 3;
 *   F3 the count of a side does not change in a round with an empty frontier before its split: so all blocks decide
 *      alike;
 *   F4 a split that makes no frontier has found the least key of all that waits, as nothing was put off since: the next
 *      limit is above it. So no two splits in a row are empty.
 *   F5 parted steps (step_light.cuh) have two lists of arcs a vertex: the heavy ones are those of n + v in offsets and
 *      are seen to once, when the vertex's label is final. Every vertex comes to the pile when it is reached and leaves
 *      it for that: when nothing near is listed, a pass takes what is below the limit out of the pile, with its heavy
 *      arcs (it gathers); when these have been seen to and nothing was listed by them, or a pass found nothing below
 *      the limit, the next one splits, and what becomes near stays in the pile;
 *   F6 switching steps (step_switch.cuh) begin without a limit, so that nothing is put off. When a frontier is large, a
 *      round over all vertices puts every one that is reached into the pile, which makes F1 true, and the split after
 *      it begins at the least key of that frontier: what lies below is final and dropped. When a split finds little in
 *      the pile, there is no limit again. One round of relaxing lies between a split and the next switch;
 *   F7 adapting steps (step_adapt.cuh) begin with a limit. At each split the leader holds the arcs of a round since the
 *      split before against what the device is filled by, and writes the turn, how many times the width is doubled or
 *      halved, into the side that the split makes; the split after it takes it from there, so all blocks take the same.
 *      A turn of TURN_MOST means no limit; a frontier that is then ample puts all vertices in the pile again (F6), and
 *      the turn is 0 as the side was cleared.
 * Memory: 8 n bytes.
 */
#ifndef NF_GPU_FAR_CUH
#define NF_GPU_FAR_CUH

#include "gpu/lead.cuh"

namespace SIMT_FLAVOUR
{

#define FAR_FLUSH (FAR_SLOTS / 2) /* entries in shared memory that are written out at the end of a round */

static __device__ __forceinline__ void clear_ceiling(state *st)
{
    st->ceiling = st->lifted_from = NO_CEILING;
    st->final_to = 0;
    st->top = __longlong_as_double(0x7ff0000000000000ll);
}

static __device__ __forceinline__ void clear_far(far_side *s)
{
    s->count = 0;
    s->round = 0xffffffffu;
    s->limit = 0;
    s->least = ~0ull;
    s->gathered = 0;
    s->turn = 0;
}

/* Where a phase's vertices are put off to. One thread, before a barrier. */
template <class Arena, class Space>
static __device__ __forceinline__ void open_far(const Arena &a, Space *ws, unsigned phase)
{
    ws->far_to = &a.st->far[phase % 3];
    ws->far_pile = a.far[phase & 1];
}

/* The same at the start of a kernel. All threads. */
template <class Off>
static __device__ __forceinline__ void begin_far(const arena<Off> &a, workspace *ws, unsigned phase)
{
    if (threadIdx.x == 0) {
        ws->far_count = 0;
        open_far(a, ws, phase);
    }
    __syncthreads();
}

/* Puts v[k] of every lane whose bit k of `off` is set off, k < many. All lanes. */
template <class Space> static __device__ OUT_OF_LINE void put_far(Space *ws, unsigned off, four x, unsigned many)
{
#pragma unroll 1
    for (unsigned k = 0; k < many; k++) {
        const bool is = (off >> k & 1) != 0;
        const uint32_t v = k == 0 ? x.v[0] : k == 1 ? x.v[1] : k == 2 ? x.v[2] : x.v[3];
        const unsigned mask = __ballot_sync(WARP_ALL, is);
        const unsigned total = __popc(mask);
        uint32_t base = 0, more = 0;
        if (mask == 0)
            continue;
        if (simt_lane() == 0)
            base = atomicAdd(&ws->far_count, total);
        base = __shfl_sync(WARP_ALL, base, 0);
        const uint32_t mine = base + __popc(mask & lanes_below());
        const uint32_t fit = base >= FAR_SLOTS ? 0 : base + total <= FAR_SLOTS ? total : FAR_SLOTS - base;
        if (simt_lane() == 0 && fit < total)
            more = atomicAdd(&ws->far_to->count, total - fit);
        more = __shfl_sync(WARP_ALL, more, 0);
        if (is && mine < FAR_SLOTS)
            ws->far_slots[mine] = v;
        else if (is)
            ws->far_pile[more + mine - base - fit] = v;
    }
}

/* Writes out the `all` vertices that the block has put off, or as many as there were slots for. All threads, after a
 * barrier. */
template <class Space> static __device__ __forceinline__ void write_out_far(Space *ws, uint32_t all)
{
    const uint32_t count = all < FAR_SLOTS ? all : (uint32_t)FAR_SLOTS;
    if (count == 0)
        return; /* all threads alike */
    if (threadIdx.x == 0)
        ws->far_base = atomicAdd(&ws->far_to->count, count);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        ws->far_pile[ws->far_base + i] = ws->far_slots[i];
    if (threadIdx.x == 0)
        ws->far_count = 0;
    __syncthreads();
}

template <class Space> static __device__ __forceinline__ void flush_far(Space *ws)
{
    __syncthreads();
    write_out_far(ws, ws->far_count);
}

/* What the pile adds to the view of a round. */
template <class Off> static __device__ __forceinline__ void view_pile(const arena<Off> &a, const place &at, view *w)
{
    const far_side *s = &a.st->far[at.phase % 3];
    const unsigned count = simt_load_relaxed(&s->count);
    w->limit = simt_load_relaxed(&s->limit);
    w->far = w->count == 0 ? count : 0;
    w->least = simt_load_relaxed(&s->round) == at.round ? simt_load_relaxed(&s->least) : ~0ull;
}

/* Opens the next phase, whose frontier is that of `round`. All threads. */
template <class Arena, class Space>
static __device__ __forceinline__ void begin_split(const Arena &a, Space *ws, unsigned phase, word64 limit,
                                                   unsigned round, part p, bool gathers = false)
{
    far_side *to = &a.st->far[(phase + 1) % 3];
    if (threadIdx.x == 0)
        open_far(a, ws, phase + 1);
    if (p.rank == 0 && threadIdx.x == 0) {
        to->limit = limit;
        to->round = round;
        to->gathered = gathers;
        clear_far(&a.st->far[(phase + 2) % 3]);
    }
    __syncthreads();
}

/* The least key that a split of what `w` shows may list: F4. */
static __device__ __forceinline__ word64 first_near(const view &w)
{
    return w.least != ~0ull && w.least > w.limit ? w.least : w.limit;
}

/* F6: is there too little in the pile for a limit? */
template <class F> static __device__ __forceinline__ bool gives_up_order(const F &f, const view &w)
{
    if constexpr (is_adapting<F>::value)
        return f.turn >= TURN_MOST;
    else if constexpr (is_switching<F>::value)
        return w.far <= f.ample / 2;
    else {
        (void)f;
        (void)w;
        return false;
    }
}

/* The limit that it moves to. */
template <class F> static __device__ __forceinline__ word64 next_limit(const F &f, const view &w)
{
    return gives_up_order(f, w) ? (word64)f.s.infinity : limit_after(f, first_near(w));
}

/* An entry of the pile, at a split. */
typedef struct waiting {
    word64 key;
    uint32_t v;
    bool near, stays; /* neither: settled since */
} waiting;

/* Entry i of `count`, near from a key on; none beyond the end. */
template <class F>
static __device__ __forceinline__ waiting see_waiting(const F &f, const uint32_t *pile, word64 i, uint32_t count,
                                                      word64 from, word64 next)
{
    const bool is = i < count;
    const uint32_t v = is ? pile[i] : 0;
    const word64 key = is ? source_of(f, v) : 0;
    waiting x = {key, v, is && key >= from && key < next, is && key >= next};
    if constexpr (is_capped<F>::value)
        x.near = x.near && key <= f.bound, x.stays = x.stays && key <= f.bound;
    return x;
}

/* Puts off again what stays; *least: of these keys. All lanes. */
template <class Space> static __device__ __forceinline__ void keep_waiting(Space *ws, const waiting &x, word64 *least)
{
    const four v = {{x.v, 0, 0, 0}};
    if (__any_sync(WARP_ALL, x.stays))
        put_far(ws, x.stays, v, 1);
    *least = x.stays && x.key < *least ? x.key : *least;
}

/* F4. */
static __device__ __forceinline__ void tell_least(far_side *to, word64 least)
{
    if (least != ~0ull && least < simt_load_relaxed(&to->least))
        (void)atomicMin(&to->least, least);
}

/* A round that splits the pile. All threads of the part's blocks. */
template <class F, class Off>
static __device__ OUT_OF_LINE void split_pile(const arena<Off> &a, const F &f, workspace *ws, const place &at,
                                              const view &w, part p)
{
    far_side *to = &a.st->far[(at.phase + 1) % 3];
    const word64 from = first_near(w), next = next_limit(f, w);
    const uint32_t *pile = a.far[at.phase & 1];
    word64 least = ~0ull;
    begin_split(a, ws, at.phase, next, at.round + 1, p);
    open_outlet(ws, slot_of(a.st, at.round + 1), at.round + 1, 1 - at.front, true, base_after(a, w));
    const word64 stride = (word64)p.size * blockDim.x;
    for (word64 base = (word64)p.rank * blockDim.x + simt_warp() * 32; base < w.far; base += stride) {
        waiting x = see_waiting(f, pile, base + simt_lane(), w.far, from, next);
        if constexpr (is_capped<F>::value)
            forget_above(f, x);
        put_one(a, ws, x.near, x.v);
        if constexpr (is_parted<F>::value)
            x.stays |= x.near;
        keep_waiting(ws, x, &least);
    }
    tell_least(to, least);
    close_outlet(a, ws, 0);
    flush_far(ws);
}

/* ---- with a limit and without (F6) ------------------------------------------------------------------------------- */

/* Is there enough to do to put some of it off? Not if the frontier comes from a split, which the caller knows. */
template <class F> static __host__ __device__ __forceinline__ bool takes_up_order(const F &f, const view &w)
{
    if constexpr (is_switching<F>::value)
        return w.count > f.ample && w.limit >= (word64)f.s.infinity;
    else {
        (void)f;
        (void)w;
        return false;
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
