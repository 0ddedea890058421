/* bfs_bits.c - breadth-first search from 64 to 512 sources at once, one bit each.
 *
 * Method: Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014 (MS-BFS). Every vertex
 * has a word (or 2, 4, 8) of bits in `seen`, `front` and `next`; bit i belongs to source i of the batch, so one look at
 * an arc serves them all. Levels go top-down from a list of active vertices, or bottom-up when these have many arcs: a
 * vertex then gathers from its incoming arcs until no bit is missing. Hops are kept in binary, one bit plane a digit,
 * as `new` bits are added to the planes of the digits of their level; at the end 64 x 64 blocks of bits are turned over
 * (Warren, "Hacker's Delight", 7-3) and each row is read off.
 * Parents are not kept during the search: they are pulled from the finished hops, row by row.
 * One row, or nearest-source, is left to the direction-optimizing search: there is nothing to share.
 * Invariants
 *   M1 bit i of seen[v] is set exactly if hop_i(v) <= level; then the planes hold hop_i(v) in binary, else zeros;
 *   M2 between levels front[v] is zero but for active vertices, next is zero everywhere, marks are clear;
 *   M3 live holds the bits that some active vertex has; no others can be new in a level, so none else is waited for;
 *   M4 top-down, next[v] gets bits by atomic or, and who claims the mark of v lists it; bottom-up, only the thread that
 *      has v writes to v.
 * Cost: O(n + m) time a level at worst, O((n + m) levels / 64) a source and word; memory for W words a vertex and hops
 * of d binary digits: (8 W (3 + d) + 8.125) n bytes, and the transpose of directed graphs.
 */
#include <omp.h>

#include "cpu/bfs.h"
#include "cpu/bitmap.h"
#include "cpu/cpu.h"

#define MOST_WORDS 8u
#define MOST_DIGITS 31u
#define USUAL_DIGITS 4u /* of hops on graphs where this pays */
#define BLOCK 1024u     /* vertices a thread takes at a time */
#define LOCAL 1024u     /* active vertices noted before they are copied to the list */
/* Bottom-up when the active vertices have more than a fourth of all arcs: gathering stops early only then. */
#define PULL_SHARE 4u

typedef struct batch {
    nf_csr in;
    uint64_t padded; /* n rounded up to 64 */
    unsigned words;
    uint64_t full[MOST_WORDS];  /* the bits in use */
    uint64_t live[MOST_WORDS];  /* those that some active vertex has: the only ones a level can bring */
    uint64_t fresh[MOST_WORDS]; /* the live ones of the level being made */
    uint64_t *seen, *front, *next;
    uint64_t *plane[MOST_DIGITS];
    unsigned digits; /* planes that are allocated; those of this batch: */
    unsigned used;
    nf_vid *active, *found; /* n each */
    uint64_t active_count, found_count;
    uint64_t *mark;
    uint64_t level, arcs;
    int stop;
    uint64_t spread[256];
} batch;

static bool shared_pays(const nf__run *run)
{
    return run->rows > 1 && !run->nearest;
}

/* ---- scratch ----------------------------------------------------------------------------------------------------- */

uint64_t nf__bfs_bits_bytes(const nf__run *run, unsigned words)
{
    return (uint64_t)run->csr.n * (8 * words * (3 + USUAL_DIGITS) + 9);
}

/* Enough for the rows; no more than the knob says or, when it says nothing, than there is memory to spare. */
static unsigned words_for(const nf__run *run)
{
    const uint64_t width = (uint64_t)nf__knob_number(run, "width"), most = width == 0 ? MOST_WORDS : width / 64;
    unsigned words = 1;
    while (words * 2 <= most && (uint64_t)words * 64 < run->rows
           && (width != 0 || nf__bfs_bits_bytes(run, words * 2) <= nf__cpu_spare_bytes(run)))
        words *= 2;
    return words;
}

/* Bit j of a byte becomes byte j, 0 or 1. */
static void make_spread(uint64_t spread[256])
{
    for (unsigned x = 0; x < 256; x++) {
        spread[x] = 0;
        for (unsigned j = 0; j < 8; j++)
            spread[x] |= (uint64_t)(x >> j & 1) << 8 * j;
    }
}

