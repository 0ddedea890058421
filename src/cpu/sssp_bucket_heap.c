/* sssp_bucket_heap.c - Dijkstra's algorithm over the parallel bucket heap (catalogue S10).
 *
 * PARDIJKSTRA of Berney, Iacono, Karsin and Sitchinava, "A parallel priority queue with fast updates for GPU
 * architectures", section 4: each round extracts the nearest vertex, relaxes its arcs and hands the labels that fell to
 * the heap in bulk updates of up to d. Labels start at infinity. While one thread does the rounds, the others resolve
 * the heap's lower levels, two at a time or more where they are not neighbours. Priorities are the keys of key.h, whose
 * order is that of the labels.
 * Invariants
 *   P1 the heap holds exactly the vertices that wait, each with its label once `batch` is empty;
 *   P2 batch is empty when a vertex is extracted.
 * Those of the heap are in bucket_heap.c, those of the rounds in settle_body.h.
 * Cost: O((n + m) log(n / d)) time; memory that of the heap and 16 d.
 */
#include "cpu/bucket_heap.h"
#include "cpu/cpu.h"
#include "cpu/settle.h"

#define POLL_EVERY 1024u /* vertices settled between two looks at the cancel flag */
/* A team where many vertices wait and the heap is deep. Two threads against one with d = 128: 1.1 to 1.4 times as fast
 * on kron 18 (mean degree 29); level, within 5 %, on a road map of 264,346 vertices, where few wait at once, and on the
 * dag-chain of 30,000 vertices and 8 million arcs. */
#define TEAM_VERTICES 65536u
#define TEAM_DEGREE 8.0

/* Of 32, 64, ... 1,024, one thread: the best on the road map, where 32 takes 40 % longer; on kron 18 and the dag-chain
 * all are within 20 % of each other, which is hardly more than the noise. */
#define D_TEXT "128"

typedef struct queue {
    nf__settle common;
    nf__bucket_heap *heap;
    nf__heap_item *batch;
    uint32_t count, d;
    int threads;
} queue;

static inline nf_status flush(queue *q)
{
    const uint32_t count = q->count;
    q->count = 0;
    return count == 0 ? NF_OK : nf__bucket_heap_bulk_update(q->heap, q->batch, count);
}

static inline nf_status push(queue *q, uint64_t key, nf_vid v)
{
    q->batch[q->count++] = (nf__heap_item){.priority = key, .value = v};
    return q->count == q->d ? flush(q) : NF_OK;
}

static inline bool pop(queue *q, nf_vid *u, uint64_t *key)
{
    nf__heap_item least;
    q->common.failure = flush(q);
    if (q->common.failure != NF_OK || nf__bucket_heap_extract_min(q->heap, &least, 1) == 0)
        return false;
    *u = least.value;
    *key = least.priority;
    return true;
}

#define QUEUE queue
#define PUSH(q, d, v, key, old) push(q, key, v)
#define DEFINE_POP                                                            \
    static inline bool KNAME(pop)(queue * q, const K *d, nf_vid *u, K *least) \
    {                                                                         \
        uint64_t key = 0;                                                     \
        (void)d;                                                              \
        const bool found = pop(q, u, &key);                                   \
        *least = (K)key;                                                      \
        return found;                                                         \
    }

#include "cpu/kind_i32.h"
DEFINE_POP
#include "cpu/settle_body.h"

#include "cpu/kind_i64.h"
DEFINE_POP
#include "cpu/settle_body.h"

#include "cpu/kind_f32.h"
DEFINE_POP
#include "cpu/settle_body.h"

#include "cpu/kind_f64.h"
DEFINE_POP
#include "cpu/settle_body.h"

/* One row as the team's work. */
typedef struct task {
    nf_status (*settle)(queue *q, nf__run *run, nf__row *row, const nf__scale *scale, bool *hot);
    nf__run *run;
    nf__row *row;
    bool small, *hot;
    nf_status st;
} task;

