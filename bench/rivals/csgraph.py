"""SciPy's csgraph as a rival: `csgraph.py bfs|sssp GRAPH.wsg THREADS SOURCE...`, printing what rival.h says."""
import sys
import time

import numpy
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, dijkstra


def read(path):
    """GAP's serialised weighted graph as a matrix."""
    with open(path, "rb") as file:
        file.read(1)
        m, n = numpy.fromfile(file, dtype=numpy.int64, count=2)
        offsets = numpy.fromfile(file, dtype=numpy.int64, count=n + 1)
        pairs = numpy.fromfile(file, dtype=numpy.int32, count=2 * m).reshape(-1, 2)
    graph = csr_matrix((n, n))
    graph.data = pairs[:, 1].astype(numpy.float64)
    graph.indices = numpy.ascontiguousarray(pairs[:, 0])
    graph.indptr = offsets.astype(numpy.int32)
    return graph


def levels(order, parents, source, n):
    """Depths from the order and the parents; not timed."""
    depth = numpy.full(n, -1, dtype=numpy.int64)
    depth[source] = 0
    for v in order[1:]:
        depth[v] = depth[parents[v]] + 1
    return depth[depth >= 0]


def main():
    problem, graph = sys.argv[1], read(sys.argv[2])
    for source in map(int, sys.argv[4:]):
        start = time.perf_counter()
        if problem == "bfs":
            order, parents = breadth_first_order(graph, source)
        else:
            distance = dijkstra(graph, indices=source)
        ms = (time.perf_counter() - start) * 1e3
        found = levels(order, parents, source, graph.shape[0]) if problem == "bfs" else distance[numpy.isfinite(distance)]
        print("%.4f %d %.0f" % (ms, len(found), found.sum()))


main()
