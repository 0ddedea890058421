/* path_bfs.c - between two vertices by hops: breadth-first search from both ends, or from one.
 *
 * Method: Pohl, "Bi-directional search", Machine Intelligence 6, 1971. The side with the shorter list of vertices at
 * its edge goes one level further, until it comes upon a vertex of the other side. A cell is one byte, so that those of
 * a large graph stay in the cache: bit i is clear once side i has seen the vertex. Parents are kept by place in the
 * lists of what was seen.
 * Invariants: S1, S2 of search.h, and
 *   B1 side i has seen exactly the vertices within depth[i] arcs of its end, and one level more while it is at work;
 *   B2 before a level is begun the sides have no vertex in common, so every way has more than depth[0] + depth[1] arcs,
 *      and the first common vertex that comes up lies on one with just one arc more: the search may stop there;
 *   B3 seen[i].list[from[i].list[k]] is the vertex from which side i came upon seen[i].list[k].
 * From one end the other side has seen the target alone, and stays there.
 * Cost: O(vertices seen and their arcs) time, not O(n + m) as a rule; n bytes, 8 to 16 a vertex seen (18 while a list
 * doubles) and 16 KB.
 */
#include "cpu/cpu.h"
#include "cpu/search.h"

#define POLL_EVERY 4096u /* vertices between two looks at the cancel flag */
/* A vertex's arcs are fetched so many vertices before its turn. USA-road-d.NY, 16 and 32: 0.95 and 0.80 ms; fetching
 * the cells of its neighbours as well: 1.0 ms. */
#define AHEAD 32
#define NOWHERE UINT64_MAX

typedef struct quest {
    nf__run *run;
    nf__row *row;
    nf__search *s;
    nf_csr csr[2];
    uint64_t head[2]; /* the edge of side i is seen[i].list[head[i]] and all after it */
    int64_t depth[2];
    unsigned side; /* that came upon the other */
    uint64_t meet; /* where, in its list; NOWHERE until then */
} quest;

/* Is there room in a list for so many more, and one to spare? A vertex is listed once. */
static bool has_room(const quest *q, const nf__seen *s, uint64_t more)
{
    return s->capacity > q->s->n || s->capacity - s->count > more;
}

static nf_status make_room(quest *q, unsigned side, uint64_t more)
{
    nf_status st = NF_OK;
    nf__seen *seen = &q->s->seen[side], *from = &q->s->from[side];
    while (!has_room(q, seen, more))
        NF_TRY(nf__seen_grow(q->s->mem, seen, (uint64_t)q->s->n + 1));
    from->count = seen->count;
    while (!has_room(q, from, more))
        NF_TRY(nf__seen_grow(q->s->mem, from, (uint64_t)q->s->n + 1));
done:
    return st;
}

static nf_status begin_side(quest *q, unsigned side, nf_vid v)
{
    nf_status st = NF_OK;
    char *cell = &q->s->cells[v];
    NF_TRY(make_room(q, side, 1));
    q->s->seen[side].list[0] = v;
    q->s->seen[side].count = 1;
    q->s->from[side].list[0] = 0;
    if (*cell != (char)0xff)
        q->meet = 0, q->side = side;
    *cell = (char)(*cell & ~(1 << side));
done:
    return st;
}

/* What a level needs to know, in one place. */
typedef struct level {
    const nf_csr *csr;
    unsigned char *cells;
    nf_vid *list, *from;
    uint64_t count; /* vertices in the list */
    uint64_t arcs;  /* looked at */
    unsigned side, hit;
} level;

/* Looks at the arcs of list[i, end), as far as there is room for what they may bring, and not on when the sides have
 * met; returns where it stopped. */
static inline __attribute__((always_inline)) uint64_t scan_side(level *l, uint64_t i, uint64_t end, uint64_t room,
                                                                const unsigned side)
{
    const nf_csr *const c = l->csr;
    const nf_vid *const adj = c->adj;
    unsigned char *const cells = l->cells;
    nf_vid *const list = l->list, *const from = l->from;
    uint64_t count = l->count;
    unsigned hit = 0;
    for (; i < end && hit == 0; i++) {
        const nf_eid begin = nf__off(c, list[i]), past = nf__off(c, list[i] + 1);
        if (room - count <= past - begin)
            break;
        if (i + AHEAD < count) /* into the next level, too, so that nothing is waited for where that begins */
            __builtin_prefetch(&adj[nf__off(c, list[i + AHEAD])]);
        l->arcs += past - begin;
        for (nf_eid e = begin; e < past; e++) { /* without branches: half of the guesses would be wrong */
            const nf_vid v = adj[e];
            const unsigned cell = cells[v], fresh = cell >> side & 1;
            list[count] = v; /* counts only if it is fresh */
            from[count] = (nf_vid)i;
            count += fresh;
            cells[v] = (unsigned char)(cell & ~(1u << side));
            hit |= fresh & ~(cell >> !side);
            __builtin_prefetch(c->off32 != NULL ? (const void *)&c->off32[v]
                                                : (const void *)&c->off64[v]); /* its turn is a level away */
        }
    }
    l->count = count;
    l->hit = hit;
    return i;
}

static uint64_t scan(level *l, uint64_t i, uint64_t end, uint64_t room)
{
    return l->side == 0 ? scan_side(l, i, end, room, 0) : scan_side(l, i, end, room, 1);
}

