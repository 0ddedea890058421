/* emit.c - see emit.h. Each round gives every thread one block of items; the blocks are then written one after the
 * other. */
#include "io/emit.h"

#define ROUND_ITEMS ((uint64_t)1 << 18)   /* of all threads together: about 20 MB of text */
#define BYTES_AT_ONCE ((size_t)128 << 10) /* between two looks at the cancel flag: 50 ms of the slowest compressor */

/* Items a thread formats in a round: large rounds, since threads meet after each, in memory that does not grow with
 * them. */
static uint64_t items_a_block(uint64_t count, int threads)
{
    uint64_t items = ROUND_ITEMS / (uint64_t)threads, even = (count + (uint64_t)threads - 1) / (uint64_t)threads;
    if (items < NF__EMIT_ITEMS)
        items = NF__EMIT_ITEMS;
    return even < items && even > 0 ? even : items;
}

static nf_status write_slices(nf_context *ctx, nf__output *out, const char *p, size_t bytes)
{
    nf_status st = NF_OK;
    for (size_t at = 0; at < bytes; at += BYTES_AT_ONCE) {
        NF_TRY(nf__output_write(out, p + at, bytes - at < BYTES_AT_ONCE ? bytes - at : BYTES_AT_ONCE));
        NF_TRY(nf__poll(ctx));
    }
done:
    return st;
}

nf_status nf__emit(nf_context *ctx, nf__output *out, uint64_t count, size_t item_bytes, nf__emit_fn format,
                   const void *arg)
{
    nf_status st = NF_OK;
    int threads = nf__threads_for(ctx, count);
    uint64_t items = items_a_block(count, threads), blocks = (count + items - 1) / items;
    size_t room = (size_t)items * item_bytes;
    size_t *used = NULL;
    char *text = NULL;
    NF_TRY_ALLOC(used, nf__alloc(nf__context_mem(ctx), (uint64_t)threads, sizeof *used));
    NF_TRY_ALLOC(text, nf__alloc(nf__context_mem(ctx), (uint64_t)threads, room));
    for (uint64_t first = 0; first < blocks; first += (uint64_t)threads) {
        int round = blocks - first < (uint64_t)threads ? (int)(blocks - first) : threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (round > 1)
        for (int i = 0; i < round; i++) {
            uint64_t lo = (first + (uint64_t)i) * items;
            uint64_t hi = count - lo < items ? count : lo + items;
            char *p = text + (size_t)i * room;
            used[i] = (size_t)(format(arg, lo, hi, p) - p);
        }
        for (int i = 0; i < round; i++)
            NF_TRY(write_slices(ctx, out, text + (size_t)i * room, used[i]));
        uint64_t done_items = (first + (uint64_t)round) * items;
        NF_TRY(nf__progress(ctx, "write", done_items < count ? done_items : count, count));
    }
done:
    nf__free(text);
    nf__free(used);
    return st;
}

nf_status nf__emit_bytes(nf_context *ctx, nf__output *out, const void *data, uint64_t bytes)
{
    nf_status st = NF_OK;
    const char *p = data;
    for (uint64_t at = 0; at < bytes;) {
        size_t part = bytes - at < BYTES_AT_ONCE ? (size_t)(bytes - at) : BYTES_AT_ONCE;
        NF_TRY(nf__output_write(out, p + at, part));
        at += part;
        NF_TRY(nf__progress(ctx, "write", at, bytes));
    }
done:
    return st;
}