static nf_status begin_bits(nf__run *run)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(run->ctx);
    batch *b = NULL;
    if (!shared_pays(run))
        return nf__bfs_direction_begin(run);
    NF_TRY_ALLOC(b, nf__zalloc(mem, 1, sizeof *b));
    run->scratch = b;
    b->words = words_for(run);
    make_spread(b->spread);
    b->padded = nf__bits_words(run->csr.n) * 64;
    NF_TRY_ALLOC(b->seen, nf__alloc(mem, b->padded, b->words * sizeof(uint64_t)));
    NF_TRY_ALLOC(b->front, nf__alloc(mem, b->padded, b->words * sizeof(uint64_t)));
    NF_TRY_ALLOC(b->next, nf__alloc(mem, b->padded, b->words * sizeof(uint64_t)));
    NF_TRY_ALLOC(b->active, nf__alloc(mem, run->csr.n, sizeof(nf_vid)));
    NF_TRY_ALLOC(b->found, nf__alloc(mem, run->csr.n, sizeof(nf_vid)));
    NF_TRY_ALLOC(b->mark, nf__zalloc(mem, b->padded / 64, sizeof(uint64_t)));
    NF_TRY(nf_graph_transpose_view(run->ctx, run->graph, &b->in));
done:
    return st;
}

static void end_bits(nf__run *run)
{
    batch *b = run->scratch;
    if (!shared_pays(run)) {
        nf__bfs_direction_end(run);
        return;
    }
    if (b == NULL)
        return;
    nf__free(b->seen);
    nf__free(b->front);
    nf__free(b->next);
    nf__free(b->active);
    nf__free(b->found);
    nf__free(b->mark);
    for (unsigned k = 0; k < b->digits; k++)
        nf__free(b->plane[k]);
    nf__free(b);
}

static void clear(const nf__run *run, const batch *b, uint64_t *words)
{
    const int threads = nf__team_for(run->ctx, b->padded * b->words);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (uint64_t v = 0; v < b->padded; v += 64)
        memset(words + v * b->words, 0, 64 * b->words * sizeof *words);
}

/* The planes that the digits of `level` need. */
static nf_status need_planes(nf__run *run, batch *b, uint64_t level)
{
    nf_status st = NF_OK;
    for (; level >> b->used != 0; b->used++) {
        if (b->used == MOST_DIGITS)
            NF_TRY(nf__fail(NF_EOVERFLOW, "more than 2^31 - 1 hops"));
        if (b->used == b->digits) {
            NF_TRY_ALLOC(b->plane[b->digits],
                         nf__alloc(nf__context_mem(run->ctx), b->padded, b->words * sizeof(uint64_t)));
            b->digits++;
        }
        clear(run, b, b->plane[b->used]);
    }
done:
    return st;
}

/* ---- steps over vertices ----------------------------------------------------------------------------------------- */

/* A thread's finds on their way to the list. */
typedef struct finds {
    nf_vid item[LOCAL];
    unsigned count;
    uint64_t arcs, live[MOST_WORDS];
} finds;

static void flush(batch *b, finds *mine)
{
    const uint64_t at = __atomic_fetch_add(&b->found_count, mine->count, __ATOMIC_RELAXED);
    memcpy(b->found + at, mine->item, mine->count * sizeof(nf_vid));
    mine->count = 0;
}

static void note(batch *b, finds *mine, nf_vid v)
{
    mine->item[mine->count++] = v;
    if (mine->count == LOCAL)
        flush(b, mine);
}

/* Top-down: the bits of u go to the targets that miss some (M4). */
static inline __attribute__((always_inline)) void push(batch *b, const nf_csr *out, nf_vid u, finds *mine,
                                                       const unsigned words)
{
    const uint64_t *const from = b->front + (uint64_t)u * words;
    const nf_eid begin = nf__off(out, u), end = nf__off(out, u + 1);
    mine->arcs += end - begin;
    for (nf_eid e = begin; e < end; e++) {
        const nf_vid v = out->adj[e];
        const uint64_t *const seen = b->seen + (uint64_t)v * words;
        uint64_t *const to = b->next + (uint64_t)v * words;
        bool any = false;
        for (unsigned k = 0; k < words; k++) {
            const uint64_t bits = from[k] & ~seen[k];
            if ((bits & ~__atomic_load_n(&to[k], __ATOMIC_RELAXED)) == 0)
                continue;
            __atomic_fetch_or(&to[k], bits, __ATOMIC_RELAXED);
            any = true;
        }
        if (any && nf__bit_claim(b->mark, v))
            note(b, mine, v);
    }
}

