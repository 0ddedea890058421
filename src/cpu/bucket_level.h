/* bucket_level.h - one level of a bucket heap, and the passes over it; meaning and invariants in bucket_heap.c. */
#ifndef NF_CPU_BUCKET_LEVEL_H
#define NF_CPU_BUCKET_LEVEL_H

#include "cpu/bucket_heap.h"

/* What an entry of a signal buffer asks for; in a bucket it is NF__SIGNAL_INSERT. */
enum {
    NF__SIGNAL_INSERT = 0, /* put the value in: it is nowhere below, or signals on the way see to that */
    NF__SIGNAL_LOWER,      /* the value is below: lower its priority to this */
    NF__SIGNAL_DELETE,     /* take the value out, below */
    NF__SIGNAL_REPLACE,    /* DELETE, then INSERT */
};

typedef struct nf__bucket_level {
    nf__heap_item *bucket, *signals; /* B_i, S_i */
    nf__heap_item *passed;           /* O_i: signals that have met B_i and are to go to S_(i+1) */
    nf__heap_item *merged, *left;    /* scratch */
    uint64_t bucket_count, signal_count, passed_count;
    uint64_t full;              /* 2 d 4^i */
    nf__heap_item bound;        /* B_i <= bound < everything below; counts only while nf__level_deep */
    bool below;                 /* S_(i+1), B_(i+1) or levels further down may hold something */
    uint64_t moved;             /* items read */
    void *block;                /* what all arrays lie in */
    _Alignas(64) uint64_t done; /* Resolve(i) finished so far; atomic */
    int busy;                   /* some thread runs Resolve(i); atomic */
} nf__bucket_level;

static inline bool nf__item_before(const nf__heap_item *a, const nf__heap_item *b)
{
    return a->priority != b->priority ? a->priority < b->priority : a->value < b->value;
}

/* May anything of level l or above still lie below it? Then l takes only what is within its bound. */
static inline bool nf__level_deep(const nf__bucket_level *l)
{
    return l->below || l->passed_count > 0;
}

/* Is the bucket to be filled? Not before it has lost a quarter: filling reads four times as much below. */
static inline bool nf__level_low(const nf__bucket_level *l)
{
    return l->below && 4 * l->bucket_count < 3 * l->full;
}

/* The signal that does what `older` and then `newer`, for the same value, would do. */
nf__heap_item nf__signal_join(nf__heap_item older, nf__heap_item newer);
/* Puts count signals, sorted by value, on top of level l's. */
void nf__level_receive(nf__bucket_level *l, const nf__heap_item *newer, uint64_t count);
/* Empties S_i into B_i; what does not stay goes to O_i (EMPTY of the paper). */
void nf__level_apply(nf__bucket_level *l);
/* Takes the least `count` items out of B_(i+1) for level l above it, which is to be filled, and sets l's bound. They
 * lie in from->merged, sorted by value; how many. */
uint64_t nf__level_pull(nf__bucket_level *l, nf__bucket_level *from, uint64_t count);
/* RESOLVE(i), i > 0. next may be NULL when nothing can leave l. */
void nf__level_resolve(nf__bucket_level *l, nf__bucket_level *next);

/* Both sort in place, in O(count log count), with scratch for count items; by value: equal ones keep their order. */
void nf__items_sort_value(nf__heap_item *x, uint64_t count, nf__heap_item *scratch);
void nf__items_sort_priority(nf__heap_item *x, uint64_t count, nf__heap_item *scratch);

/* ---- the heap as its own files know it --------------------------------------------------------------------------- */

#define NF__HEAP_RATE 4u /* RESOLVE(i) for one RESOLVE(i+1): capacities grow by as much */

enum { NF__VALUE_THERE = 1, NF__VALUE_ON_TOP = 2 }; /* in the heap; in B_0 */

struct nf__bucket_heap {
    nf__bucket_level level[NF__HEAP_LEVELS];
    unsigned levels;
    uint32_t d, operations; /* items since the last Resolve(0) */
    nf_vid values;
    uint8_t *state;     /* of each value */
    uint64_t *priority; /* of each value in B_0, to find it there */
    uint64_t size, room;
    nf__mem *mem;
    bool team;
    nf__heap_trace trace;
    void *trace_arg;
    nf__heap_counters counters;
    _Alignas(64) uint32_t running; /* bit i: Resolve(i) is under way; atomic */
    int quit;                      /* atomic */
};

/* Around RESOLVE(0): waits until it may begin, helping below; then, without a team, does what has become due. */
void nf__heap_begin_top(nf__bucket_heap *h);
void nf__heap_end_top(nf__bucket_heap *h);

#endif
