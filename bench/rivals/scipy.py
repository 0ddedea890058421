#!/usr/bin/env python3
"""SciPy's csgraph as a rival: breadth_first_order, dijkstra, floyd_warshall; what it is asked and answers is in rival.h."""
import sys

if sys.path and sys.path[0]:  # this folder holds a file of SciPy's name
    del sys.path[0]

import time

import numpy
import scipy
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, dijkstra, floyd_warshall


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
    """Depths from the order and the parents, a generation at a time; not timed."""
    depth = numpy.full(n, numpy.inf)
    place = numpy.full(n, -1, dtype=numpy.int64)
    place[order] = numpy.arange(len(order))
    up = place[parents[order[1:]]]  # places of the parents: never falling, as the order is breadth-first
    at = numpy.zeros(len(order))
    first, last, level = 0, 1, 0
    while first < last:
        end = 1 + numpy.searchsorted(up, last, side="left")
        level += 1
        at[last:end] = level
        first, last = last, end
    depth[order] = at
    return depth


def digest(distances):
    """Count and hash of the finite distances of a matrix, as rival_add has them."""
    with numpy.errstate(over="ignore"):
        flat = distances.ravel()
        at = numpy.flatnonzero(numpy.isfinite(flat)).astype(numpy.uint64)
        x = (flat[at].astype(numpy.int64).astype(numpy.uint64) + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
        x ^= at * numpy.uint64(0xC2B2AE3D27D4EB4F)
        x = (x ^ (x >> numpy.uint64(32))) * numpy.uint64(0x165667B19E3779F9)
        return len(at), int(numpy.sum(x ^ (x >> numpy.uint64(29)), dtype=numpy.uint64))


def search(graph, problem, source):
    start = time.perf_counter()
    if problem == "bfs":
        order, parents = breadth_first_order(graph, source)
    elif problem == "sssp":
        distances = dijkstra(graph, indices=source)
    elif problem == "apsp":
        distances = dijkstra(graph)
    else:
        distances = floyd_warshall(graph)
    ms = (time.perf_counter() - start) * 1e3
    if problem == "bfs":
        distances = levels(order, parents, source, graph.shape[0])
    return (ms,) + digest(distances)


def main():
    if sys.argv[1:] == ["--version"]:
        print("SciPy", scipy.__version__)
        return
    graph = read(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        problem, threads, source = line.split()
        if threads != "1" or problem not in ("bfs", "sssp", "apsp", "dense"):
            print("no", flush=True)
        else:
            print("%.6f %d %d" % search(graph, problem, int(source)), flush=True)


main()
