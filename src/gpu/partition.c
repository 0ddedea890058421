/* partition.c - parts of a graph with few arcs between them (partition.h).
 *
 * Method: METIS's multilevel k-way partition (Karypis, Kumar 1998), where the build has it; else parts are grown one
 * after another, breadth first, each from where the one before stopped (Farhat 1988). Both see the structure without
 * directions, weights, loops and parallel arcs.
 * METIS keeps memory by malloc, takes over SIGABRT and SIGTERM for its own jumps while it works, and uses rand. So
 *   P1 one thread of the process is in METIS at a time, and both signals are afterwards what they were;
 *   P2 its memory is held against the limit before: METIS_BYTES. A failed malloc comes back from it as a status, with
 *      which AUTO grows the parts, and says so. So does a SIGTERM that comes from outside while METIS works: it cannot
 *      be told from METIS's own, and ends METIS alone;
 *   P3 it is not asked for parts so small that it would print.
 * Cost: O(n + m) host memory: 8 (n + arcs) bytes for the structure, 24 n for parts, and METIS's own.
 */
#include "gpu/partition.h"

#ifndef NF_HAS_METIS
#define NF_HAS_METIS 0
#endif
#if NF_HAS_METIS
#include <metis.h>
#include <signal.h>
#endif

const nf_knob_info nf__partition_knobs[NF__PARTITION_KNOB_COUNT] = {
    {"parts", "how many; 0: from the number of vertices, and one where borders are large", NF_KNOB_INT, "0", 0, 1e9,
     NULL},
    {"partition", "who cuts the graph: METIS, or parts that grow one after another; auto: METIS if the build has it",
     NF_KNOB_CHOICE, "auto", 0, 0, NF_HAS_METIS ? "auto metis grow" : "auto grow"},
};

#define POLL_EACH 65536u
#define NONE UINT32_MAX

/* Neighbours without directions. */
typedef struct structure {
    nf_vid n;
    uint64_t *off; /* n + 1 */
    nf_vid *adj;
} structure;

static void structure_free(structure *s)
{
    nf__free(s->off);
    nf__free(s->adj);
}

/* Counts each arc at its ends, or lists it there from off[] on. */
static nf_status pass_arcs(nf_context *ctx, const nf_csr *c, bool directed, uint64_t *off, nf_vid *adj)
{
    for (nf_vid u = 0; u < c->n; u++) {
        if (u % POLL_EACH == 0 && nf__poll(ctx) != NF_OK)
            return NF_ECANCELLED;
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++) {
            const nf_vid v = c->adj[e];
            if (v == u)
                continue;
            if (adj != NULL)
                adj[off[u]] = v;
            off[u]++;
            if (directed && adj != NULL)
                adj[off[v]] = u;
            off[v] += directed;
        }
    }
    return NF_OK;
}

/* Each neighbour once; `seen`: n places. */
static void drop_parallel(structure *s, nf_vid *seen)
{
    uint64_t to = 0;
    for (nf_vid u = 0; u < s->n; u++)
        seen[u] = NONE;
    for (nf_vid u = 0; u < s->n; u++) {
        const uint64_t first = s->off[u], last = s->off[u + 1];
        s->off[u] = to;
        for (uint64_t i = first; i < last; i++)
            if (seen[s->adj[i]] != u) {
                seen[s->adj[i]] = u;
                s->adj[to++] = s->adj[i];
            }
    }
    s->off[s->n] = to;
}

static nf_status structure_make(nf_context *ctx, const nf_csr *c, bool directed, nf_vid *seen, structure *s)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    uint64_t sum = 0;
    s->n = c->n;
    NF_TRY_ALLOC(s->off, nf__zalloc(mem, (uint64_t)c->n + 1, sizeof *s->off));
    NF_TRY(pass_arcs(ctx, c, directed, s->off, NULL));
    for (nf_vid v = 0; v <= c->n; v++) {
        const uint64_t degree = v < c->n ? s->off[v] : 0;
        s->off[v] = sum;
        sum += degree;
    }
    NF_TRY_ALLOC(s->adj, nf__alloc(mem, sum, sizeof *s->adj));
    NF_TRY(pass_arcs(ctx, c, directed, s->off, s->adj));
    memmove(s->off + 1, s->off, c->n * sizeof *s->off); /* each has come to the next one's first */
    s->off[0] = 0;
    drop_parallel(s, seen);
done:
    return st;
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

