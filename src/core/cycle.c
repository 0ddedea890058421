/* cycle.c - cycles among the predecessors of a run with negative weights: found, and judged by the rule of nearfar.h.
 *
 * Cherkassky and Goldberg, "Negative-cycle detection algorithms", 1999. With integers a cycle of predecessors is a
 * negative cycle; with floats rounding can close one that is not, and such a cycle does not count.
 * Cost: as said in backend.h.
 */
#include <float.h>
#include <math.h>

#include "core/backend.h"

static long double weight_of(const nf_csr *c, nf_eid e, nf_type type)
{
    return type == NF_I64   ? (long double)nf__weight_i64(c, e)
           : type == NF_F32 ? (long double)nf__weight_f32(c, e)
                            : (long double)nf__weight_f64(c, e);
}

/* The least weight among the arcs a -> b, of which there is one. */
static long double least_arc(const nf_csr *c, nf_vid a, nf_vid b, nf_type type)
{
    long double least = INFINITY;
    for (nf_eid e = nf__off(c, a); e < nf__off(c, a + 1); e++)
        if (c->adj[e] == b && weight_of(c, e, type) < least)
            least = weight_of(c, e, type);
    return least;
}

bool nf__cycle_is_negative(const nf_csr *c, nf_type type, const nf_vid *cycle, uint64_t length)
{
    const long double epsilon = type == NF_I64 ? 0 : type == NF_F32 ? FLT_EPSILON : DBL_EPSILON;
    long double sum = 0, size = 0;
    for (uint64_t i = 0; i < length; i++) {
        const long double w = least_arc(c, cycle[i], cycle[i + 1 < length ? i + 1 : 0], type);
        sum += w;
        size += fabsl(w);
    }
    return sum < -(long double)length * epsilon * size;
}

static void reverse(nf_vid *list, uint64_t length)
{
    for (uint64_t i = 0; i < length / 2; i++) {
        const nf_vid x = list[i];
        list[i] = list[length - 1 - i];
        list[length - 1 - i] = x;
    }
}

uint64_t nf__cycle_closed_by(nf_vid n, const nf_vid *pred, nf_vid u, nf_vid v, nf_vid *cycle)
{
    uint64_t length = 0;
    for (nf_vid x = u; length < n; x = pred[x]) {
        cycle[length++] = x;
        if (x == v) {
            reverse(cycle, length);
            return length;
        }
        if (pred[x] == x)
            break;
    }
    return 0;
}

nf_status nf__cycle_inspect(nf__run *run, nf_type type, const nf_vid *pred, bool roots, nf_vid *mark, nf_vid *cycle,
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
        const uint64_t length = nf__cycle_closed_by(n, pred, pred[x], x, cycle);
        if (nf__cycle_is_negative(&run->csr, type, cycle, length))
            return nf__run_set_cycle(run, cycle, length);
        *noise = true;
    }
    return NF_OK;
}
