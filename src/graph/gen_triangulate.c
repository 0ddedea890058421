/* gen_triangulate.c - Delaunay triangulation of points on an integer grid.
 *
 * Method: divide and conquer of Guibas and Stolfi ("Primitives for the manipulation of general subdivisions and the
 * computation of Voronoi diagrams", ACM Transactions on Graphics 4(2), 1985) on rings of half-edges. Chunks of the
 * sorted points are triangulated in parallel, then neighbouring results are merged pairwise, level by level.
 *
 * Invariants
 *   T1 coordinates are in 0 .. 2^26, hence orientation fits 64 bits and in-circle 128: predicates are exact, nothing is
 * skewed; T2 points are strictly ascending by (x, y), so no two coincide; T3 the part that holds points lo .. hi-1 uses
 * edge slots 3 lo .. 3 hi - 1 only, used or in its free list; a planar graph never needs more, and the result is the
 * same at any number of threads.
 *
 * Cost: O(n log n) time, 72 bytes a point.
 */
#include "graph/generate.h"

#define CHUNK_POINTS 2048u /* per sequential piece; small enough to stay in the L2 cache */
#define CHUNK_BATCH 64     /* pieces between two polls */

/* A triangulated run of points: hull edges at its leftmost (le, counter-clockwise out of it) and rightmost point (re,
 * clockwise out of it), and the free slots (T3). */
typedef struct part {
    uint32_t lo, hi, le, re, free_head, free_tail;
} part;

#define NO_SLOT UINT32_MAX

static inline uint32_t sym(uint32_t e)
{
    return e ^ 1u;
}

static inline uint32_t dest(const nf__mesh *t, uint32_t e)
{
    return t->org[e ^ 1u];
}

static inline uint32_t lnext(const nf__mesh *t, uint32_t e)
{
    return t->oprev[e ^ 1u];
}

/* Twice the area of abc: positive when counter-clockwise. */
static inline int64_t area(const nf__mesh *t, uint32_t a, uint32_t b, uint32_t c)
{
    const int64_t bx = t->x[b] - t->x[a], by = t->y[b] - t->y[a];
    const int64_t cx = t->x[c] - t->x[a], cy = t->y[c] - t->y[a];
    return bx * cy - by * cx;
}

/* True if d lies strictly inside the circle through the counter-clockwise triangle abc. */
static bool in_circle(const nf__mesh *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const int64_t ax = t->x[a] - t->x[d], ay = t->y[a] - t->y[d];
    const int64_t bx = t->x[b] - t->x[d], by = t->y[b] - t->y[d];
    const int64_t cx = t->x[c] - t->x[d], cy = t->y[c] - t->y[d];
    const __int128 sum = (__int128)(ax * ax + ay * ay) * (bx * cy - by * cx)
                         - (__int128)(bx * bx + by * by) * (ax * cy - ay * cx)
                         + (__int128)(cx * cx + cy * cy) * (ax * by - ay * bx);
    return sum > 0;
}

static void splice(nf__mesh *t, uint32_t a, uint32_t b)
{
    const uint32_t an = t->onext[a], bn = t->onext[b];
    t->onext[a] = bn, t->onext[b] = an;
    t->oprev[bn] = a, t->oprev[an] = b;
}

static void push_free(nf__mesh *t, part *p, uint32_t e)
{
    e &= ~1u;
    t->org[e] = t->org[e + 1] = NF_NO_VERTEX;
    t->onext[e] = p->free_head;
    p->free_head = e;
    if (p->free_tail == NO_SLOT)
        p->free_tail = e;
}

static uint32_t make_edge(nf__mesh *t, part *p, uint32_t u, uint32_t v)
{
    const uint32_t e = p->free_head;
    p->free_head = t->onext[e];
    if (p->free_head == NO_SLOT)
        p->free_tail = NO_SLOT;
    t->org[e] = u, t->org[e + 1] = v;
    t->onext[e] = t->oprev[e] = e;
    t->onext[e + 1] = t->oprev[e + 1] = e + 1;
    return e;
}