/* queue, seen: n places each. */
static void grow(const structure *s, uint32_t parts, uint32_t *part, nf_vid *queue, nf_vid *seen)
{
    nf_vid next = 0, seed = NONE;
    for (nf_vid v = 0; v < s->n; v++)
        part[v] = seen[v] = NONE;
    for (uint32_t p = 0; p < parts; p++) {
        const uint64_t last = (uint64_t)s->n * (p + 1) / parts, first = (uint64_t)s->n * p / parts;
        nf_vid head = 0, tail = 0;
        if (seed != NONE)
            queue[tail++] = seed, seen[seed] = p;
        for (uint64_t some = first; some < last; some++) {
            if (head == tail) { /* nothing left to grow to */
                while (part[next] != NONE)
                    next++;
                queue[tail++] = next;
                seen[next] = p;
            }
            const nf_vid u = queue[head++];
            part[u] = p;
            for (uint64_t i = s->off[u]; i < s->off[u + 1]; i++) {
                const nf_vid v = s->adj[i];
                if (part[v] == NONE && seen[v] != p)
                    queue[tail++] = v, seen[v] = p;
            }
        }
        seed = head < tail ? queue[head] : NONE;
    }
}

/* ---- METIS ------------------------------------------------------------------------------------------------------- */

#if NF_HAS_METIS

#define SMALL_PART 16u /* P3 */

/* P2: grids, rings with chords and stars of 3,600 to 90,000 vertices in 4 to 5,000 parts took 0.5 to 0.95 of it. */
#define METIS_BYTES(n, arcs, parts) ((n)*96 + (arcs)*32 + (parts)*2048)

static pthread_mutex_t in_metis = PTHREAD_MUTEX_INITIALIZER; /* P1: what METIS changes is the process's, too */

const char *nf__partition_library(void)
{
#define TEXT(x) #x
#define DOTTED(a, b, c) "METIS " TEXT(a) "." TEXT(b) "." TEXT(c)
    return DOTTED(METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR);
}

/* Does METIS count so far, and is it made for such parts? */
static bool metis_can(const structure *s, uint32_t parts)
{
    return s->off[s->n] < INT32_MAX && s->n < INT32_MAX && parts > 1 && s->n / parts >= SMALL_PART;
}

static int call_metis(idx_t *n, idx_t *off, idx_t *adj, idx_t parts, idx_t *part)
{
    idx_t options[METIS_NOPTIONS], balances = 1, cut = 0;
    struct sigaction abort_was, term_was;
    (void)METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    (void)pthread_mutex_lock(&in_metis);
    (void)sigaction(SIGABRT, NULL, &abort_was);
    (void)sigaction(SIGTERM, NULL, &term_was);
    const int how =
        METIS_PartGraphKway(n, &balances, off, adj, NULL, NULL, NULL, &parts, NULL, NULL, options, &cut, part);
    (void)sigaction(SIGABRT, &abort_was, NULL);
    (void)sigaction(SIGTERM, &term_was, NULL);
    (void)pthread_mutex_unlock(&in_metis);
    return how;
}

static nf_status ask_metis(nf_context *ctx, const structure *s, uint32_t parts, uint32_t *part)
{
    nf_status st = NF_OK;
    const uint64_t arcs = s->off[s->n];
    idx_t n = (idx_t)s->n, *off = NULL;
    int how;
    NF_TRY(nf__mem_foresee(nf__context_mem(ctx), METIS_BYTES((uint64_t)s->n, arcs, (uint64_t)parts), "METIS"));
    NF_TRY_ALLOC(off, nf__alloc(nf__context_mem(ctx), (uint64_t)s->n + 1, sizeof *off));
    for (nf_vid v = 0; v <= s->n; v++)
        off[v] = (idx_t)s->off[v];
    how = call_metis(&n, off, (idx_t *)s->adj, (idx_t)parts, (idx_t *)part);
    if (how == METIS_ERROR_MEMORY)
        NF_TRY(nf__fail(NF_ENOMEM, "METIS has no memory for %u vertices", s->n));
    if (how != METIS_OK)
        NF_TRY(nf__fail(NF_EINTERNAL, "METIS ended with status %d", how));
done:
    nf__free(off);
    return st;
}

#else

const char *nf__partition_library(void)
{
    return "";
}

static bool metis_can(const structure *s, uint32_t parts)
{
    (void)s, (void)parts;
    return false;
}

