/* levels.cu - the host's half of levels.cuh: memory, sources, results, reports. */
#include "gpu/levels.cuh"

#include "gpu/cutoff.h"

#include <assert.h>

namespace SIMT_FLAVOUR
{

/* The sources, each once. One block. */
static __global__ void start_kernel(const level_search s, const uint32_t *sources, uint64_t count)
{
    level_slot *first = level_slot_of(s, 0);
    for (uint64_t base = simt_warp() * 32; base < count; base += blockDim.x) {
        const uint64_t i = base + simt_lane();
        const uint32_t v = i < count ? sources[i] : 0;
        const bool mine = i < count && atomicCAS(&s.hop[v], UNSEEN, 0u) == UNSEEN;
        unsigned total, start = 0;
        const unsigned before = warp_rank(mine, &total);
        if (mine && s.parent != NULL)
            s.parent[v] = v;
        if (simt_lane() == 0 && total != 0)
            start = atomicAdd(&first->found, total);
        start = __shfl_sync(WARP_ALL, start, 0);
        if (mine && s.first != NULL)
            s.first[start + before] = v;
    }
}

static __global__ void rename_kernel(uint32_t *vertices, uint64_t count, const uint32_t *rank)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        vertices[i] = rank[vertices[i]];
}

static nf_status rename_all(levels *l, uint32_t *vertices, uint64_t count)
{
    nf_status st = NF_OK;
    if (l->rank != NULL && count != 0)
        NF_TRY_CUDA(l->d, SIMT_LAUNCH(rename_kernel, device_grid(count, l->block, 1), l->block, 0, l->d->stream,
                                      vertices, count, l->rank));
done:
    return st;
}

nf_status levels_relabel(levels *l, const device_relabelled *r)
{
    l->s.out = r->out;
    l->s.in = r->in;
    l->rank = r->rank;
    return rename_all(l, l->targets, l->run->target_count);
}

/* n words that are UNSEEN, but for one. The array is aligned to 16 bytes. */
static __device__ __forceinline__ void fill_unseen(uint32_t *to, uint64_t n, uint32_t except, uint32_t value)
{
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (uint64_t)gridDim.x * blockDim.x;
    const uint4 none = {UNSEEN, UNSEEN, UNSEEN, UNSEEN};
    for (uint64_t i = first; i < n / 4; i += step) {
        reinterpret_cast<uint4 *>(to)[i] = none;
        if (i == except / 4)
            to[except] = value;
    }
    if (first < n % 4)
        to[n / 4 * 4 + first] = n / 4 * 4 + first == except ? value : UNSEEN;
}

/* All that a search from one source begins with, in one launch: of memory it takes less time than launches do. */
static __global__ void fresh_kernel(const level_search s, uint32_t vertex, const uint32_t *rank, uint32_t *zero,
                                    uint64_t zeros)
{
    const uint32_t source = rank != NULL ? rank[vertex] : vertex;
    fill_unseen(s.hop, s.out.n, source, 0);
    if (s.parent != NULL)
        fill_unseen(s.parent, s.out.n, source, source);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < zeros; i += (uint64_t)gridDim.x * blockDim.x)
        zero[i] = 0;
    if (blockIdx.x != 0)
        return;
    for (unsigned i = threadIdx.x; i < sizeof(level_state) / 4; i += blockDim.x)
        reinterpret_cast<uint32_t *>(s.st)[i] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        s.st->slots[0].found = 1;
        if (s.first != NULL)
            s.first[0] = source;
    }
}

nf_status levels_alloc_bytes(levels *l, uint64_t count, size_t size, void **out)
{
    nf_status st = NF_OK;
    assert(l->array_count < LEVEL_ARRAYS);
    NF_TRY(device_alloc_bytes(l->d, count, size, out));
    l->arrays[l->array_count++] = *out;
done:
    return st;
}

/* L6: n at most. */
static unsigned levels_wanted(const nf__run *run)
{
    const int64_t n = run->csr.n, most = n < INT32_MAX ? n : INT32_MAX;
    return levels_allowed(run, most);
}

unsigned levels_mean_width(const nf__run *run)
{
    unsigned width = 1;
    while (width < 32 && (uint64_t)width * 2 * run->csr.n <= run->csr.m)
        width *= 2;
    return width;
}

