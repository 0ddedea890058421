"""The contract of the command: JSON keys and values, options, labels, exit codes."""
import os

from harness import data

# Distances from 1: 0 3 1 8, 5 unreached; hops: 0 1 1 2.
TINY = "c tiny\np sp 5 6\na 1 2 4\na 1 3 1\na 3 2 2\na 2 4 5\na 3 4 8\na 4 1 7\n"
KEYS = {"problem", "algorithm", "reason", "device", "n", "m", "source", "reached", "max", "sum", "time_ms", "iterations",
        "edges_relaxed"}
TIMES = {"read", "build", "upload", "run", "device", "download", "total"}


def test_json_sssp(s):
    s.file("tiny.gr", TINY)
    a = s.works("sssp", "tiny.gr", "--source", 1, "--json")
    o = a.json()
    s.ok(KEYS <= set(o), "every key of the contract", a)
    s.equal(set(o.get("time_ms", {})), TIMES, "parts of time_ms", a)
    got = [o.get(k) for k in ("problem", "n", "m", "source", "reached", "max", "sum", "device")]
    s.equal(got, ["sssp", 5, 6, 1, 4, 8, 12, "cpu"], "values", a)
    s.ok(all(isinstance(o.get(k), int) for k in ("max", "sum", "reached", "iterations", "edges_relaxed")), "integers", a)
    s.ok(o.get("algorithm") != "auto" and o.get("reason"), "the algorithm that ran, and why", a)
    s.equal(a.err, "", "stderr", a)
    t = o["time_ms"]
    s.ok(t["total"] >= t["read"] >= 0, "total includes reading", a)


def test_json_bfs(s):
    s.file("tiny.gr", TINY)
    o = s.works("bfs", "tiny.gr", "--source=1", "--json").json()
    s.equal([o.get(k) for k in ("problem", "source", "reached", "max", "sum")], ["bfs", 1, 4, 2, 4], "values")


def test_json_apsp(s):
    s.file("tiny.gr", TINY)
    for more in ([], ["--verify"], ["--output", "m.npy"], ["--algorithm", "floyd-warshall"]):
        o = s.works("apsp", "tiny.gr", "--json", *more).json()
        got = [o.get(k) for k in ("problem", "source", "reached", "max", "sum")]
        s.equal(got, ["apsp", None, 17, 14, 90], "values with %s" % more)
        s.ok(KEYS <= set(o), "every key with %s" % more)
    s.ok(s.exists("m.npy"), "the matrix was written")
    s.works("apsp", "tiny.gr", "--output", "v.npy", "--verify")
    for name, text in (("none.gr", "p sp 0 0\n"), ("half.csv", "0,1,0.5\n1,2,0.25\n")):
        s.file(name, text)
        s.works("apsp", name, "--directed", "--output", name + ".npy")
        s.works("apsp", name, "--directed", "--output", name + ".v.npy", "--verify")
        s.ok(same(s, name + ".npy", name + ".v.npy"), "%s: the matrix written by rows is the one written at once" % name)
    s.ok(same(s, "m.npy", "v.npy"), "the matrix written by rows is the one written at once")
    s.works("apsp", "tiny.gr", "--output", "t.npy", "--algorithm", "floyd-warshall")
    s.ok(same(s, "m.npy", "t.npy"), "whatever the algorithm")


def same(s, one, two):
    with open(s.path(one), "rb") as a, open(s.path(two), "rb") as b:
        return a.read() == b.read()


def test_many_sources(s):
    s.file("tiny.gr", TINY)
    a = s.works("sssp", "tiny.gr", "--source", 1, "--source", 4, "--source", 1, "--json")
    rows = a.json()
    s.ok(isinstance(rows, list) and len(rows) == 3, "an array, one object a source", a)
    s.equal([(r["source"], r["reached"], r["max"], r["sum"]) for r in rows], [(1, 4, 8, 12), (4, 4, 10, 25), (1, 4, 8, 12)],
            "rows", a)
    s.ok(all(KEYS <= set(r) for r in rows), "every key in every row", a)
    s.file("list.ss", "c sources\np aux sp ss 2\ns 4\ns 3\n")
    rows = s.works("bfs", "tiny.gr", "--sources", "list.ss", "--json").json()
    s.equal([(r["source"], r["sum"]) for r in rows], [(4, 5), (3, 4)], "rows of a .ss file")
    s.file("list.txt", "4 # the last\n\n3\n")
    rows = s.works("bfs", "tiny.gr", "--sources", "list.txt", "--source", 1, "--json").json()
    s.equal([r["source"] for r in rows], [1, 4, 3], "sources of both kinds")
    s.ok("source" in s.works("bfs", "tiny.gr", "--source", 1, "--source", 4).out, "a table for people")