static nf_status ask_metis(nf_context *ctx, const structure *s, uint32_t parts, uint32_t *part)
{
    (void)ctx, (void)s, (void)parts, (void)part;
    return nf__fail(NF_EUNSUPPORTED, "this build has no METIS");
}

#endif

/* ---- the border -------------------------------------------------------------------------------------------------- */

/* Numbers the parts that have vertices 0, 1, ...; `number`: `parts` places. */
static void drop_empty(nf__partition *p, uint32_t parts, uint32_t *number)
{
    for (uint32_t i = 0; i < parts; i++)
        number[i] = NONE;
    p->parts = 0;
    for (nf_vid v = 0; v < p->n; v++) {
        uint32_t *mine = &number[p->part[v]];
        if (*mine == NONE)
            *mine = p->parts++;
        p->part[v] = *mine;
    }
}

/* at_border: n marks. */
static nf_status find_border(nf_context *ctx, const nf_csr *c, nf__partition *p, uint8_t *at_border)
{
    for (nf_vid u = 0; u < c->n; u++) {
        if (u % POLL_EACH == 0 && nf__poll(ctx) != NF_OK)
            return NF_ECANCELLED;
        for (nf_eid e = nf__off(c, u); e < nf__off(c, u + 1); e++)
            if (p->part[c->adj[e]] != p->part[u])
                at_border[u] = at_border[c->adj[e]] = 1;
    }
    for (nf_vid v = 0; v < p->n; v++)
        if (at_border[v] != 0)
            p->place[v] = p->border_of[p->part[v]]++;
    for (uint32_t i = 0; i < p->parts; i++) {
        p->size[i] = p->border_of[i];
        p->border += p->border_of[i];
    }
    for (nf_vid v = 0; v < p->n; v++)
        if (at_border[v] == 0)
            p->place[v] = p->size[p->part[v]]++;
    for (uint32_t i = 0; i < p->parts; i++)
        p->largest = p->size[i] > p->largest ? p->size[i] : p->largest;
    return NF_OK;
}

static nf_status divide(nf_context *ctx, const nf_csr *csr, bool directed, uint32_t parts, nf__partitioner how,
                        nf__partition *p, uint32_t *work)
{
    nf_status st = NF_OK;
    structure s = {0};
    if (parts == 1) {
        memset(p->part, 0, p->n * sizeof *p->part);
        return NF_OK;
    }
    NF_TRY(structure_make(ctx, csr, directed, p->place, &s));
    if (how != NF__PARTITION_GROW && metis_can(&s, parts)) {
        st = ask_metis(ctx, &s, parts, p->part);
        p->by_metis = st == NF_OK;
        if (st != NF_OK && how == NF__PARTITION_METIS)
            goto done;
        if (st != NF_OK)
            nf__log(ctx, NF_LOG_WARNING, "parts are grown: %s", nf_last_error());
        st = NF_OK;
    }
    if (!p->by_metis)
        grow(&s, parts, p->part, work, p->place);
done:
    structure_free(&s);
    return st;
}

nf_status nf__partition_make(nf_context *ctx, const nf_csr *csr, bool directed, uint32_t parts, nf__partitioner how,
                             nf__partition *p)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    uint32_t *work = NULL;
    uint8_t *at_border = NULL;
    memset(p, 0, sizeof *p);
    p->n = csr->n;
    NF_TRY_ALLOC(p->part, nf__alloc(mem, p->n, sizeof *p->part));
    NF_TRY_ALLOC(p->place, nf__alloc(mem, p->n, sizeof *p->place));
    NF_TRY_ALLOC(work, nf__alloc(mem, p->n, sizeof *work));
    NF_TRY(divide(ctx, csr, directed, parts, how, p, work));
    drop_empty(p, parts, work);
    NF_TRY_ALLOC(p->size, nf__zalloc(mem, p->parts, sizeof *p->size));
    NF_TRY_ALLOC(p->border_of, nf__zalloc(mem, p->parts, sizeof *p->border_of));
    NF_TRY_ALLOC(at_border, nf__zalloc(mem, p->n, sizeof *at_border));
    NF_TRY(find_border(ctx, csr, p, at_border));
done:
    nf__free(work);
    nf__free(at_border);
    if (st != NF_OK)
        nf__partition_free(p);
    return st;
}

void nf__partition_free(nf__partition *p)
{
    nf__free(p->part);
    nf__free(p->place);
    nf__free(p->size);
    nf__free(p->border_of);
    memset(p, 0, sizeof *p);
}
