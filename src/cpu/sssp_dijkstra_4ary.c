/* sssp_dijkstra_4ary.c - Dijkstra's algorithm with a 4-ary heap that holds its keys (a variant of catalogue S1).
 *
 * Johnson 1975 for d-ary heaps; LaMarca and Ladner, "The influence of caches on the performance of heaps", 1996.
 * An entry is (label, vertex) in one word of twice the key's width, so a comparison touches the heap alone. Nothing is
 * moved when a label falls: a new entry is made, and the old one is skipped when it comes up.
 * Invariants
 *   H1 heap[(i-1)/4] <= heap[i];
 *   H2 a vertex that waits has one entry with its label; all others of it are stale. So at most n entries are valid,
 *      and when 2 n + ROOM are used, dropping the stale ones makes room for n more.
 * Cost: O((n + m) log n) time; 16 n bytes with 32-bit keys, 32 n with 64-bit keys.
 */
#include "cpu/cpu.h"
#include "cpu/settle.h"

#define POLL_EVERY 4096u /* vertices settled between two looks at the cancel flag */
#define ROOM 16u

typedef struct heap {
    nf__settle common;
    void *entry;
    uint64_t count, capacity;
} heap;

#define QUEUE heap
#define PUSH(q, d, v, key, old) KNAME(push)(q, d, v, key)

__extension__ typedef unsigned __int128 wide_entry;

#define ENTRY uint64_t
#include "cpu/kind_i32.h"
#include "cpu/heap4_body.h"
#include "cpu/settle_body.h"
#include "cpu/kind_f32.h"
#include "cpu/heap4_body.h"
#include "cpu/settle_body.h"
#undef ENTRY

#define ENTRY wide_entry
#include "cpu/kind_i64.h"
#include "cpu/heap4_body.h"
#include "cpu/settle_body.h"
#include "cpu/kind_f64.h"
#include "cpu/heap4_body.h"
#include "cpu/settle_body.h"
#undef ENTRY

#define DEFINE_KIND(kind, small)                                       \
    static nf_status run_##kind(nf__run *run, nf__row *row, bool *hot) \
    {                                                                  \
        heap *q = run->scratch;                                        \
        nf__scale scale;                                               \
        nf__scale_make(run, small, 1, &scale);                         \
        q->count = 0;                                                  \
        return settle_##kind(q, run, row, &scale, hot);                \
    }
DEFINE_KIND(k32, true)
DEFINE_KIND(k64, false)
DEFINE_KIND(f32, false)
DEFINE_KIND(f64, false)

static nf_status run_row(nf__run *run, nf__row *row)
{
    static const nf__settle_kind kinds[4] = {run_k32, run_k64, run_f32, run_f64};
    nf_status st = NF_OK;
    heap *q = run->scratch;
    const bool wide = row->type == NF_F64 || (row->type == NF_I64 && run->stats.weight_max * run->csr.n >= 0x1p31);
    if (q->entry == NULL)
        NF_TRY_ALLOC(q->entry,
                     nf__alloc(nf__context_mem(run->ctx), q->capacity, wide ? sizeof(wide_entry) : sizeof(uint64_t)));
    NF_TRY(nf__settle_row(run, row, &q->common, kinds));
done:
    return st;
}

static nf_status begin(nf__run *run)
{
    nf_status st = NF_OK;
    heap *q = NULL;
    nf__mem *mem = nf__context_mem(run->ctx);
    NF_TRY_ALLOC(q, nf__zalloc(mem, 1, sizeof *q));
    run->scratch = q;
    q->capacity = 2 * (uint64_t)run->csr.n + ROOM;
    if (run->deterministic)
        NF_TRY(nf__tight_create(mem, run->csr.n, &q->common.tight));
done:
    return st;
}

static void end(nf__run *run)
{
    heap *q = run->scratch;
    if (q == NULL)
        return;
    nf__free(q->entry);
    nf__tight_free(&q->common.tight);
    nf__free(q);
    run->scratch = NULL;
}

const nf__algorithm nf__cpu_sssp_dijkstra_4ary = {
    .info = {.name = "dijkstra-4ary",
             .problem = NF_SSSP,
             .device = "cpu",
             .summary = "4-ary heap of (label, vertex), stale entries skipped, one thread",
             .paper = "Johnson 1975; LaMarca, Ladner 1996",
             .memory = "16 n; 32 n when distances may need 64 bits; deterministic: 8 n more"},
    .begin = begin,
    .end = end,
    .run = run_row,
};