def test_many_sources_in_little_memory(s):
    s.works("generate", "uniform", "--n", 8192, "--edge-factor", 4, "--weights", "1:255", "-o", "many.nfg")
    s.file("many.txt", "".join("%d\n" % (v * 8) for v in range(1000)))
    s.file("some.txt", "".join("%d\n" % (v * 8) for v in range(40)))
    for command, size in (("bfs", 4), ("sssp", 8)):
        few = ("many.nfg", "--threads", 2)
        s.works(command, *few, "--sources", "many.txt", "--memory", "4M", "--output", "rows.npy")
        s.equal(os.path.getsize(s.path("rows.npy")), 128 + 1000 * 8192 * size, "%s: a thousand rows went by" % command)
        s.works(command, *few, "--sources", "many.txt", "--memory", "4M")
        s.fails(5, r"memory", command, *few, "--sources", "many.txt", "--memory", "4M", "--output", "rows.nfd")
        s.works(command, *few, "--sources", "some.txt", "--output", "a.npy")
        s.works(command, *few, "--sources", "some.txt", "--output", "b.npy", "--verify")
        with open(s.path("a.npy"), "rb") as a, open(s.path("b.npy"), "rb") as b:
            s.ok(a.read() == b.read(), "%s: rows that went by are those that were held" % command)


def test_nearest(s):
    s.file("tiny.gr", TINY)
    a = s.works("sssp", "tiny.gr", "--source", 2, "--source", 1, "--nearest", "--json")
    o = a.json()
    s.equal(o.get("sources"), [2, 1], "sources", a)
    s.equal(o.get("owners"), [1, 2, 1, 2, None], "owners by label", a)
    s.equal((o.get("source"), o.get("reached"), o.get("max"), o.get("sum"), o.get("first_label")), (None, 4, 5, 6, 1), "values", a)
    s.works("sssp", "tiny.gr", "--source", 2, "--source", 1, "--nearest", "--verify", "--deterministic")


def test_special_sources(s):
    s.file("tiny.gr", TINY)
    s.equal(s.works("bfs", "tiny.gr", "--source", "max-degree", "--json").json().get("source"), 1, "max-degree")
    got = {s.works("bfs", "tiny.gr", "--source", "random:%d" % i, "--json").json().get("source") for i in range(12)}
    s.ok(got <= {1, 2, 3, 4} and len(got) > 1, "random sources have an arc out and vary: %s" % got)
    again = [s.works("bfs", "tiny.gr", "--source", "random:7", "--json").json().get("source") for _ in range(2)]
    s.equal(again[0], again[1], "the same seed, the same source")


def test_cutoff_and_targets(s):
    s.file("tiny.gr", TINY)
    o = s.works("sssp", "tiny.gr", "--source", 1, "--cutoff", 3, "--verify", "--json").json()
    s.equal((o.get("reached"), o.get("max"), o.get("verified")), (3, 3, True), "an inclusive cutoff")
    o = s.works("sssp", "tiny.gr", "--source", 1, "--cutoff", "2.99", "--json").json()
    s.equal((o.get("reached"), o.get("max")), (2, 1), "a cutoff between two distances")
    o = s.works("sssp", "tiny.gr", "--source", 1, "--target", 2, "--target", 3, "--verify", "--json").json()
    s.equal(o.get("targets"), [{"target": 2, "distance": 3}, {"target": 3, "distance": 1}], "targets")
    s.equal(o.get("reached"), 3, "a target is a cutoff at its distance")
    o = s.works("sssp", "tiny.gr", "--source", 1, "--target", 5, "--json").json()
    s.equal(o.get("targets"), [{"target": 5, "distance": None}], "an unreached target")
    s.equal(o.get("reached"), 4, "an unreached target is no cutoff")