static void work(void *arg)
{
    task *t = arg;
    nf__scale scale;
    nf__scale_make(t->run, t->small, 1, &scale);
    t->st = t->settle(t->run->scratch, t->run, t->row, &scale, t->hot);
}

static nf_status run_task(task *t)
{
    queue *q = t->run->scratch;
    q->count = 0;
    nf__bucket_heap_clear(q->heap);
    if (q->threads > 1)
        nf__bucket_heap_team(q->heap, q->threads, work, t);
    else
        work(t);
    return t->st;
}

#define DEFINE_KIND(kind, small)                                       \
    static nf_status run_##kind(nf__run *run, nf__row *row, bool *hot) \
    {                                                                  \
        task t = {settle_##kind, run, row, small, hot, NF_OK};         \
        return run_task(&t);                                           \
    }
DEFINE_KIND(k32, true)
DEFINE_KIND(k64, false)
DEFINE_KIND(f32, false)
DEFINE_KIND(f64, false)

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const nf__settle_kind kinds[4] = {run_k32, run_k64, run_f32, run_f64};
    queue *q = run->scratch;
    return nf__settle_row(run, row, &q->common, kinds);
}

/* A team needs no more threads than can resolve at once: one on top, one for every two levels below. */
static int team_of(const nf__run *run, uint64_t d)
{
    const char *resolve = nf__knob_choice(run, "resolve");
    const int threads = nf__context_threads(run->ctx);
    int most = 2;
    for (uint64_t full = 32 * d; full < run->csr.n; full *= 16)
        most++;
    const bool pays = run->csr.n >= TEAM_VERTICES && run->stats.degree_mean >= TEAM_DEGREE;
    if (strcmp(resolve, "alone") == 0 || (strcmp(resolve, "auto") == 0 && !pays))
        return 1;
    return threads < most ? threads : most;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    queue *q = NULL;
    nf__mem *mem = nf__context_mem(run->ctx);
    NF_TRY_ALLOC(q, nf__zalloc(mem, 1, sizeof *q));
    run->scratch = q;
    q->d = (uint32_t)nf__knob_number(run, "d");
    q->threads = team_of(run, q->d);
    NF_TRY_ALLOC(q->batch, nf__alloc(mem, q->d, sizeof *q->batch));
    NF_TRY(nf__bucket_heap_create(mem, run->csr.n, q->d, &q->heap));
    if (q->threads > 1)
        NF_TRY(nf__bucket_heap_reserve(q->heap));
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &q->common.tight));
done:
    return st;
}

static void end(nf__run *run)
{
    queue *q = run->scratch;
    if (q == NULL)
        return;
    nf__bucket_heap_free(q->heap);
    nf__free(q->batch);
    nf__tight_free(&q->common.tight);
    nf__free(q);
    run->scratch = NULL;
}

static const nf_knob_info knobs[] = {
    {.name = "d",
     .summary = "items of a batch: the heap's first bucket holds 2 d, the next one 8 d, ...",
     .type = NF_KNOB_INT,
     .default_text = D_TEXT,
     .min = 1,
     .max = NF__HEAP_BATCH},
    {.name = "resolve",
     .summary =
         "who resolves the lower levels: the one thread alone, or a team; auto: a team for large graphs of some degree",
     .type = NF_KNOB_CHOICE,
     .default_text = "auto",
     .choices = "auto alone team"},
};

const nf__algorithm nf__cpu_sssp_bucket_heap = {
    .info = {.name = "bucket-heap",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "Dijkstra over a bucket heap with bulk updates, its levels resolved in parallel",
             .paper = "Berney, Iacono, Karsin, Sitchinava 2022; Brodal, Fagerberg, Meyer, Zeh 2004",
             .memory = "at most 185 n + 128 d; deterministic: 8 n more",
             .knobs = knobs,
             .knob_count = 2},
    .begin = begin,
    .end = end,
    .run = run_row,
};
