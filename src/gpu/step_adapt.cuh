/* step_adapt.cuh - relaxation in the order of distance whose width follows from what rounds have counted, up to no
 * order at all, and back (F7 of far.cuh).
 *
 * A round costs a barrier of the device and, above that, its arcs. Where rounds have fewer arcs than hide the barrier,
 * work is free and rounds are not: the width doubles, and past TURN_MOST - 1 doublings there is no limit any more
 * (Workfront Sweep). Where they have more, and the arcs looked at so far are many times the graph's, work is what
 * counts: the width halves. Without a limit, a frontier of more vertices than `ample` is put in order again, with the
 * width it began with.
 * Invariants: those of step_switch.cuh, step_far.cuh and far.cuh;
 *   V1 a turn is taken after PATIENCE splits in a row that lean to the same side: every search begins and ends with
 *      small rounds;
 *   V2 what is counted and decided is the leader's alone, in its launch's ledger and the state; the others see the turn
 *      of a side after the barrier of the split that made it.
 */
#ifndef NF_GPU_STEP_ADAPT_CUH
#define NF_GPU_STEP_ADAPT_CUH

#include "gpu/step_switch.cuh"

namespace SIMT_FLAVOUR
{

#define PATIENCE 3u /* V1 */

template <class K> struct adapt_step : switch_step<K> {
    static const bool EVERY_MAPPING = false;
    int turn;         /* F7 */
    word64 few, many; /* arcs a round below which it widens, above which it narrows */
    word64 waste;     /* and only narrows when more arcs than these were looked at */
};

template <class K> struct is_switching<adapt_step<K>> {
    static const bool value = true;
};

template <class K> struct is_adapting<adapt_step<K>> {
    static const bool value = true;
};

/* One width, as the turn has it, above a key. */
template <class K> static __device__ __forceinline__ word64 limit_after(const adapt_step<K> &f, word64 from)
{
    far_step<K> g = f;
    if (f.turn >= 0)
        g.width = f.width < f.s.infinity >> (f.turn + 1) ? f.width << f.turn : f.s.infinity / 2;
    else
        g.width = f.width >> -f.turn > 1 ? f.width >> -f.turn : 1;
    g.reals = f.turn >= 0 ? f.reals * (1 << f.turn) : f.reals / (1 << -f.turn);
    return limit_after(g, from);
}

template <class K> static __device__ __forceinline__ word64 first_limit(const adapt_step<K> &f)
{
    return limit_after(f, zero_key(f));
}

/* ---- the leader's part ------------------------------------------------------------------------------------------- */

template <class Off>
static __device__ __forceinline__ void note_turn(const arena<Off> &a, const workspace *ws, const place &at, int to,
                                                 word64 each)
{
    const turn_note t = {at.round, to, each, ws->sum.arcs};
    if (a.st->turn_count < TURN_NOTES)
        a.st->turns[a.st->turn_count] = t;
    a.st->turn_count++;
}

/* Where the next phase begins to be counted. */
template <class Off>
static __device__ __forceinline__ void count_from_here(const arena<Off> &a, const workspace *ws, const place &at)
{
    a.st->split_arcs = ws->sum.arcs;
    a.st->split_round = at.round;
}

/* What rounds of `each` arcs lean to: a wider limit, a narrower one, or none of them. */
template <class F> static __device__ __forceinline__ int leaning_of(const F &f, word64 each, word64 all)
{
    if (each < f.few)
        return f.turn < TURN_MOST ? 1 : 0;
    return each > f.many && all > f.waste && f.turn > TURN_LEAST ? -1 : 0;
}

/* At a split, after the round was added up. */
template <class F, class Off>
static __device__ OUT_OF_LINE void take_turn(const arena<Off> &a, const F &f, const workspace *ws, const place &at)
{
    state *st = a.st;
    const unsigned rounds = at.round - st->split_round;
    const word64 each = (ws->sum.arcs - st->split_arcs) / (rounds > 0 ? rounds : 1);
    const int lean = leaning_of(f, each, ws->sum.arcs);
    int next = f.turn;
    st->in_a_row = lean != 0 && lean == st->leaning ? st->in_a_row + 1 : lean != 0;
    st->leaning = lean;
    if (st->in_a_row >= PATIENCE) {
        next += lean;
        st->in_a_row = 0;
        note_turn(a, ws, at, next, each);
    }
    st->far[(at.phase + 1) % 3].turn = next;
    count_from_here(a, ws, at);
}

/* At the round of a switch. */
template <class Off>
static __device__ __forceinline__ void note_back(const arena<Off> &a, const workspace *ws, const place &at,
                                                 const view &w)
{
    a.st->in_a_row = 0;
    note_turn(a, ws, at, TURN_BACK, w.count);
    count_from_here(a, ws, at);
}

} /* namespace SIMT_FLAVOUR */

#endif