def test_sparse_labels(s):
    s.file("sparse.txt", "# labels as they are\n1000 7\n7 500000\n500000 18446744073709551614\n")
    o = s.works("bfs", "sparse.txt", "--directed", "--source", 1000, "--output", "out.tsv", "--parents", "--json").json()
    s.equal((o.get("n"), o.get("source"), o.get("reached"), o.get("max")), (4, 1000, 4, 3), "a sparse edge list")
    lines = [line.split("\t") for line in s.read("out.tsv").splitlines()]
    found = {line[1]: line[2] for line in lines[1:]}
    s.equal(lines[0], ["source", "vertex", "hops", "parent"], "the header of a .tsv")
    s.equal(found, {"1000": "0", "7": "1", "500000": "2", "18446744073709551614": "3"}, "labels in the output")
    s.fails(6, r"no such vertex.*gaps", "bfs", "sparse.txt", "--source", 8)
    o = s.works("path", "sparse.txt", "--directed", "--source", 1000, "--target", 500000, "--json").json()
    s.equal((o.get("path"), o.get("distance"), o.get("hops")), ([1000, 7, 500000], 2, 2), "a path in labels")
    o = s.works("bfs", "sparse.txt", "--directed", "--source", 7, "--nearest", "--json").json()
    s.equal(dict(zip(o["labels"], o["owners"])), {1000: None, 7: 7, 500000: 7, 18446744073709551614: 7}, "owners and labels")


def test_one_based(s):
    s.file("m.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n2 3 6\n")
    o = s.works("sssp", "m.mtx", "--source", 1, "--json").json()
    s.equal((o.get("reached"), o.get("max")), (3, 11), "a 1-based .mtx")
    s.fails(6, r"numbered 1 to 3", "sssp", "m.mtx", "--source", 0)
    s.file("m.graph", "3 2\n2\n1 3\n2\n")
    o = s.works("path", "m.graph", "--source", 3, "--target", 1, "--json").json()
    s.equal(o.get("path"), [3, 2, 1], "a 1-based .graph")


def test_paths(s):
    s.file("tiny.gr", TINY)
    a = s.works("path", "tiny.gr", "--source", 1, "--target", 4, "--verify")
    words = [line.split() for line in a.out.splitlines() if line.startswith("  ")]
    s.equal(words[:4], [["1", "0"], ["3", "1"], ["2", "3"], ["4", "8"]], "vertices with the distance so far", a)
    o = s.works("path", "tiny.gr", "--source", 1, "--target", 4, "--hops", "--json").json()
    s.equal((o.get("distance"), o.get("hops"), len(o.get("path", []))), (2, 2, 3), "fewest arcs")
    a = s.run("path", "tiny.gr", "--source", 1, "--target", 5, "--json")
    s.equal((a.code, a.json().get("distance", 0), a.json().get("path")), (6, None, []), "no way", a)
    s.fails(6, r"no path leads from 1 to 5", "path", "tiny.gr", "--source", 1, "--target", 5)
    o = s.works("path", "tiny.gr", "--source", 2, "--target", 2, "--json").json()
    s.equal((o.get("distance"), o.get("hops"), o.get("path")), (0, 0, [2]), "from a vertex to itself")
    s.fails(2, r"one --source U and one --target V", "path", "tiny.gr", "--source", 1)


def test_path_methods(s):
    s.file("tiny.gr", TINY)
    answers = []
    for name in ("one-way", "bidirectional", "dijkstra", "auto"):
        o = s.works("path", "tiny.gr", "--source", 1, "--target", 4, "--algorithm", name, "--verify", "--json").json()
        answers.append((o.get("distance"), o.get("path")))
        s.ok(name == "auto" or o.get("algorithm") == name, "%s ran: %s" % (name, o.get("algorithm")))
    s.ok(answers.count(answers[0]) == len(answers), "all methods agree: %s" % answers)
    o = s.works("path", "tiny.gr", "--source", 1, "--target", 4, "--hops", "--algorithm", "bidirectional-bfs", "--verify", "--json").json()
    s.equal((o.get("distance"), o.get("algorithm")), (2, "bidirectional-bfs"), "by hops, from both ends")
    s.fails(6, r"ask for hops", "path", "tiny.gr", "--source", 1, "--target", 4, "--algorithm", "one-way-bfs")
    out = s.works("path", "tiny.gr", "--source", 1, "--target", 4, "--explain").out
    s.ok("without a transpose" in out and "Dijkstra" in out, "--explain says why one end: %s" % out)
    s.file("loop.wel", "0 1 5\n1 2 -4\n2 1 1\n")
    for more in ([], ["--verify"]):
        a = s.run("path", "loop.wel", "--source", 0, "--target", 2, "--json", *more)
        s.equal((a.code, sorted(a.json().get("error", {}).get("cycle", []))), (4, [1, 2]), "a negative cycle", a)