/* Bits that were new at v in this level become seen and get their hop (M1). */
static inline __attribute__((always_inline)) void settle(batch *b, nf_vid v, finds *mine, const unsigned words)
{
    const uint64_t at = (uint64_t)v * words;
    for (unsigned k = 0; k < words; k++) {
        b->seen[at + k] |= b->next[at + k];
        mine->live[k] |= b->next[at + k];
    }
    for (unsigned p = 0; p < b->used; p++)
        for (unsigned k = 0; (b->level >> p & 1) != 0 && k < words; k++)
            b->plane[p][at + k] |= b->next[at + k];
}

/* Bottom-up: v gathers what it misses. */
static inline __attribute__((always_inline)) void gather(batch *b, nf_vid v, finds *mine, const unsigned words)
{
    const uint64_t at = (uint64_t)v * words;
    const nf_eid begin = nf__off(&b->in, v), end = nf__off(&b->in, v + 1);
    uint64_t got[MOST_WORDS] = {0}, missing = 0, any = 0;
    for (unsigned k = 0; k < words; k++)
        missing |= b->live[k] & ~b->seen[at + k];
    nf_eid e = begin;
    while (missing != 0 && e < end) {
        const uint64_t *const from = b->front + (uint64_t)b->in.adj[e++] * words;
        missing = 0;
        for (unsigned k = 0; k < words; k++) {
            got[k] |= from[k];
            missing |= b->live[k] & ~(b->seen[at + k] | got[k]);
        }
    }
    mine->arcs += e - begin;
    for (unsigned k = 0; k < words; k++) {
        got[k] &= ~b->seen[at + k];
        any |= got[k];
    }
    if (any == 0)
        return;
    for (unsigned k = 0; k < words; k++)
        b->next[at + k] = got[k];
    settle(b, v, mine, words);
    note(b, mine, v);
}

typedef enum step { STEP_PUSH, STEP_SETTLE, STEP_GATHER, STEP_FORGET } step;

/* One step for the items [from, to) of its list: the active, the found, or all vertices. */
static inline __attribute__((always_inline)) void step_items(batch *b, const nf_csr *out, step what, uint64_t from,
                                                             uint64_t to, finds *mine, const unsigned words)
{
    for (uint64_t i = from; i < to; i++)
        switch (what) {
        case STEP_PUSH: push(b, out, b->active[i], mine, words); break;
        case STEP_GATHER: gather(b, (nf_vid)i, mine, words); break;
        case STEP_SETTLE:
            settle(b, b->found[i], mine, words);
            __atomic_fetch_and(&b->mark[b->found[i] >> 6], ~(UINT64_C(1) << (b->found[i] & 63)), __ATOMIC_RELAXED);
            break;
        default: memset(b->front + (uint64_t)b->active[i] * words, 0, words * sizeof(uint64_t)); break;
        }
}

static void step_block(batch *b, const nf_csr *out, step what, uint64_t from, uint64_t to, finds *mine)
{
    switch (b->words) {
    case 1: step_items(b, out, what, from, to, mine, 1); break;
    case 2: step_items(b, out, what, from, to, mine, 2); break;
    case 4: step_items(b, out, what, from, to, mine, 4); break;
    default: step_items(b, out, what, from, to, mine, 8); break;
    }
}

static nf_status take_step(nf__run *run, batch *b, step what, uint64_t items)
{
    const int threads = nf__team_for(run->ctx, items * b->words * 8);
    const uint64_t blocks = (items + BLOCK - 1) / BLOCK;
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        finds mine;
        const bool master = omp_get_thread_num() == 0;
        mine.count = 0;
        mine.arcs = 0;
        memset(mine.live, 0, sizeof mine.live);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < blocks; k++) {
            if (__atomic_load_n(&b->stop, __ATOMIC_RELAXED) != 0)
                continue;
            step_block(b, &run->csr, what, k * BLOCK, items - k * BLOCK < BLOCK ? items : (k + 1) * BLOCK, &mine);
            if (master && nf__poll(run->ctx) != NF_OK)
                __atomic_store_n(&b->stop, 1, __ATOMIC_RELAXED);
        }
        flush(b, &mine);
        __atomic_fetch_add(&b->arcs, mine.arcs, __ATOMIC_RELAXED);
        for (unsigned k = 0; k < b->words; k++)
            __atomic_fetch_or(&b->fresh[k], mine.live[k], __ATOMIC_RELAXED);
    }
    return nf__poll(run->ctx);
}

