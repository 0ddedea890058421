/* multilevel.c - Dijkstra's loop (settle_body.h) over the queue of digits.h, whose method, invariants and cost it has;
 * room for 2 n listed vertices to start with. The pool grows only where more than 190 buckets are in use at once, which
 * digits of 3 bits do not have, and once: by a chunk for each bucket, at most n. */
#include "cpu/multilevel.h"

#include "cpu/settle.h"

#define POLL_EVERY 4096u /* vertices settled between two looks at the cancel flag */

typedef struct multilevel {
    nf__settle common;
    nf__digits digits;
} multilevel;

#define QUEUE multilevel
#define PUSH(q, d, v, key, old) KNAME(push)(q, d, v, key, old)
#define LABELS const K *
#define LABEL(d, v) ((d)[v])

#include "cpu/kind_i32.h"
#include "cpu/digits_body.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#include "cpu/kind_i64.h"
#include "cpu/digits_body.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#include "cpu/kind_f32.h"
#include "cpu/digits_body.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#include "cpu/kind_f64.h"
#include "cpu/digits_body.h"
#include "cpu/multilevel_body.h"
#include "cpu/settle_body.h"

#define DEFINE_KIND(kind, small)                                       \
    static nf_status run_##kind(nf__run *run, nf__row *row, bool *hot) \
    {                                                                  \
        multilevel *q = run->scratch;                                  \
        nf__scale scale;                                               \
        nf__scale_make(run, small, 1, &scale);                         \
        nf__digits_reset(&q->digits);                                  \
        return settle_##kind(q, run, row, &scale, hot);                \
    }
DEFINE_KIND(k32, true)
DEFINE_KIND(k64, false)
DEFINE_KIND(f32, false)
DEFINE_KIND(f64, false)

nf_status nf__multilevel_row(nf__run *run, nf__row *row)
{
    static const nf__settle_kind kinds[4] = {run_k32, run_k64, run_f32, run_f64};
    multilevel *q = run->scratch;
    return nf__settle_row(run, row, &q->common, kinds);
}

nf_status nf__multilevel_begin(nf__run *run, unsigned bits)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    multilevel *q = NULL;
    NF_TRY_ALLOC(q, nf__zalloc(mem, 1, sizeof *q));
    run->scratch = q;
    NF_TRY(nf__digits_open(mem, 64, bits, 2 * (uint64_t)run->csr.n, &q->digits));
    const uint64_t n = run->csr.n, lists = (uint64_t)q->digits.count << bits;
    q->digits.most = q->digits.pool.capacity + (n < lists ? n : lists);
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &q->common.tight));
done:
    return st;
}

void nf__multilevel_end(nf__run *run)
{
    multilevel *q = run->scratch;
    if (q == NULL)
        return;
    nf__digits_free(&q->digits);
    nf__tight_free(&q->common.tight);
    nf__free(q);
    run->scratch = NULL;
}
