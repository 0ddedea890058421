/* bfs_4k.h - BFS-4K as its files share it: the settings, the memory of a search, the shared memory of a block.
 *
 * Invariants
 *   K1 a level's numbers live in one of three slots: level i reads slot i mod 3, writes slot i + 1 mod 3 and clears
 *      slot i + 2 mod 3, which was last read before the barrier, or the end of the kernel, that began level i;
 *   K2 a place of the next frontier is taken once, by an atomic addition to its slot's count. Places below n are
 *      written by whoever took them; vertices whose place is not go into a bitmap of n bits, and `over` says so.
 *      settle_* makes of both a queue without duplicates, which fits;
 *   K3 a bit of `taken` is set once in a search, by whoever walks that vertex's row: a vertex is in the frontier of one
 *      level only. So the parts that long rows are cut into have places for all of them.
 */
#ifndef NF_GPU_BFS_4K_H
#define NF_GPU_BFS_4K_H

#include "gpu/levels.cuh"

namespace SIMT_FLAVOUR
{

/* What a run counts of its mechanisms, under `census`. */
enum {
    COUNT_CANDIDATES = 0, /* vertices found unseen, as often as they were */
    COUNT_BINARY,         /* prefix sums of a warp by ballot */
    COUNT_SHUFFLE,        /* by shuffles */
    COUNT_SHARED,         /* in shared memory */
    COUNT_VALID,          /* verdicts of hash64 */
    COUNT_DUPLICATE,
    COUNT_CONFLICT,
    COUNT_MISSED,   /* duplicates that came into a frontier */
    COUNT_SEARCHES, /* edge-discover: binary searches of a warp */
    COUNT_EXT,      /* lists finished without one */
    COUNT_READS,    /* loads of 32 vertices at once, shared by shuffles */
    COUNT_ROWS,     /* coalesced writes of 32 vertices */
    COUNT_SINGLE,   /* vertices written one by one */
    COUNT_TWICE,    /* rows that were taken before */
    COUNTS
};

#define RING_4K 4096u /* levels whose trace is kept: the latest */

enum {
    MOST_FEW = 16,    /* blocks of a cluster; beyond 8 a chip may have none */
    FEW_THREADS = 256 /* of each of them: a cluster's barrier takes 0.19 us so, 0.32 with 1,024 (H200) */
};

enum { KERNEL_SINGLE = 0, KERNEL_CLUSTER, KERNEL_MULTI, KERNELS };

/* How wide virtual warps are. */
typedef enum warps_kind { WARPS_DYNAMIC = 0, WARPS_FIXED, WARPS_OFF } warps_kind;

/* The knobs, read. */
typedef struct setting4k {
    unsigned k1, k3, k4, k7;
    unsigned child_degree; /* vertices of more arcs go to children, by K2; UINT32_MAX: none do */
    unsigned resident;     /* threads of the device at once, of the multi-block kernel */
    word64 sweep;          /* frontiers of so many vertices have the next one swept together */
    int warps;             /* warps_kind */
    bool parts;            /* there are children, and all warps of the level share their arcs */
    bool once;             /* K3 for every row, not only for those of children */
    bool ext, hash64, shuffles, binary, reads, writes, census;
} setting4k;

/* How the dynamic shared memory of a block is used (Fig. 8). */
typedef struct layout4k {
    unsigned hash_bits;
    unsigned front; /* F_Threshold: places of each of the two frontiers; 0: they are in global memory */
    unsigned slots; /* of a thread's local queue */
    unsigned scratch, bytes;
} layout4k;

/* One level's numbers (K1). */
typedef struct slot4k {
    word64 count;
    unsigned over; /* K2 */
    unsigned stop; /* the search ends here */
    unsigned again, children;
    unsigned parts;    /* of long rows, found in this slot's level before */
    unsigned distinct; /* the frontier has no duplicates */
} slot4k;

/* A piece of a long row. */
typedef struct part4k {
    uint32_t u, part;
} part4k;

typedef struct trace4k {
    uint32_t level, count, again, children;
    uint16_t kernel, width; /* width 0: edge-discover */
} trace4k;

/* What a search keeps in device memory. */
typedef struct ledger4k {
    slot4k slots[3];
    unsigned level, front; /* where it is; the queue that holds the frontier */
    unsigned target;       /* targets before this one are reached */
    unsigned heavy;        /* the single-block kernel left a frontier because of a vertex for children */
    unsigned spills, sweeps;
    unsigned levels[KERNELS]; /* of each kernel */
    word64 arcs, children, parts;
    word64 count[COUNTS];
} ledger4k;

/* A search as kernels see it. */
template <class Off> struct search4k {
    const Off *off;
    const uint32_t *adj;
    level_search s; /* levels, parents, targets, limit */
    uint32_t *queue[2];
    uint32_t *bitmap; /* K2; empty between levels */
    uint32_t *taken;  /* K3 */
    part4k *parts;
    uint32_t *stamp; /* census: the level in which a vertex was last queued; or NULL */
    ledger4k *st;
    trace4k *ring; /* RING_4K of them */
    setting4k k;
    layout4k one, few, many;
    word64 few_front; /* frontiers up to this size are the cluster's; 0: there is none */
};

/* What the host knows of a run. */
typedef struct plan4k {
    setting4k k;
    layout4k one, few, many;
    unsigned one_block, few_block, block; /* threads of the single-block kernel, a cluster's block, the others (K6) */
    unsigned cluster;                     /* blocks of the cluster; 0: none */
    uint64_t few_front;
    uint64_t part_count; /* at most */
    bool children;       /* K2, and a vertex long enough */
    bool launched;       /* children are kernels */
    bool by_grid;        /* the multi-block kernel goes from level to level by itself */
} plan4k;

/* bfs_4k_settings.cu */
#define KNOBS_4K 20
extern const nf_knob_info knobs_4k[KNOBS_4K];
/* All of it from knobs, statistics and the device; but for what the kernels decide: k.resident, and the cluster. */
nf_status plan_4k(nf__run *run, device *d, plan4k *out);
/* With clusters of so many blocks (0: none), what small frontiers are. */
nf_status plan_4k_clusters(nf__run *run, device *d, unsigned cluster, plan4k *out);
/* Tells the log what a search did, from what it left in device memory. */
nf_status report_4k(const nf__run *run, device *d, const plan4k *p, const ledger4k *st, const trace4k *ring);

/* Defined in bfs_4k_child.cu, which alone may launch from kernels: a level whose longest lists go to children. */
template <class Off>
cudaError_t launch_4k_children(unsigned grid, unsigned block, cudaStream_t stream, const search4k<Off> &g,
                               unsigned level, int front);

} /* namespace SIMT_FLAVOUR */

#endif
