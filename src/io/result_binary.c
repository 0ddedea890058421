/* result_binary.c - results in .npy, read back, and in .nfd, our binary form, written and read.
 *
 * .nfd is a container of box.h (docs/formats.md has the layout); its checksums are always verified, since all of it is
 * read. A .npy holds n distances, or rows x n; parents are looked for beside it (nf__parents_path).
 *
 * Invariant M1: the bytes of a file justify the memory of the result: rows * n elements are in it.
 * Cost: O(rows * n).
 */
#include <unistd.h>

#include "io/box.h"
#include "io/npy.h"
#include "io/result_io.h"

/* ---- .nfd -------------------------------------------------------------------------------------------------------- */

static const char magic[8] = {'\x89', 'N', 'F', 'D', '\r', '\n', '\x1a', '\n'};

#define VERSION 1

enum { P_N = 0, P_M, P_ROWS, P_PROBLEM, P_TYPE, P_FLAGS, P_SOURCES };

#define FLAG_PARENTS UINT64_C(1)
#define FLAG_OWNERS UINT64_C(2)
#define FLAG_NEAREST UINT64_C(4)
#define ALL_FLAGS UINT64_C(7)

enum { S_SOURCES = 1, S_DISTANCES, S_PARENTS, S_OWNERS };
static const char *const section_names[] = {"none", "sources", "distances", "parents", "owners"};

bool nf__is_nfd(const nf__input *in)
{
    return in->size >= sizeof magic && memcmp(in->data, magic, sizeof magic) == 0;
}

nf_status nf__write_result_nfd(nf_context *ctx, const nf_result *result, nf__output *out)
{
    nf_run_info info = {.size = sizeof info};
    nf_status st = nf_result_info(result, &info);
    if (st != NF_OK)
        return st;
    uint64_t count = 0, elements = info.rows * info.n;
    const nf_vid *sources = nf_result_sources(result, &count), *owners = nf_result_owners(result);
    const nf_vid *parents = nf_result_parents(result, 0);
    const void *dist =
        info.problem == NF_BFS ? (const void *)nf_result_hops(result, 0) : nf_result_distances(result, 0);
    const void *data[NF__BOX_SECTIONS];
    nf__box box = {.version = VERSION};
    memcpy(box.magic, magic, sizeof magic);
    box.param[P_N] = info.n;
    box.param[P_M] = info.m;
    box.param[P_ROWS] = info.rows;
    box.param[P_PROBLEM] = (uint64_t)info.problem;
    box.param[P_TYPE] = (uint64_t)info.type;
    box.param[P_FLAGS] = (parents != NULL ? FLAG_PARENTS : 0) | (owners != NULL ? FLAG_OWNERS : 0)
                         | ((info.flags & NF_INFO_NEAREST) != 0 ? FLAG_NEAREST : 0);
    box.param[P_SOURCES] = count;
    nf__box_add(&box, data, S_SOURCES, sources, count * sizeof *sources);
    nf__box_add(&box, data, S_DISTANCES, dist, elements * nf_type_size(info.type));
    if (parents != NULL)
        nf__box_add(&box, data, S_PARENTS, parents, elements * sizeof *parents);
    if (owners != NULL)
        nf__box_add(&box, data, S_OWNERS, owners, info.n * sizeof *owners);
    return nf__box_write(ctx, &box, data, out);
}

static nf_status check_params(const nf__result_in *from, const nf__box *box)
{
    const uint64_t *p = box->param;
    const char *name = from->in->name;
    bool nearest = (p[P_FLAGS] & FLAG_NEAREST) != 0, owners = (p[P_FLAGS] & FLAG_OWNERS) != 0;
    if (p[P_N] != nf_graph_n(from->graph))
        return nf__fail(NF_EFORMAT, "%s: at byte 32: a result for %llu vertices; the graph has %u", name,
                        (unsigned long long)p[P_N], nf_graph_n(from->graph));
    if (p[P_PROBLEM] > NF_APSP || p[P_TYPE] < NF_I32 || p[P_TYPE] > NF_F64
        || (p[P_PROBLEM] == NF_BFS && p[P_TYPE] != NF_I32))
        return nf__fail(NF_EFORMAT, "%s: at byte 56: no such problem or type of distance", name);
    if ((p[P_FLAGS] & ~ALL_FLAGS) != 0 || (owners && !nearest))
        return nf__fail(NF_EFORMAT, "%s: at byte 72: unknown flags 0x%llx", name, (unsigned long long)p[P_FLAGS]);
    if (nearest ? p[P_ROWS] != 1 : p[P_ROWS] != p[P_SOURCES])
        return nf__fail(NF_EFORMAT, "%s: at byte 48: %llu rows do not go with %llu sources", name,
                        (unsigned long long)p[P_ROWS], (unsigned long long)p[P_SOURCES]);
    return NF_OK;
}

