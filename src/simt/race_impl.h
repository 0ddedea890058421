/* race_impl.h - the race flavour's insides: who is ordered after whom (race_clock.c), what was done to each word of
 * memory (race_shadow.c), and the compiler's calls (race_tsan.c).
 *
 * Each resident thread has a clock that it advances when it synchronises. A record of an access is (thread, clock).
 * It happened before what thread t does now if t knows of that clock: from the last barrier of the grid or of its own
 * block, from a __syncwarp, or from a fence after an atomic that read what another thread wrote after its own fence
 * (release and acquire, as the PTX memory model has them). Vector clocks in full are kept only where fences need them
 * (Flanagan and Freund, FastTrack, PLDI 2009, made hierarchical).
 */
#ifndef NF_SIMT_RACE_IMPL_H
#define NF_SIMT_RACE_IMPL_H

#include "simt/emu_impl.h"

enum {
    NF_RACE_SITES = 1 << 16,  /* instructions that access memory */
    NF_RACE_SNAPSHOTS = 8192, /* what threads knew at their fences */
    NF_RACE_WORDS = 1 << 16   /* addresses that carry such knowledge */
};

/* Records of one aligned word of 4 bytes: clock 28 bits, thread 16, bytes touched 4, instruction 16. 0: none. */
typedef struct nf__race_cell {
    uint64_t write, atomic;  /* the last plain write; the last atomic, relaxed or volatile write */
    uint64_t read, read_too; /* plain reads */
} nf__race_cell;

/* A word that carries what its writer knew. */
typedef struct nf__race_word {
    const void *address;
    uint32_t epoch; /* of the table: older entries are empty */
    uint32_t snapshot;
} nf__race_word;

struct nf__race {
    size_t bytes;                                    /* of this mapping */
    uint32_t n;                                      /* threads */
    uint32_t *clock, *born;                          /* of each thread: now, and when its block began */
    uint32_t *grid_known, *block_known, *warp_known; /* clocks everybody in that scope knows of */
    uint32_t *lane_known; /* 32 for each thread: what it knows of the lanes of its warp from masks of fewer lanes */
    uint32_t *begun;      /* clocks when the grid began */
    /* vectors of n clocks, each with a mark that says whether it is in use */
    uint32_t *acquired, *pending, *block_vector;
    bool *has_acquired, *has_pending, *has_block_vector;
    uint32_t *pending_from;                            /* the serial number last joined into `pending`; 0: none */
    uint32_t *released;                                /* of each thread: its last fence's snapshot + 1; 0: none */
    uint8_t *release_scope;                            /* of that fence */
    uint32_t *snapshots, *references, *snapshot_block; /* block + 1 for fences of a block's scope */
    uint32_t *serial, serials;                         /* of each snapshot: its number among all that were taken */
    uint32_t *free_snapshots, free_snapshot_count;
    nf__race_word *words;
    uint32_t word_epoch, word_count;
    bool fenced; /* a snapshot has been taken since all was last ordered */
    uint64_t *sites;
    uint32_t site_count;
    char *shared_cells, *arena_cells;
    size_t shared_bytes, arena_bytes;
    uint64_t this_pc, other_pc; /* of the race found, for the report */
};

static inline uint32_t nf__race_clock_of(uint64_t record)
{
    return (uint32_t)(record >> 36);
}

static inline uint32_t nf__race_thread_of(uint64_t record)
{
    return (uint32_t)(record >> 20) & 0xffffu;
}

/* race_clock.c */
/* An atomic at p as a carrier of what threads know. */
void nf__race_carry(nf__emu *dev, const void *p, bool reads, bool writes, enum nf__emu_order order);
bool nf__race_ordered(const nf__emu *dev, const nf__emu_thread *me, uint64_t record);
/* race_shadow.c: an access by instrumented code */
void nf__race_access(const void *p, size_t size, bool writes, bool is_volatile, const void *pc);

#endif
