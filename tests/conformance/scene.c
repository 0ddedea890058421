/* scene.c - one graph of the corpus with its sources and its reference rows, each found once. */
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static void add_source(scene *sc, nf_vid v)
{
    for (uint64_t k = 0; k < sc->source_count; k++)
        if (sc->sources[k] == v)
            return;
    sc->sources[sc->source_count++] = v;
}

/* The first vertex, the one of most arcs, the last, and some more where they are cheap. */
static bool choose_sources(nf_context *ctx, const suite *su, scene *sc)
{
    static const uint64_t wanted[] = {6, 3, 2, 1};
    const nf_vid n = sc->csr.n;
    const uint64_t most = su->quick ? 1 + (sc->item.size == SIZE_TINY) : wanted[sc->item.size];
    nf_graph_stats stats = {.size = sizeof stats};
    if (n == 0)
        return true;
    if (nf_graph_get_stats(ctx, sc->item.graph, 0, &stats) != NF_OK)
        return false;
    if (sc->item.size != SIZE_LARGE)
        add_source(sc, 0);
    if (sc->source_count < most)
        add_source(sc, stats.degree_max_vertex);
    for (uint64_t k = 0; k < 8 && sc->source_count < most; k++)
        add_source(sc, (nf_vid)((su->seed * 2654435761u + k * 40503u + n - 1) % n));
    sc->sources[sc->source_count] = sc->sources[0];
    return true;
}

bool scene_open(nf_context *ctx, const suite *su, corpus_graph *item, scene *sc)
{
    memset(sc, 0, sizeof *sc);
    sc->item = *item;
    item->graph = NULL;
    sc->info.size = sizeof sc->info;
    if (nf_graph_view(ctx, sc->item.graph, &sc->csr) != NF_OK || nf_graph_get_info(sc->item.graph, &sc->info) != NF_OK)
        return false;
    sc->real = sc->info.weight_type == NF_F32 || sc->info.weight_type == NF_F64;
    for (int k = 0; k < 4; k++) {
        sc->single[k] = calloc((size_t)sc->csr.n + 1, sizeof *sc->single[k]);
        if (sc->single[k] == NULL)
            return false;
    }
    return choose_sources(ctx, su, sc);
}

static void drop_row(ref_row *row)
{
    if (row != NULL)
        ref_free(row);
    free(row);
}

void scene_close(scene *sc)
{
    for (int k = 0; k < 4; k++) {
        for (nf_vid v = 0; v < sc->csr.n && sc->single[k] != NULL; v++)
            drop_row(sc->single[k][v]);
        free(sc->single[k]);
        drop_row(sc->nearest[k]);
    }
    nf_graph_free(sc->item.graph);
    memset(sc, 0, sizeof *sc);
}

static int slot(bool hops, nf_type arithmetic)
{
    return hops ? 0 : arithmetic == NF_I64 ? 1 : arithmetic == NF_F32 ? 2 : 3;
}

static const ref_row *find_row(scene *sc, ref_row **place, bool hops, nf_type arithmetic, const nf_vid *sources,
                               uint64_t count)
{
    if (*place != NULL)
        return *place;
    ref_row *row = malloc(sizeof *row);
    if (row != NULL && !ref_solve(&sc->csr, hops, arithmetic, sources, count, row)) {
        free(row);
        row = NULL;
    }
    *place = row;
    return row;
}

const ref_row *scene_row(scene *sc, bool hops, nf_type arithmetic, nf_vid source)
{
    return find_row(sc, &sc->single[slot(hops, arithmetic)][source], hops, arithmetic, &source, 1);
}

const ref_row *scene_nearest(scene *sc, bool hops, nf_type arithmetic)
{
    return find_row(sc, &sc->nearest[slot(hops, arithmetic)], hops, arithmetic, sc->sources, sc->source_count);
}
