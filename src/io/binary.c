/* binary.c - see binary.h.
 *
 * Invariant Y1: numbers from the file are compared with what the graph allows before they are used as an index.
 * Cost: O(n + m) time; offsets that become 32 bits wide pass through one array of 64-bit ones.
 */
#include "io/binary.h"

#include "io/put.h"

nf_status nf__array_weights(nf_context *ctx, const nf__input *in, const nf__array *array, nf_type *type, void **w)
{
    nf_status st = NF_OK;
    nf_type to = *type != NF_NONE ? *type : nf__array_weight_type(ctx, array);
    void *block = NULL;
    if (to != NF_NONE) {
        NF_TRY_ALLOC(block, nf__alloc(nf__context_mem(ctx), array->count, nf_type_size(to)));
        uint64_t bad = nf__array_convert(ctx, array, to, block);
        if (bad < array->count) {
            char text[NF__PUT_MAX + 1];
            nf__array_text(array, bad, text, sizeof text);
            st = nf__fail(NF_EFORMAT,
                          "%s: weight number %llu is %s, which %s cannot hold; ask "
                          "for another weight type",
                          in->name, (unsigned long long)bad, text, nf_type_name(to));
            goto done;
        }
    }
    *type = to;
    *w = block, block = NULL;
done:
    nf__free(block);
    return st;
}

nf_status nf__array_offsets(nf_context *ctx, const nf__input *in, const nf__array *array, uint64_t m, nf__storage *own)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    uint64_t *off = NULL;
    uint64_t bad = 0;
    NF_TRY_ALLOC(off, nf__alloc(mem, array->count, sizeof *off));
    bad = nf__array_convert(ctx, array, NF_U64, off);
    int threads = nf__threads_for(ctx, array->count);
    if (bad == array->count && (off[0] != 0 || off[array->count - 1] != m))
        bad = off[0] != 0 ? 0 : array->count - 1;
    if (bad == array->count) {
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
        for (uint64_t i = 1; i < array->count; i++)
            if (off[i] < off[i - 1] && i < bad)
                bad = i;
    }
    if (bad < array->count) {
        char text[NF__PUT_MAX + 1];
        nf__array_text(array, bad, text, sizeof text);
        st = nf__fail(NF_EFORMAT,
                      "%s: offset number %llu is %s; offsets must rise from 0 to "
                      "the number of arcs, %llu",
                      in->name, (unsigned long long)bad, text, (unsigned long long)m);
        goto done;
    }
    if (m > UINT32_MAX) {
        own->off64 = off, off = NULL;
        goto done;
    }
    NF_TRY_ALLOC(own->off32, nf__alloc(mem, array->count, sizeof *own->off32));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < array->count; i++)
        own->off32[i] = (uint32_t)off[i];
done:
    nf__free(off);
    return st;
}

nf_status nf__array_targets(nf_context *ctx, const nf__input *in, const nf__array *array, nf_vid n, nf_vid **adj)
{
    nf_status st = NF_OK;
    nf_vid *to = NULL;
    NF_TRY_ALLOC(to, nf__alloc(nf__context_mem(ctx), array->count, sizeof *to));
    uint64_t bad = nf__array_convert(ctx, array, NF_U32, to);
    int threads = nf__threads_for(ctx, array->count);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t i = 0; i < array->count; i++)
        if (to[i] >= n && i < bad)
            bad = i;
    if (bad < array->count) {
        char text[NF__PUT_MAX + 1];
        nf__array_text(array, bad, text, sizeof text);
        st = nf__fail(NF_EFORMAT, "%s: the target of arc number %llu is %s; expected a vertex below %u", in->name,
                      (unsigned long long)bad, text, n);
        goto done;
    }
    *adj = to, to = NULL;
done:
    nf__free(to);
    return st;
}

nf_status nf__adopt_named(nf_context *ctx, const nf__input *in, nf_vid n, nf_eid m, nf__storage *own,
                          nf_type weight_type, bool symmetric, nf_graph **out)
{
    char why[256];
    nf__storage given = *own;
    memset(own, 0, sizeof *own);
    nf_status st = nf__graph_adopt(ctx, n, m, &given, weight_type, symmetric, out);
    if (st != NF_EINVAL)
        return st;
    snprintf(why, sizeof why, "%s", nf_last_error());
    return nf__fail(NF_EFORMAT, "%s: %s", in->name, why);
}

nf_status nf__apply_directions(nf_context *ctx, const nf_read_options *options, nf_graph **g)
{
    nf_status st = NF_OK;
    if ((options->flags & NF_READ_DIRECTED) != 0) {
        (*g)->directed = true;
    } else if ((options->flags & NF_READ_UNDIRECTED) != 0 && (*g)->directed) {
        NF_TRY(nf__graph_check(ctx, *g));
        NF_TRY(nf__graph_retouch(ctx, g, NF_BUILD_UNDIRECTED, NF_DUP_KEEP));
    }
done:
    return st;
}

bool nf__is_symmetric(nf_context *ctx, const nf_csr *csr)
{
    uint64_t forth = 0, back = 0;
    int threads = nf__threads_for(ctx, csr->m);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(+ : forth, back)
    for (nf_vid u = 0; u < csr->n; u++)
        for (nf_eid e = nf__off(csr, u); e < nf__off(csr, u + 1); e++) {
            const double w = nf__weight_f64(csr, e);
            forth += nf__hash_arc(u, csr->adj[e], w);
            back += nf__hash_arc(csr->adj[e], u, w);
        }
    return forth == back;
}