/* A new edge from the end of a to the start of b, both on the same face. */
static uint32_t connect(nf__mesh *t, part *p, uint32_t a, uint32_t b)
{
    const uint32_t e = make_edge(t, p, dest(t, a), t->org[b]);
    splice(t, e, lnext(t, a));
    splice(t, sym(e), b);
    return e;
}

static void delete_edge(nf__mesh *t, part *p, uint32_t e)
{
    splice(t, e, t->oprev[e]);
    splice(t, sym(e), t->oprev[sym(e)]);
    push_free(t, p, e);
}

static void solve_two_or_three(nf__mesh *t, part *p)
{
    const uint32_t s = p->lo;
    const uint32_t a = make_edge(t, p, s, s + 1);
    if (p->hi - s == 2) {
        p->le = a, p->re = sym(a);
        return;
    }
    const uint32_t b = make_edge(t, p, s + 1, s + 2);
    splice(t, sym(a), b);
    const int64_t turn = area(t, s, s + 1, s + 2);
    p->le = a, p->re = sym(b);
    if (turn != 0) {
        const uint32_t c = connect(t, p, b, a);
        if (turn < 0)
            p->le = sym(c), p->re = c;
    }
}

/* The lower common tangent of two neighbouring parts, as an edge from right to left. */
static uint32_t lower_tangent(nf__mesh *t, part *p, const part *l, const part *r)
{
    uint32_t ldi = l->re, rdi = r->le;
    for (;;) {
        if (area(t, t->org[rdi], t->org[ldi], dest(t, ldi)) > 0)
            ldi = lnext(t, ldi);
        else if (area(t, t->org[ldi], dest(t, rdi), t->org[rdi]) > 0)
            rdi = t->onext[sym(rdi)];
        else
            break;
    }
    const uint32_t base = connect(t, p, sym(rdi), ldi);
    p->le = t->org[ldi] == t->org[l->le] ? sym(base) : l->le;
    p->re = t->org[rdi] == t->org[r->re] ? base : r->re;
    return base;
}

/* True if the end of e lies above the base, on its right side. */
static inline bool above(const nf__mesh *t, uint32_t e, uint32_t base)
{
    return area(t, dest(t, e), dest(t, base), t->org[base]) > 0;
}

/* The next candidate on one side, after deleting the edges whose circle the following one enters. */
static uint32_t candidate(nf__mesh *t, part *p, uint32_t base, bool left)
{
    const uint32_t *const turn = left ? t->onext : t->oprev;
    uint32_t e = turn[left ? sym(base) : base];
    if (!above(t, e, base))
        return e;
    while (in_circle(t, dest(t, base), t->org[base], dest(t, e), dest(t, turn[e]))) {
        const uint32_t next = turn[e];
        delete_edge(t, p, e);
        e = next;
    }
    return e;
}

static void merge(nf__mesh *t, const part *l, const part *r, part *p)
{
    *p = (part){.lo = l->lo, .hi = r->hi, .free_head = l->free_head, .free_tail = r->free_tail};
    if (l->free_head == NO_SLOT)
        p->free_head = r->free_head;
    else
        t->onext[l->free_tail] = r->free_head;
    if (r->free_head == NO_SLOT)
        p->free_tail = l->free_tail;
    uint32_t base = lower_tangent(t, p, l, r);
    for (;;) {
        const uint32_t a = candidate(t, p, base, true), b = candidate(t, p, base, false);
        const bool a_valid = above(t, a, base), b_valid = above(t, b, base);
        if (!a_valid && !b_valid)
            return;
        if (!a_valid || (b_valid && in_circle(t, dest(t, a), t->org[a], t->org[b], dest(t, b))))
            base = connect(t, p, b, sym(base));
        else
            base = connect(t, p, sym(base), sym(a));
    }
}

