/* rows.c - a row of a result from the algorithm's hands to the caller's: bounds, owners, conversion, sums, sink.
 *
 * Invariants
 *   W1 after nf__row_end a distance is unreached exactly if it is above the cutoff, above the largest target distance
 *      (all targets reached, no negative weights) or not found; its parent is then NF_NO_VERTEX;
 *   W2 a finite distance that does not fit the type asked for, or equals its "unreached", ends the run with
 *      NF_EOVERFLOW.
 * Cost: O(n) a row.
 */
#include "core/context.h"
#include "core/run.h"

nf_status nf__rows_prepare(state *s, const nf_run_options *o)
{
    nf_status st = NF_OK;
    nf_result *r = s->result;
    nf__mem *mem = r->mem;
    const nf_vid n = r->info.n;
    const size_t width = nf_type_size(s->type);
    const bool parents = s->run.want_parents;
    const bool elsewhere = o->sink != NULL || o->file != NULL;
    s->keep_parents = parents && !elsewhere;
    if (o->distances != NULL) {
        r->dist = o->distances;
        r->borrowed_dist = true;
    } else if (!elsewhere)
        NF_TRY_ALLOC(r->dist, nf__alloc(mem, r->info.rows, (size_t)n * width));
    if (o->parents != NULL) {
        r->parents = o->parents;
        r->borrowed_parents = true;
    } else if (s->keep_parents)
        NF_TRY_ALLOC(r->parents, nf__alloc(mem, r->info.rows, (size_t)n * sizeof(nf_vid)));
    if (s->run.nearest) {
        NF_TRY_ALLOC(r->owners, nf__alloc(mem, n, sizeof(nf_vid)));
        r->info.flags |= NF_INFO_NEAREST;
    }
    if (elsewhere || s->run.work_type != s->type)
        NF_TRY_ALLOC(s->work_row, nf__alloc(mem, n, nf_type_size(s->run.work_type)));
    if (elsewhere && s->run.work_type != s->type)
        NF_TRY_ALLOC(s->out_row, nf__alloc(mem, n, width));
    if ((parents && !s->keep_parents) || (s->run.nearest && !parents))
        NF_TRY_ALLOC(s->parent_row, nf__alloc(mem, n, sizeof(nf_vid)));
done:
    return st;
}

void nf__rows_release(state *s)
{
    nf__free(s->work_row);
    nf__free(s->out_row);
    nf__free(s->parent_row);
}

nf_status nf__row_begin(nf__run *run, uint64_t index, nf__row *row)
{
    state *s = (state *)run;
    nf_result *r = s->result;
    const size_t at = (size_t)index * r->info.n;
    memset(row, 0, sizeof *row);
    row->index = index;
    row->sources = run->nearest ? r->sources : r->sources + index;
    row->source_count = run->nearest ? r->source_count : 1;
    row->type = run->work_type;
    row->dist = s->work_row != NULL ? s->work_row : (char *)r->dist + at * nf_type_size(s->type);
    row->parent = s->parent_row != NULL ? s->parent_row : r->parents != NULL ? r->parents + at : NULL;
    s->row_start = nf__now_ms();
    return NF_OK;
}

