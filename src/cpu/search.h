/* search.h - what the searches between two vertices share: a cell for each vertex, and what tells which are in use.
 *
 * A search has two sides: 0 goes from the source along the arcs, 1 from the target against them. What a cell holds is
 * the method's affair.
 * Invariants
 *   S1 between searches every byte of every cell is 0xff: no label;
 *   S2 during a search side i either lists in seen[i] each vertex to whose cell it wrote, once, in the order it came by
 *      them, or touches the vertex's block of cells; so closing costs no more than the search did and n / 64 looks, and
 *      only the first search on a context pays O(n).
 * The state belongs to the context's CPU device and stays for the next search, unless the context has a memory limit.
 * Memory: a cell a vertex (1 byte for BFS, 8 in 32 bits, 16 in 64), 8 bytes a vertex seen for BFS, in lists that
 * double, 4 bytes a vertex where parents are wanted, a byte for 64 vertices; and the queues.
 */
#ifndef NF_CPU_SEARCH_H
#define NF_CPU_SEARCH_H

#include "core/backend.h"
#include "cpu/digits.h"

#define NF__BLOCK_BITS 6u /* 64 cells are wiped at once */

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
    uint64_t blocks;
    unsigned char *touched; /* a byte for each block of cells: 1 where some were written to */
    nf_vid *parent[2];      /* a vertex each, or NULL */
    nf_vid parents[2];      /* how many there is room for */
} nf__search;

/* Side `side` keeps parents in this search, or none. */
nf_status nf__search_parents(nf__search *s, unsigned side, bool wanted);

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

/* Room for twice as many, up to `most`. */
nf_status nf__seen_grow(nf__mem *mem, nf__seen *s, uint64_t most);

/* To be called when v's cell is written to, unless it goes into a list (S2). */
static inline void nf__search_touch(const nf__search *s, nf_vid v)
{
    __atomic_store_n(&s->touched[v >> NF__BLOCK_BITS], (unsigned char)1, __ATOMIC_RELAXED);
}

#endif