/* ---- a batch ----------------------------------------------------------------------------------------------------- */

static uint64_t active_arcs(const nf__run *run, const batch *b)
{
    uint64_t arcs = 0;
    for (uint64_t i = 0; i < b->active_count; i++)
        arcs += nf__off(&run->csr, b->active[i] + 1) - nf__off(&run->csr, b->active[i]);
    return arcs;
}

static nf_status make_level(nf__run *run, batch *b)
{
    nf_status st = NF_OK;
    b->level++;
    b->found_count = 0;
    memset(b->fresh, 0, sizeof b->fresh);
    NF_TRY(need_planes(run, b, b->level));
    if (active_arcs(run, b) > run->csr.m / PULL_SHARE)
        NF_TRY(take_step(run, b, STEP_GATHER, run->csr.n));
    else {
        NF_TRY(take_step(run, b, STEP_PUSH, b->active_count));
        const uint64_t found = b->found_count;
        NF_TRY(take_step(run, b, STEP_SETTLE, found));
    }
    NF_TRY(take_step(run, b, STEP_FORGET, b->active_count));
    uint64_t *const bits = b->front; /* M2: forgotten, it is the next `next` */
    b->front = b->next;
    b->next = bits;
    nf_vid *const list = b->active;
    b->active = b->found;
    b->found = list;
    b->active_count = b->found_count;
    memcpy(b->live, b->fresh, sizeof b->live);
done:
    return st;
}

/* The sources of rows [first, first + count) at level 0. */
static nf_status seed(nf__run *run, batch *b, uint64_t first, uint64_t count)
{
    nf_status st = NF_OK;
    nf__row row;
    clear(run, b, b->seen);
    clear(run, b, b->front);
    clear(run, b, b->next);
    memset(b->full, 0, sizeof b->full);
    b->active_count = b->used = 0;
    b->level = b->arcs = 0;
    for (uint64_t i = 0; i < count; i++) {
        NF_TRY(nf__row_begin(run, first + i, &row));
        const nf_vid s = row.sources[0];
        const uint64_t at = (uint64_t)s * b->words + i / 64, bit = UINT64_C(1) << (i % 64);
        if (nf__bit_claim(b->mark, s))
            b->active[b->active_count++] = s;
        b->full[i / 64] |= bit;
        b->seen[at] |= bit;
        b->front[at] |= bit;
    }
    for (uint64_t i = 0; i < b->active_count; i++)
        b->mark[b->active[i] >> 6] = 0;
    memcpy(b->live, b->full, sizeof b->live);
done:
    return st;
}

/* Has every source of the batch reached every target? */
static bool all_arrived(const nf__run *run, const batch *b)
{
    for (uint64_t i = 0; i < run->target_count; i++)
        for (unsigned k = 0; k < b->words; k++)
            if ((b->full[k] & ~b->seen[(uint64_t)run->targets[i] * b->words + k]) != 0)
                return false;
    return run->target_count != 0;
}

static nf_status search(nf__run *run, batch *b, uint64_t first, uint64_t count)
{
    nf_status st = NF_OK;
    NF_TRY(seed(run, b, first, count));
    while (b->active_count != 0 && !(run->has_cutoff && (int64_t)b->level >= run->cutoff_int) && !all_arrived(run, b)) {
        NF_TRY(nf__progress(run->ctx, "bfs rows", first, run->rows));
        NF_TRY(make_level(run, b));
    }
done:
    return st;
}

/* ---- rows out of bits -------------------------------------------------------------------------------------------- */

/* Turns a 64 x 64 block of bits over: bit j of word i goes to bit i of word j; words lie `stride` apart. */
static void turn_over(uint64_t *a, unsigned stride)
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    for (unsigned j = 32; j != 0; j >>= 1, mask ^= mask << j)
        for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            uint64_t *const low = a + (size_t)k * stride, *const high = a + (size_t)(k | j) * stride;
            const uint64_t t = (*low >> j ^ *high) & mask;
            *low ^= t << j;
            *high ^= t;
        }
}

