/* heard.h - what methods that go by levels (src/gpu/levels.cuh) leave in the log: a line a level, and totals. */
#ifndef NF_TESTS_GPU_HEARD_H
#define NF_TESTS_GPU_HEARD_H

#include "trace.h"

#define MOST_WAYS 64

/* What the log said of the latest run. */
typedef struct heard {
    unsigned levels;
    unsigned long long frontier[MOST_ROUNDS], arcs[MOST_ROUNDS], checked[MOST_ROUNDS];
    char way[MOST_ROUNDS][MOST_WAYS];
    char totals[400];
    char note[400]; /* what a streamed run told */
} heard;

static inline void listen_to(void *user, nf_log_level level, const char *text)
{
    heard *h = user;
    const char *line = strstr(text, " level "), *way = strstr(text, ", way "),
               *totals = strstr(text, " totals: levels ");
    if (level == NF_LOG_INFO && strstr(text, " streamed: ") != NULL)
        snprintf(h->note, sizeof h->note, "%s", text);
    if (level != NF_LOG_DEBUG)
        return;
    if (totals != NULL)
        snprintf(h->totals, sizeof h->totals, "%s", totals);
    if (line == NULL || way == NULL || h->levels == MOST_ROUNDS)
        return;
    assert_int_equal(sscanf(line, " level %*u: frontier %llu, arcs %llu, checked %llu", &h->frontier[h->levels],
                            &h->arcs[h->levels], &h->checked[h->levels]),
                     3);
    snprintf(h->way[h->levels++], MOST_WAYS, "%s", way + 6);
}

/* A number of the totals by its name. */
static inline unsigned long long total(const heard *h, const char *name)
{
    return number_in(h->totals, name);
}

static inline nf_context *open_emulator(const char *settings, heard *h)
{
    return open_device("emulator", settings, 0, listen_to, h);
}

/* One run from vertex 0, listened to; the answer is the CPU's. */
static inline heard hear_run(const char *settings, const nf_graph *g, bool bfs, const nf_run_options *how)
{
    static heard h;
    nf_context *ctx = open_emulator(settings, memset(&h, 0, sizeof h));
    nf_result *r = run_by(ctx, g, bfs, how);
    expect_cpus(g, r, bfs, how->flags);
    assert_true(h.totals[0] != '\0');
    nf_result_free(r);
    nf_context_free(ctx);
    return h;
}

/* The sum over levels. */
static inline unsigned long long sum_of(const unsigned long long *x, unsigned count)
{
    unsigned long long sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

#endif
