/* bfs_4k_settings.cu - BFS-4K's knobs, what they become on a graph and a device, and what a search tells the log.
 *
 * Defaults come from the mean degree and its deviation, by the rules of Busato and Bombieri 2015, section 7, with the
 * numbers between its examples: K4 is 2 for com-youtube (mean 5.2, deviation 50.2), 1 for kkt_power (6.3, 7.5), 0 where
 * both are high (coPapersCiteseer 74, 101). K1 there is 4 for the second, and 32 for the first and
 * random.2Mv.128Me (64, 10.6); here it is so where long rows are not cut, K5 is 0 from a lower mean on and where there
 * are clusters, and K6 is larger: see bfs_4k.cu. docs/bfs-4k.md has the table.
 *
 * Invariant: L1 a layout fits the shared memory it was made for, whatever the knobs: frontiers give way first, then
 * local queues, then the hash table, which has at least 32 slots.
 * Cost: O(n) where K2 is in use and the graph has a vertex of K3 * K6 arcs; else O(1).
 */
#include "gpu/bfs_4k.h"

namespace SIMT_FLAVOUR
{

#define HIGH_MEAN 32.0      /* 002, Table 1: between as-skitter (12.1) and random.2Mv.128Me (64) */
#define HIGH_DEVIATION 32.0 /* between cage15 (5.7) and soc-LiveJournal1 (36.1) */
#define LOCAL_MOST 16u /* places of a thread's queue: more than K7's default, as many as a child's thread has arcs */
#define LOCAL_LEAST 4u /* BATCH */
#define HASH_MOST 12u  /* 32 KB, the paper's: what is more is taken from L1 */
#define HASH_LEAST 5u
#define RESERVED 1024u      /* bytes of a block's shared memory that CUDA or static variables take */
#define PLAIN_SHARED 49152u /* bytes a kernel launched from a kernel may ask for */
#define DEGREE_BINS_4K 65536u
#define BLOCK_MEAN 8.0   /* from here on the arcs of 256 vertices keep one block busy for longer than a launch takes */
#define ARCS_A_THREAD 4  /* under way: BATCH */
#define SWEEP_SHARE 16.0 /* levels that look at n / 16 vertices: n labels are read in the time of as many atomics */

const nf_knob_info knobs_4k[KNOBS_4K] = {
    {"k1", "K1: least width of virtual warps; -1: from mean degree and deviation", NF_KNOB_INT, "-1", -1, 32, NULL},
    {"k2", "K2: percent of the vertices, those of highest degree, that go to child kernels; 0: none", NF_KNOB_REAL,
     "0.15", 0, 100, NULL},
    {"k3", "K3: arcs of a child's thread", NF_KNOB_INT, "16", 1, 1024, NULL},
    {"k4", "K4: edge-discover for frontiers below resident threads / K4; 0: never; -1: from mean degree and deviation",
     NF_KNOB_INT, "-1", -1, 64, NULL},
    {"k5", "K5: the single-block kernel for frontiers up to K5 vertices a thread; 0: never; -1: from mean degree",
     NF_KNOB_INT, "-1", -1, 16, NULL},
    {"k6", "K6: threads of a block in the multi-block kernel", NF_KNOB_INT, "1024", 32, 1024, NULL},
    {"k7", "K7: coalesced writes where queues hold so many vertices in the mean", NF_KNOB_INT, "10", 0, 16, NULL},
    {"virtual-warps", "width follows the frontier, is K1, or is 1", NF_KNOB_CHOICE, "dynamic", 0, 0,
     "dynamic fixed off"},
    {"ext", "edge-discover: long lists are finished without searching again", NF_KNOB_INT, "1", 0, 1, NULL},
    {"hash64", "duplicates are looked for in a hash table of the block", NF_KNOB_INT, "1", 0, 1, NULL},
    {"scan", "prefix sums of a warp by", NF_KNOB_CHOICE, "shuffles", 0, 0, "shuffles shared"},
    {"binary", "prefix sums of zeros and ones by ballot", NF_KNOB_INT, "1", 0, 1, NULL},
    {"reads", "virtual warps of 32 read 32 vertices at once", NF_KNOB_INT, "1", 0, 1, NULL},
    {"writes", "long queues are written out row by row", NF_KNOB_INT, "1", 0, 1, NULL},
    {"sync", "who waits between levels of the multi-block kernel; the host where children are launched", NF_KNOB_CHOICE,
     "auto", 0, 0, "auto host grid"},
    {"children", "lists that K2 picks are shared by all warps of the level, or are kernels of their own",
     NF_KNOB_CHOICE, "share", 0, 0, "share launch"},
    {"once", "a bit for each vertex: its list is walked once, however often it is in the frontier", NF_KNOB_INT, "1", 0,
     1, NULL},
    {"sweep", "the next frontier is swept from the labels: where levels are large, never, always", NF_KNOB_CHOICE,
     "auto", 0, 0, "auto off on"},
    {"cluster", "frontiers up to so many vertices are one cluster's; 0: none; -1: two a thread, while lists are short",
     NF_KNOB_INT, "-1", -1, 1048576, NULL},
    {"census", "count what costs to count, for the log: verdicts, missed duplicates, prefix sums, reads, writes",
     NF_KNOB_INT, "0", 0, 1, NULL},
};

/* ---- knobs ------------------------------------------------------------------------------------------------------- */

static unsigned lower_power(double x)
{
    unsigned p = 1;
    while (p < 32 && (double)p * 2 <= x)
        p *= 2;
    return p;
}

static bool shares_children(const nf__run *run)
{
    return strcmp(nf__knob_choice(run, "children"), "share") == 0;
}

/* K1, K4 and K5 as asked for, or by the rules of section 7; K1 from the mean alone where long lists are cut. */
static unsigned choose_k1(const nf__run *run)
{
    const double asked = nf__knob_number(run, "k1"), mean = run->stats.degree_mean;
    const double most = fmax(mean, run->stats.degree_deviation);
    const bool cut = nf__knob_number(run, "k2") > 0 && shares_children(run);
    unsigned least = 1;
    if (asked >= 1 || !cut)
        least = lower_power(asked >= 1 ? asked : most);
    while (asked < 1 && cut && least < 32 && least * ARCS_A_THREAD < mean)
        least *= 2;
    return asked < 0 && least < 4 ? 4 : least;
}

static unsigned choose_k4(const nf__run *run)
{
    const double asked = nf__knob_number(run, "k4");
    if (asked >= 0)
        return (unsigned)asked;
    if (run->stats.degree_deviation < HIGH_DEVIATION)
        return 1;
    return run->stats.degree_mean < HIGH_MEAN ? 2 : 0;
}

/* A cluster's level takes no longer than one block's, and nobody has to be launched between them. */
static unsigned choose_k5(const nf__run *run, unsigned cluster)
{
    const double asked = nf__knob_number(run, "k5");
    return asked >= 0 ? (unsigned)asked : cluster == 0 && run->stats.degree_mean < BLOCK_MEAN;
}

/* The degree above which at most K2 % of the vertices lie, and no less than fills one block of a child (5.3), or one
 * part; how many lie above it. */
static nf_status choose_child_degree(const nf__run *run, unsigned least, unsigned *out, uint64_t *above)
{
    nf_status st = NF_OK;
    const nf_csr *c = &run->csr;
    const double percent = nf__knob_number(run, "k2"), share = ceil(percent / 100 * (double)c->n);
    uint64_t *bins = NULL;
    unsigned degree = DEGREE_BINS_4K - 1;
    *out = UINT32_MAX;
    *above = 0;
    if (percent <= 0 || run->stats.degree_max < least)
        return NF_OK;
    NF_TRY_ALLOC(bins, (uint64_t *)nf__zalloc(nf__context_mem(run->ctx), DEGREE_BINS_4K, sizeof *bins));
    for (nf_vid v = 0; v < c->n; v++) {
        const nf_eid d = nf__off(c, v + 1) - nf__off(c, v);
        bins[d < DEGREE_BINS_4K ? d : DEGREE_BINS_4K - 1]++;
    }
    while (degree >= least && (double)(*above + bins[degree]) <= share)
        *above += bins[degree--];
    *out = degree;
done:
    nf__free(bins);
    return st;
}

static void read_switches(const nf__run *run, setting4k *k)
{
    const char *warps = nf__knob_choice(run, "virtual-warps");
    k->warps = strcmp(warps, "dynamic") == 0 ? WARPS_DYNAMIC : strcmp(warps, "fixed") == 0 ? WARPS_FIXED : WARPS_OFF;
    k->k1 = choose_k1(run);
    k->k3 = (unsigned)nf__knob_number(run, "k3");
    k->k4 = choose_k4(run);
    k->k7 = (unsigned)nf__knob_number(run, "k7");
    k->ext = nf__knob_number(run, "ext") != 0;
    k->hash64 = nf__knob_number(run, "hash64") != 0;
    k->shuffles = strcmp(nf__knob_choice(run, "scan"), "shuffles") == 0;
    k->binary = nf__knob_number(run, "binary") != 0;
    k->reads = nf__knob_number(run, "reads") != 0;
    k->writes = nf__knob_number(run, "writes") != 0;
    k->census = nf__knob_number(run, "census") != 0;
    k->once = nf__knob_number(run, "once") != 0;
    const char *sweep = nf__knob_choice(run, "sweep");
    const double from = ceil((double)run->csr.n / SWEEP_SHARE / fmax(run->stats.degree_mean, 1));
    k->sweep = strcmp(sweep, "on") == 0 ? 1 : strcmp(sweep, "off") == 0 ? UINT64_MAX : (uint64_t)fmax(from, 1);
}

/* V5: may edge-discover add up degrees in 32 bits, where offsets have no more? */
static bool narrow_rows(const nf__run *run)
{
    return run->csr.off64 != NULL || run->stats.degree_max < 1u << 26;
}

/* ---- shared memory (5.5, Fig. 8) --------------------------------------------------------------------------------- */

/* L1. Wanted: two frontiers of `front`, LOCAL_MOST places a thread, and of what is left the hash table. */
static layout4k lay_out(const setting4k &k, unsigned threads, uint64_t front, unsigned room)
{
    layout4k l = {};
    const unsigned warps = threads / 32;
    l.scratch = k.shuffles ? 0 : 32 * 8;
    while (front * 8 > room / 4)
        front /= 2;
    l.front = (unsigned)front;
    l.slots = LOCAL_MOST;
    const unsigned fixed = 8 + warps * l.scratch + 4 * (SCAN_SCRATCH + warps * COUNTS) + 8 * l.front;
    while (l.slots > LOCAL_LEAST && fixed + 4 * l.slots * threads + (8u << (HASH_LEAST + 4)) > room)
        l.slots /= 2;
    l.hash_bits = HASH_LEAST;
    while (k.hash64 && l.hash_bits < HASH_MOST && fixed + 4 * l.slots * threads + (16u << l.hash_bits) <= room)
        l.hash_bits++;
    l.bytes = fixed + 4 * l.slots * threads + (8u << l.hash_bits);
    return l;
}

/* What a block of so many threads may have, if all that are resident have as much. */
static unsigned room_of(int whole, int resident, unsigned threads)
{
    const unsigned share = (unsigned)((uint64_t)(unsigned)whole * threads / (unsigned)resident);
    const unsigned room = share < PLAIN_SHARED ? share : PLAIN_SHARED;
    return room > 2 * RESERVED ? room - RESERVED : RESERVED;
}

static nf_status choose_layouts(nf__run *run, device *d, plan4k *p)
{
    nf_status st = NF_OK;
    int most = 0, whole = 0, resident = 0;
    NF_TRY_CUDA(d, cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, d->index));
    NF_TRY_CUDA(d, cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, d->index));
    NF_TRY_CUDA(d, cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, d->index));
    p->one_block = (unsigned)most / 32 * 32;
    p->block = (unsigned)nf__knob_number(run, "k6") / 32 * 32;
    p->block = p->block < p->one_block ? p->block : p->one_block;
    p->few_block = p->one_block < (unsigned)FEW_THREADS ? p->one_block : (unsigned)FEW_THREADS;
    p->many = lay_out(p->k, p->block, 0, room_of(whole, resident, p->block));
    p->few = lay_out(p->k, p->few_block, 0, room_of(whole, resident, p->few_block));