def test_path_past_cutoff(s):
    """With negative weights the way to a near target may lead through a vertex beyond the cutoff."""
    s.file("dip.wel", "0 1 10\n1 2 -9\n2 3 -1\n")
    o = s.works("path", "dip.wel", "--source", 0, "--target", 3, "--cutoff", 0, "--verify", "--json").json()
    s.equal((o.get("distance"), o.get("path")), (0, [0, 1, 2, 3]), "the whole way")
    a = s.run("path", "dip.wel", "--source", 0, "--target", 2, "--cutoff", 0, "--verify", "--json")
    s.equal((a.code, a.json().get("distance", 1), a.json().get("path")), (6, None, []), "a target beyond the cutoff", a)


def test_negative_cycle(s):
    s.file("neg.txt", "10 20 1\n20 30 -5\n30 20 2\n30 40 1\n")
    a = s.run("sssp", "neg.txt", "--directed", "--source", 10)
    s.equal(a.code, 4, "exit code", a)
    s.ok("20 -> 30 -> 20" in a.out or "30 -> 20 -> 30" in a.out, "the cycle in labels", a)
    s.ok(len(a.err.strip().splitlines()) == 1 and "negative cycle" in a.err, "one line on stderr", a)
    a = s.run("sssp", "neg.txt", "--directed", "--source", 10, "--json")
    e = a.json().get("error", {})
    s.equal((a.code, e.get("status"), sorted(e.get("cycle", []))), (4, "NF_ENEGCYCLE", [20, 30]), "JSON", a)
    s.equal(s.run("apsp", "neg.txt", "--directed").code, 4, "apsp")
    s.equal(s.run("sssp", "neg.txt", "--directed", "--source", 10, "--verify").code, 4, "the cycle is verified")
    o = s.works("sssp", "neg.txt", "--directed", "--source", 40, "--json").json()
    s.equal(o.get("reached"), 1, "a cycle that cannot be reached is none")
    s.file("fine.txt", "1 2 5\n1 3 2\n3 2 -4\n")
    o = s.works("sssp", "fine.txt", "--directed", "--source", 1, "--verify", "--json").json()
    s.equal((o.get("max"), o.get("sum"), o.get("verified")), (2, 0, True), "negative weights without a cycle")
    s.fails(6, r"negative", "sssp", "fine.txt", "--directed", "--source", 1, "--algorithm", "dijkstra")


def test_types(s):
    s.file("big.wel", "0 1 2000000000\n1 2 2000000000\n")
    o = s.works("sssp", "big.wel", "--directed", "--source", 0, "--json").json()
    s.equal((o.get("max"), o.get("sum"), o.get("distance_type")), (4000000000, 6000000000, "i64"), "beyond 32 bits")
    s.fails(6, r".", "sssp", "big.wel", "--directed", "--source", 0, "--distance-type", "i32")
    o = s.works("sssp", "big.wel", "--directed", "--source", 0, "--distance-type", "f64", "--json").json()
    s.equal(o.get("max"), 4e9, "f64")
    s.file("half.csv", "0,1,0.5\n1,2,0.25\n")
    o = s.works("sssp", "half.csv", "--directed", "--source", 0, "--json").json()
    s.equal((o.get("max"), o.get("sum")), (0.75, 1.25), "floats")


def test_reading_options(s):
    s.file("e.csv", "1,2,9,4\n2,3,9,5\n1,2,9,3\n3,3,1,1\n")
    def info(*more):
        return s.works("info", "e.csv", "--json", "--directed", *more).json()
    s.equal(s.works("sssp", "e.csv", "--directed", "--weight-column", 4, "--source", 1, "--json").json().get("max"), 8, "column 4")
    s.equal(info("--weight-column", "none").get("weight_type"), "none", "no weights")
    s.equal(info("--weight-type", "none").get("weight_type"), "none", "no weights by type")
    s.equal(info("--weight-type", "f64").get("weight_type"), "f64", "a weight type")
    s.equal([info("--duplicates", how).get("m") for how in ("keep", "min", "max", "sum")], [4, 3, 3, 3], "duplicates")
    s.equal(info("--drop-loops").get("m"), 3, "loops dropped")
    o = s.works("info", "e.csv", "--undirected", "--json").json()
    s.equal((o.get("m"), o.get("directed")), (7, False), "undirected: reverses added, a loop once")
    s.fails(2, r"contradict", "info", "e.csv", "--directed", "--undirected")
    s.fails(2, r"--weight-column", "info", "e.csv", "--weight-column", "x")
    s.file("x.dat", "p sp 2 1\na 1 2 3\n")
    s.equal(s.works("info", "x.dat", "--format", "gr", "--json").json().get("format"), "gr", "--format")
    a = s.run("info", "x.dat", "--format", "grr")
    s.ok(a.code in (2, 6) and "gr" in a.err, "an unknown format names its neighbours", a)


