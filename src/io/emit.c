/* emit.c - see emit.h. Each round gives every thread one block of items; the
 * blocks are then written one after the other. */
#include "io/emit.h"

#define BYTES_AT_ONCE ((size_t)4 << 20) /* between two looks at the cancel flag */

nf_status nf__emit(nf_context *ctx, nf__output *out, uint64_t count, size_t item_bytes, nf__emit_fn format,
                   const void *arg)
{
    nf_status st = NF_OK;
    int threads = nf__context_threads(ctx);
    uint64_t blocks = (count + NF__EMIT_ITEMS - 1) / NF__EMIT_ITEMS;
    if ((uint64_t)threads > blocks)
        threads = blocks == 0 ? 1 : (int)blocks;
    size_t room = (size_t)NF__EMIT_ITEMS * item_bytes;
    size_t *used = NULL;
    char *text = NULL;
    NF_TRY_ALLOC(used, nf__alloc(nf__context_mem(ctx), (uint64_t)threads, sizeof *used));
    NF_TRY_ALLOC(text, nf__alloc(nf__context_mem(ctx), (uint64_t)threads, room));
    for (uint64_t first = 0; first < blocks; first += (uint64_t)threads) {
        int round = blocks - first < (uint64_t)threads ? (int)(blocks - first) : threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (round > 1)
        for (int i = 0; i < round; i++) {
            uint64_t lo = (first + (uint64_t)i) * NF__EMIT_ITEMS;
            uint64_t hi = count - lo < NF__EMIT_ITEMS ? count : lo + NF__EMIT_ITEMS;
            char *p = text + (size_t)i * room;
            used[i] = (size_t)(format(arg, lo, hi, p) - p);
        }
        for (int i = 0; i < round; i++)
            NF_TRY(nf__output_write(out, text + (size_t)i * room, used[i]));
        NF_TRY(nf__progress(ctx, "write", (first + (uint64_t)round) * NF__EMIT_ITEMS, count));
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
