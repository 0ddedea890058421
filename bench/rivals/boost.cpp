/* boost.cpp - Boost Graph on compressed rows: breadth_first_search, dijkstra_shortest_paths (all pairs: from every
 * vertex), and floyd_warshall_all_pairs_shortest_paths for dense graphs; see rival.h. */
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/floyd_warshall_shortest.hpp>
#include <boost/version.hpp>
#include <limits>
#include <vector>

#include "rival.h"

struct weight {
    int32_t w;
};
typedef boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, weight, boost::no_property, uint32_t,
                                           uint64_t>
    graph;

static const int64_t far_away = std::numeric_limits<int64_t>::max();

static graph build(const rival_graph &g)
{
    std::vector<std::pair<uint32_t, uint32_t>> arcs(static_cast<size_t>(g.m));
    std::vector<weight> weights(static_cast<size_t>(g.m));
    for (int64_t u = 0; u < g.n; u++)
        for (int64_t e = g.off[u]; e < g.off[u + 1]; e++) {
            arcs[static_cast<size_t>(e)] = {static_cast<uint32_t>(u), static_cast<uint32_t>(g.pair[2 * e])};
            weights[static_cast<size_t>(e)].w = g.pair[2 * e + 1];
        }
    return graph(boost::edges_are_sorted, arcs.begin(), arcs.end(), weights.begin(), static_cast<uint32_t>(g.n));
}

/* Adds the time of one search to the answer, and its distances from place `at` on. */
static void search_one(const graph &g, bool bfs, uint32_t source, uint64_t at, std::vector<int64_t> &d, rival_answer *a)
{
    const double start = rival_now_ms();
    std::fill(d.begin(), d.end(), far_away);
    auto map = boost::make_iterator_property_map(d.begin(), boost::get(boost::vertex_index, g));
    d[source] = 0;
    if (bfs)
        boost::breadth_first_search(g, source,
                                    boost::visitor(
                                        boost::make_bfs_visitor(boost::record_distances(map, boost::on_tree_edge()))));
    else
        boost::dijkstra_shortest_paths(
            g, source, boost::distance_map(map).weight_map(boost::get(&weight::w, g)).distance_inf(far_away));
    a->ms += rival_now_ms() - start;
    for (size_t v = 0; v < d.size(); v++)
        if (d[v] != far_away)
            rival_add(a, at + v, d[v]);
}

static void search_dense(const graph &g, rival_answer *a)
{
    const size_t n = boost::num_vertices(g);
    const int32_t none = std::numeric_limits<int32_t>::max();
    std::vector<std::vector<int32_t>> d(n, std::vector<int32_t>(n));
    const double start = rival_now_ms();
    boost::floyd_warshall_all_pairs_shortest_paths(
        g, d, boost::weight_map(boost::get(&weight::w, g)).distance_inf(none).distance_zero(0));
    a->ms = rival_now_ms() - start;
    for (size_t u = 0; u < n; u++)
        for (size_t v = 0; v < n; v++)
            if (d[u][v] != none)
                rival_add(a, u * n + v, d[u][v]);
}

static int answer(void *data, const char *problem, int threads, uint32_t source, rival_answer *a)
{
    const graph &g = *static_cast<const graph *>(data);
    std::vector<int64_t> d(boost::num_vertices(g));
    if (threads != 1)
        return 0;
    if (strcmp(problem, "bfs") == 0 || strcmp(problem, "sssp") == 0)
        search_one(g, problem[0] == 'b', source, 0, d, a);
    else if (strcmp(problem, "apsp") == 0)
        for (uint32_t u = 0; u < d.size(); u++)
            search_one(g, false, u, static_cast<uint64_t>(u) * d.size(), d, a);
    else if (strcmp(problem, "dense") == 0)
        search_dense(g, a);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    rival_graph raw;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("Boost %d.%d\n", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000) < 0;
    if (argc != 2 || !rival_read(argv[1], &raw))
        return 2;
    graph g = build(raw);
    free(raw.off);
    free(raw.pair);
    return rival_serve(&g, answer);
}