static nf_status next_level(quest *q, unsigned side)
{
    nf_status st = NF_OK;
    nf__seen *seen = &q->s->seen[side];
    const uint64_t end = seen->count;
    level l = {.csr = &q->csr[side], .cells = (unsigned char *)q->s->cells, .count = end, .side = side};
    for (uint64_t i = q->head[side]; i < end && l.hit == 0;) {
        const nf_vid u = seen->list[i];
        NF_TRY(make_room(q, side, nf__off(l.csr, u + 1) - nf__off(l.csr, u)));
        l.list = seen->list;
        l.from = q->s->from[side].list;
        const uint64_t least = seen->capacity < q->s->from[side].capacity ? seen->capacity : q->s->from[side].capacity;
        const uint64_t room = least > q->s->n ? UINT64_MAX : least;
        const uint64_t past = end - i > POLL_EVERY ? i + POLL_EVERY : end, before = l.count;
        i = scan(&l, i, past, room);
        seen->count = l.count; /* S2 */
        for (uint64_t k = before; l.hit != 0 && k < l.count; k++)
            if ((l.cells[l.list[k]] & 3) == 0)
                q->meet = k, q->side = side; /* B2 */
        NF_TRY(nf__progress(q->run->ctx, "path", i, 0));
    }
    q->row->iterations++;
    q->row->edges_relaxed += l.arcs;
    q->head[side] = end;
    q->depth[side]++;
done:
    return st;
}

static nf_status meet_halfway(quest *q, bool both)
{
    nf_status st = NF_OK;
    const int64_t bound = q->run->has_cutoff ? q->run->cutoff_int : INT64_MAX;
    const nf__seen *seen = q->s->seen;
    NF_TRY(begin_side(q, 0, q->row->sources[0]));
    NF_TRY(begin_side(q, 1, q->run->targets[0]));
    while (q->meet == NOWHERE && q->depth[0] + q->depth[1] < bound) {
        const uint64_t edge[2] = {seen[0].count - q->head[0], seen[1].count - q->head[1]};
        if (edge[0] == 0 || edge[1] == 0)
            break;
        NF_TRY(next_level(q, both && edge[1] < edge[0]));
    }
done:
    return st;
}

/* ---- the way ----------------------------------------------------------------------------------------------------- */

/* Every arc counts 1: sums of ones in the working type. */
static void number(nf_type type, void *dist, uint64_t length)
{
    float f = 0;
    double d = 0;
    for (uint64_t i = 0; i < length; i++, f += 1, d += 1) {
        if (type == NF_I64)
            ((int64_t *)dist)[i] = (int64_t)i;
        else if (type == NF_F32)
            ((float *)dist)[i] = f;
        else
            ((double *)dist)[i] = d;
    }
}

/* The place of the common vertex in the other side's list: it lies in its last level or the one before. */
static uint64_t find_place(const quest *q, nf_vid v, unsigned side)
{
    uint64_t i = q->s->seen[side].count - 1;
    while (q->s->seen[side].list[i] != v)
        i--;
    return i;
}

static nf_status tell_way(quest *q)
{
    nf_status st = NF_OK;
    const nf_vid common = q->s->seen[q->side].list[q->meet];
    const nf_vid *const *list = (const nf_vid *const[]){q->s->seen[0].list, q->s->seen[1].list};
    const nf_vid *const *from = (const nf_vid *const[]){q->s->from[0].list, q->s->from[1].list};
    uint64_t place[2], arcs[2] = {0, 0};
    nf_vid *vertices = NULL;
    void *dist = NULL;
    place[q->side] = q->meet;
    place[!q->side] = find_place(q, common, !q->side);
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t i = place[side]; i != 0; i = from[side][i])
            arcs[side]++;
    NF_TRY(nf__run_path(q->run, arcs[0] + arcs[1] + 1, &vertices, &dist));
    for (uint64_t i = place[0], k = arcs[0];; i = from[0][i], k--) {
        vertices[k] = list[0][i];
        if (k == 0)
            break;
    }
    for (uint64_t i = place[1], k = 0; k <= arcs[1]; i = from[1][i], k++)
        vertices[arcs[0] + k] = list[1][i];
    number(q->run->work_type, dist, arcs[0] + arcs[1] + 1);
done:
    return st;
}

static nf_status run_search(nf__run *run, nf__row *row, bool both)
{
    nf_status st = NF_OK;
    quest q = {.run = run, .row = row, .meet = NOWHERE, .csr = {run->csr, run->csr}};
    if (both)
        NF_TRY(nf__search_transpose(run, &q.csr[1]));
    NF_TRY(nf__search_open(run, 1, &q.s));
    NF_TRY(meet_halfway(&q, both));
    if (!both)
        nf__search_note(run, row->edges_relaxed);
    if (q.meet != NOWHERE)
        NF_TRY(tell_way(&q));
done:
    if (q.s != NULL)
        nf__search_close(q.s, st == NF_OK);
    return st;
}

static nf_status run_both(nf__run *run, nf__row *row)
{
    return run_search(run, row, true);
}

static nf_status run_one(nf__run *run, nf__row *row)
{
    return run_search(run, row, false);
}

#define MEMORY "n + 18 a vertex seen at most + 17,000"

const nf__algorithm nf__cpu_path_bidirectional_bfs = {
    .info = {.name = "bidirectional-bfs",
             .problem = NF_PATH,
             .device = "cpu",
             .summary = "breadth-first search from both ends, one thread",
             .paper = "Pohl 1971",
             .memory = MEMORY ", and the transpose of directed graphs",
             .flags = NF_ALG_TRANSPOSE | NF_ALG_HOPS | NF_ALG_NEGATIVE},
    .run = run_both,
};

const nf__algorithm nf__cpu_path_one_way_bfs = {
    .info = {.name = "one-way-bfs",
             .problem = NF_PATH,
             .device = "cpu",
             .summary = "breadth-first search from the source until the target turns up, one thread",
             .paper = "Moore 1959",
             .memory = MEMORY,
             .flags = NF_ALG_HOPS | NF_ALG_NEGATIVE},
    .run = run_one,
};