static void turn_all_over(const nf__run *run, const batch *b)
{
    const int threads = nf__team_for(run->ctx, b->padded * b->words);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (uint64_t v = 0; v < b->padded; v += 64)
        for (unsigned k = 0; k < b->words; k++) {
            turn_over(b->seen + v * b->words + k, b->words);
            for (unsigned p = 0; p < b->used; p++)
                turn_over(b->plane[p] + v * b->words + k, b->words);
        }
}

/* The hops of source i for the 64 vertices from v on, eight at a time and eight digits at a time, a byte each; all ones
 * where unseen. */
static void read_block(const batch *b, uint64_t i, uint64_t v, uint64_t count, int32_t *hop)
{
    const uint64_t at = (v + i % 64) * b->words + i / 64;
    uint32_t value[64];
    for (unsigned g = 0; g < 64; g += 8) {
        const uint64_t seen = b->spread[b->seen[at] >> g & 255];
        for (unsigned j = 0; j < 8; j++)
            value[g + j] = (uint32_t)(seen >> 8 * j & 1) - 1;
        for (unsigned q = 0; q < b->used; q += 8) {
            uint64_t bytes = 0;
            for (unsigned p = q; p < q + 8 && p < b->used; p++)
                bytes |= b->spread[b->plane[p][at] >> g & 255] << (p - q);
            for (unsigned j = 0; j < 8; j++)
                value[g + j] |= (uint32_t)(bytes >> 8 * j & 255) << q;
        }
    }
    memcpy(hop + v, value, count * sizeof *hop);
}

static void read_row(const nf__run *run, const batch *b, uint64_t i, int32_t *hop)
{
    const uint64_t n = run->csr.n;
    const int threads = nf__team_for(run->ctx, n);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (uint64_t v = 0; v < n; v += 64)
        read_block(b, i, v, n - v < 64 ? n - v : 64, hop);
}

static nf_status hand_out(nf__run *run, batch *b, uint64_t first, uint64_t count)
{
    nf_status st = NF_OK;
    nf__row row;
    turn_all_over(run, b);
    for (uint64_t i = 0; i < count; i++) {
        NF_TRY(nf__progress(run->ctx, "bfs rows", first + i, run->rows));
        NF_TRY(nf__row_begin(run, first + i, &row));
        read_row(run, b, i, row.dist);
        row.iterations = b->level;
        row.edges_relaxed = b->arcs / count + (i < b->arcs % count); /* shared work, shared out */
        if (row.parent != NULL)
            NF_TRY(nf__bfs_pull_parents(run, &row, &b->in, &row.edges_relaxed));
        NF_TRY(nf__row_end(run, &row));
    }
done:
    return st;
}

static nf_status run_bits(nf__run *run, nf__row *unused)
{
    nf_status st = NF_OK;
    nf__row row;
    (void)unused;
    if (!shared_pays(run)) {
        NF_TRY(nf__row_begin(run, 0, &row));
        NF_TRY(nf__bfs_direction_row(run, &row));
        NF_TRY(nf__row_end(run, &row));
        goto done;
    }
    batch *b = run->scratch;
    const uint64_t size = (uint64_t)b->words * 64;
    for (uint64_t first = 0; first < run->rows; first += size) {
        const uint64_t count = run->rows - first < size ? run->rows - first : size;
        NF_TRY(search(run, b, first, count));
        NF_TRY(hand_out(run, b, first, count));
    }
done:
    return st;
}

static const nf_knob_info knobs[] = {
    {.name = "width",
     .summary = "most sources at once: 64, 128, 256 or 512; 0: what half the graph's bytes and 16 n hold",
     .type = NF_KNOB_INT,
     .default_text = "0",
     .min = 0,
     .max = 512},
};

const nf__algorithm nf__cpu_bfs_bits = {
    .info = {.name = "bit-parallel",
             .problem = NF_BFS,
             .device = "cpu",
             .summary = "64 to 512 sources at once, a bit each; one source: as direction-optimizing",
             .paper = "Then et al. 2014",
             .memory = "(8 W (3 + d) + 8.125) n for 64 W sources at once and hops of d binary digits; "
                       "and the transpose of directed graphs",
             .flags = NF_ALG_NEGATIVE | NF_ALG_TRANSPOSE,
             .knobs = knobs,
             .knob_count = sizeof knobs / sizeof *knobs},
    .begin = begin_bits,
    .end = end_bits,
    .run = run_bits,
    .all_rows = true,
};
