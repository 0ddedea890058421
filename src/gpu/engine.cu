/* engine.cu - the parts of engine.cuh that know nothing of steps: knobs, memory, reports. */
#include "gpu/engine.cuh"

#include <stdlib.h>

namespace SIMT_FLAVOUR
{

#define RING_SIZE 4096u /* rounds whose trace is kept: the latest */
#define CHILD_LEAST 32u /* shorter lists are a warp's affair, whatever K2 says */
#define DEGREE_BINS 65536u

const nf_knob_info auto_knobs[AUTO_KNOB_COUNT + 1] = {
    {"switch", "may change method during a run, by what its rounds have counted", NF_KNOB_CHOICE, "off", 0, 0,
     "off on"},
    {"delta", "how far the limit of near vertices moves; 0: 32 mean weight / mean degree", NF_KNOB_REAL, "0", 0, 1e300,
     NULL},
    {"hops", "frontiers in shared memory: rounds of a block between meetings of the grid", NF_KNOB_INT, "8", 1, 1024,
     NULL},
    {"ceiling", "undirected graphs with long lists: sums above a label, chosen by a sample, are not looked up",
     NF_KNOB_CHOICE, "auto", 0, 0, "auto off on"},
    {"mapping", "how arcs are given to threads (L1 to L10)", NF_KNOB_CHOICE, "auto", 0, 0,
     "auto thread virtual-warp:1 virtual-warp:2 virtual-warp:4 virtual-warp:8 virtual-warp:16 virtual-warp:32 "
     "dynamic-virtual-warp dynamic-parallelism cta-warp-scan direct-search warp-search block-search two-phase "
     "multi-phase"},
    {"loop", "who drives the rounds", NF_KNOB_CHOICE, "auto", 0, 0, "auto host persistent"},
    {"duplicates", "policy against duplicates in a frontier", NF_KNOB_CHOICE, "auto", 0, 0,
     "auto none table hash64 atomic64"},
    {"scope", "persistent loop: who works on a round", NF_KNOB_CHOICE, "auto", 0, 0, "auto block cluster grid"},
    {"block-arcs", "persistent loop: frontiers up to so many arcs are one block's", NF_KNOB_INT, "512", 1, 1 << 30,
     NULL},
    {"cluster-arcs", "persistent loop: frontiers up to so many arcs are one cluster's; 0: 2,048 for each of its blocks",
     NF_KNOB_INT, "0", 0, 1 << 30, NULL},
    {"k1", "dynamic-virtual-warp: least width", NF_KNOB_INT, "4", 1, 32, NULL},
    {"k2", "dynamic-parallelism: percent of the vertices, those of highest degree, that go to child kernels",
     NF_KNOB_REAL, "0.15", 0, 100, NULL},
    {"k3", "dynamic-parallelism: arcs of a child's thread", NF_KNOB_INT, "16", 1, 1024, NULL},
    {"cta-th", "cta-warp-scan: longer lists are stripped by the block", NF_KNOB_INT, "512", 1, 65536, NULL},
    {"warp-th", "cta-warp-scan: longer lists are stripped by a warp", NF_KNOB_INT, "32", 1, 65536, NULL},
    {"search", "warp-search: where the ends of 32 lists lie", NF_KNOB_CHOICE, "registers", 0, 0, "registers shared"},
    {"ext", "warp-search in registers: long lists are finished without searching again", NF_KNOB_INT, "1", 0, 1, NULL},
    {"is", "multi-phase: searches of a thread for each chunk", NF_KNOB_INT, "2", 1, 4, NULL},
    {"threads", "threads of a block; 0: as many as there may be", NF_KNOB_INT, "0", 0, 512, NULL},
    {"census", "also count what costs to count: duplicates hash64 missed, blocks' shares of chunks", NF_KNOB_INT, "0",
     0, 1, NULL},
    {"measure", "before the search, time the mapping over all arcs so many times, and tell the log", NF_KNOB_INT, "0",
     0, 16, NULL},
};

static const char *const mapping_names[MAP_COUNT] = {
    "auto",          "thread",        "virtual-warp", "dynamic-virtual-warp", "dynamic-parallelism",
    "cta-warp-scan", "direct-search", "warp-search",  "block-search",         "two-phase",
    "multi-phase"};
static const char *const scope_names[] = {"auto", "block", "cluster", "grid", "host"};

const char *mapping_name(int mapping)
{
    return mapping_names[mapping];
}

/* ---- knobs ------------------------------------------------------------------------------------------------------- */

static const char *knob_text(const engine *e, const char *name)
{
    const nf_algorithm_info *a = &e->run->algorithm->info;
    size_t i = 0;
    for (size_t k = 0; !e->plain && k < a->knob_count; k++)
        if (strcmp(a->knobs[k].name, name) == 0)
            return nf__knob_choice(e->run, name);
    while (strcmp(engine_knobs[i].name, name) != 0)
        i++;
    return engine_knobs[i].default_text;
}

static double knob_number(const engine *e, const char *name)
{
    double x = 0;
    (void)nf__read_real(knob_text(e, name), &x); /* checked by nf__knobs_check */
    return x;
}

static int place_in(const char *const *names, int count, const char *text)
{
    int i = 0;
    while (i + 1 < count && strncmp(names[i], text, strcspn(text, ":")) != 0)
        i++;
    return i;
}

/* The degree above which K2 % of the vertices lie, those of highest degree. O(n). */
static nf_status child_degree(const engine *e, double percent, unsigned *out)
{
    nf_status st = NF_OK;
    const nf_csr *c = &e->run->csr;
    const double share = ceil(percent / 100 * (double)c->n);
    uint64_t above = 0, *bins = NULL;
    unsigned degree = DEGREE_BINS - 1;
    NF_TRY_ALLOC(bins, (uint64_t *)nf__zalloc(nf__context_mem(e->run->ctx), DEGREE_BINS, sizeof *bins));
    for (nf_vid v = 0; v < c->n; v++) {
        const nf_eid d = nf__off(c, v + 1) - nf__off(c, v);
        bins[d < DEGREE_BINS ? d : DEGREE_BINS - 1]++;
    }
    while (degree > CHILD_LEAST && (double)(above + bins[degree]) <= share)
        above += bins[degree--];
    *out = percent > 0 ? degree : UINT32_MAX;
done:
    nf__free(bins);
    return st;
}

/* A thread has AHEAD arcs under way, so a list of mean length wants a quarter of that many threads. H200: one thread is
 * the fastest on meshes and roads (3 arcs), 4 to 8 on a uniform graph of 32. */
static unsigned suitable_width(const nf__run *run)
{
    unsigned width = 1;
    while (width < 32 && (uint64_t)width * 2 * AHEAD * run->csr.n <= run->csr.m)
        width *= 2;
    return width;
}

static nf_status read_tuning(engine *e)
{
    nf_status st = NF_OK;
    nf__run *run = e->run;
    tuning *t = &e->pl.t;
    const char *text = knob_text(e, "mapping");
    t->mapping = place_in(mapping_names, MAP_COUNT, text);
    t->width = strchr(text, ':') != NULL ? (unsigned)atoi(strchr(text, ':') + 1) : suitable_width(run);
    t->least = 1;
    while (t->least * 2 <= (unsigned)knob_number(e, "k1"))
        t->least *= 2;
    t->block_th = (unsigned)knob_number(e, "cta-th");
    t->warp_th = (unsigned)knob_number(e, "warp-th");
    t->in_registers = strcmp(knob_text(e, "search"), "registers") == 0;
    t->extended = knob_number(e, "ext") != 0;
    t->searches = (unsigned)knob_number(e, "is");
    t->child_arcs = (unsigned)knob_number(e, "k3");
    t->degree_most = run->stats.degree_max < UINT32_MAX ? (unsigned)run->stats.degree_max : UINT32_MAX;
    t->degree_mean = run->csr.n != 0 ? (unsigned)((run->csr.m + run->csr.n - 1) / run->csr.n) : 0;
    if (t->mapping == MAP_CHILDREN)
        NF_TRY(child_degree(e, knob_number(e, "k2"), &t->child_degree));
done:
    return st;
}

static nf_status read_knobs(engine *e)
{
    static const char *const policies[] = {"none", "table", "hash64", "atomic64", "auto"};
    nf__run *run = e->run;
    const char *loop = knob_text(e, "loop");
    const nf_status st = read_tuning(e);
    if (st != NF_OK)
        return st;
    e->policy = place_in(policies, 5, knob_text(e, "duplicates"));
    e->pl.scope = place_in(scope_names, 4, knob_text(e, "scope"));
    e->linear = run->problem == NF_BFS && e->policy >= DUP_ATOMIC64 && e->pl.t.mapping != MAP_CHILDREN;
    e->census = knob_number(e, "census") != 0;
    e->pl.block_arcs = (word64)knob_number(e, "block-arcs");
    e->pl.cluster_arcs = (word64)knob_number(e, "cluster-arcs");
    e->loop = strcmp(loop, "host") == 0 || e->pl.t.mapping == MAP_CHILDREN ? LOOP_HOST : LOOP_PERSISTENT;
    if (e->pl.t.mapping == MAP_CHILDREN && strcmp(loop, "persistent") == 0)
        return nf__fail(NF_EUNSUPPORTED, "mapping=dynamic-parallelism needs loop=host: a kernel cannot wait for the "
                                         "kernels it launches");
    return NF_OK;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Bits of slot.tail for arcs (Q3): exact policies take n places and m arcs; others may overshoot by what every resident
 * warp writes at once. */
static nf_status choose_bits(engine *e)
{
    const uint64_t n = e->run->csr.n, m = e->run->csr.m;
    const uint64_t over = e->policy >= DUP_ATOMIC64 ? 0 : (uint64_t)e->d->multiprocessors * 64 * SINK_SLOTS;
    const uint64_t most = (uint64_t)e->run->stats.degree_max;
    const bool wraps = over != 0 && most > UINT64_MAX / 4 / over;
    e->arc_bits = bits_of(m + (wraps ? UINT64_MAX / 4 : over * most));
    if (e->arc_bits + bits_of(n + over) > 64)
        return nf__fail(NF_EUNSUPPORTED,
                        "a graph of %llu vertices and %llu arcs is too large for the frontier engine%s",
                        (unsigned long long)n, (unsigned long long)m,
                        over != 0 ? "; duplicates=atomic64 takes larger ones" : "");
    return NF_OK;
}

static nf_status choose_launch(engine *e)
{
    nf_status st = NF_OK;
    const unsigned asked = (unsigned)knob_number(e, "threads") / 32 * 32;
    int most = 0;
    NF_TRY_CUDA(e->d, cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, e->d->index));
    e->block = most < ENGINE_THREADS ? (unsigned)most / 32 * 32 : (unsigned)ENGINE_THREADS;
    e->block = asked != 0 && asked < e->block ? asked : e->block;
    e->grid = 2 * (unsigned)e->d->multiprocessors;
    NF_TRY(choose_bits(e));
done:
    return st;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static nf_status allocate(engine *e)
{
    nf_status st = NF_OK;
    const uint64_t n = e->run->csr.n;
    const size_t width = e->g->out.off32 != NULL ? 4 : 8;
    for (int k = 0; k < (e->bare ? 0 : e->linear ? 1 : 2); k++) {
        NF_TRY(device_alloc_bytes(e->d, n, sizeof(uint32_t), &e->vertex[k]));
        NF_TRY(device_alloc_bytes(e->d, n, width, &e->scan[k]));
        NF_TRY(device_alloc_bytes(e->d, n, width, &e->shift[k]));
    }
    if (e->linear) {
        e->vertex[1] = e->vertex[0];
        e->scan[1] = e->scan[0];
        e->shift[1] = e->shift[0];
    }
    NF_TRY(device_alloc(e->d, 1, &e->st));
    NF_TRY(device_alloc(e->d, RING_SIZE, &e->ring));
    if (e->policy < DUP_ATOMIC64) {
        NF_TRY(device_alloc(e->d, (n + 31) / 32, &e->bitmap));
        NF_TRY(device_fill_bytes(e->d, e->bitmap, 0, (n + 31) / 32 * 4));
    }
    if (e->policy == DUP_TABLE || e->policy == DUP_HASH64)
        NF_TRY(device_alloc(e->d, n, &e->table));
    if (e->run->target_count != 0) {
        NF_TRY(device_alloc(e->d, e->run->target_count, &e->targets));
        NF_TRY(device_upload(e->d, e->targets, e->run->targets, e->run->target_count * sizeof(uint32_t), NULL));
    }
    e->pl.ring = e->ring;
    e->pl.ring_size = RING_SIZE;
    e->pl.shared = e->d->shared_device;
done:
    return st;
}

static nf_status open_engine(nf__run *run, bool plain, bool bare, engine **out)
{
    nf_status st = NF_OK;
    engine *e = (engine *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof(engine));
    if (e == NULL)
        return NF_ENOMEM;
    *out = e;
    e->run = run;
    e->plain = plain;
    e->bare = bare;
    e->d = (device *)run->device;
    e->g = device_graph_of(run);
    NF_TRY(read_knobs(e));
    NF_TRY(choose_launch(e));
    NF_TRY(allocate(e));
done:
    return st;
}

nf_status engine_open(nf__run *run, engine **out)
{
    return open_engine(run, false, false, out);
}

nf_status engine_open_plain(nf__run *run, engine **out)
{
    return open_engine(run, true, false, out);
}

nf_status engine_open_bare(nf__run *run, engine **out)
{
    return open_engine(run, true, true, out);
}

void engine_close(engine *e)
{
    if (e == NULL)
        return;
    for (int k = 0; k < (e->linear ? 1 : 2); k++) {
        device_free(e->d, e->vertex[k]);
        device_free(e->d, e->scan[k]);
        device_free(e->d, e->shift[k]);
    }
    device_free(e->d, e->st);
    device_free(e->d, e->ring);
    device_free(e->d, e->bitmap);
    device_free(e->d, e->table);
    device_free(e->d, e->sources);
    device_free(e->d, e->targets);
    device_free(e->d, e->far[0]);
    device_free(e->d, e->far[1]);
    nf__free(e);
}

nf_status engine_pile(engine *e)
{
    nf_status st = NF_OK;
    for (int k = 0; k < 2; k++)
        NF_TRY(device_alloc(e->d, e->run->csr.n, &e->far[k]));
done:
    return st;
}

nf_status engine_sources(engine *e, const nf_vid *sources, uint64_t count)
{
    return device_list(e->d, sources, count, &e->sources, &e->source_room);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

unsigned engine_stopped(const engine *e)
{
    return e->last.slots[e->last.round % 3].stop;
}

bool engine_unfinished(const engine *e)
{
    const slot *s = &e->last.slots[e->last.round % 3];
    return (s->kept != 0 || s->spill != NO_SPILL || e->policy == DUP_TABLE ? s->kept : s->tail) != 0;
}

static void report_rounds(const engine *e, const char *what, const trace *ring)
{
    const unsigned rounds = e->last.round, first = rounds > RING_SIZE ? rounds - RING_SIZE : 0;
    for (unsigned i = first; i < rounds; i++) {
        const trace *t = &ring[i % RING_SIZE];
        char pile[32] = "";
        if (t->pile != 0)
            snprintf(pile, sizeof pile, ", pile %u", t->pile);
        nf__log(e->run->ctx, NF_LOG_DEBUG, "%s round %u: frontier %u, arcs %llu, duplicates %u, mapping %s, scope %s%s",
                what, t->round, t->frontier, (unsigned long long)t->arcs, t->again, mapping_names[t->mapping],
                scope_names[t->scope], pile);
    }
}

/* F7 of far.cuh: the first ones. */
static void report_turns(const engine *e, const char *what)
{
    for (unsigned i = 0; i < e->last.turn_count && i < TURN_NOTES; i++) {
        const turn_note *t = &e->last.turns[i];
        nf__log(e->run->ctx, NF_LOG_INFO, "%s turn %u, round %u: %llu %s, %llu arcs so far: %s%d", what, i, t->round,
                (unsigned long long)t->each, t->to == TURN_BACK ? "vertices in a frontier" : "arcs a round",
                (unsigned long long)t->arcs,
                t->to == TURN_BACK   ? "in order again, width x 2^"
                : t->to >= TURN_MOST ? "in no order, width was x 2^"
                                     : "width x 2^",
                t->to == TURN_BACK   ? 0
                : t->to >= TURN_MOST ? TURN_MOST - 1
                                     : t->to);
    }
}

nf_status engine_report(engine *e, const char *what)
{
    nf_status st = NF_OK;
    const state *l = &e->last;
    const slot *s = &l->slots[l->round % 3]; /* of the round that did not come: what the last one found */
    trace *ring = NULL;
    if (!nf__log_wanted(e->run->ctx))
        return NF_OK;
    NF_TRY_ALLOC(ring, host_alloc<trace>(e->d, RING_SIZE));
    NF_TRY(device_download(e->d, ring, e->ring, RING_SIZE * sizeof *ring));
    report_rounds(e, what, ring);
    report_turns(e, what);
    nf__log(e->run->ctx, NF_LOG_DEBUG,
            "%s totals: rounds %u, arcs %llu, duplicates %llu, tested %llu, conflicts %llu, missed %llu, sinks %llu, "
            "children %llu, spills %u, pauses %u, chunks %u to %u, splits %u, gathers %u, heavy %llu, switches %u, "
            "returns %u",
            what, l->round, (unsigned long long)l->arcs, (unsigned long long)(l->again + s->again),
            (unsigned long long)(l->tested + s->tested), (unsigned long long)(l->conflicts + s->conflicts),
            (unsigned long long)(l->missed + s->missed), (unsigned long long)(l->sinks + s->sinks),
            (unsigned long long)(l->children + s->children), l->spills, l->pauses, l->least_work, l->most_work,
            l->phase, l->gathers, (unsigned long long)l->heavy_arcs, l->switches, l->returns);
done:
    nf__free(ring);
    return st;
}

} /* namespace SIMT_FLAVOUR */
