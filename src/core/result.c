/* result.c - results: storage, sums, accessors, paths. */
#include "core/result.h"

nf_status nf__result_shell(nf__mem *mem, nf_problem problem, nf_type type, nf_vid n, uint64_t rows,
                           const nf_vid *sources, uint64_t source_count, nf_result **out)
{
    nf_status st = NF_OK;
    nf_result *r = NULL;
    NF_TRY_ALLOC(r, nf__zalloc(mem, 1, sizeof *r));
    r->mem = mem; /* kept alive by the block r itself */
    r->info.size = sizeof r->info;
    r->info.problem = problem;
    r->info.type = type;
    r->info.n = n;
    r->info.rows = rows;
    r->info.algorithm = "";
    r->info.reason = r->reason;
    r->info.device = r->device;
    r->source_count = source_count;
    NF_TRY_ALLOC(r->sources, nf__alloc(mem, source_count, sizeof(nf_vid)));
    memcpy(r->sources, sources, (size_t)source_count * sizeof(nf_vid));
    NF_TRY_ALLOC(r->rows, nf__zalloc(mem, rows, sizeof(nf__tally)));
    *out = r;
    r = NULL;
done:
    nf_result_free(r);
    return st;
}

nf_status nf__result_create(nf__mem *mem, nf_problem problem, nf_type type, nf_vid n, uint64_t rows, bool parents,
                            bool owners, const nf_vid *sources, uint64_t source_count, nf_result **out)
{
    nf_status st = NF_OK;
    nf_result *r = NULL;
    NF_TRY(nf__result_shell(mem, problem, type, n, rows, sources, source_count, &r));
    NF_TRY_ALLOC(r->dist, nf__alloc(mem, rows, (size_t)n * nf_type_size(type)));
    if (parents)
        NF_TRY_ALLOC(r->parents, nf__alloc(mem, rows, (size_t)n * sizeof(nf_vid)));
    if (owners) {
        NF_TRY_ALLOC(r->owners, nf__alloc(mem, n, sizeof(nf_vid)));
        r->info.flags |= NF_INFO_NEAREST;
    }
    *out = r;
    r = NULL;
done:
    nf_result_free(r);
    return st;
}