def test_info(s):
    s.file("tiny.gr", TINY)
    o = s.works("info", "tiny.gr", "--diameter", "--json").json()
    got = [o.get(k) for k in ("n", "m", "directed", "weight_type", "format", "degree_max", "degree_max_vertex", "isolated", "loops",
                              "first_label", "last_label", "weight_min", "weight_max")]
    s.equal(got, [5, 6, True, "i32", "gr", 2, 1, 1, 0, 1, 5, 1, 8], "values")
    s.ok(o.get("facts") and o.get("diameter", 0) >= 2 and o.get("bytes", 0) > 0, "facts, diameter and bytes")
    out = s.works("info", "tiny.gr").out
    s.ok(all(w in out for w in ("5 vertices", "6 arcs", "directed", "i32", "1 to 5")), "words for people")
    formats = s.works("info", "--formats", "--json").json()
    names = {f["name"] for f in formats}
    s.ok({"gr", "mtx", "metis", "el", "wel", "sg", "wsg", "npz", "nfg", "tsplib"} <= names, "every format: %s" % names)
    s.ok(all(f["directed"] and f["weights"] and f["zeros"] for f in formats), "each says how it is read")
    s.ok("zeros" in s.works("info", "--formats").out, "words for people")


def test_generate(s):
    o = s.works("generate", "grid2d", "--rows", 4, "--cols", 5, "-o", "grid.nfg", "--json").json()
    s.equal((o.get("n"), o.get("kind"), o.get("output")), (20, "grid2d", "grid.nfg"), "a grid")
    o = s.works("bfs", "grid.nfg", "--source", 0, "--json").json()
    s.equal((o.get("reached"), o.get("max")), (20, 7), ".nfg counts from 0, and a grid is a grid")
    kinds = s.works("generate", "--kinds", "--json").json()
    names = {k["name"] for k in kinds}
    wanted = {"rmat", "kronecker", "uniform", "forest-fire", "small-world", "grid2d", "grid3d", "delaunay", "road", "complete",
              "dag-chain", "hub", "star", "path", "tree"}
    s.ok(wanted <= names, "every kind: missing %s" % (wanted - names))
    for name in sorted(names):
        a = s.works("generate", name, "--n", 200, "--seed", 3, "-o", "g.nfg", "--quiet")
        s.equal(a.out + a.err, "", "%s --quiet is quiet" % name, a)
    sums = []
    for seed, threads in ((5, 1), (5, 2), (6, 1)):
        s.works("generate", "rmat", "--scale", 8, "--edge-factor", 4, "--abc", "0.5,0.2,0.2", "--weights", "1:9", "--permute",
                "--threads", threads, "--seed", seed, "-o", "r.nfg")
        sums.append(s.works("sssp", "r.nfg", "--source", "max-degree", "--json").json().get("sum"))
    s.ok(sums[0] == sums[1] != sums[2], "the seed decides, the threads do not: %s" % sums)
    o = s.works("info", "r.nfg", "--json").json()
    s.ok(o["weight_type"] == "i32" and o["weight_min"] >= 1 and o["weight_max"] <= 9, "weights in their range")
    out = s.works("generate", "path", "--n", 3, "--directed", "-o", "-", "--to", "el")
    s.equal(out.out.split(), ["0", "1", "1", "2"], "on standard output", out)