nf__place nf__run_place(const nf__run *run)
{
    const state *s = (const state *)run;
    return (nf__place){.dist = s->result->dist, .type = s->type, .parents = s->result->parents};
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

#define DEFINE_BOUNDS(name, T, UNREACHED, CUTOFF)                                                                  \
    /* Makes unreached what is above the cutoff, or above the largest target distance. */                          \
    static void name(const nf__run *run, nf_vid n, T *dist, nf_vid *parent)                                        \
    {                                                                                                              \
        bool bounded = run->targets != NULL;                                                                       \
        T bound = 0;                                                                                               \
        for (uint64_t i = 0; bounded && i < run->target_count; i++) {                                              \
            const T d = dist[run->targets[i]];                                                                     \
            bounded = d != (UNREACHED) && !(run->has_cutoff && d > (CUTOFF));                                      \
            bound = bounded && d > bound ? d : bound;                                                              \
        }                                                                                                          \
        if (!bounded && !run->has_cutoff)                                                                          \
            return;                                                                                                \
        const int threads = nf__team_for(run->ctx, n);                                                             \
        (void)threads;                                                                                             \
        _Pragma("omp parallel for num_threads(threads) schedule(static) if (threads > 1)") for (                   \
            nf_vid v = 0; v < n; v++) if ((bounded && dist[v] > bound) || (run->has_cutoff && dist[v] > (CUTOFF))) \
        {                                                                                                          \
            dist[v] = (UNREACHED);                                                                                 \
            if (parent != NULL)                                                                                    \
                parent[v] = NF_NO_VERTEX;                                                                          \
        }                                                                                                          \
    }
DEFINE_BOUNDS(bound_hops, int32_t, NF_NO_HOP, run->cutoff_int)
DEFINE_BOUNDS(bound_i64, int64_t, NF_UNREACHED_I64, run->cutoff_int)
DEFINE_BOUNDS(bound_f32, float, INFINITY, run->cutoff_real)
DEFINE_BOUNDS(bound_f64, double, (double)INFINITY, run->cutoff_real)

static void apply_bounds(const nf__run *run, nf_vid n, nf__row *row)
{
    if (!run->has_cutoff && run->targets == NULL)
        return;
    if (run->problem == NF_BFS)
        bound_hops(run, n, row->dist, row->parent);
    else if (row->type == NF_I64)
        bound_i64(run, n, row->dist, row->parent);
    else if (row->type == NF_F32)
        bound_f32(run, n, row->dist, row->parent);
    else
        bound_f64(run, n, row->dist, row->parent);
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

/* owner[v] = the root of v's tree: each chain is walked once to a known owner and once more to note it. O(n). */
static void find_owners(const nf_vid *parent, nf_vid n, nf_vid *owner)
{
    for (nf_vid v = 0; v < n; v++)
        owner[v] = parent[v] == v ? v : NF_NO_VERTEX;
    for (nf_vid v = 0; v < n; v++) {
        nf_vid u = v;
        while (parent[u] != NF_NO_VERTEX && owner[u] == NF_NO_VERTEX)
            u = parent[u];
        const nf_vid root = owner[u];
        for (nf_vid x = v; root != NF_NO_VERTEX && owner[x] == NF_NO_VERTEX; x = parent[x])
            owner[x] = root;
    }
}

/* What lost its parent to a bound loses its owner too. */
static void drop_owners(const nf_vid *parent, nf_vid n, nf_vid *owner)
{
    for (nf_vid v = 0; v < n; v++)
        owner[v] = parent[v] == NF_NO_VERTEX ? NF_NO_VERTEX : owner[v];
}

/* ---- conversion -------------------------------------------------------------------------------------------------- */

#define DEFINE_NARROW(name, T, LOW, UNREACHED)                                                            \
    /* Index of the first distance that does not fit, or n. */                                            \
    static nf_vid name(const int64_t *from, nf_vid n, T *to)                                              \
    {                                                                                                     \
        for (nf_vid v = 0; v < n; v++) {                                                                  \
            const int64_t d = from[v];                                                                    \
            if (d != NF_UNREACHED_I64 && (d < (LOW) || (d >= 0 && (uint64_t)d >= (uint64_t)(UNREACHED)))) \
                return v;                                                                                 \
            to[v] = d == NF_UNREACHED_I64 ? (UNREACHED) : (T)d;                                           \
        }                                                                                                 \
        return n;                                                                                         \
    }
DEFINE_NARROW(narrow_i32, int32_t, INT32_MIN, NF_UNREACHED_I32)
DEFINE_NARROW(narrow_u32, uint32_t, 0, NF_UNREACHED_U32)
DEFINE_NARROW(narrow_u64, uint64_t, 0, NF_UNREACHED_U64)

static nf_vid narrow(nf_type type, const int64_t *from, nf_vid n, void *to)
{
    return type == NF_I32   ? narrow_i32(from, n, to)
           : type == NF_U32 ? narrow_u32(from, n, to)
                            : narrow_u64(from, n, to);
}

nf_status nf__row_unfit(const nf__run *run, int64_t distance, nf_vid v)
{
    return nf__fail(NF_EOVERFLOW, "the distance %lld of vertex %llu does not fit %s; ask for a wider type",
                    (long long)distance, (unsigned long long)nf_graph_label(run->graph, v),
                    nf_type_name(((const state *)run)->type));
}

static nf_status convert(const nf__run *run, const int64_t *from, nf_vid n, void *to)
{
    const nf_vid bad = narrow(((const state *)run)->type, from, n, to);
    return bad < n ? nf__row_unfit(run, from[bad], bad) : NF_OK;
}

/* ---- the end of a row -------------------------------------------------------------------------------------------- */

static nf_status hand_to_sink(const state *s, const nf__row *row, const void *dist)
{
    const nf_vid n = s->result->info.n;
    const nf_tile tile = {.row0 = row->index,
                          .rows = 1,
                          .cols = n,
                          .stride = n,
                          .sources = row->sources,
                          .type = s->type,
                          .distances = dist,
                          .parents = s->run.want_parents ? row->parent : NULL};
    const nf_status st = s->sink(s->sink_user, &tile);
    return st == NF_OK ? st : nf__fail(st, "the sink ended the run at row %llu", (unsigned long long)row->index);
}

static void count_row(const nf__run *run, uint64_t index, const void *distances, int threads)
{
    const state *s = (const state *)run;
    const nf_result *r = s->result;
    nf__tally_row(s->type, run->problem == NF_BFS, distances, r->info.n, threads, &r->rows[index]);
}

/* A row whose distances are counted. */
static void add_row(nf__run *run, const nf__row *row)
{
    nf_result *r = ((const state *)run)->result;
    nf__tally *tally = &r->rows[row->index];
    tally->iterations = row->iterations;
    tally->edges_relaxed = row->edges_relaxed;
    nf__result_add(r, row->index);
    r->info.flags |= row->rounded ? NF_INFO_ROUNDED : 0;
    r->info.flags |= row->overflowed ? NF_INFO_FLOAT_OVERFLOW : 0;
}

void nf__row_known(nf__run *run, const nf__row *row, const void *distances)
{
    count_row(run, row->index, distances, nf__team_for(run->ctx, ((const state *)run)->result->info.n / 32));
    add_row(run, row);
}

/* A row that is counted goes to the sink, or to whoever takes it. */
static nf_status hand_on(nf__run *run, const nf__row *row, const void *final, double ms)
{
    nf_status st = NF_OK;
    const state *s = (const state *)run;
    nf_result *r = s->result;
    r->rows[row->index].run_ms = ms;
    r->all.run_ms += ms;
    if (s->sink != NULL)
        NF_TRY(hand_to_sink(s, row, final));
    if (run->take != NULL)
        NF_TRY(run->take(run, row, final));
done:
    return st;
}

/* Where a row of another type than the working one goes; `out`: rooms for the sink. */
static void *place_of(const state *s, uint64_t index, void *out)
{
    const size_t width = nf_type_size(s->type);
    return out != NULL ? out : (char *)s->result->dist + (size_t)index * s->result->info.n * width;
}

nf_status nf__row_end(nf__run *run, nf__row *row)
{
    nf_status st = NF_OK;
    state *s = (state *)run;
    nf_result *r = s->result;
    const nf_vid n = r->info.n;
    void *final = row->dist;
    const bool filtered = run->nearest && run->problem != NF_BFS && run->stats.weight_sign < 0;
    if (filtered) /* a kept vertex may hang on one that the cutoff takes away */
        find_owners(row->parent, n, r->owners);
    apply_bounds(run, n, row);
    if (filtered)
        drop_owners(row->parent, n, r->owners);
    else if (run->nearest)
        find_owners(row->parent, n, r->owners);
    if (s->type != run->work_type) {
        final = place_of(s, row->index, s->out_row);
        NF_TRY(convert(run, row->dist, n, final));
    }
    nf__row_known(run, row, final);
    NF_TRY(hand_on(run, row, final, nf__now_ms() - s->row_start));
done:
    return st;
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

nf_status nf__band_open(nf__run *run, uint64_t most, nf__band *b)
{
    const state *s = (const state *)run;
    nf__mem *mem = s->result->mem;
    const uint64_t n = s->result->info.n;
    for (b->most = most;; b->most = b->most / 2) {
        const bool room =
            (b->rows = nf__alloc(mem, b->most, sizeof *b->rows)) != NULL
            && (s->work_row == NULL || b->final
                || (b->dist = nf__alloc(mem, b->most, n * nf_type_size(run->work_type))) != NULL)
            && (s->out_row == NULL || (b->out = nf__alloc(mem, b->most, n * nf_type_size(s->type))) != NULL)
            && (s->parent_row == NULL || (b->parents = nf__alloc(mem, b->most, n * sizeof(nf_vid))) != NULL);
        if (room)
            return NF_OK;
        nf__band_close(b);
        if (b->most < 2)
            return NF_ENOMEM;
    }
}

void nf__band_close(nf__band *b)
{
    nf__free(b->rows);
    nf__free(b->dist);
    nf__free(b->out);
    nf__free(b->parents);
    b->rows = NULL;
    b->dist = b->out = NULL;
    b->parents = NULL;
}

/* Where row i of some is handed out in a type that differs from the working one; `out`: rooms for the sink. */
static void *room_of(const state *s, uint64_t index, char *out, uint64_t i)
{
    return place_of(s, index, out != NULL ? out + i * s->result->info.n * nf_type_size(s->type) : NULL);
}

nf_status nf__band_begin(nf__run *run, nf__band *b, uint64_t first, uint64_t count)
{
    nf_status st = NF_OK;
    const state *s = (const state *)run;
    const uint64_t n = s->result->info.n;
    const size_t width = nf_type_size(run->work_type);
    b->count = count;
    b->start = nf__now_ms();
    for (uint64_t i = 0; i < count; i++) {
        NF_TRY(nf__row_begin(run, first + i, &b->rows[i]));
        if (b->dist != NULL)
            b->rows[i].dist = (char *)b->dist + i * n * width;
        if (b->final) {
            b->rows[i].type = s->type;
            b->rows[i].dist = room_of(s, first + i, b->out, i);
        }
        if (b->parents != NULL)
            b->rows[i].parent = b->parents + i * n;
    }
done:
    return st;
}

/* Row i of some as it is handed out. */
static void *final_of(const state *s, const nf__row *row, char *out, uint64_t i)
{
    return s->type == row->type ? row->dist : room_of(s, row->index, out, i);
}

/* Bounds, conversion and sums of a row; false: a distance does not fit the type asked for. */
static bool finish_row(nf__run *run, nf__row *row, void *final, int threads)
{
    const state *s = (const state *)run;
    const nf_vid n = s->result->info.n;
    apply_bounds(run, n, row);
    if (s->type != row->type && narrow(s->type, row->dist, n, final) < n)
        return false;
    count_row(run, row->index, final, threads);
    return true;
}

/* Rows end together: what each has to itself on all threads, then sums and sinks in order. */
static nf_status end_rows(nf__run *run, nf__row *rows, uint64_t count, char *out, double start)
{
    nf_status st = NF_OK;
    const state *s = (const state *)run;
    const nf_vid n = s->result->info.n;
    const int threads = nf__team_for(run->ctx, count * n / 32), inside = count == 1 ? threads : 1;
    uint64_t good = count; /* rows before the first that does not fit */
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(min : good) if (threads > 1 && inside == 1)
    for (uint64_t i = 0; i < count; i++)
        if (!finish_row(run, &rows[i], final_of(s, &rows[i], out, i), inside))
            good = i < good ? i : good;
    const double ms = (nf__now_ms() - start) / (double)count;
    for (uint64_t i = 0; i < count; i++) {
        void *final = final_of(s, &rows[i], out, i);
        if (i == good) /* again, for what it says */
            NF_TRY(convert(run, rows[i].dist, n, final));
        add_row(run, &rows[i]);
        NF_TRY(hand_on(run, &rows[i], final, ms));
    }
done:
    return st;
}

nf_status nf__band_end(nf__run *run, nf__band *b)
{
    return end_rows(run, b->rows, b->count, b->out, b->start);
}

/* Parents that stay, to their place. */
static void settle_parents(const state *s, nf__row *row)
{
    const nf_result *r = s->result;
    const size_t n = r->info.n;
    nf_vid *const place = s->parent_row == NULL && row->parent != NULL ? r->parents + row->index * n : row->parent;
    if (place != row->parent)
        memcpy(place, row->parent, n * sizeof *place);
    row->parent = place;
}

nf_status nf__rows_end(nf__run *run, nf__row *rows, uint64_t count)
{
    nf_status st = NF_OK;
    state *s = (state *)run;
    const uint64_t n = s->result->info.n;
    const int threads = nf__team_for(run->ctx, count * n / 32);
    char *out = s->out_row != NULL && count > 1 && !run->sparing
                    ? nf__alloc(s->result->mem, count, n * nf_type_size(s->type))
                    : NULL;
    const bool alone = s->out_row != NULL && out == NULL; /* there is room to convert one at a time */
    (void)threads;
    for (uint64_t i = 0; alone && i < count; i++) {
        NF_TRY(nf__row_end(run, &rows[i]));
        s->row_start = nf__now_ms();
    }
    if (alone || count == 0)
        goto done;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (uint64_t i = 0; i < count; i++)
        settle_parents(s, &rows[i]);
    NF_TRY(end_rows(run, rows, count, out, s->row_start));
done:
    nf__free(out);
    return st;
}
