/* sssp_delta_stepping.c - delta-stepping with bucket fusion, delta from the graph (catalogue S8).
 *
 * Meyer and Sanders 2003; Zhang et al. 2020. The engine, its invariants and its memory are those of stepping.c, with
 * OPEN buckets open at once. Light and heavy arcs are not told apart: with delta near the mean weight over the degree
 * the second relaxation of an arc that the split would save is rarer than the split's own cost.
 * A delta from means suits most graphs. Where long chains of light arcs run under heavy ones it is far too wide and
 * labels fall again and again; the engine then makes the buckets narrower, or leaves the rows to a radix heap: a chain
 * of 50,000 vertices under 350,000 heavy arcs, numbered at random, was relaxed 650 times over.
 * Cost: O(n + m) and a phase for every bucket on random weights; memory as NF__STEP_MEMORY says.
 */
#include "cpu/cpu.h"
#include "cpu/multilevel.h"
#include "cpu/stepping.h"

#define OPEN 1024u /* more buckets than weights span, so few entries pass through the far list */
/* delta = factor * mean weight / degree. At one and two threads the least of 4 times is within 20 % of the best of a
 * sweep by powers of two on kron 20, uniform 20, grid 1448, delaunay 18 and a road map; the machine drifts as much. */
#define DELTA_FACTOR 4.0
#define RETREAT_BITS 3u /* of a digit, as in dijkstra-radix */

/* The degree is that of the vertex a random arc begins at: with a few hubs it is far above the mean, and buckets must
 * be narrow or the hubs' many arcs are relaxed again and again (kron 18: 2.4 m arcs with the plain mean, 1.0 m with
 * this). */
double nf__delta_of(const nf__run *run)
{
    const double mean = run->stats.degree_mean, spread = run->stats.degree_deviation;
    const double degree = mean > 1 ? mean + spread * spread / mean : 1;
    return nf__step_delta(run, DELTA_FACTOR, degree);
}

static nf_status begin_retreat(nf__run *run)
{
    return nf__multilevel_begin(run, RETREAT_BITS);
}

/* A radix heap: it does not care how labels lie. */
static const nf__algorithm retreat = {.begin = begin_retreat, .end = nf__multilevel_end, .run = nf__multilevel_row};

static nf_status begin(nf__run *run)
{
    const double asked = nf__knob_number(run, "delta");
    const nf__step_plan plan = {asked > 0 ? asked : nf__delta_of(run), OPEN, asked > 0 ? NULL : &retreat, 0};
    return nf__step_begin(run, &plan);
}

static const nf_knob_info knobs[] = {
    {.name = "delta",
     .summary = "width of a bucket (integers: rounded down to a power of two); 0: from weights and degrees",
     .type = NF_KNOB_REAL,
     .default_text = "0",
     .min = 0,
     .max = 1e300},
};

const nf__algorithm nf__cpu_sssp_delta_stepping = {
    .info = {.name = "delta-stepping",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "buckets of width delta in parallel, with bucket fusion",
             .paper = "Meyer, Sanders 2003; Zhang et al. 2020",
             .memory = NF__STEP_MEMORY "; where no width suits the graph 8.3 n + 80,000 instead",
             .knobs = knobs,
             .knob_count = 1},
    .begin = begin,
    .end = nf__step_end,
    .run = nf__step_row,
};
