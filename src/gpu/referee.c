/* referee.c - Bellman-Ford by one thread for the rows a device gives up on (referee.h).
 *
 * Bellman 1958, Ford 1956; cycles found in the parent graph as in Cherkassky and Goldberg, "Negative-cycle detection
 * algorithms", 1999.
 * Invariants
 *   J1 without negative cycles no label falls in round n + 1;
 *   J2 integers: a cycle of parents is a negative cycle, and while one is reachable some round makes one;
 *   J3 floats: rounding can make a zero cycle look negative. Such a cycle does not count: the row starts over and
 *      refuses every relaxation that would close a cycle, so parents stay a tree; it is marked rounded.
 * Cost: referee.h.
 */
#include "gpu/referee.h"

#include <float.h>

#define POLL_EVERY 1024u /* vertices between two looks at the cancel flag */

enum { SUM_FINE = 0, SUM_NONE, SUM_OVER };

typedef struct trial {
    nf__run *run;
    nf__row *row;
    nf_vid *parent, *own, *mark, *cycle, *front, *next, *listed;
} trial;

static int add_i64(int64_t d, int64_t w, int64_t *sum)
{
    return __builtin_add_overflow(d, w, sum) || *sum == NF_UNREACHED_I64 ? SUM_OVER : SUM_FINE;
}

static int add_f32(float d, float w, float *sum)
{
    *sum = d + w;
    return !isinf(*sum) ? SUM_FINE : *sum > 0 ? SUM_NONE : SUM_OVER;
}

static int add_f64(double d, double w, double *sum)
{
    *sum = d + w;
    return !isinf(*sum) ? SUM_FINE : *sum > 0 ? SUM_NONE : SUM_OVER;
}

/* Would the arc u -> v close a cycle of parents? If so it is left in t->cycle, v first; its length, or 0. */
static uint64_t walk_back(trial *t, nf_vid u, nf_vid v)
{
    uint64_t length = 0;
    for (nf_vid x = u; length < t->run->csr.n; x = t->parent[x]) {
        t->cycle[length++] = x;
        if (x == v)
            break;
        if (t->parent[x] == x || t->parent[x] == NF_NO_VERTEX)
            return 0;
    }
    if (length == 0 || t->cycle[length - 1] != v)
        return 0;
    for (uint64_t i = 0; i < length / 2; i++) {
        const nf_vid x = t->cycle[i];
        t->cycle[i] = t->cycle[length - 1 - i];
        t->cycle[length - 1 - i] = x;
    }
    return length;
}

static nf_status look(nf__run *run, nf_type type, const nf_vid *pred, nf_vid *mark, nf_vid *cycle, bool roots,
                      bool *noise);

#define D int64_t
#define NAME(x) x##_i64
#define UNREACHED NF_UNREACHED_I64
#define WEIGHT nf__weight_i64
#define ADD add_i64
#define EPSILON 0.0
#include "gpu/referee_body.h"

#define D float
#define NAME(x) x##_f32
#define UNREACHED INFINITY
#define WEIGHT nf__weight_f32
#define ADD add_f32
#define EPSILON (double)FLT_EPSILON
#include "gpu/referee_body.h"

#define D double
#define NAME(x) x##_f64
#define UNREACHED (double)INFINITY
#define WEIGHT nf__weight_f64
#define ADD add_f64
#define EPSILON DBL_EPSILON
#include "gpu/referee_body.h"

#define BY_TYPE(type, f) ((type) == NF_I64 ? f##_i64 : (type) == NF_F32 ? f##_f32 : f##_f64)

/* The cycle of predecessors through x, in the order of its arcs; its length. */
static uint64_t collect(const nf_vid *pred, nf_vid x, nf_vid *cycle)
{
    uint64_t length = 0;
    nf_vid y = x;
    do {
        cycle[length++] = y;
        y = pred[y];
    } while (y != x);
    for (uint64_t i = 0; i < length / 2; i++) {
        const nf_vid swap = cycle[i];
        cycle[i] = cycle[length - 1 - i];
        cycle[length - 1 - i] = swap;
    }
    return length;
}

/* roots: a vertex that is its own predecessor is a source, not a loop. */
static nf_status look(nf__run *run, nf_type type, const nf_vid *pred, nf_vid *mark, nf_vid *cycle, bool roots,
                      bool *noise)
{
    const nf_vid n = run->csr.n;
    for (nf_vid v = 0; v < n; v++)
        mark[v] = NF_NO_VERTEX;
    for (nf_vid v = 0; v < n; v++) {
        nf_vid x = v;
        while (pred[x] != NF_NO_VERTEX && !(roots && pred[x] == x) && mark[x] == NF_NO_VERTEX) {
            mark[x] = v;
            x = pred[x];
        }
        if (pred[x] == NF_NO_VERTEX || (roots && pred[x] == x) || mark[x] != v)
            continue; /* an end, or ground that was seen before */
        const uint64_t length = collect(pred, x, cycle);
        if (BY_TYPE(type, is_negative)(&run->csr, cycle, length))
            return nf__run_set_cycle(run, cycle, length);
        *noise = true;
    }
    return NF_OK;
}

nf_status nf__referee_look(nf__run *run, nf_type type, const nf_vid *pred, bool *noise)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    nf_vid *mark = NULL, *cycle = NULL;
    NF_TRY_ALLOC(mark, nf__alloc(mem, run->csr.n, sizeof *mark));
    NF_TRY_ALLOC(cycle, nf__alloc(mem, run->csr.n, sizeof *cycle));
    NF_TRY(look(run, type, pred, mark, cycle, false, noise));
done:
    nf__free(mark);
    nf__free(cycle);
    return st;
}

nf_status nf__referee_row(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    trial t = {.run = run, .row = row};
    nf_vid **const blocks[] = {&t.own, &t.mark, &t.cycle, &t.front, &t.next, &t.listed};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        NF_TRY_ALLOC(*blocks[i], nf__alloc(mem, run->csr.n, sizeof(nf_vid)));
    t.parent = row->parent != NULL ? row->parent : t.own;
    row->edges_relaxed = 0;
    NF_TRY(BY_TYPE(row->type, row)(&t));
    if (run->deterministic)
        BY_TYPE(row->type, tree)(&t);
done:
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        nf__free(*blocks[i]);
    return st;
}
