/* ceiling.cu - where a ceiling is best, and its sample; see ceiling.h.
 *
 * Cost of a ceiling, in looks at labels for each arc of the sample: a vertex that waits with a label below it will look
 * at the ends of those of its arcs that are short enough; one above it is looked for from its own end and has its arcs
 * still before it: PULL looks.
 * Cost of a choice: TRIES passes over the sample, on the host. Memory: 20 KB on the device, 17 on the host.
 */
#include "gpu/ceiling.h"

#include <math.h>
#include <stdlib.h>

namespace SIMT_FLAVOUR
{

#define PULL 2.0
#define WORTH 0.8 /* a new ceiling is to cost at most so much of the one there is */
#define TRIES 64u

bool ceiling_fits(const nf__run *run)
{
    const nf_graph_stats *s = &run->stats;
    return device_graph_of(run)->symmetric && run->csr.m != 0 && run->target_count == 0 && s->weight_min >= 0
           && s->weight_min < s->weight_max && s->weight_max < (double)INFINITY;
}

static void draw(const nf__run *run, ceiling *c, uint32_t to[TIPS])
{
    const nf_csr *g = &run->csr;
    unsigned counts[WEIGHT_PARTS + 1] = {}, sum = 0;
    c->parts = WEIGHT_PARTS / run->stats.weight_max;
    for (unsigned i = 0; i < TIPS; i++) {
        const nf_eid e = (nf_eid)((double)g->m / TIPS * i);
        const double part = ceil(nf__weight_f64(g, e) * c->parts);
        to[i] = g->adj[e];
        counts[part < WEIGHT_PARTS ? (unsigned)part : WEIGHT_PARTS]++;
    }
    for (unsigned i = 0; i <= WEIGHT_PARTS; i++)
        c->below[i] = (float)(sum += counts[i]) / TIPS;
}

nf_status ceiling_open(nf__run *run, ceiling **out)
{
    nf_status st = NF_OK;
    uint32_t to[TIPS];
    NF_TRY_ALLOC(*out, (ceiling *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof **out));
    (*out)->d = (device *)run->device;
    draw(run, *out, to);
    NF_TRY(device_alloc((*out)->d, TIPS, &(*out)->to));
    NF_TRY(device_alloc((*out)->d, TIPS, &(*out)->tips));
    NF_TRY(device_alloc((*out)->d, 1, &(*out)->passed));
    NF_TRY(device_upload((*out)->d, (*out)->to, to, sizeof to, NULL));
done:
    return st;
}

void ceiling_close(ceiling *c)
{
    if (c == NULL)
        return;
    device_free(c->d, c->to);
    device_free(c->d, c->tips);
    device_free(c->d, c->passed);
    nf__free(c);
}

static int by_label(const void *a, const void *b)
{
    const double x = ((const tip *)a)->label, y = ((const tip *)b)->label;
    return (x > y) - (x < y);
}

/* What the vertices that wait, from `first` on, will cost under a ceiling. */
static double cost_of(const ceiling *c, unsigned first, double top)
{
    double cost = 0;
    unsigned i = first;
    for (; i < TIPS && c->seen[i].label <= top; i++) {
        const double part = (top - c->seen[i].label) * c->parts;
        cost += c->below[part < WEIGHT_PARTS ? (unsigned)part : WEIGHT_PARTS];
    }
    return cost + PULL * (TIPS - i);
}

unsigned ceiling_choose(ceiling *c, double now)
{
    unsigned first = 0, best = TIPS;
    qsort(c->seen, TIPS, sizeof *c->seen, by_label);
    while (first < TIPS && c->seen[first].label < 0)
        first++;
    double least = WORTH * (now < (double)INFINITY ? cost_of(c, first, now) : (double)(TIPS - first));
    for (unsigned t = 1; t <= TRIES && first < TIPS; t++) {
        const unsigned i = first + ((TIPS - first) * t - 1) / TRIES;
        if (!(c->seen[i].label < now))
            continue;
        const double cost = cost_of(c, first, c->seen[i].label);
        best = cost < least ? i : best;
        least = cost < least ? cost : least;
    }
    return best;
}

} /* namespace SIMT_FLAVOUR */
