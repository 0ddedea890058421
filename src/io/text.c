/* text.c - bodies of text cut into chunks, counted and parsed in parallel; promises held against sizes.
 *
 * Method: the body is cut into equal parts, each moved to the next line start, enough of them that all threads stay
 * busy and a cancel is seen soon. Counting needs one look for the newline a line, parsing is the format's. See text.h
 * for T1 .. T3.
 * Cost: O(bytes / threads), 400 bytes a chunk.
 */
#include "io/text.h"

#include <omp.h>

#define CHUNK_MOST ((uint64_t)1 << 20) /* bytes: a few ms of work between two looks at the cancel flag */
#define CHUNK_LEAST ((uint64_t)1 << 14)
#define CHUNKS_A_THREAD 4
/* Vertices need no byte of input, so a header's n is held against this: generous for any real file, harmless for any
 * other. */
#define VERTICES_FREE ((uint64_t)1 << 20)
#define VERTICES_A_BYTE 1024

void nf__chunk_fail(nf__chunk *chunk, const char *at, const char *format, ...)
{
    if (chunk->bad != NULL)
        return;
    chunk->bad = at;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(chunk->what, sizeof chunk->what, format, args);
    va_end(args);
}

static uint64_t chunk_count(const nf_context *ctx, uint64_t bytes)
{
    uint64_t most = (uint64_t)nf__context_threads(ctx) * CHUNKS_A_THREAD;
    uint64_t count = bytes / CHUNK_LEAST < most ? bytes / CHUNK_LEAST : most;
    if (count < bytes / CHUNK_MOST)
        count = bytes / CHUNK_MOST;
    return count == 0 ? 1 : count;
}

static void cut(nf__text *t)
{
    uint64_t bytes = (uint64_t)(t->end - t->begin), step = bytes / t->count;
    const char *at = t->begin;
    for (uint64_t i = 0; i < t->count; i++) {
        const char *stop = i + 1 == t->count ? t->end : t->begin + (i + 1) * step;
        if (stop < at)
            stop = at;
        if (i + 1 < t->count && stop > t->begin)
            stop = stop[-1] == '\n' ? stop : nf__next_line(stop, t->end);
        t->chunks[i].begin = at;
        t->chunks[i].end = stop;
        t->chunks[i].low = INT64_MAX;
        t->chunks[i].high = INT64_MIN;
        at = stop;
    }
}

/* Items of a line: bytes above the blanks that follow one at or below them. Moves *pp past the line. */
static uint64_t count_items(const char **pp, const char *end)
{
    const unsigned char *line = (const unsigned char *)*pp;
    const char *next = nf__next_line(*pp, end);
    size_t size = (size_t)(next - *pp);
    uint64_t items = line[0] > ' ';
    for (size_t i = 1; i < size; i++)
        items += (uint64_t)((line[i - 1] <= ' ') & (line[i] > ' '));
    *pp = next;
    return items;
}

static void count_chunk(nf__chunk *c, void *arg)
{
    const nf__text *t = arg;
    const char *p = c->begin;
    while (p < c->end) {
        p = nf__skip_blanks(p, c->end);
        if (p == c->end)
            break;
        if (*p == '\n' ? (t->style & NF__COUNT_BLANK) == 0 : nf__is_comment(p, c->end, t->style)) {
            p = nf__next_line(p, c->end);
            continue;
        }
        c->lines++;
        if ((t->style & NF__COUNT_NUMBERS) != 0)
            c->numbers += count_items(&p, c->end);
        else
            p = nf__next_line(p, c->end);
    }
}

nf_status nf__text_open(nf_context *ctx, const nf__input *in, const char *begin, const char *end, unsigned style,
                        nf__text *text)
{
    nf_status st = NF_OK;
    memset(text, 0, sizeof *text);
    text->in = in;
    text->begin = begin;
    text->end = end;
    text->style = style;
    text->count = chunk_count(ctx, (uint64_t)(end - begin));
    NF_TRY_ALLOC(text->chunks, nf__zalloc(nf__context_mem(ctx), text->count, sizeof *text->chunks));
    cut(text);
    NF_TRY(nf__text_each(ctx, text, count_chunk, text));
    for (uint64_t i = 0; i < text->count; i++) {
        text->chunks[i].first_line = text->lines;
        text->chunks[i].first_number = text->numbers;
        text->lines += text->chunks[i].lines;
        text->numbers += text->chunks[i].numbers;
    }
done:
    return st;
}

void nf__text_free(nf__text *text)
{
    nf__free(text->chunks);
    text->chunks = NULL;
}

