/* auto.cu - the methods of the device that choose methods, from statistics, with the reason in a sentence. */
#include "gpu/algorithms.h"
#include "gpu/engine.cuh"
#include "gpu/sssp.cuh"

namespace SIMT_FLAVOUR
{

/* ---- what the graph is like -------------------------------------------------------------------------------------- */

/* How a graph spreads: the hops around its vertex of highest degree within which FEW vertices lie, and MANY of them.
 * Where frontiers grow by a factor, MANY take twice the hops of FEW; 3.5 to 4 times in a triangulation and in three
 * dimensions, 4 to 5 times in a grid and on roads. */
#define FEW 64u
#define MANY 1024u
#define SLOW 3.0 /* times the hops: frontiers stay small */

typedef struct ball {
    nf_vid seen[MANY]; /* in the order of hops */
    nf_vid slots[4 * MANY];
    unsigned count;
    double few, many; /* hops, with the share of the last of them that is needed; 0: it reaches fewer vertices */
} ball;

static void ball_take(ball *b, nf_vid v)
{
    unsigned at = v * 2654435761u >> 20; /* 12 bits */
    for (; b->slots[at] != NF_NO_VERTEX; at = (at + 1) % (4 * MANY))
        if (b->slots[at] == v)
            return;
    b->slots[at] = b->seen[b->count++] = v;
}

/* Hops to `size` vertices, if hop number `hop` has come to them: there were `before`, now there are b->count. */
static double hops_to(const ball *b, unsigned size, unsigned before, unsigned hop)
{
    return before < size && b->count >= size ? hop - 1 + (double)(size - before) / (b->count - before) : 0;
}

static void ball_around(ball *b, const nf_csr *g, nf_vid v)
{
    unsigned begin = 0;
    memset(b, 0xff, sizeof *b);
    b->few = b->many = b->count = 0;
    ball_take(b, v);
    for (unsigned hop = 1; begin < b->count && b->count < MANY; hop++) {
        const unsigned end = b->count;
        for (; begin < end && b->count < MANY; begin++) {
            const nf_vid u = b->seen[begin];
            const uint64_t last = g->off32 != NULL ? g->off32[u + 1] : g->off64[u + 1];
            for (uint64_t e = g->off32 != NULL ? g->off32[u] : g->off64[u]; e < last && b->count < MANY; e++)
                ball_take(b, g->adj[e]);
        }
        b->few += hops_to(b, FEW, end, hop);
        b->many += hops_to(b, MANY, end, hop);
    }
}

static bool is_thin(const nf__run *run)
{
    return run->stats.degree_max <= SHORT_LISTS && run->stats.degree_mean <= FEW_ARCS;
}

/* Do frontiers stay small? Small graphs count as such. In words, too, for reasons. */
static bool is_slow(const nf__run *run, char *text, size_t room)
{
    ball b;
    b.few = b.many = 0;
    if (run->csr.n != 0)
        ball_around(&b, &run->csr, run->stats.degree_max_vertex);
    if (b.many > 0)
        snprintf(text, room, ", %u vertices within %.1f hops, %u within %.1f", FEW, b.few, MANY, b.many);
    else
        snprintf(text, room, ", fewer than %u vertices around it", MANY);
    return !(b.many > 0) || b.many > SLOW * b.few;
}

/* Longer lists go on in a second record, a round later. H200, levels: a road network 1.6 ms over records and 2.6 in
 * step, a triangulation, of 6 arcs a vertex, 1.4 and 1.2; its shortest paths 2.8 and, by `async`, 2.9 ms. */
#define RECORD_MEAN 4.0
/* Unless no list has more than two records, which takes memory that a mean degree of TWO_RECORDS_MEAN is worth. H200, a
 * mesh in three dimensions: 2.2 ms over records, 2.4 to 2.8 by near-far, 4.2 by `async`; levels 0.73 and 0.87. */
#define TWO_RECORDS 7u
#define TWO_RECORDS_MEAN 5.0
/* Up to so many arcs a list is one look of its virtual warp, and not for `async`. */
#define EVEN_LISTS 8u

/* Records beyond n, which cost memory, are less than half of n for sure: by Chebyshev, as a list of d > 4 arcs has at
 * most 1.2 ((d - mean) / (5 - mean))^2 of them. */
static bool has_few_more_records(const nf_graph_stats *s)
{
    const double below = 5 - s->degree_mean, far = s->degree_deviation / below;
    return s->degree_max <= 4 || 1.2 * far * far <= 0.45;
}

/* Are records of arcs (records.cu) for this graph, and is there room for them, beside the graph and `each` bytes a
 * vertex? */
static bool takes_records(const nf__run *run, bool weighted, unsigned each)
{
    device *d = (device *)run->device;
    const uint64_t graph = ((uint64_t)run->csr.n + 1) * 8 + run->csr.m * (weighted ? 8 : 4);
    const uint64_t bytes = graph + records_bytes(run, weighted) + (uint64_t)run->csr.n * each;
    const nf_graph_stats *s = &run->stats;
    const bool few = s->degree_mean <= RECORD_MEAN && has_few_more_records(s);
    const bool two = s->degree_max <= TWO_RECORDS && s->degree_mean >= TWO_RECORDS_MEAN;
    return (few || two) && records_fit(run, weighted) && device_enter(d) == NF_OK
           && device_foresee(d, bytes, "mesh") == NF_OK;
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* H200: 64 searches in a batch take a quarter of what they take one by one, a batch of one twice to thrice a search. */
#define MANY_ROWS 16u

/* Many sources at once, unless a setting of the frontier engine is asked for or memory is short. */
static bool takes_batch(const nf__run *run)
{
    device *d = (device *)run->device;
    const uint64_t graph = ((uint64_t)run->csr.n + 1) * 16 + run->csr.m * 8; /* both directions */
    return run->rows >= MANY_ROWS && run->knob_count == 0 && device_enter(d) == NF_OK
           && device_foresee(d, graph + bfs_bit_parallel_bytes(run, 32), "bit-parallel") == NF_OK;
}

static const nf__algorithm *choose_bfs(nf__run *run)
{
    if (takes_batch(run)) {
        snprintf(run->reason, sizeof run->reason, "%llu sources (>= %u): one look at an arc serves all of a batch",
                 (unsigned long long)run->rows, MANY_ROWS);
        return &bfs_bit_parallel;
    }
    char spread[80] = "";
    const bool small = is_thin(run) && is_slow(run, spread, sizeof spread), down = small || run->knob_count != 0;
    const bool loose = small && run->knob_count == 0 && run->targets == NULL && takes_records(run, false, 25);
    snprintf(run->reason, sizeof run->reason, "largest degree %llu%s%u, mean %.3g%s%u%s: %s",
             (unsigned long long)run->stats.degree_max, run->stats.degree_max <= SHORT_LISTS ? " <= " : " > ",
             SHORT_LISTS, run->stats.degree_mean, run->stats.degree_mean <= FEW_ARCS ? " <= " : " > ", FEW_ARCS, spread,
             loose   ? "small frontiers, out of step over records of arcs"
             : small ? "small frontiers, kept in shared memory"
             : down  ? "levels from the frontier outwards, as the knobs ask for"
                     : "few levels, and large ones from the unseen vertices");
    return loose ? &bfs_mesh : down ? &bfs_top_down : &bfs_direction;
}

/* Is the method to change during the run? By default it is not: on an H200 it gains up to 4 % on large graphs. Rounds
 * out of step (thin graphs) have no common round to count; other knobs of the engine are for the methods that have
 * them. */
static bool takes_turns(const nf__run *run)
{
    bool only = run->algorithm == &sssp_auto; /* a run for all pairs may ask, too: its knobs are others */
    for (size_t i = 0; i < run->knob_count; i++)
        only = only
               && (strncmp(run->knobs[i], "switch=", 7) == 0 || strncmp(run->knobs[i], "delta=", 6) == 0
                   || strncmp(run->knobs[i], "loop=", 5) == 0);
    return only && strcmp(nf__knob_choice(run, "switch"), "on") == 0;
}

/* ---- one source -------------------------------------------------------------------------------------------------- */

/* The paper's delta, in mean weights shared among the arcs of a mean vertex. */
#define PAPER_FACTOR 32.0
/* Rounds out of step (loose.cuh) are bound by latency, so work that costs no round is free. H200: ny 6.8 ms with a
 * factor of 32, 5.1 with 64, 4.2 with 128; grid4k 41 with 32, 31 with 144. */
#define WIDE_FACTOR 128.0 /* where frontiers grow by a factor it takes 1.3 to 1.5 times as long */
/* Where a vertex has hundreds of arcs, one that is looked at twice costs more than a round. H200: complete graph of
 * 4,000 vertices 0.91 ms with 16, 1.09 with 32. */
#define NARROW_FACTOR 16.0
#define LONG_LISTS 256.0 /* mean degree */

/* In words, too, where the graph had to be looked at. */
static double choose_factor(const nf__run *run, char *text, size_t room)
{
    if (is_thin(run))
        return is_slow(run, text, room) ? WIDE_FACTOR : PAPER_FACTOR;
    return run->stats.degree_mean >= LONG_LISTS ? NARROW_FACTOR : PAPER_FACTOR;
}

double sssp_tuned_factor(const nf__run *run)
{
    char words[80];
    return choose_factor(run, words, sizeof words);
}

static double delta_of(const nf__run *run, double factor)
{
    const double asked = run->algorithm == &sssp_auto ? nf__knob_number(run, "delta") : 0;
    return asked > 0 ? asked : sssp_delta(run, factor);
}

/* Small graphs with hubs have few rounds, which cost less by all arcs than by frontiers. H200: kronecker of 2^17
 * vertices 0.37 ms against 0.75, forest-fire 0.61 against 1.22; with 128 million arcs 8.2 against 6.5. */
#define EDGE_ARCS (1u << 24)
#define EDGE_SKEW 100.0 /* largest degree / mean degree */

static bool takes_all_arcs(const nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    return run->csr.m <= EDGE_ARCS && (double)s->degree_max > EDGE_SKEW * s->degree_mean && run->knob_count == 0
           && run->targets == NULL && !run->has_cutoff;
}

/* From this mean degree on `one-block` makes up for the rounds before it. H200, a chain of 30,000 vertices under 133
 * arcs each: 217 ms where near-far takes 380; under 33 609 and 455. */
#define CHAIN_LISTS 100.0

/* Few vertices, whose labels one block could hold, or a cluster if their lists are long, should rounds settle few of
 * them. */
static bool may_be_a_chain(const nf__run *run)
{
    const bool one = run->stats.degree_mean >= CHAIN_LISTS && one_block_has_room(run);
    return run->knob_count == 0 && (one || (run->stats.degree_mean >= LONG_LISTS && phases_have_room(run)));
}

static const nf__algorithm *choose_sssp(nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    char spread[80] = "";
    if (s->weight_sign < 0 || s->weight_min == s->weight_max) {
        snprintf(run->reason, sizeof run->reason,
                 "weights from %.6g to %.6g: rounds over the vertices whose labels fell", s->weight_min, s->weight_max);
        return &sssp_workfront;
    }
    if (takes_all_arcs(run)) {
        snprintf(run->reason, sizeof run->reason,
                 "%llu arcs (<= %u), largest degree %llu > %g times the mean: all of them in each of few rounds",
                 (unsigned long long)run->csr.m, EDGE_ARCS, (unsigned long long)s->degree_max, EDGE_SKEW);
        return &sssp_edge_first;
    }
    if (!is_thin(run) && takes_turns(run)) {
        snprintf(run->reason, sizeof run->reason,
                 "no negative weights, mean %.6g; mean degree %.3g: what is near first, delta %.6g until rounds count",
                 s->weight_mean, s->degree_mean, delta_of(run, PAPER_FACTOR)); /* that of its file */
        return &sssp_adaptive;
    }
    const double factor = choose_factor(run, spread, sizeof spread);
    const bool chain = may_be_a_chain(run), small = factor == WIDE_FACTOR && run->knob_count == 0;
    const bool loose = small && sssp_is_narrow(run) && takes_records(run, true, 64);
    const bool apart = small && s->degree_mean > RECORD_MEAN && s->degree_max > EVEN_LISTS;
    if (apart) {
        snprintf(run->reason, sizeof run->reason,
                 "no negative weights; largest degree %llu > %u, <= %u, mean %.3g > %g%s: buckets without a barrier",
                 (unsigned long long)s->degree_max, EVEN_LISTS, SHORT_LISTS, s->degree_mean, RECORD_MEAN, spread);
        return &sssp_async;
    }
    snprintf(run->reason, sizeof run->reason,
             "no negative weights, mean %.6g; largest degree %llu%s%u, mean %.3g%s%u%s: what is near first, delta "
             "%.6g%s",
             s->weight_mean, (unsigned long long)s->degree_max, s->degree_max <= SHORT_LISTS ? " <= " : " > ",
             SHORT_LISTS, s->degree_mean, s->degree_mean <= FEW_ARCS ? " <= " : " > ", FEW_ARCS, spread,
             delta_of(run, loose ? sssp_mesh_factor(run) : factor),
             chain   ? ", one block or cluster if rounds settle few"
             : loose ? ", out of step over records of arcs"
                     : "");
    return loose ? &sssp_mesh : chain ? &sssp_near_first : &sssp_near_far_tuned;
}

#define AUTO_INFO(which, list, count)                                                                                 \
    {                                                                                                                 \
        .name = "auto", .problem = which, .device = NF_DEVICE_NAME, .summary = "chooses from the graph's statistics", \
        .paper = "", .memory = "that of the method chosen", .flags = NF_ALG_AUTO | NF_ALG_NEGATIVE, .knobs = list,    \
        .knob_count = count                                                                                           \
    }

extern const nf__algorithm bfs_auto = {.info = AUTO_INFO(NF_BFS, engine_knobs, BFS_KNOB_COUNT),
                                       .begin = NULL,
                                       .end = NULL,
                                       .run = NULL,
                                       .all_rows = false,
                                       .choose = choose_bfs};
extern const nf__algorithm sssp_auto = {.info = AUTO_INFO(NF_SSSP, auto_knobs, AUTO_KNOB_COUNT),
                                        .begin = NULL,
                                        .end = NULL,
                                        .run = NULL,
                                        .all_rows = false,
                                        .choose = choose_sssp};

} /* namespace SIMT_FLAVOUR */