nf_status nf__read_result_nfd(nf__result_in *from, nf_result **out)
{
    nf_status st = NF_OK;
    nf__box box;
    nf_result *r = NULL;
    const void *dist = NULL, *sources = NULL, *parents = NULL, *owners = NULL;
    NF_TRY(nf__box_parse(from->in, magic, VERSION, "an .nfd result", &box));
    NF_TRY(check_params(from, &box));
    NF_TRY(nf__box_verify(from->ctx, from->in, &box, section_names, sizeof section_names / sizeof section_names[0]));
    uint64_t rows = box.param[P_ROWS], flags = box.param[P_FLAGS], count = box.param[P_SOURCES], elements = 0;
    size_t width = nf_type_size((nf_type)box.param[P_TYPE]);
    if (__builtin_mul_overflow(rows, box.param[P_N], &elements))
        elements = UINT64_MAX; /* no section is that long */
    NF_TRY(nf__box_section(from->in, &box, S_SOURCES, "sources", count, sizeof(nf_vid), &sources));
    NF_TRY(nf__box_section(from->in, &box, S_DISTANCES, "distances", elements, width, &dist));
    if ((flags & FLAG_PARENTS) != 0)
        NF_TRY(nf__box_section(from->in, &box, S_PARENTS, "parents", elements, sizeof(nf_vid), &parents));
    if ((flags & FLAG_OWNERS) != 0)
        NF_TRY(nf__box_section(from->in, &box, S_OWNERS, "owners", box.param[P_N], sizeof(nf_vid), &owners));
    from->problem = (nf_problem)box.param[P_PROBLEM];
    from->type = (nf_type)box.param[P_TYPE];
    NF_TRY(nf__result_draft(from, rows, parents != NULL, owners != NULL, &r));
    memcpy(r->dist, dist, (size_t)elements * width);
    if (parents != NULL)
        memcpy(r->parents, parents, (size_t)elements * sizeof(nf_vid));
    if (owners != NULL)
        memcpy(r->owners, owners, (size_t)box.param[P_N] * sizeof(nf_vid));
    if ((flags & FLAG_NEAREST) != 0)
        NF_TRY(nf__result_set_nearest(r, sources, count));
    else
        memcpy(r->sources, sources, (size_t)count * sizeof(nf_vid));
    *out = r, r = NULL;
done:
    nf_result_free(r);
    return st;
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

/* The shape must be (n,) or (rows, n). */
static nf_status check_shape(const nf__input *in, const nf__npy *npy, nf_vid n, uint64_t *rows)
{
    *rows = npy->dims == 2 ? npy->shape[0] : 1;
    if (npy->text_kind != 0 || npy->dims < 1 || npy->shape[npy->dims - 1] != n)
        return nf__fail(NF_EFORMAT, "%s: the array is not of shape (%u,) or (rows, %u) as the graph's vertices ask for",
                        in->name, n, n);
    return NF_OK;
}

static nf_type type_of_element(nf__element element)
{
    switch (element) {
    case NF__E_I32: return NF_I32;
    case NF__E_U32: return NF_U32;
    case NF__E_I64: return NF_I64;
    case NF__E_U64: return NF_U64;
    case NF__E_F32: return NF_F32;
    case NF__E_F64: return NF_F64;
    default: return NF_NONE;
    }
}

/* The parents of a .npy, when there is a file of that name beside it. */
static nf_status open_parents(nf__result_in *from, nf__input *in, nf__npy *npy, uint64_t rows)
{
    nf_status st = NF_OK;
    char *path = NULL;
    uint64_t parent_rows = 0;
    if (strcmp(from->in->path, "-") == 0)
        return NF_OK;
    NF_TRY_ALLOC(path, nf__parents_path(nf__context_mem(from->ctx), from->in->path));
    if (access(path, F_OK) != 0)
        goto done;
    NF_TRY(nf__input_open(from->ctx, path, 0, in));
    NF_TRY(nf__npy_parse(path, in->data, in->size, npy));
    NF_TRY(check_shape(in, npy, nf_graph_n(from->graph), &parent_rows));
    if (parent_rows != rows || npy->array.element != NF__E_U32)
        st = nf__fail(NF_EFORMAT, "%s: expected parents of type uint32 in the shape of the distances", path);
done:
    in->name = in->path = NULL; /* they were names of `path` */
    nf__free(path);
    return st;
}

nf_status nf__read_result_npy(nf__result_in *from, nf_result **out)
{
    nf_status st = NF_OK;
    nf__npy npy, parents;
    nf__input beside;
    nf_result *r = NULL;
    uint64_t rows = 0;
    memset(&beside, 0, sizeof beside);
    NF_TRY(nf__npy_parse(from->in->name, from->in->data, from->in->size, &npy));
    NF_TRY(check_shape(from->in, &npy, nf_graph_n(from->graph), &rows));
    from->type = from->problem == NF_BFS ? NF_I32 : type_of_element(npy.array.element);
    if (from->type == NF_NONE)
        return nf__fail(NF_EUNSUPPORTED, "%s: distances of type %s; expected 32 or 64 bits", from->in->name,
                        nf__element_name(npy.array.element));
    NF_TRY(open_parents(from, &beside, &parents, rows));
    NF_TRY(nf__result_draft(from, rows, beside.data != NULL, false, &r));
    uint64_t bad = nf__array_convert(from->ctx, &npy.array, from->type, r->dist);
    if (bad < npy.array.count) {
        char text[64];
        nf__array_text(&npy.array, bad, text, sizeof text);
        st = nf__fail(NF_EFORMAT, "%s: element number %llu is %s; expected hops", from->in->name,
                      (unsigned long long)bad, text);
        goto done;
    }
    if (r->parents != NULL)
        memcpy(r->parents, parents.data, (size_t)parents.bytes);
    *out = r, r = NULL;
done:
    nf_result_free(r);
    nf__input_close(&beside);
    return st;
}
