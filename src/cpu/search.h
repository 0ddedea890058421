/* search.h - what the searches between two vertices share: a cell for each vertex, lists of the cells in use, and the
 * way out of them.
 *
 * A search has two sides: 0 goes from the source along the arcs, 1 from the target against them. What a cell holds is
 * the method's affair; where it is said to end with parents, those are the two of its vertex.
 * Invariants
 *   S1 between searches every byte of every cell is 0xff: no label, no parent (NF_NO_VERTEX);
 *   S2 during a search side i lists in seen[i] each vertex to whose cell it wrote, once, in the order it came by them;
 *      so closing costs no more than the search did, and only the first search on a context pays O(n).
 * The state belongs to the context's CPU device and stays for the next search, unless the context has a memory limit.
 * Memory: a cell a vertex (1 byte for BFS, 16 in 32 bits, 24 in 64) and 4 bytes a vertex seen by each side (8 for
 * BFS), in lists that double; and the queues.
 */
#ifndef NF_CPU_SEARCH_H
#define NF_CPU_SEARCH_H

#include "core/backend.h"
#include "cpu/digits.h"

typedef struct nf__seen {
    nf_vid *list;
    uint64_t count, capacity;
} nf__seen;

/* The CPU's device: run->device. */
typedef struct nf__search {
    nf__mem *mem;
    char *cells;
    uint64_t bytes; /* of the cells, all of them 0xff between searches */
    size_t cell;    /* bytes of one */
    nf_vid n;       /* how many are in use */
    nf__seen seen[2];
    nf__seen from[2]; /* BFS: by place in seen, the place of the parent */
    nf__digits queue[2];
    nf__seen batch; /* a bucket at work */
} nf__search;

/* Makes cells of `cell` bytes ready for the run's graph; to be closed whatever comes of it. */
nf_status nf__search_open(nf__run *run, size_t cell, nf__search **out);
/* well: the search did not fail, so that S2 holds. */
void nf__search_close(nf__search *s, bool well);
void nf__search_free(nf__search *s);

/* Is there a transpose for side 1, or may one be made? Without weights where the run has none. */
nf_status nf__search_transpose(nf__run *run, nf_csr *in);

/* Notes the arcs a search relaxed for want of a transpose: see nf__search_pays. */
void nf__search_note(const nf__run *run, uint64_t arcs);
/* Is a transpose at hand, or have searches on this graph done without one at a cost that would have made it? */
bool nf__search_pays(const nf__run *run);

nf_status nf__seen_grow(nf__mem *mem, nf__seen *s);

/* Moves the vertices listed in bucket `at` of level 0 into s->batch. */
nf_status nf__search_gather(nf__search *s, nf__digits *q, uint32_t at, uint64_t *count);

static inline nf_status nf__seen_add(nf__mem *mem, nf__seen *s, nf_vid v)
{
    if (s->count == s->capacity) {
        const nf_status st = nf__seen_grow(mem, s);
        if (st != NF_OK)
            return st;
    }
    s->list[s->count++] = v;
    return NF_OK;
}

static inline nf_vid *nf__search_parent(const nf__search *s, nf_vid v, unsigned side)
{
    return (nf_vid *)(void *)(s->cells + (size_t)v * s->cell + s->cell - 8) + side;
}

/* Cells that end with parents: room for the way by `meet`, with its vertices; distances are left to the caller. *at is
 * the place of `meet`. */
nf_status nf__search_way(nf__run *run, const nf__search *s, nf_vid meet, nf_vid **vertices, void **dist, uint64_t *at,
                         uint64_t *length);

#endif