static void solve(nf__mesh *t, uint32_t lo, uint32_t hi, part *p)
{
    *p = (part){.lo = lo, .hi = hi, .free_head = NO_SLOT, .free_tail = NO_SLOT};
    if (hi - lo <= 3) {
        for (uint32_t e = 3 * hi; e-- > 3 * lo;)
            push_free(t, p, 2 * e);
        if (hi - lo >= 2)
            solve_two_or_three(t, p);
        return;
    }
    part l, r;
    const uint32_t mid = lo + (hi - lo) / 2;
    solve(t, lo, mid, &l);
    solve(t, mid, hi, &r);
    merge(t, &l, &r, p);
}

static nf_status solve_chunks(nf_context *ctx, nf__mesh *t, part *parts, uint64_t count)
{
    for (uint64_t b = 0; b < count; b += CHUNK_BATCH) {
        const nf_status st = nf__progress(ctx, "triangulating", b, count);
        if (st != NF_OK)
            return st;
        const uint64_t end = b + CHUNK_BATCH < count ? b + CHUNK_BATCH : count;
#pragma omp parallel for schedule(dynamic) num_threads(nf__context_threads(ctx))
        for (uint64_t i = b; i < end; i++)
            solve(t, (uint32_t)(t->n * i / count), (uint32_t)(t->n * (i + 1) / count), &parts[i]);
    }
    return NF_OK;
}

static nf_status merge_levels(nf_context *ctx, nf__mesh *t, part *parts, part *next, uint64_t count)
{
    while (count > 1) {
        const nf_status st = nf__poll(ctx);
        if (st != NF_OK)
            return st;
#pragma omp parallel for schedule(dynamic) num_threads(nf__context_threads(ctx))
        for (uint64_t i = 0; i < (count + 1) / 2; i++) {
            if (2 * i + 1 < count)
                merge(t, &parts[2 * i], &parts[2 * i + 1], &next[i]);
            else
                next[i] = parts[2 * i];
        }
        part *const swap = parts;
        parts = next, next = swap;
        count = (count + 1) / 2;
    }
    return NF_OK;
}

nf_status nf__mesh_make(nf_context *ctx, uint32_t n, const int32_t *x, const int32_t *y, nf__mesh *mesh)
{
    nf_status st = NF_OK;
    nf__mem *const mem = nf__context_mem(ctx);
    const uint64_t chunks = n / CHUNK_POINTS + 1, slots = 6 * (uint64_t)n;
    part *parts = NULL, *next = NULL;
    mesh->n = n, mesh->x = x, mesh->y = y;
    NF_TRY_ALLOC(mesh->org, nf__alloc(mem, slots, sizeof *mesh->org));
    NF_TRY_ALLOC(mesh->onext, nf__alloc(mem, slots, sizeof *mesh->onext));
    NF_TRY_ALLOC(mesh->oprev, nf__alloc(mem, slots, sizeof *mesh->oprev));
    NF_TRY_ALLOC(parts, nf__alloc(mem, chunks, sizeof *parts));
    NF_TRY_ALLOC(next, nf__alloc(mem, chunks, sizeof *next));
    NF_TRY(solve_chunks(ctx, mesh, parts, chunks));
    NF_TRY(merge_levels(ctx, mesh, parts, next, chunks));
done:
    nf__free(parts);
    nf__free(next);
    return st;
}

void nf__mesh_free(nf__mesh *mesh)
{
    nf__free(mesh->org);
    nf__free(mesh->onext);
    nf__free(mesh->oprev);
    mesh->org = mesh->onext = mesh->oprev = NULL;
}

uint32_t nf__mesh_apex(const nf__mesh *mesh, uint32_t e)
{
    const uint32_t f = lnext(mesh, e), apex = dest(mesh, f);
    if (dest(mesh, lnext(mesh, f)) != mesh->org[e] || area(mesh, mesh->org[e], dest(mesh, e), apex) <= 0)
        return NF_NO_VERTEX;
    return apex;
}
