/* bench_gap.c - the GAP benchmark suite's programs, which load the graph and search it in one call.
 *
 * SSSP has a delta that its users pick by hand: the best power of two is found by going up and down from GAP_START
 * while the times do not grow past GAP_WORSE times the best. From each source the first trial is checked by GAP's own
 * verifier and by the number of vertices reached.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define GAP_START 32
#define GAP_TOP (1L << 20)
#define GAP_WORSE 1.5

/* The least trial time in ms, negative when there is none. *reached and *verified as GAP tells them. */
static double call(const bench *b, nf_problem problem, int threads, nf_vid source, long delta, unsigned trials,
                   bool check, uint64_t *reached, bool *verified)
{
    char command[2048], line[256], delta_text[48] = "";
    double best = -1, seconds;
    unsigned long long nodes;
    if (problem == NF_SSSP)
        snprintf(delta_text, sizeof delta_text, " -d %ld", delta);
    snprintf(command, sizeof command, "OMP_NUM_THREADS=%d '%s/%s' -f '%s/graph.%s' -r %u -n %u%s%s 2>/dev/null",
             threads, b->gap, nf_problem_name(problem), b->folder, problem == NF_SSSP ? "wsg" : "sg", source, trials,
             delta_text, check ? " -v -a" : "");
    FILE *in = popen(command, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "Trial Time: %lf", &seconds) == 1 && (best < 0 || seconds * 1e3 < best))
            best = seconds * 1e3;
        if (sscanf(line, "SSSP Tree reaches %llu", &nodes) == 1 || sscanf(line, "BFS Tree has %llu", &nodes) == 1)
            *reached = nodes;
        if (strncmp(line, "Verification:", 13) == 0)
            *verified = strstr(line, "PASS") != NULL;
    }
    if (in != NULL)
        pclose(in);
    return best;
}

bench_outcome bench_gap_run(const bench *b, nf_problem problem, int threads, nf_vid source, long delta, unsigned trials,
                            const bench_answer *want, double *ms)
{
    uint64_t reached = 0;
    bool verified = false;
    if (b->gap == NULL)
        return BENCH_NONE;
    double first = call(b, problem, threads, source, delta, 1, true, &reached, &verified);
    if (first < 0)
        return BENCH_NONE;
    if (!verified || reached != want->reached)
        return BENCH_FALSE;
    double rest = call(b, problem, threads, source, delta, trials, false, &reached, &verified);
    *ms = rest >= 0 ? fmin(first, rest) : first;
    return BENCH_RIGHT;
}

long bench_gap_delta(const bench *b, int threads, nf_vid source, long from)
{
    uint64_t reached;
    bool verified;
    long best = from > 0 ? from : GAP_START;
    if (b->gap == NULL)
        return best;
    double least = call(b, NF_SSSP, threads, source, best, 2, false, &reached, &verified);
    const long start = best;
    for (int up = 1; up >= 0; up--)
        for (long d = up ? start * 2 : start / 2; d >= 1 && d <= GAP_TOP; d = up ? d * 2 : d / 2) {
            const double ms = call(b, NF_SSSP, threads, source, d, 2, false, &reached, &verified);
            if (ms < 0 || ms > GAP_WORSE * least || cli_interrupted())
                break;
            best = ms < least ? d : best;
            least = fmin(ms, least);
        }
    return best;
}