def test_generate_errors(s):
    s.fails(2, r"-o FILE", "generate", "road")
    s.fails(2, r"road", "generate", "raod", "-o", "x.nfg")
    s.fails(2, r"give one", "generate", "rmat", "--n", 5, "--scale", 4, "-o", "x.nfg")
    s.fails(2, r"give one", "generate", "rmat", "--edges", 5, "--edge-factor", 4, "-o", "x.nfg")
    s.fails(2, r"LO:HI", "generate", "rmat", "--weights", "9", "-o", "x.nfg")
    s.fails(2, r"LO:HI", "generate", "rmat", "--weights", "9:1", "-o", "x.nfg")
    s.fails(2, r"A,B,C", "generate", "rmat", "--abc", "0.5,0.2", "-o", "x.nfg")
    s.fails(2, r"whole number", "generate", "rmat", "--n", "12x", "-o", "x.nfg")
    s.fails(2, r"whole number", "generate", "rmat", "--n", "-3", "-o", "x.nfg")
    s.fails(2, r"needs a value", "generate", "rmat", "--n", "--seed", 3, "-o", "x.nfg")
    s.fails(2, r"--to", "generate", "path", "--n", 3, "-o", "-")
    a = s.run("generate", "rmat", "--scale", 5, "--abc", "0.9,0.9,0.9", "-o", "x.nfg")
    s.equal(a.code, 2, "probabilities over 1", a)
    s.ok(not s.exists("x.nfg"), "no file is left")


def test_convert(s):
    s.file("tiny.gr", TINY)
    want = s.works("sssp", "tiny.gr", "--source", 1, "--json").json()
    for name in ("t.nfg", "t.mtx", "t.gr.gz", "t.wel", "t.wsg", "t.npz", "t.gr.xz", "t.gr.zst"):
        s.works("convert", "tiny.gr", name)
        first = s.works("info", name, "--directed", "--json").json().get("first_label")
        got = s.works("sssp", name, "--directed", "--source", first, "--json").json()
        if s.ok(first is not None and got, "%s is read back" % name):
            s.equal([got.get(k) for k in ("m", "max", "sum", "reached")], [want[k] for k in ("m", "max", "sum", "reached")], name)
    a = s.works("convert", "-", "-", "--format", "gr", "--to", "mtx", stdin=TINY.encode())
    s.ok(a.out.startswith("%%MatrixMarket"), "a filter", a)
    a = s.fails(2, r"--to", "convert", "tiny.gr", "-")
    a = s.run("convert", "tiny.gr", "t.unknown")
    s.ok(a.code != 0 and not s.exists("t.unknown") and len(a.err.splitlines()) == 1, "an unknown format", a)
    a = s.run("convert", "tiny.gr", "no/such/folder/t.gr")
    s.equal(a.code, 3, "a folder that is not there", a)
    a = s.works("sssp", "-", "--source", 1, "--json", stdin=TINY.encode())
    s.equal(a.json().get("sum"), 12, "a graph on standard input", a)


def test_convert_coordinates(s):
    s.works("generate", "grid2d", "--rows", 3, "--cols", 4, "-o", "c.gr.gz")
    s.ok(s.exists("c.co.gz"), "coordinates beside a .gr")
    s.ok(s.works("info", "c.gr.gz", "--json").json().get("coordinates"), "are found again")
    s.works("bfs", "c.gr.gz", "--source", 1, "--plot", "c.svg")
    s.works("convert", "c.gr.gz", "c.nfg")
    s.works("convert", "c.nfg", "again.co")
    s.equal(len([line for line in s.read("again.co").splitlines() if line.startswith("v ")]), 12, "a .co alone")
    s.file("t.gr", TINY)
    s.works("convert", "t.gr", "u.gr")
    s.ok(not s.exists("u.co"), "no coordinates, no .co")
    s.fails(2, r"no coordinates", "convert", "t.gr", "u.co")


def test_convert_names(s):
    """Coordinates go beside a .gr file, not beside other files whose names have a .gr inside."""
    s.works("generate", "grid2d", "--rows", 2, "--cols", 2, "-o", "a.gr.nfg")
    s.ok(s.exists("a.gr.nfg") and not s.exists("a.co.nfg"), "no coordinates beside .nfg")
    s.works("convert", "a.gr.nfg", "b.gr.gz")
    s.ok(s.exists("b.co.gz"), "coordinates beside .gr.gz")