/* Lowers *least to i; the chunks below it must still be looked at (T2). */
static void note_bad(uint64_t *least, uint64_t i)
{
    uint64_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (i < seen && !__atomic_compare_exchange_n(least, &seen, i, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

nf_status nf__text_each(nf_context *ctx, nf__text *text, nf__parse_fn parse, void *arg)
{
    uint64_t least = UINT64_MAX, done_chunks = 0;
    nf_status st = NF_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(nf__context_threads(ctx)) if (text->count > 1)
    for (uint64_t i = 0; i < text->count; i++) {
        nf__chunk *c = &text->chunks[i];
        if (i > __atomic_load_n(&least, __ATOMIC_RELAXED))
            continue;
        parse(c, arg);
        uint64_t done_now = __atomic_add_fetch(&done_chunks, 1, __ATOMIC_RELAXED);
        if (c->bad != NULL)
            note_bad(&least, i);
        if (omp_get_thread_num() == 0 && st == NF_OK) {
            st = nf__progress(ctx, "parse", done_now, text->count);
            if (st != NF_OK)
                __atomic_store_n(&least, 0, __ATOMIC_RELAXED);
        }
    }
    for (uint64_t i = 0; st == NF_OK && i < text->count; i++)
        if (text->chunks[i].bad != NULL)
            st = nf__input_fail(text->in, text->chunks[i].bad, "%s", text->chunks[i].what);
    return st;
}

const char *nf__line_place(const nf__text *text, uint64_t i)
{
    uint64_t k = 0;
    while (k + 1 < text->count && text->chunks[k + 1].first_line <= i)
        k++;
    const char *end = text->chunks[k].end;
    const char *p = nf__skip_to_data(text->chunks[k].begin, end, text->style);
    for (uint64_t left = i - text->chunks[k].first_line; left > 0 && p < end; left--)
        p = nf__skip_to_data(nf__next_line(p, end), end, text->style);
    return p;
}

nf_status nf__check_promise(const nf__input *in, const char *at, uint64_t n, uint64_t m, uint64_t bytes,
                            const char *what)
{
    uint64_t most = VERTICES_FREE + (uint64_t)in->size * VERTICES_A_BYTE;
    if (n >= NF_NO_VERTEX)
        return nf__input_fail(in, at, "%llu vertices are too many; expected at most %llu", (unsigned long long)n,
                              (unsigned long long)NF_NO_VERTEX - 1);
    if (n > most)
        return nf__input_fail(in, at, "%llu vertices are too many; expected at most %llu in an input of %zu bytes",
                              (unsigned long long)n, (unsigned long long)most, in->size);
    if (m > in->size / bytes + 1)
        return nf__input_fail(in, at, "%llu %s are promised; expected at most %llu in an input of %zu bytes",
                              (unsigned long long)m, what, (unsigned long long)(in->size / bytes + 1), in->size);
    return NF_OK;
}

uint32_t nf__directions(const nf_read_options *options, bool undirected)
{
    if ((options->flags & NF_READ_DIRECTED) != 0)
        return 0;
    return undirected || (options->flags & NF_READ_UNDIRECTED) != 0 ? NF_BUILD_UNDIRECTED : 0;
}

nf_status nf__pairs_build(nf_context *ctx, nf__pairs *pairs, nf_vid n, uint32_t flags, uint64_t base,
                          const char *format, nf_graph **out)
{
    nf__arcs arcs = {n, pairs->m, pairs->src, pairs->dst, pairs->type, pairs->w};
    pairs->src = pairs->dst = NULL;
    pairs->w = NULL;
    double start = nf__now_ms();
    nf_status st = nf__graph_build(ctx, &arcs, flags, NF_DUP_KEEP, out);
    if (st != NF_OK)
        return st;
    nf__log(ctx, NF_LOG_DEBUG, "built in %.3f ms", nf__now_ms() - start); /* bench/read.c listens */
    (*out)->label_base = base;
    bool undirected = (flags & (NF_BUILD_UNDIRECTED | NF_BUILD_SYMMETRIC)) != 0;
    nf__graph_describe(*out, format, "%s; %s%s%s%s",
                       undirected ? "undirected, both arcs of every edge stored" : "directed, arcs as listed",
                       pairs->type == NF_NONE ? "no weights" : nf_type_name(pairs->type),
                       pairs->type == NF_NONE ? "" : " weights; explicit zeros are arcs of weight 0",
                       pairs->note != NULL ? "; " : "", pairs->note != NULL ? pairs->note : "");
    return NF_OK;
}