static nf_status allocate(levels *l, uint64_t rows)
{
    nf_status st = NF_OK;
    const nf__run *run = l->run;
    int most = 0;
    NF_TRY_CUDA(l->d, cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, l->d->index));
    l->block = most < LEVEL_THREADS ? (unsigned)most / 32 * 32 : (unsigned)LEVEL_THREADS;
    NF_TRY(levels_alloc(l, rows * run->csr.n, &l->hop));
    if (run->want_parents || run->nearest)
        NF_TRY(levels_alloc(l, rows * run->csr.n, &l->parent));
    NF_TRY(levels_alloc(l, 1, &l->s.st));
    NF_TRY(levels_alloc(l, LEVEL_RING, &l->s.ring));
    if (run->target_count != 0) {
        NF_TRY(levels_alloc(l, run->target_count, &l->targets));
        NF_TRY(device_upload(l->d, l->targets, run->targets, run->target_count * sizeof(uint32_t), NULL));
    }
done:
    return st;
}

nf_status levels_open_rows(nf__run *run, unsigned parts, unsigned parts_in, uint64_t rows, levels **out)
{
    nf_status st = NF_OK;
    const device_graph *g = NULL;
    levels *l = NULL;
    NF_TRY_ALLOC(l, (levels *)nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *l));
    run->scratch = *out = l;
    l->run = run;
    l->d = (device *)run->device;
    NF_TRY(device_graph_need(run, parts));
    if (parts_in != 0)
        NF_TRY(device_graph_need(run, parts_in | GRAPH_IN));
    NF_TRY(allocate(l, rows));
    g = device_graph_of(run);
    l->s.out = g->out;
    l->s.in = g->symmetric ? g->out : g->in;
    l->s.src = g->sources;
    l->s.hop = l->hop;
    l->s.targets = l->targets;
    l->s.target_count = (unsigned)run->target_count;
    l->s.shared = l->d->shared_device;
    l->s.most = levels_wanted(run);
    l->s.least = run->deterministic;
done:
    return st;
}

nf_status levels_open(nf__run *run, unsigned parts, unsigned parts_in, levels **out)
{
    return levels_open_rows(run, parts, parts_in, 1, out);
}

void levels_end(nf__run *run)
{
    levels *l = (levels *)run->scratch;
    if (l == NULL)
        return;
    for (unsigned i = 0; i < l->array_count; i++)
        device_free(l->d, l->arrays[i]);
    device_free(l->d, l->sources);
    nf__free(l->own);
    nf__free(l);
    run->scratch = NULL;
}

nf_status levels_sources(levels *l, const nf_vid *sources, uint64_t count)
{
    nf_status st = NF_OK;
    NF_TRY(device_list(l->d, sources, count, &l->sources, &l->source_room));
    NF_TRY(rename_all(l, l->sources, count));
done:
    return st;
}

nf_status levels_clear(levels *l, bool parents, uint64_t rows)
{
    nf_status st = NF_OK;
    const uint64_t bytes = rows * l->run->csr.n * sizeof(uint32_t);
    l->s.parent = parents ? l->parent : NULL;
    NF_TRY(device_start(l->run));
    NF_TRY(device_fill_bytes(l->d, l->hop, 0xff, bytes));
    if (parents)
        NF_TRY(device_fill_bytes(l->d, l->parent, 0xff, bytes));
    NF_TRY(device_fill_bytes(l->d, l->s.st, 0, sizeof *l->s.st));
done:
    return st;
}