void nf_result_free(nf_result *r)
{
    if (r == NULL)
        return;
    if (!r->borrowed_dist)
        nf__free(r->dist);
    if (!r->borrowed_parents)
        nf__free(r->parents);
    nf__free(r->owners);
    nf__free(r->sources);
    nf__free(r->rows);
    nf__free(r->cycle);
    nf__free(r);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* Rows are summed in PARTS stretches, whatever the number of threads, and the stretches added in order: the sums are
 * the same everywhere. */
#define PARTS 64u
#define ONE_PART 8192u /* rows up to this long are one stretch */

/* Without branches, so that several are counted at once. A stretch of words of 32 bits adds up within 64; wider ones by
 * halves. */
#define TALLY_WORDS(name, T, LEAST, UNREACHED)                           \
    static void name(const T *d, nf_vid begin, nf_vid end, nf__tally *t) \
    {                                                                    \
        int64_t sum = 0, reached = 0;                                    \
        T most = (LEAST);                                                \
        for (nf_vid v = begin; v < end; v++) {                           \
            const bool is = d[v] != (UNREACHED);                         \
            sum += is ? (int64_t)d[v] : 0;                               \
            reached += is;                                               \
            most = is && d[v] > most ? d[v] : most;                      \
        }                                                                \
        t->reached = (uint64_t)reached;                                  \
        t->int_max = reached != 0 ? most : 0;                            \
        t->int_sum = sum;                                                \
    }
TALLY_WORDS(tally_i32, int32_t, INT32_MIN, NF_UNREACHED_I32)
TALLY_WORDS(tally_u32, uint32_t, 0, NF_UNREACHED_U32)

#define TALLY_LONGS(name, T, LEAST, UNREACHED)                           \
    static void name(const T *d, nf_vid begin, nf_vid end, nf__tally *t) \
    {                                                                    \
        int64_t low = 0, high = 0, reached = 0;                          \
        T most = (LEAST);                                                \
        for (nf_vid v = begin; v < end; v++) {                           \
            const bool is = d[v] != (UNREACHED);                         \
            const T x = is ? d[v] : 0;                                   \
            low += (int64_t)(uint32_t)x;                                 \
            high += (int64_t)(x >> 32);                                  \
            reached += is;                                               \
            most = is && x > most ? x : most;                            \
        }                                                                \
        t->reached = (uint64_t)reached;                                  \
        t->int_max = reached != 0 ? most : 0;                            \
        t->int_sum = high;                                               \
        t->int_sum = t->int_sum * (1ll << 32) + low;                     \
    }
TALLY_LONGS(tally_i64, int64_t, INT64_MIN, NF_UNREACHED_I64)
TALLY_LONGS(tally_u64, uint64_t, 0, NF_UNREACHED_U64)

/* Hops without branches: -1 is below every hop, and adds -1 to the sum. */
static void tally_hops(const int32_t *d, nf_vid begin, nf_vid end, nf__tally *t)
{
    int64_t sum = 0, reached = 0;
    int32_t most = NF_NO_HOP;
    for (nf_vid v = begin; v < end; v++) {
        sum += d[v];
        reached += d[v] >= 0;
        most = d[v] > most ? d[v] : most;
    }
    t->reached = (uint64_t)reached;
    t->int_max = reached != 0 ? most : 0;
    t->int_sum = sum + (int64_t)(end - begin) - reached;
}

/* Every LANES-th together, then the lanes in order: additions do not wait for each other. */
#define LANES 8u
#define TALLY_REALS(name, T)                                             \
    static void name(const T *d, nf_vid begin, nf_vid end, nf__tally *t) \
    {                                                                    \
        double sum[LANES] = {0};                                         \
        uint64_t reached[LANES] = {0};                                   \
        T most[LANES];                                                   \
        for (unsigned k = 0; k < LANES; k++)                             \
            most[k] = (T)-INFINITY;                                      \
        for (nf_vid v = begin; v < end;) {                               \
            const unsigned some = end - v < LANES ? end - v : LANES;     \
            for (unsigned k = 0; k < some; k++) {                        \
                const T x = d[v + k];                                    \
                const bool is = !isinf(x);                               \
                sum[k] += is ? (double)x : 0.0;                          \
                reached[k] += is;                                        \
                most[k] = is && x > most[k] ? x : most[k];               \
            }                                                            \
            v += some;                                                   \
        }                                                                \
        for (unsigned k = 0; k < LANES; k++) {                           \
            if (reached[k] == 0)                                         \
                continue;                                                \
            if (t->reached == 0 || (double)most[k] > t->real_max)        \
                t->real_max = (double)most[k];                           \
            t->real_sum += sum[k];                                       \
            t->reached += reached[k];                                    \
        }                                                                \
    }
TALLY_REALS(tally_f32, float)
TALLY_REALS(tally_f64, double)

static void tally_part(nf_type type, bool is_hops, const void *dist, nf_vid begin, nf_vid end, nf__tally *t)
{
    *t = (nf__tally){.reached = 0};
    if (is_hops) {
        tally_hops(dist, begin, end, t);
        return;
    }
    switch (type) {
    case NF_I32: tally_i32(dist, begin, end, t); break;
    case NF_U32: tally_u32(dist, begin, end, t); break;
    case NF_I64: tally_i64(dist, begin, end, t); break;
    case NF_U64: tally_u64(dist, begin, end, t); break;
    case NF_F32: tally_f32(dist, begin, end, t); break;
    default: tally_f64(dist, begin, end, t); break;
    }
}

static void add_part(nf__tally *t, const nf__tally *part)
{
    if (part->reached == 0)
        return;
    t->int_max = t->reached == 0 || part->int_max > t->int_max ? part->int_max : t->int_max;
    t->real_max = t->reached == 0 || part->real_max > t->real_max ? part->real_max : t->real_max;
    t->int_sum += part->int_sum;
    t->real_sum += part->real_sum;
    t->reached += part->reached;
}

void nf__tally_row(nf_type type, bool is_hops, const void *dist, nf_vid n, int threads, nf__tally *t)
{
    nf__tally part[PARTS];
    const unsigned parts = n <= ONE_PART ? 1 : PARTS;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (unsigned k = 0; k < parts; k++)
        tally_part(type, is_hops, dist, (nf_vid)((uint64_t)n * k / parts), (nf_vid)((uint64_t)n * (k + 1) / parts),
                   &part[k]);
    t->reached = 0;
    t->int_sum = t->int_max = 0;
    t->real_sum = t->real_max = 0;
    for (unsigned k = 0; k < parts; k++)
        add_part(t, &part[k]);
    if (is_hops || (type != NF_F32 && type != NF_F64)) {
        t->real_sum = (double)t->int_sum;
        t->real_max = (double)t->int_max;
    }
}

void nf__result_add(nf_result *r, uint64_t row)
{
    const nf__tally *t = &r->rows[row];
    nf__tally *all = &r->all;
    if (t->reached != 0 && (all->reached == 0 || t->int_max > all->int_max))
        all->int_max = t->int_max;
    if (t->reached != 0 && (all->reached == 0 || t->real_max > all->real_max))
        all->real_max = t->real_max;
    all->reached += t->reached;
    all->int_sum += t->int_sum;
    all->real_sum += t->real_sum;
    all->iterations += t->iterations;
    all->edges_relaxed += t->edges_relaxed;
    all->run_ms += t->run_ms;
}

void nf__result_summarise(nf_result *r)
{
    const size_t row_bytes = (size_t)r->info.n * nf_type_size(r->info.type);
    memset(&r->all, 0, sizeof r->all);
    for (uint64_t i = 0; i < r->info.rows; i++) {
        nf__tally_row(r->info.type, r->info.problem == NF_BFS, (const char *)r->dist + i * row_bytes, r->info.n, 1,
                      &r->rows[i]);
        nf__result_add(r, i);
    }
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

void nf__hand_out(void *to, const void *from, size_t ours)
{
    size_t theirs;
    memcpy(&theirs, to, sizeof theirs);
    memcpy(to, from, theirs < ours ? theirs : ours);
    memcpy(to, &theirs, sizeof theirs);
}

nf_status nf_result_info(const nf_result *r, nf_run_info *info)
{
    if (r == NULL || info == NULL || info->size < sizeof(size_t))
        return nf__fail(NF_EINVAL, "nf_result_info: result or info is NULL, or info->size is not set");
    nf__hand_out(info, &r->info, sizeof r->info);
    return NF_OK;
}

/* A 128-bit integer in decimal. */
__extension__ static void print_int128(__int128 x, char *text, size_t capacity)
{
    char digits[41];
    size_t k = 0;
    const bool negative = x < 0;
    __extension__ unsigned __int128 u = negative ? -(unsigned __int128)x : (unsigned __int128)x;
    do {
        digits[k++] = (char)('0' + (int)(u % 10));
        u /= 10;
    } while (u != 0);
    if (negative)
        digits[k++] = '-';
    size_t at = 0;
    while (k > 0 && at + 1 < capacity)
        text[at++] = digits[--k];
    text[at] = '\0';
}

nf_status nf_result_row_info(const nf_result *r, uint64_t row, nf_row_info *info)
{
    nf_row_info mine = {.size = sizeof mine, .source = NF_NO_VERTEX};
    if (r == NULL || info == NULL || info->size < sizeof(size_t))
        return nf__fail(NF_EINVAL, "nf_result_row_info: result or info is NULL, or info->size is not set");
    if (row != NF_ALL_ROWS && row >= r->info.rows)
        return nf__fail(NF_EINVAL, "row %llu; the result has %llu", (unsigned long long)row,
                        (unsigned long long)r->info.rows);
    const nf__tally *t = row == NF_ALL_ROWS ? &r->all : &r->rows[row];
    const bool real = r->info.type == NF_F32 || r->info.type == NF_F64;
    if (row != NF_ALL_ROWS)
        mine.source = nf_result_source(r, row);
    mine.reached = t->reached;
    mine.max = t->real_max;
    mine.sum = t->real_sum;
    mine.iterations = t->iterations;
    mine.edges_relaxed = t->edges_relaxed;
    mine.run_ms = t->run_ms;
    if (real) {
        nf__print_real(t->real_max, mine.max_text, sizeof mine.max_text);
        nf__print_real(t->real_sum, mine.sum_text, sizeof mine.sum_text);
    } else {
        print_int128(t->int_max, mine.max_text, sizeof mine.max_text);
        print_int128(t->int_sum, mine.sum_text, sizeof mine.sum_text);
    }
    nf__hand_out(info, &mine, sizeof mine);
    return NF_OK;
}

static const void *row_of(const nf_result *r, const void *array, uint64_t row, size_t element)
{
    if (array == NULL || row >= r->info.rows)
        return NULL;
    return (const char *)array + (size_t)row * r->info.n * element;
}

const int32_t *nf_result_hops(const nf_result *r, uint64_t row)
{
    return r == NULL || r->info.problem != NF_BFS ? NULL : row_of(r, r->dist, row, sizeof(int32_t));
}

const void *nf_result_distances(const nf_result *r, uint64_t row)
{
    return r == NULL || r->info.problem == NF_BFS ? NULL : row_of(r, r->dist, row, nf_type_size(r->info.type));
}

const nf_vid *nf_result_parents(const nf_result *r, uint64_t row)
{
    return r == NULL ? NULL : row_of(r, r->parents, row, sizeof(nf_vid));
}

const nf_vid *nf_result_owners(const nf_result *r)
{
    return r == NULL ? NULL : r->owners;
}

nf_vid nf_result_source(const nf_result *r, uint64_t row)
{
    const bool none = r == NULL || row >= r->info.rows || (r->info.flags & NF_INFO_NEAREST) != 0;
    return none ? NF_NO_VERTEX : r->sources[row];
}

const nf_vid *nf_result_sources(const nf_result *r, uint64_t *count)
{
    if (count != NULL)
        *count = r == NULL ? 0 : r->source_count;
    return r == NULL ? NULL : r->sources;
}

const nf_vid *nf_result_cycle(const nf_result *r, uint64_t *length)
{
    if (length != NULL)
        *length = r == NULL ? 0 : r->cycle_length;
    return r == NULL ? NULL : r->cycle;
}

double nf_result_distance(const nf_result *r, uint64_t row, nf_vid v)
{
    if (r == NULL || r->dist == NULL || row >= r->info.rows || v >= r->info.n)
        return (double)INFINITY;
    const size_t i = (size_t)row * r->info.n + v;
    if (r->info.problem == NF_BFS) {
        const int32_t hop = ((const int32_t *)r->dist)[i];
        return hop == NF_NO_HOP ? (double)INFINITY : (double)hop;
    }
#define INTEGER(T, U) (((const T *)r->dist)[i] == (U) ? (double)INFINITY : (double)((const T *)r->dist)[i])
    switch (r->info.type) {
    case NF_I32: return INTEGER(int32_t, NF_UNREACHED_I32);
    case NF_U32: return INTEGER(uint32_t, NF_UNREACHED_U32);
    case NF_I64: return INTEGER(int64_t, NF_UNREACHED_I64);
    case NF_U64: return INTEGER(uint64_t, NF_UNREACHED_U64);
    case NF_F32: return (double)((const float *)r->dist)[i];
    default: return ((const double *)r->dist)[i];
    }
#undef INTEGER
}

nf_status nf_result_path(const nf_result *r, uint64_t row, nf_vid target, nf_vid *path, uint64_t capacity,
                         uint64_t *length)
{
    if (r == NULL || length == NULL || (path == NULL && capacity != 0))
        return nf__fail(NF_EINVAL, "nf_result_path: result, length or path is NULL");
    *length = 0;
    const nf_vid *parent = nf_result_parents(r, row);
    if (parent == NULL)
        return nf__fail(NF_EINVAL, "nf_result_path: the result has no parents for row %llu; run with NF_RUN_PARENTS",
                        (unsigned long long)row);
    if (target >= r->info.n)
        return nf__fail(NF_EINVAL, "vertex %u; the graph has %u", target, r->info.n);
    if (parent[target] == NF_NO_VERTEX)
        return NF_OK;
    uint64_t k = 1;
    for (nf_vid v = target; parent[v] != v; v = parent[v]) {
        if (parent[v] == NF_NO_VERTEX)
            return nf__fail(NF_EUNSUPPORTED,
                            "the path to vertex %u leads through vertex %u, which the cutoff took away", target, v);
        if (k++ > r->info.n || parent[v] >= r->info.n)
            return nf__fail(NF_EINVAL, "nf_result_path: the parents are not a tree");
    }
    nf_vid v = target;
    for (uint64_t i = k; i-- > 0; v = parent[v])
        if (i < capacity)
            path[i] = v;
    *length = k;
    return NF_OK;
}
