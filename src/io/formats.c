/* formats.c - the table of formats, how a file's format is found, and nf_graph_read.
 *
 * A format is, in this order: the one the caller names; one whose magic or header the content shows; one whose
 * extension the name has; an edge list, if the first line looks like one.
 */
#include "io/edges.h"
#include "io/io.h"

static const nf__format *const formats[] = {
    &nf__format_gr,     &nf__format_mtx, &nf__format_edges, &nf__format_el,  &nf__format_wel, &nf__format_metis,
    &nf__format_tsplib, &nf__format_sg,  &nf__format_wsg,   &nf__format_npz, &nf__format_nfg,
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

const nf_format_info *nf_format_get(size_t i)
{
    return i < FORMAT_COUNT ? &formats[i]->info : NULL;
}

/* The names of all formats that are read, "a, b, c". */
static void list_names(char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i]->read != NULL && used < capacity)
            used +=
                (size_t)snprintf(text + used, capacity - used, "%s%s", used == 0 ? "" : ", ", formats[i]->info.name);
}

static nf_status find_by_name(const char *name, const nf__format **out)
{
    const char *names[FORMAT_COUNT];
    char near[128], all[160];
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        names[i] = formats[i]->info.name;
        if (strcmp(name, names[i]) == 0 && formats[i]->read != NULL) {
            *out = formats[i];
            return NF_OK;
        }
    }
    nf__nearest_names(name, names, FORMAT_COUNT, near, sizeof near);
    list_names(all, sizeof all);
    if (near[0] != '\0')
        return nf__fail(NF_ENOTFOUND, "no format is called '%s'; did you mean %s? (%s)", name, near, all);
    return nf__fail(NF_ENOTFOUND, "no format is called '%s'; expected one of %s", name, all);
}

static nf_status find_format(const nf__input *in, const char *name, const nf__format **out)
{
    char all[160];
    if (name != NULL)
        return find_by_name(name, out);
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i]->sniff != NULL && formats[i]->read != NULL && formats[i]->sniff(in)) {
            *out = formats[i];
            return NF_OK;
        }
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i]->read != NULL && nf__has_extension(in->path, formats[i]->info.extensions)) {
            *out = formats[i];
            return NF_OK;
        }
    if (nf__looks_like_edges(in)) {
        *out = &nf__format_edges;
        return NF_OK;
    }
    list_names(all, sizeof all);
    return nf__input_fail(in, in->data, "neither content nor name tell the format; expected one of %s", all);
}

static nf_status check_options(const char *path, const nf_read_options *o, nf_graph **out)
{
    if (path == NULL || out == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_read: path and out must not be NULL");
    if ((o->flags & NF_READ_DIRECTED) != 0 && (o->flags & NF_READ_UNDIRECTED) != 0)
        return nf__fail(NF_EINVAL, "nf_graph_read: directed and undirected exclude each other");
    if ((o->flags & ~(NF_READ_DIRECTED | NF_READ_UNDIRECTED | NF_READ_DROP_LOOPS | NF_READ_CHECKSUMS)) != 0)
        return nf__fail(NF_EINVAL, "nf_graph_read: unknown flags 0x%x", o->flags);
    if (!nf__is_weight_type(o->weight_type))
        return nf__fail(NF_EINVAL, "nf_graph_read: %s is no weight type; expected i32, u32, f32 or f64",
                        nf_type_name(o->weight_type));
    if (o->weight_column < -1)
        return nf__fail(NF_EINVAL, "nf_graph_read: weight column %d; expected -1, 0 or 3 and more", o->weight_column);
    if ((int)o->duplicates < NF_DUP_KEEP || o->duplicates > NF_DUP_SUM)
        return nf__fail(NF_EINVAL, "nf_graph_read: unknown way %d to treat duplicates", (int)o->duplicates);
    return NF_OK;
}

static nf_status read_coordinates(nf_context *ctx, const nf_read_options *options, nf_graph *graph)
{
    nf_status st = NF_OK;
    nf__input in;
    double *xy = NULL;
    st = nf__input_open(ctx, options->coordinates, options->max_bytes, &in);
    if (st != NF_OK)
        return st;
    NF_TRY(nf__read_co(ctx, &in, graph->csr.n, &xy));
    nf__graph_take_coordinates(graph, xy);
done:
    nf__input_close(&in);
    return st;
}

static nf_status read_file(nf_context *ctx, const char *path, const nf_read_options *options, nf_graph **out)
{
    nf_status st = NF_OK;
    nf__input in;
    const nf__format *format = NULL;
    st = nf__input_open(ctx, path, options->max_bytes, &in);
    if (st != NF_OK)
        return st;
    if (in.size == 0)
        NF_TRY(nf__input_fail(&in, in.data, "the input is empty; expected a graph"));
    NF_TRY(find_format(&in, options->format, &format));
    nf__log(ctx, NF_LOG_DEBUG, "%s: read as %s%s%s", in.name, format->info.name,
            in.packed != NULL ? ", packed with " : "", in.packed != NULL ? in.packed : "");
    NF_TRY(format->read(ctx, &in, options, out));
done:
    nf__input_close(&in);
    return st;
}

nf_status nf_graph_read(nf_context *ctx, const char *path, const nf_read_options *options, nf_graph **out)
{
    nf_read_options o;
    nf_context *owned = NULL;
    nf_graph *g = NULL;
    NF_TAKE_OPTIONS(o, options);
    nf_status st = check_options(path, &o, out);
    if (st != NF_OK)
        return st;
    st = nf__enter(&ctx, &owned);
    if (st != NF_OK)
        return st;
    NF_TRY(read_file(ctx, path, &o, &g));
    if ((o.flags & NF_READ_DROP_LOOPS) != 0 || o.duplicates != NF_DUP_KEEP)
        NF_TRY(nf__graph_retouch(ctx, &g, (o.flags & NF_READ_DROP_LOOPS) != 0 ? NF_BUILD_DROP_LOOPS : 0, o.duplicates));
    if (o.coordinates != NULL)
        NF_TRY(read_coordinates(ctx, &o, g));
    *out = g;
    g = NULL;
done:
    nf_graph_free(g);
    return nf__leave(ctx, owned, st);
}