nf_status levels_start(levels *l, const nf__row *row)
{
    nf_status st = NF_OK;
    const uint64_t count = row->source_count, n = l->run->csr.n;
    if (count == 1) {
        const unsigned wanted = device_grid(n, l->block, 16), most = (unsigned)l->d->multiprocessors * 4;
        l->s.parent = row->parent != NULL ? l->parent : NULL;
        NF_TRY(device_start(l->run));
        NF_TRY_CUDA(l->d, SIMT_LAUNCH(fresh_kernel, wanted < most ? wanted : most, levels_block(l, n), 0, l->d->stream,
                                      l->s, row->sources[0], l->rank, l->zero, l->zeros));
        return NF_OK;
    }
    NF_TRY(levels_sources(l, row->sources, count));
    NF_TRY(levels_clear(l, row->parent != NULL, 1));
    if (l->zeros != 0)
        NF_TRY(device_fill_bytes(l->d, l->zero, 0, l->zeros * sizeof *l->zero));
    NF_TRY_CUDA(l->d, SIMT_LAUNCH(start_kernel, 1, levels_block(l, count), 0, l->d->stream, l->s, l->sources, count));
done:
    return st;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static void say_counts(const level_words *words, const word64 *count, char *text, size_t room)
{
    size_t at = 0;
    text[0] = '\0';
    for (int k = COUNT_FOURTH; k < COUNT_KINDS; k++)
        if (words->count[k] != NULL && at < room)
            at += (size_t)snprintf(text + at, room - at, ", %s %llu", words->count[k], count[k]);
}

nf_status levels_report(levels *l, const level_state *end, const level_words *words)
{
    nf_status st = NF_OK;
    const unsigned first = end->level > LEVEL_RING ? end->level - LEVEL_RING : 0;
    const char *const what = nf_problem_name(l->run->problem);
    level_trace *ring = NULL;
    char more[200];
    if (!nf__log_wanted(l->run->ctx))
        return NF_OK;
    NF_TRY_ALLOC(ring, host_alloc<level_trace>(l->d, LEVEL_RING));
    NF_TRY(device_download(l->d, ring, l->s.ring, LEVEL_RING * sizeof *ring));
    for (unsigned i = words->way[0] != NULL ? first : end->level; i < end->level; i++) {
        const level_trace *t = &ring[i % LEVEL_RING];
        const word64 before = i == first ? t->ended : ring[(i - 1) % LEVEL_RING].ended;
        say_counts(words, t->count, more, sizeof more);
        nf__log(l->run->ctx, NF_LOG_DEBUG, "%s level %u: frontier %llu, arcs %llu, checked %llu%s, us %.1f, way %s",
                what, t->level, t->count[COUNT_FRONTIER], t->count[COUNT_ARCS], t->count[COUNT_CHECKED], more,
                (double)(t->ended - before) / 1000, words->way[t->way]);
    }
    say_counts(words, end->total, more, sizeof more);
    nf__log(l->run->ctx, NF_LOG_DEBUG, "%s totals: levels %u, frontier %llu, arcs %llu, checked %llu%s", what,
            end->level, end->total[COUNT_FRONTIER], end->total[COUNT_ARCS], end->total[COUNT_CHECKED], more);
done:
    nf__free(ring);
    return st;
}

nf_status levels_check(const levels *l, unsigned level, uint64_t found)
{
    if (level == INT32_MAX && found != 0)
        return nf__fail(NF_EOVERFLOW, "more than 2^31 - 1 hops");
    if (level >= l->run->csr.n && found != 0)
        return nf__fail(NF_EINTERNAL, "a search found vertices in more levels than there are vertices");
    return NF_OK;
}

nf_status levels_download(levels *l, nf__row *row, const uint32_t *hop, const uint32_t *parent)
{
    nf_status st = NF_OK;
    const uint64_t bytes = l->run->csr.n * sizeof(uint32_t);
    NF_TRY(device_results(l->run, row->dist, hop, bytes));
    if (row->parent != NULL)
        NF_TRY(device_results(l->run, row->parent, parent, bytes));
done:
    return st;
}

nf_status levels_results(levels *l, nf__row *row, unsigned level, uint64_t found)
{
    const nf_status st = levels_check(l, level, found);
    return st != NF_OK ? st : levels_download(l, row, l->hop, l->parent);
}

nf_status levels_wait(levels *l, const level_words *words, level_state *end)
{
    nf_status st = NF_OK;
    NF_TRY(device_finish(l->d, "bfs", 0));
    NF_TRY(device_download(l->d, end, l->s.st, sizeof *end));
    NF_TRY(levels_report(l, end, words));
done:
    return st;
}

nf_status levels_finish(levels *l, nf__row *row, const level_words *words)
{
    nf_status st = NF_OK;
    level_state end;
    NF_TRY(levels_wait(l, words, &end));
    row->iterations = end.level;
    row->edges_relaxed = end.total[COUNT_ARCS];
    NF_TRY(levels_results(l, row, end.level, end.slots[end.level % 3].found));
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
