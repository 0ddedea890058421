/* boost.cpp - Boost Graph's breadth_first_search and dijkstra_shortest_paths on compressed rows; see rival.h. */
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>
#include <vector>

#include "rival.h"

struct weight {
    int32_t w;
};
typedef boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, weight, boost::no_property, uint32_t,
                                           uint64_t>
    graph;

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

static void search(const graph &g, bool bfs, uint32_t source)
{
    const int64_t far = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> d(boost::num_vertices(g), far);
    const double start = rival_now_ms();
    auto map = boost::make_iterator_property_map(d.begin(), boost::get(boost::vertex_index, g));
    d[source] = 0;
    if (bfs)
        boost::breadth_first_search(g, source,
                                    boost::visitor(
                                        boost::make_bfs_visitor(boost::record_distances(map, boost::on_tree_edge()))));
    else
        boost::dijkstra_shortest_paths(
            g, source, boost::distance_map(map).weight_map(boost::get(&weight::w, g)).distance_inf(far));
    const double ms = rival_now_ms() - start;
    uint64_t reached = 0;
    double sum = 0;
    for (int64_t x : d)
        if (x != far) {
            reached++;
            sum += static_cast<double>(x);
        }
    rival_print(ms, reached, sum);
}

int main(int argc, char **argv)
{
    rival_graph raw;
    if (argc < 5 || !rival_read(argv[2], &raw))
        return 2;
    const graph g = build(raw);
    for (int i = 4; i < argc; i++)
        search(g, strcmp(argv[1], "bfs") == 0, static_cast<uint32_t>(strtoul(argv[i], nullptr, 10)));
    return 0;
}