done:
    return st;
}

nf_status plan_4k_clusters(nf__run *run, device *d, unsigned cluster, plan4k *p)
{
    nf_status st = NF_OK;
    const double asked = nf__knob_number(run, "cluster");
    const bool wanted = asked > 0 || (asked < 0 && run->stats.degree_mean < BLOCK_MEAN);
    int optin = 0;
    NF_TRY_CUDA(d, cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->index));
    p->cluster = wanted && !p->launched ? cluster : 0;
    if (p->cluster != 0)
        p->few_front = asked > 0 ? (uint64_t)asked : 2ull * p->cluster * p->few_block;
    if (p->cluster != 0)
        p->one_block = p->few_block;
    {
        const uint64_t threshold = (uint64_t)p->one_block * choose_k5(run, p->cluster); /* F_Threshold */
        p->one =
            lay_out(p->k, p->one_block, threshold < run->csr.n ? threshold : run->csr.n, (unsigned)optin - RESERVED);
    }
done:
    return st;
}

nf_status plan_4k(nf__run *run, device *d, plan4k *p)
{
    nf_status st = NF_OK;
    const char *sync = nf__knob_choice(run, "sync");
    const bool shared = shares_children(run);
    uint64_t above = 0;
    read_switches(run, &p->k);
    if (!narrow_rows(run))
        p->k.k4 = 0;
    NF_TRY(choose_layouts(run, d, p));
    NF_TRY(choose_child_degree(run, p->k.k3 * (shared ? 32 : p->block), &p->k.child_degree, &above));
    p->children = run->stats.degree_max > p->k.child_degree;
    p->k.parts = p->children && shared;
    p->launched = p->children && !shared;
    p->part_count = run->csr.m / (p->k.k3 * 32) + above + run->csr.m / DEGREE_BINS_4K + 1; /* the last bin is open */
    if (p->launched)
        p->k.sweep = UINT64_MAX; /* a child knows nothing of its level */
    p->by_grid = strcmp(sync, "grid") == 0 || (strcmp(sync, "auto") == 0 && !p->launched);
    if (p->by_grid && p->launched)
        NF_TRY(nf__fail(NF_EUNSUPPORTED,
                        "sync=grid needs children=share or k2=0: a kernel cannot wait for the kernels it launches"));
done:
    return st;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static void report_levels(const nf__run *run, const ledger4k *st, const trace4k *ring)
{
    static const char *const kernels[KERNELS] = {"single-block", "cluster", "multi-block"};
    const unsigned first = st->level > RING_4K ? st->level - RING_4K : 0;
    for (unsigned i = first; i < st->level; i++) {
        const trace4k *t = &ring[i % RING_4K];
        char how[32] = "edge-discover";
        if (t->width != 0)
            snprintf(how, sizeof how, "virtual-warp:%u", (unsigned)t->width);
        nf__log(run->ctx, NF_LOG_DEBUG, "bfs-4k level %u: frontier %u, duplicates %u, kernel %s, work %s", t->level,
                t->count, t->again, kernels[t->kernel], how);
    }
}

nf_status report_4k(const nf__run *run, device *d, const plan4k *p, const ledger4k *st_, const trace4k *on_device)
{
    static const char *const names[COUNTS] = {"candidate", "binary",   "shuffle", "shared", "valid",
                                              "duplicate", "conflict", "missed",  "search", "ext",
                                              "read",      "row",      "single",  "twice"};
    nf_status st = NF_OK;
    trace4k *ring = NULL;
    char text[512] = "";
    size_t at = 0;
    if (!nf__log_wanted(run->ctx))
        return NF_OK;
    NF_TRY_ALLOC(ring, host_alloc<trace4k>(d, RING_4K));
    NF_TRY(device_download(d, ring, on_device, RING_4K * sizeof *ring));
    report_levels(run, st_, ring);
    nf__log(run->ctx, NF_LOG_DEBUG,
            "bfs-4k settings: k1 %u, child degree %u, k3 %u, k4 %u, F_Threshold %u, cluster %llu, sweep %llu, k6 %u, "
            "k7 %u, resident %u, hash %u and %u, queue %u and %u",
            p->k.k1, p->k.child_degree, p->k.k3, p->k.k4, p->one.front, (unsigned long long)p->few_front,
            (unsigned long long)p->k.sweep, p->block, p->k.k7, p->k.resident, 1u << p->one.hash_bits,
            1u << p->many.hash_bits, p->one.slots, p->many.slots);
    for (int i = 0; i < COUNTS && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, ", %s %llu", names[i], (unsigned long long)st_->count[i]);
    nf__log(
        run->ctx, NF_LOG_DEBUG,
        "bfs-4k totals: single-block %u, cluster %u, multi-block %u, arcs %llu, children %llu, parts %llu, sweeps %u, "
        "spills %u%s",
        st_->levels[KERNEL_SINGLE], st_->levels[KERNEL_CLUSTER], st_->levels[KERNEL_MULTI],
        (unsigned long long)st_->arcs, (unsigned long long)st_->children, (unsigned long long)st_->parts, st_->sweeps,
        st_->spills, text);
done:
    nf__free(ring);
    return st;
}

} /* namespace SIMT_FLAVOUR */