def test_output_files(s):
    s.file("tiny.gr", TINY)
    for name in ("d.txt", "d.tsv", "d.json", "d.npy", "d.nfd", "d.txt.gz"):
        s.works("sssp", "tiny.gr", "--source", 1, "--parents", "--output", name)
        s.ok(s.exists(name), "%s was written" % name)
        s.works("verify", "tiny.gr", name)
    a = s.works("sssp", "tiny.gr", "--source", 1, "--output", "-")
    s.equal(sorted(line.split()[:2] for line in a.out.splitlines()),
            [["1", "0"], ["2", "3"], ["3", "1"], ["4", "8"], ["5", "inf"]], "text on stdout", a)
    s.ok("reached" in a.err, "the summary goes to stderr", a)
    s.equal(s.works("sssp", "tiny.gr", "--source", 1, "--output", "-", "--quiet").err, "", "--quiet")
    s.fails(2, r"both want standard output", "sssp", "tiny.gr", "--source", 1, "--output", "-", "--json")


def test_algorithms_and_knobs(s):
    o = s.works("algorithms", "--json").json()
    names = {(a["problem"], a["name"]) for a in o}
    wanted = {("bfs", "serial"), ("sssp", "dijkstra"), ("sssp", "bellman-ford"), ("apsp", "floyd-warshall"), ("apsp", "johnson")}
    s.ok(wanted <= names, "the oracles: missing %s" % (wanted - names))
    s.ok(all(a["summary"] and a["device"] for a in o), "each is described")
    out = s.works("algorithms", "--device", "cpu").out
    s.ok(all(name in out for _, name in wanted), "words for people")
    s.fails(2, r"cpu", "algorithms", "--device", "cpuu")
    s.file("tiny.gr", TINY)
    for problem, name in wanted:
        more = [] if problem == "apsp" else ["--source", 1]
        o = s.works(problem, "tiny.gr", "--algorithm", name, "--verify", "--json", *more).json()
        s.equal((o.get("algorithm"), o.get("verified")), (name, True), name)
    a = s.run("sssp", "tiny.gr", "--source", 1, "--algorithm", "dijkstr")
    s.ok(a.code in (2, 6) and "dijkstra" in a.err and len(a.err.splitlines()) == 1, "the nearest names", a)
    a = s.run("sssp", "tiny.gr", "--source", 1, "--algorithm", "dijkstra", "--set", "nosuch=1")
    s.ok(a.code == 2 and "nosuch" in a.err, "an unknown knob", a)
    s.ok(s.works("devices", "--json").json()[0]["name"] == "cpu", "the CPU is a device")
    s.ok("cpu" in s.works("devices").out, "devices for people")
    a = s.run("sssp", "tiny.gr", "--source", 1, "--device", "gpu:63")
    s.equal(a.code, 7, "a device that is not there", a)
    a = s.run("sssp", "tiny.gr", "--source", 1, "--device", "toaster")
    s.ok(a.code in (2, 7), "a device that is none", a)


def test_explain(s):
    s.file("tiny.gr", TINY)
    out = s.works("sssp", "tiny.gr", "--source", 1, "--explain").out
    s.ok(all(word in out for word in ("why", "degrees", "method")), "words for people: " + out)
    o = s.works("sssp", "tiny.gr", "--source", 1, "--explain", "--json").json()
    s.ok(o.get("explain", {}).get("degree_max") == 2 and o["explain"].get("summary"), "JSON")


def test_deterministic(s):
    # 1 -> {2, 3} -> 4, all ways equally long: the parent of 4 is 2.
    s.file("d.gr", "p sp 4 4\na 1 3 1\na 1 2 1\na 3 4 1\na 2 4 1\n")
    for command in ("bfs", "sssp"):
        s.works(command, "d.gr", "--source", 1, "--deterministic", "--parents", "--output", "p.tsv", "--verify")
        rows = [line.split("\t") for line in s.read("p.tsv").splitlines()]
        s.ok(["1", "4", "2", "2"] in rows, "%s: the smallest parent: %s" % (command, rows))


def test_version(s):
    s.ok(s.works("version").out.startswith("nearfar 0."), "version")
    s.ok(s.works("--version").out.startswith("nearfar 0."), "--version")
    s.ok("libraries" in s.works("version", "--json").json(), "libraries")
    s.ok(s.works("version", "--json").json().get("version", "").count(".") == 2, "JSON")


def test_real_data(s):
    ny = data("road/USA-road-d.NY.gr.gz")
    if ny is None:
        s.skip("no USA-road-d.NY.gr.gz")
        return
    a = s.works("sssp", ny, "--source", 1, "--json", "--verify")
    o = a.json()
    s.equal((o.get("reached"), o.get("max"), o.get("sum"), o.get("verified")), (264346, 1440081, 186686642878, True), "New York", a)
