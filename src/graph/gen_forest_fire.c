/* gen_forest_fire.c - the forest fire model: a growing graph that densifies while its diameter shrinks.
 *
 * Method: vertex v picks a random earlier one, its ambassador, and links to it; from every vertex it links to, the fire
 * spreads to x unburned out-neighbours and y unburned in-neighbours, x and y geometric with mean f/(1-f) and b/(1-b),
 * and v links to all that burn (Leskovec, Kleinberg and Faloutsos, "Graphs over time", KDD 2005; backward given as a
 * probability of its own, as in SNAP). One vertex after the other: each fire needs the graph before it.
 *
 * Invariants
 *   B1 the arcs of u are arcs off[u] .. off[u+1]-1, all to earlier vertices; the arcs into u are a list from
 * in_head[u]; B2 burned[u] = v exactly when u burns in the fire of v. Cost: O(n + sum over burning vertices of their
 * degrees): O(n + m) as long as f and b are below the point where fires take all.
 */
#include "graph/generate.h"

#define NO_ARC UINT64_MAX

typedef struct fire {
    nf__gen *g;
    uint64_t capacity;             /* of arcs */
    uint64_t counter;              /* of random numbers */
    uint64_t *off, *in_head;       /* n + 1, n */
    uint64_t *in_next;             /* per arc */
    nf_vid *burned, *queue, *near; /* n each */
} fire;

static nf_status plan(nf__gen *g)
{
    nf_status st = NF_OK;
    NF_TRY(nf__gen_check_share("forward", g->o.forward));
    NF_TRY(nf__gen_check_share("backward", g->o.backward));
    if (g->o.forward >= 1 || g->o.backward >= 1)
        st = nf__fail(NF_EINVAL, "forest-fire: forward and backward must be less than 1, or the first fire never ends");
    NF_TRY(st);
    NF_TRY(nf__gen_plan_n(g, NF_NO_VERTEX));
    g->m = g->n;
    g->extra_bytes = 36 * (uint64_t)g->n;
done:
    return st;
}

static uint64_t next_bits(fire *f)
{
    return nf__hash64(f->g->key[NF__KEY_EDGES], f->counter++);
}

/* A geometric number with mean p / (1 - p). */
static uint64_t geometric(fire *f, double p)
{
    if (p <= 0)
        return 0;
    const double x = log1p(-nf__unit(next_bits(f))) / log(p);
    return x >= 1e18 ? (uint64_t)1 << 60 : (uint64_t)x;
}

static nf_status make_room(fire *f, uint64_t need)
{
    nf_status st = NF_OK;
    nf__arcs *const arcs = &f->g->arcs;
    if (arcs->m + need <= f->capacity)
        goto done;
    uint64_t more = f->capacity + f->capacity / 2;
    more = more < arcs->m + need ? arcs->m + need : more;
    void *p = NULL;
    NF_TRY_ALLOC(p, nf__regrow(f->g->mem, arcs->src, arcs->m * sizeof(nf_vid), more, sizeof(nf_vid)));
    arcs->src = p;
    NF_TRY_ALLOC(p, nf__regrow(f->g->mem, arcs->dst, arcs->m * sizeof(nf_vid), more, sizeof(nf_vid)));
    arcs->dst = p;
    NF_TRY_ALLOC(p, nf__regrow(f->g->mem, f->in_next, arcs->m * sizeof *f->in_next, more, sizeof *f->in_next));
    f->in_next = p;
    f->capacity = more;
done:
    return st;
}

/* Lights up to `wanted` of the first `count` vertices in near, at random; returns the new end of the queue. */
static uint64_t light(fire *f, nf_vid v, uint64_t count, uint64_t wanted, uint64_t tail)
{
    for (uint64_t i = 0; i < count && i < wanted; i++) {
        const uint64_t j = i + nf__below(next_bits(f), count - i);
        const nf_vid u = f->near[j];
        f->near[j] = f->near[i];
        f->burned[u] = v;
        f->queue[tail++] = u;
    }
    return tail;
}

/* The fire at u spreads forward and backward. */
static uint64_t spread(fire *f, nf_vid v, nf_vid u, uint64_t tail)
{
    const nf__arcs *const arcs = &f->g->arcs;
    const uint64_t forward = geometric(f, f->g->o.forward), backward = geometric(f, f->g->o.backward);
    uint64_t count = 0;
    for (uint64_t e = f->off[u]; forward > 0 && e < f->off[u + 1]; e++)
        if (f->burned[arcs->dst[e]] != v)
            f->near[count++] = arcs->dst[e];
    tail = light(f, v, count, forward, tail);
    count = 0;
    for (uint64_t e = f->in_head[u]; backward > 0 && e != NO_ARC; e = f->in_next[e])
        if (f->burned[arcs->src[e]] != v)
            f->near[count++] = arcs->src[e];
    return light(f, v, count, backward, tail);
}

static nf_status burn(fire *f, nf_vid v)
{
    nf_status st = NF_OK;
    nf__arcs *const arcs = &f->g->arcs;
    uint64_t tail = 0;
    f->near[0] = (nf_vid)nf__below(next_bits(f), v);
    tail = light(f, v, 1, 1, tail);
    for (uint64_t head = 0; head < tail; head++) {
        if (head % 65536 == 65535)
            NF_TRY(nf__poll(f->g->ctx));
        tail = spread(f, v, f->queue[head], tail);
    }
    NF_TRY(make_room(f, tail));
    for (uint64_t i = 0; i < tail; i++) {
        const nf_vid u = f->queue[i];
        arcs->src[arcs->m] = v, arcs->dst[arcs->m] = u;
        f->in_next[arcs->m] = f->in_head[u];
        f->in_head[u] = arcs->m++;
    }
    f->off[v + 1] = arcs->m;
done:
    return st;
}

static nf_status make(nf__gen *g)
{
    nf_status st = NF_OK;
    fire f = {.g = g, .capacity = 4 * (uint64_t)g->n};
    NF_TRY(nf__gen_room(g, f.capacity));
    g->arcs.m = 0;
    NF_TRY_ALLOC(f.off, nf__zalloc(g->mem, (uint64_t)g->n + 1, sizeof *f.off));
    NF_TRY_ALLOC(f.in_head, nf__alloc(g->mem, g->n, sizeof *f.in_head));
    NF_TRY_ALLOC(f.in_next, nf__alloc(g->mem, f.capacity, sizeof *f.in_next));
    NF_TRY_ALLOC(f.burned, nf__alloc(g->mem, g->n, sizeof *f.burned));
    NF_TRY_ALLOC(f.queue, nf__alloc(g->mem, g->n, sizeof *f.queue));
    NF_TRY_ALLOC(f.near, nf__alloc(g->mem, g->n, sizeof *f.near));
    for (nf_vid v = 0; v < g->n; v++)
        f.burned[v] = NF_NO_VERTEX, f.in_head[v] = NO_ARC;
    for (nf_vid v = 1; v < g->n; v++) {
        if (v % 1024 == 0)
            NF_TRY(nf__progress(g->ctx, "burning", v, g->n));
        NF_TRY(burn(&f, v));
    }
done:
    nf__free(f.off);
    nf__free(f.in_head);
    nf__free(f.in_next);
    nf__free(f.burned);
    nf__free(f.queue);
    nf__free(f.near);
    return st;
}

const nf__generator nf__gen_forest_fire = {
    .info = {"forest-fire", "Leskovec's forest fire: heavy-tailed, densifying, communities",
             "n scale forward backward directed permute weights"},
    .defaults = {.scale = 16, .forward = 0.35, .backward = 0.32},
    .plan = plan,
    .make = make,
};
