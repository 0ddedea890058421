/* write.c - nf_graph_write: finds the format by its name or the file's extension, then opens, fills and closes the
 * output. */
#include "io/io.h"

#define MOST_FORMATS 64

/* The table entry behind its public half, which is its first member. */
static const nf__format *format_at(size_t i)
{
    return (const nf__format *)(const void *)nf_format_get(i);
}

static nf_status fail_unknown(const char *name)
{
    const char *names[MOST_FORMATS];
    size_t count = 0;
    for (; count < MOST_FORMATS && nf_format_get(count) != NULL; count++)
        names[count] = nf_format_get(count)->name;
    char near[128];
    nf__nearest_names(name, names, count, near, sizeof near);
    if (near[0] == '\0')
        return nf__fail(NF_ENOTFOUND, "there is no graph format '%s'", name);
    return nf__fail(NF_ENOTFOUND, "there is no graph format '%s'; did you mean %s?", name, near);
}

static nf_status find_format(const char *path, const char *name, const nf__format **out)
{
    const nf__format *found = NULL;
    for (size_t i = 0; found == NULL && nf_format_get(i) != NULL; i++) {
        const nf_format_info *info = nf_format_get(i);
        if (name != NULL ? strcmp(info->name, name) == 0 : nf__has_extension(path, info->extensions))
            found = format_at(i);
    }
    if (found == NULL && name != NULL)
        return fail_unknown(name);
    if (found == NULL)
        return nf__fail(NF_EINVAL,
                        "%s: the name tells no graph format; name one, or use an "
                        "extension such as .nfg, .gr or .mtx",
                        path);
    if (found->write == NULL)
        return nf__fail(NF_EUNSUPPORTED, "%s: the format %s can be read but not written", path, found->info.name);
    *out = found;
    return NF_OK;
}

nf_status nf_graph_write(nf_context *ctx, const nf_graph *graph, const char *path, const char *format)
{
    nf_status st = NF_OK;
    nf_context *owned = NULL;
    const nf__format *to = NULL;
    nf__output *out = NULL;
    if (graph == NULL || path == NULL)
        return nf__fail(NF_EINVAL, "nf_graph_write needs a graph and a path");
    bool coordinates = format != NULL ? strcmp(format, "co") == 0 : nf__has_extension(path, ".co");
    NF_TRY(nf__enter(&ctx, &owned));
    if (!coordinates)
        NF_TRY(find_format(path, format, &to));
    NF_TRY(nf__output_open(ctx, path, &out));
    st = coordinates ? nf__write_co(ctx, graph, out) : to->write(ctx, graph, out);
    st = nf__output_close(out, st);
done:
    return nf__leave(ctx, owned, st);
}
