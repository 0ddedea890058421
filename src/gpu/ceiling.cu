/* ceiling.cu - where there may be a ceiling, and its sample; see ceiling.h.
 *
 * Memory: 11 KB on the device, and lists by weight, which stay with the graph (ordered.cu).
 */
#include "gpu/ceiling.h"

#include <math.h>
#include <stdlib.h>

namespace SIMT_FLAVOUR
{

#define LARGEST_SUM 1e38 /* of floats, of any way: a sum that is infinite must be noticed wherever it occurs */
/* Rounds over fewer arcs cost less than the pauses between them: H200, uniform of 12.8 million arcs 1.14 ms with and
 * 0.97 without, of 134 million 4.4 and 6.1. Where a vertex has few arcs, most of them are light enough: by counting. */
#define LEAST_ARCS (1u << 25)
#define LEAST_DEGREE 6.0

bool ceiling_fits(const nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    const bool finite = run->csr.weight_type != NF_F32 || s->weight_max * run->csr.n < LARGEST_SUM;
    return device_graph_of(run)->symmetric && order_fits(run) && run->target_count == 0 && finite
           && s->weight_min < s->weight_max;
}

bool ceiling_pays(const nf__run *run)
{
    const device_graph *g = device_graph_of(run);
    device *d = (device *)run->device;
    const uint64_t pairs = g->out.pairs != NULL ? 0 : run->csr.m * sizeof(uint2), n = run->csr.n;
    if (run->csr.m < LEAST_ARCS || run->stats.degree_mean < LEAST_DEGREE)
        return false;
    return g->by_weight.pairs != NULL
           || (device_enter(d) == NF_OK
               && device_foresee(d, pairs + ordered_bytes(run) + ordered_scratch(run) + n * 64, "near-far") == NF_OK);
}

static void draw(const nf__run *run, uint32_t to[TIPS], tip_prices *p)
{
    const nf_csr *g = &run->csr;
    const double parts = WEIGHT_PARTS / run->stats.weight_max;
    unsigned counts[WEIGHT_PARTS + 1] = {}, sum = 0;
    for (unsigned i = 0; i < TIPS; i++) {
        const nf_eid e = (nf_eid)((double)g->m / TIPS * i);
        const double part = ceil(nf__weight_f64(g, e) * parts);
        to[i] = g->adj[e];
        counts[part < WEIGHT_PARTS ? (unsigned)part : WEIGHT_PARTS]++;
    }
    for (unsigned i = 0; i <= WEIGHT_PARTS; i++)
        p->below[i] = (float)(sum += counts[i]) / TIPS;
    p->parts = (float)parts;
}

nf_status ceiling_open(nf__run *run, ceiling **out)
{
    nf_status st = NF_OK;
    uint32_t to[TIPS];
    tip_prices prices;
    ceiling *c = NULL;
    NF_TRY_ALLOC(c, (ceiling *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *c));
    *out = c;
    c->d = (device *)run->device;
    NF_TRY(device_graph_order(run, &c->lists));
    draw(run, to, &prices);
    NF_TRY(device_alloc(c->d, TIPS, &c->to));
    NF_TRY(device_alloc(c->d, TIPS, &c->tips));
    NF_TRY(device_alloc(c->d, 1, &c->prices));
    NF_TRY(device_alloc(c->d, 2, &c->passed));
    NF_TRY(device_upload(c->d, c->to, to, sizeof to, NULL));
    NF_TRY(device_upload(c->d, c->prices, &prices, sizeof prices, NULL));
done:
    return st;
}

void ceiling_close(ceiling *c)
{
    if (c == NULL)
        return;
    device_free(c->d, c->to);
    device_free(c->d, c->tips);
    device_free(c->d, c->prices);
    device_free(c->d, c->passed);
    nf__free(c);
}

} /* namespace SIMT_FLAVOUR */
