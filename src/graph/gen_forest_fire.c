/* gen_forest_fire.c - the forest fire model: a growing graph that densifies while its diameter shrinks.
 *
 * Method: vertex v picks a random earlier one, its ambassador, and links to it; from every vertex it links to, the fire
 * spreads to x unburned out-neighbours and y unburned in-neighbours, x and y geometric with mean f/(1-f) and b/(1-b),
 * and v links to all that burn (Leskovec, Kleinberg and Faloutsos, "Graphs over time", KDD 2005; backward given as a
 * probability of its own, as in SNAP). One vertex after the other: each fire needs the graph before it.
 *
 * Invariants
 *   B1 the arcs of u are arcs off[u] .. off[u+1]-1, all to earlier vertices; the vertices with arcs into u are
 *      pool[in[u].at] and the in[u].count - 1 after it;
 *   B2 burned[u] = v exactly when u burns in the fire of v.
 * Cost: O(n + m) expected; fires burn a finite share while f/(1-f) + b/(1-b) stays near 1, beyond it they take all.
 * Memory: up to 16 bytes an arc for the pool.
 */
#include "graph/generate.h"

#define SCAN_BELOW 16u /* shorter lists are scanned, longer ones sampled */

typedef struct in_list {
    uint64_t at;
    uint32_t count, room;
} in_list;

typedef struct fire {
    nf__gen *g;
    uint64_t counter;  /* of random numbers */
    uint64_t arc_room; /* of g->arcs */
    uint64_t *off;     /* n + 1 */
    in_list *in;       /* n */
    nf_vid *pool;
    uint64_t pool_used, pool_room;
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
    g->extra_bytes = 84 * (uint64_t)g->n;
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

/* Room for `need` more elements in *list, which has `used` of *room. */
static nf_status make_room(fire *f, nf_vid **list, uint64_t used, uint64_t need, uint64_t *room)
{
    nf_status st = NF_OK;
    nf_vid *p = NULL;
    if (used + need <= *room)
        goto done;
    const uint64_t grown = *room + *room / 2, more = grown < used + need ? used + need : grown;
    NF_TRY_ALLOC(p, nf__regrow(f->g->mem, *list, used * sizeof *p, more, sizeof *p));
    *list = p, *room = more;
done:
    return st;
}

/* Records the arc v -> u in u's list, which moves to the end of the pool when it is full. */
static nf_status add_in_arc(fire *f, nf_vid v, nf_vid u)
{
    nf_status st = NF_OK;
    in_list *const in = &f->in[u];
    if (in->count == in->room) {
        const uint32_t room = in->room == 0 ? 4 : 2 * in->room;
        NF_TRY(make_room(f, &f->pool, f->pool_used, room, &f->pool_room));
        memcpy(f->pool + f->pool_used, f->pool + in->at, in->count * sizeof *f->pool);
        in->at = f->pool_used, in->room = room;
        f->pool_used += room;
    }
    f->pool[in->at + in->count++] = v;
done:
    return st;
}

static uint64_t light(fire *f, nf_vid v, nf_vid u, uint64_t tail)
{
    f->burned[u] = v;
    f->queue[tail] = u;
    return tail + 1;
}

/* Lights up to `wanted` unburned vertices of a list, at random; returns the new end of the queue. */
static uint64_t light_some(fire *f, nf_vid v, const nf_vid *list, uint64_t count, uint64_t wanted, uint64_t tail)
{
    const uint64_t tries = count > SCAN_BELOW && 4 * wanted < count ? 4 * wanted + 8 : 0;
    for (uint64_t i = 0; i < tries && wanted > 0; i++) {
        const nf_vid u = list[nf__below(next_bits(f), count)];
        if (f->burned[u] != v)
            tail = light(f, v, u, tail), wanted--;
    }
    uint64_t near = 0;
    for (uint64_t i = 0; wanted > 0 && i < count; i++)
        if (f->burned[list[i]] != v)
            f->near[near++] = list[i];
    for (uint64_t i = 0; i < near && i < wanted; i++) {
        const uint64_t j = i + nf__below(next_bits(f), near - i);
        tail = light(f, v, f->near[j], tail);
        f->near[j] = f->near[i];
    }
    return tail;
}

/* The fire at u spreads forward and backward. */
static uint64_t spread(fire *f, nf_vid v, nf_vid u, uint64_t tail)
{
    const uint64_t forward = geometric(f, f->g->o.forward), backward = geometric(f, f->g->o.backward);
    const nf_vid *const out = f->g->arcs.dst + f->off[u], *const in = f->pool + f->in[u].at;
    tail = light_some(f, v, out, f->off[u + 1] - f->off[u], forward, tail);
    return light_some(f, v, in, f->in[u].count, backward, tail);
}

/* Links v to all that burned. */
static nf_status link_burned(fire *f, nf_vid v, uint64_t count)
{
    nf_status st = NF_OK;
    nf__arcs *const arcs = &f->g->arcs;
    uint64_t room = f->arc_room;
    NF_TRY(make_room(f, &arcs->src, arcs->m, count, &room));
    NF_TRY(make_room(f, &arcs->dst, arcs->m, count, &f->arc_room));
    for (uint64_t i = 0; i < count; i++) {
        NF_TRY(add_in_arc(f, v, f->queue[i]));
        arcs->src[arcs->m] = v, arcs->dst[arcs->m++] = f->queue[i];
    }
    f->off[v + 1] = arcs->m;
done:
    return st;
}

static nf_status burn(fire *f, nf_vid v)
{
    nf_status st = NF_OK;
    uint64_t tail = light(f, v, (nf_vid)nf__below(next_bits(f), v), 0);
    for (uint64_t head = 0; head < tail; head++) {
        if (head % 65536 == 65535)
            NF_TRY(nf__poll(f->g->ctx));
        tail = spread(f, v, f->queue[head], tail);
    }
    NF_TRY(link_burned(f, v, tail));
done:
    return st;
}

static nf_status make(nf__gen *g)
{
    nf_status st = NF_OK;
    fire f = {.g = g, .arc_room = 4 * (uint64_t)g->n, .pool_room = 4 * (uint64_t)g->n};
    NF_TRY(nf__gen_room(g, f.arc_room));
    g->arcs.m = 0;
    NF_TRY_ALLOC(f.off, nf__zalloc(g->mem, (uint64_t)g->n + 1, sizeof *f.off));
    NF_TRY_ALLOC(f.in, nf__zalloc(g->mem, g->n, sizeof *f.in));
    NF_TRY_ALLOC(f.pool, nf__alloc(g->mem, f.pool_room, sizeof *f.pool));
    NF_TRY_ALLOC(f.burned, nf__alloc(g->mem, g->n, sizeof *f.burned));
    NF_TRY_ALLOC(f.queue, nf__alloc(g->mem, g->n, sizeof *f.queue));
    NF_TRY_ALLOC(f.near, nf__alloc(g->mem, g->n, sizeof *f.near));
    for (nf_vid v = 0; v < g->n; v++)
        f.burned[v] = NF_NO_VERTEX;
    for (nf_vid v = 1; v < g->n; v++) {
        if (v % 1024 == 0)
            NF_TRY(nf__progress(g->ctx, "burning", v, g->n));
        NF_TRY(burn(&f, v));
    }
done:
    nf__free(f.off);
    nf__free(f.in);
    nf__free(f.pool);
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
