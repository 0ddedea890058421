"""`nearfar bench`: the shape of its tables, that answers are checked, and its words."""
import json
import os
import re
from xml.etree import ElementTree


def test_bench_words(s):
    s.fails(2, r"no suite is called", "bench", "gpus")
    s.fails(2, r"--graphs.*nearest: kron", "bench", "cpu", "--graphs", "grid,krom")
    s.fails(2, r"--problems", "bench", "cpu", "--problems", "bfs,all")
    s.fails(2, r"--threads.*1,2", "bench", "cpu", "--threads", "1,x")
    s.fails(2, r"\.md or \.json", "bench", "cpu", "--output", "table.txt")
    s.fails(2, r"6 to 26", "bench", "cpu", "--scale", "3")
    s.fails(2, r"--graphs.*nearest: rmat", "bench", "gpu-bfs", "--graphs", "rmta")
    s.fails(2, r"the suite cpu measures the CPU", "bench", "cpu", "--device", "emulator")
    s.ok("cpu" in s.works("help", "--words", "bench").out.split(), "the suites are listed for completion")


def test_bench_auto(s):
    a = s.works("bench", "cpu", "--auto-check", "--scale", "8", "--threads", "1,2", "--sources", "2", "--repeats", "1", "--json",
                "--output", "auto.md", env={"OMP_WAIT_POLICY": "passive"})
    rows = a.json().get("auto", [])
    s.equal({r["problem"] for r in rows}, {"bfs", "sssp", "apsp"}, "three problems", a)
    s.ok(len({r["graph"] for r in rows}) >= 12, "twelve graphs at least", a)
    s.equal({r["T"] for r in rows}, {1, 2}, "numbers of threads", a)
    for r in rows:
        s.ok(r["auto ms"] > 0 and r["ms"] > 0 and abs(r["x"] - r["auto ms"] / r["ms"]) < 1e-3 * r["x"] + 1e-9,
             "the ratio of %s" % json.dumps(r))
        s.ok(r["of"] >= 3, "several methods ended: %s" % json.dumps(r))
    lines = s.read("auto.md").splitlines()
    s.equal(sum(line.startswith("|") for line in lines), len(rows) + 2, "a Markdown row for each", a)
    s.ok(len({line.count("|") for line in lines if line.startswith("|")}) == 1, "as many cells in each")
    s.ok(all(len(line) == 0 or " T " in line for line in a.err.splitlines()), "a progress line a row", a)


CALM = {"OMP_WAIT_POLICY": "passive"}
SMALL = {**CALM, "NEARFAR_EMULATOR": "profile=2x64"}  # four times as fast as the usual device: runs are to end in 5 s


def emulated(s, problem):
    """The methods of the emulator; without one the test is skipped."""
    names = {a["name"] for a in s.works("algorithms", "--device", "emulator", "--json").json() if a["problem"] == problem}
    if not names:
        s.skip("no emulator in this build")
    return names


def test_bench_device(s):
    names = emulated(s, "bfs")
    if not names:
        return
    a = s.works("bench", "gpu-bfs", "--device", "emulator", "--scale", "6", "--sources", "1", "--repeats", "1", "--graphs", "rmat,grid",
                "--json", "-o", "device.md", env=CALM)
    rows = a.json()["bfs"]
    s.equal({(r["graph"], r["method"]) for r in rows}, {(g, n) for g in ("rmat", "grid") for n in names}, "a row for each method", a)
    for r in rows:
        s.ok(r["ms"] > 0 and r["ms with parents"] > 0 and r["levels"] > 0 and r["floor ms"] > 0, "a right answer: %s" % json.dumps(r), a)
        s.equal(r["rules"], "all 4", "every run held against the rules: %s" % json.dumps(r), a)
    s.ok(any(r["arcs / m"] < 0.9 for r in rows if r["method"] == "direction-optimizing" and r["graph"] == "rmat"), "fewer arcs going up", a)
    s.ok("rmat from " in s.read("device.md"), "the sources are told", a)
    b = s.works("bench", "gpu-sssp", "--device", "emulator", "--scale", "6", "--sources", "1", "--repeats", "1", "--graphs", "grid",
                "--algorithm", "workfront", "--json", env=CALM)
    s.equal([r["method"] for r in b.json()["sssp"]], ["workfront"], "one method when asked for one", b)


def test_bench_device_more(s):
    if not any(a["problem"] == "bfs" for a in s.works("algorithms", "--device", "emulator", "--json").json()):
        s.skip("no emulator in this build")
        return
    words = ["bench", "gpu-bfs", "--device", "emulator", "--scale", "6", "--sources", "1", "--repeats", "1", "--json"]
    a = s.works(*words, "--graphs", "kron26,grid7k", "--algorithm", "bfs-4k", "--set", "hash64=0", env=CALM)
    rows = {r["graph"]: r for r in a.json()["bfs"]}
    s.equal(sorted(rows), ["grid7k", "kron26"], "graphs that were named", a)
    kron, grid = rows["kron26"], rows["grid7k"]
    drawn = kron["GTEPS"] * 1e6 * kron["ms"]
    s.ok(0.9 * 16 * 1024 < drawn <= 16 * 1024 * 1.001, "edges as drawn, but for those of small components: %g" % drawn, a)
    s.ok(grid["GTEPS"] is None and grid["us a level"] > 0, "a road has levels", a)
    s.ok(all(r["MB"] > 0 and r["x floor"] * r["floor ms"] >= r["MB"] / 4260 for r in rows.values()), "what has to move takes its time", a)
    b = s.works(*words, "--auto-check", env=CALM)
    rows = b.json()["auto"]
    s.ok(len({r["graph"] for r in rows}) >= 12 and {r["problem"] for r in rows} == {"bfs"}, "twelve graphs at least", b)
    s.ok(all(r["of"] >= 8 and r["T"] is None for r in rows), "most methods end", b)
    s.ok(all("degree" in r["reason"] for r in rows), "the reason that auto gave", b)
    c = s.works(*words, "--graphs", "rmat,grid", "--algorithm", "auto", "--plot", "f.svg", env=CALM)
    lines = [line.split("\t") for line in s.read("f-frontier.tsv").splitlines()]
    s.equal(lines[0], ["graph", "level", "vertices", "arcs", "by"], "a line of names", c)
    for row in c.json()["bfs"]:
        mine = [line for line in lines if line[0] == row["graph"]]
        s.equal([int(line[1]) for line in mine], list(range(int(row["levels"]))), "every level of %s" % row["graph"], c)
        s.ok(all(int(line[2]) > 0 and line[4] for line in mine), "vertices, and who worked on them", c)
    s.ok({r["graph"] for r in c.json()["frontier"]} == {"rmat", "grid"}, "a table of some levels", c)
    picture = ElementTree.parse(s.path("f-frontier.svg")).getroot()
    s.equal(len(picture.findall("{http://www.w3.org/2000/svg}polyline")), 2, "a line for each graph", c)
    s.fails(2, r"--set", "bench", "gpu-bfs", "--device", "emulator", "--set", "hash64=0")
    s.fails(2, r"--set", "bench", "cpu", "--algorithm", "top-down", "--set", "hash64=0")


def test_bench_device_auto_sssp(s):
    names = emulated(s, "sssp")
    if not names:
        return
    a = s.works("bench", "gpu-sssp", "--device", "emulator", "--scale", "6", "--sources", "2", "--repeats", "1", "--auto-check", "--json",
                "-o", "auto.md", env=CALM)
    rows = a.json()["auto"]
    s.ok(len({r["graph"] for r in rows}) >= 12 and {r["problem"] for r in rows} == {"sssp"}, "twelve graphs at least", a)
    for r in rows:
        s.ok(abs(r["x"] - r["auto ms"] / r["ms"]) < 1e-3 * r["x"] + 1e-9, "the ratio of %s" % json.dumps(r), a)
        s.ok(r["of"] >= 8 and r["best fixed"] in names - {"auto"}, "most fixed methods end: %s" % json.dumps(r), a)
        s.ok("weights" in r["reason"] and ("mean" in r["reason"] or "to" in r["reason"]), "a reason in statistics: %s" % r["reason"], a)
    s.ok(all(r["reason"] in s.read("auto.md") for r in rows), "the reasons are written whole", a)


def rows_of(s, name):
    lines = [line.split("\t") for line in s.read(name).splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


SVG = "{http://www.w3.org/2000/svg}"


def lines_of(s, name):
    """Names of a picture's lines, as its legend has them."""
    picture = ElementTree.parse(s.path(name)).getroot()
    return [text.text for text in picture.findall(SVG + "text") if text.get("font-weight") == "bold"][1:]


def test_bench_figures(s):
    if not any(a["problem"] == "sssp" for a in s.works("algorithms", "--device", "emulator", "--json").json()):
        s.skip("no emulator in this build")
        return
    words = ["bench", "gpu-sssp", "--device", "emulator", "--scale", "6", "--sources", "1", "--repeats", "1", "--graphs", "rmat,grid"]
    a = s.works(*words, "--figures", "f", "--only", "work,fronts,delta,dag,threads,pinned", "--json", env=CALM)
    work = rows_of(s, "f/work.tsv")
    names = ["bellman-ford", "workfront", "near-far", "bucketing", "delta-stepping", "hybrid", "dijkstra-phases", "dijkstra (CPU)"]
    s.equal([(r["graph"], r["method"]) for r in work], [(g, n) for g in ("rmat", "grid") for n in names], "methods of the table", a)
    s.equal(lines_of(s, "f/work-6a.svg"), names, "methods of Fig. 6", a)
    s.works("generate", "grid2d", "--n", 256, "--drop", 0.1, "--weights", "1:1000", "--seed", 27491, "-o", "grid.nfg")
    ford = next(r for r in work if r["graph"] == "grid" and r["method"] == "bellman-ford")
    for r in work:
        if r["graph"] != "grid":
            continue
        how = {"bellman-ford": ["bellman-ford-edge"], "bucketing": ["bucketing"], "dijkstra-phases": ["dijkstra-phases"]}.get(
            r["method"], [r["method"], "--set", "loop=host"])
        cpu = r["method"] == "dijkstra (CPU)"
        b = s.works("sssp", "grid.nfg", "--source", r["first source"], "--json", "--device", "cpu" if cpu else "emulator", "--algorithm",
                    *(["dijkstra"] if cpu else how))
        run = b.json()
        s.equal((float(r["rounds"]), float(r["arcs relaxed"])), (run["iterations"], run["edges_relaxed"]), "counters of %s" % r["method"], b)
        looked = run["iterations"] * run["m"] if r["method"] == "bellman-ford" else run["edges_relaxed"]
        s.equal(float(r["arcs looked at"]), looked, "the work of %s" % r["method"], b)
        s.ok(abs(float(r["work saved"]) * looked - float(ford["arcs looked at"])) < 1e-6 * looked * float(r["work saved"]), "work saved", b)
        s.ok(abs(float(r["arcs a round"]) - looked / run["iterations"]) < 1e-6 * looked, "parallelism", b)
    fronts = [r for r in rows_of(s, "f/fronts.tsv") if r["graph"] == "rmat"]
    s.works("generate", "rmat", "--scale", 6, "--edge-factor", 16, "--abc", "0.57,0.19,0.19", "--weights", "1:255", "--seed", 27491, "-o", "r.nfg")
    source = next(r["first source"] for r in work if r["graph"] == "rmat")
    for method in ("workfront", "near-far"):
        b = s.works("sssp", "r.nfg", "--source", source, "--device", "emulator", "--algorithm", method, "--set", "loop=host", "--verbose")
        told = [re.match(r"sssp round (\d+): frontier (\d+)(?:.*, pile (\d+))?", line) for line in b.err.splitlines()]
        told = [tuple(int(x or 0) for x in t.groups()) for t in told if t]
        s.equal([tuple(int(r[k]) for k in ("round", "frontier", "pile")) for r in fronts if r["method"] == method], told, "rounds of " + method, b)
        splits = int(re.search(r"splits (\d+)", b.err).group(1))
        s.equal(sum(t[2] > 0 for t in told), splits, "a pile at every split of " + method, b)
        s.ok(method == "workfront" or splits > 0, "there is one", b)
    s.equal(lines_of(s, "f/fronts-4-rmat.svg"), ["workfront", "near set", "far pile"], "lines of Fig. 4", a)
    delta = rows_of(s, "f/delta.tsv")
    s.equal([(r["graph"], float(r["delta / the paper's"])) for r in delta], [(g, 2.0**e) for g in ("rmat", "grid") for e in range(-5, 6)], "deltas", a)
    wide = delta[-1]
    b = s.works("sssp", "grid.nfg", "--source", ford["first source"], "--json", "--device", "emulator", "--algorithm", "near-far", "--set",
                "loop=host", "--set", "delta=%s" % wide["delta"])
    s.equal(float(wide["rounds"]), b.json()["iterations"], "rounds with a wide delta", b)
    s.equal(sorted({r["method"] for r in rows_of(s, "f/dag.tsv")}), sorted(lines_of(s, "f/dag-3.svg")), "methods on the chain", a)
    threads = rows_of(s, "f/threads.tsv")
    s.equal([r["edges per thread"] for r in threads[:7]], ["1", "2", "4", "8", "16", "32", "64"], "edges per thread", a)
    s.equal(lines_of(s, "f/threads-1.1.svg"), ["1", "2", "4", "8", "16", "32", "64"], "a line for each", a)
    pinned = rows_of(s, "f/pinned.tsv")
    s.ok({r["asked for"] for r in pinned} == {"pinned", "pageable"} and all(r["asked for"] == r["memory"] for r in pinned), "two memories", a)
    s.ok(all(float(r["bytes"]) > 0 and float(r["copies ms"]) >= 0 and float(r["all ms"]) > 0 for r in pinned), "transfers told", a)
    for vertices in {r["vertices"] for r in pinned}:
        s.equal(len({r["bytes"] for r in pinned if r["vertices"] == vertices}), 1, "the same bytes from either", a)
    s.equal(lines_of(s, "f/pinned-share.svg"), ["pinned", "pageable"], "lines of the share", a)
    tables = a.json()
    s.ok(all(len(tables[t]) > 0 for t in ("work", "fronts", "delta", "dag", "threads", "pinned")), "the tables are printed, too", a)


def test_bench_figures_bars(s):
    if not any(a["problem"] == "sssp" for a in s.works("algorithms", "--device", "emulator", "--json").json()):
        s.skip("no emulator in this build")
        return
    words = ["bench", "gpu-sssp", "--device", "emulator", "--scale", "6", "--sources", "1", "--repeats", "1", "--graphs", "rmat,grid"]
    a = s.works(*words, "--figures", "f", "--only", "traversals,times,ways", env=SMALL)
    s.equal(lines_of(s, "f/traversals-3.svg"), ["cooperative blocks", "cta+warp+scan", "partitioning", "a thread a vertex", "auto"], "Fig. 3", a)
    bars = ElementTree.parse(s.path("f/traversals-3.svg")).getroot().findall(SVG + "rect")
    s.equal(len(bars), 1 + 2 * 5, "a bar for each graph and traversal", a)
    times = rows_of(s, "f/times.tsv")
    for r in times:
        if r["ms"] == "> 5 s":  # a slow machine under a sanitizer
            s.equal((r["x Dijkstra"], r["MTEPS"]), ("-", "-"), "no ratio without a time", a)
            continue
        s.ok(abs(float(r["x Dijkstra"]) * float(r["ms"]) - float(r["Dijkstra ms"])) < 1e-6 * float(r["Dijkstra ms"]), "the ratio of %s" % r, a)
        s.ok(float(r["MTEPS"]) > 0, "edges a second", a)
    s.ok(sum(r["ms"] != "> 5 s" for r in times) >= len(times) / 2 > 0, "most methods end in time", a)
    s.equal(lines_of(s, "f/ways-2.svg"), ["a thread an arc", "incoming", "outgoing"], "three ways", a)
    s.fails(2, r"--only.*nearest: delta", *words, "--figures", "f", "--only", "delat")
    s.fails(2, r"--figures: the suite gpu-sssp", "bench", "gpu-bfs", "--figures", "f")
    s.fails(3, r"cannot be made", *words, "--figures", "no/such/f")


def test_bench_device_graphs(s):
    if not any(a["problem"] == "sssp" for a in s.works("algorithms", "--device", "emulator", "--json").json()):
        s.skip("no emulator in this build")
        return
    a = s.works("bench", "gpu-sssp", "--device", "emulator", "--scale", "6", "--sources", "2", "--repeats", "1", "--algorithm", "near-far",
                "--graphs", "kron24,road,dag,dag-permuted", "--json", env=CALM)
    rows = {r["graph"]: r for r in a.json()["sssp"]}
    s.equal(sorted(rows), ["dag", "dag-permuted", "kron24", "road"], "graphs that were named", a)
    for r in rows.values():
        s.ok(r["CPU ms"] > 0 and abs(r["x CPU"] - r["CPU ms"] / r["ms"]) < 1e-3 * r["x CPU"], "the CPU's time: %s" % json.dumps(r), a)
        s.ok(r["arcs a round"] > 0 and r["rounds"] > 0, "parallelism: %s" % json.dumps(r), a)
    s.ok(rows["kron24"]["GTEPS"] > 0 and rows["road"]["GTEPS"] is None, "GTEPS where edges were drawn", a)
    s.equal((rows["dag"]["sources"], rows["dag-permuted"]["sources"]), (1, 1), "the chain's one source", a)


WRONG = """#!/bin/sh
if [ "$1" = --version ]; then echo Boost 0.0; exit; fi
echo ready
while read -r problem threads source; do echo 0.001 1 2; done
"""


def test_bench_ratios(s):
    a = s.works("bench", "cpu", "--scale", "8", "--sources", "2", "--repeats", "1", "--graphs", "kron,grid", "--problems", "bfs,sssp",
                "--threads", "1,2", "--json", "-o", "ratios.md", env=CALM)
    rows = a.json().get("ratios", [])
    s.equal([(r["graph"], r["problem"], r["T"]) for r in rows],
            [(g, p, t) for g in ("kron", "grid") for p in ("bfs", "sssp") for t in (1, 2)], "a row for each", a)
    rivals = ("GAP", "Boost", "igraph", "SciPy", "GraphBLAS")
    for r in rows:
        times = [r[name] for name in rivals if r[name] is not None]
        s.ok(all(isinstance(t, (int, float)) for t in times), "every rival has the right answer: %s" % json.dumps(r), a)
        s.ok(not times or abs(r["best x"] - min(times) / r["Nearfar"]) < 1e-3 * r["best x"], "the ratio of %s" % json.dumps(r))
    s.ok("Rivals:" in s.read("ratios.md"), "what was found is told", a)
    if not any(r[name] is not None for r in rows for name in rivals):
        s.skip("no rival on this machine")


def test_bench_wrong_rival(s):
    os.mkdir(s.path("rivals"))
    os.chmod(s.path(s.file("rivals/bench_rival_boost", WRONG)), 0o755)
    a = s.works("bench", "cpu", "--scale", "8", "--sources", "1", "--repeats", "1", "--graphs", "grid", "--problems", "bfs", "--threads",
                "1", "--rivals", "Boost", "--json", env={**CALM, "NEARFAR_RIVALS": s.path("rivals")})
    rows = a.json().get("ratios", [])
    s.equal([r["Boost"] for r in rows], ["wrong"], "a wrong answer is not timed", a)
    s.equal([r["best x"] for r in rows], [None], "and no rival to be ahead of", a)


def test_bench_all_pairs(s):
    names = emulated(s, "apsp")
    words = ["bench", "gpu-apsp", "--device", "emulator", "--scale", "6", "--repeats", "1", "--json"]
    a = s.works(*words, "--graphs", "dense-i32,dense-i16,whole-f64,large,batch", env=SMALL)
    dense, batch = a.json().get("dense", []), a.json().get("batch", [])
    s.equal({r["method"] for r in dense if r["graph"] == "dense-i32"}, names, "every method on a complete graph", a)
    s.equal({r["method"] for r in dense if r["graph"] == "dense-i16"}, {"blocked-floyd-warshall", "recursive", "min-plus"}, "16 bits by the core", a)
    s.equal({r["method"] for r in dense if r["graph"] == "whole-f64"}, names, "whole weights as floats", a)
    s.equal([(r["method"], r["n"]) for r in dense if r["graph"] == "large"], [("streamed", 390)], "one on the large one", a)
    for r in dense:
        s.ok(isinstance(r["ms"], (int, float)) and r["ms"] > 0, "right and timed: %s" % json.dumps(r), a)
    s.equal([(r["n"], r["weights"], r["parents"]) for r in batch],
            [(n, t, p) for n in (16, 32, 64) for t in ("i32", "f32") for p in ("no", "yes")], "small graphs", a)
    for r in batch:
        s.ok(r["graphs"] == 39 and isinstance(r["ms on the device"], (int, float)) and r["CPU ms"] > 0, "right and timed: %s" % json.dumps(r), a)
    b = s.works(*words, "--graphs", "lazy", "--algorithm", "min-plus", env=SMALL)
    s.equal([r["way"] for r in b.json().get("ways", [])], ["lazy=none", "lazy=op", "lazy=tile"] * 4, "four graphs, three ways", b)
    c = s.works(*words, "--graphs", "road", "--algorithm", "n-sssp", env=SMALL)
    s.equal([(r["graph"], r["rows"], r["n"]) for r in c.json().get("sparse", [])], [("road", 256, 256)], "all rows in time", c)


def test_bench_parts(s):
    a = s.works("bench", "cpu", "--scale", "12", "--repeats", "1", "--graphs", "kron,grid", "--problems", "apsp,many,path", "--threads", "1",
                "--json", env=SMALL)
    tables = a.json()
    s.equal([(r["graph"], r["n"], r["type"]) for r in tables.get("apsp", [])],
            [("dense", n, t) for n in (4, 8, 16) for t in ("i32", "f32")] + [("sparse", 16, "i32")], "all pairs", a)
    for r in tables.get("apsp", []):
        s.ok(all(r[name] is None or isinstance(r[name], (int, float)) for name in ("Boost", "igraph", "SciPy")), "right: %s" % r)
    kinds = {"many": ["bfs"], "path": ["i32", "f32", "f64", "hops"]}
    for name in kinds:
        s.equal([(r["graph"], r.get("weights", "bfs")) for r in tables.get(name, [])], [(g, k) for g in ("kron", "grid") for k in kinds[name]],
                name, a)
        s.ok(all(r["x"] > 0 for r in tables.get(name, [])), "ratios of %s" % name, a)


def test_bench_growth(s):
    a = s.works("bench", "cpu", "--growth", "--edges", "40000", "--graphs", "grid,uniform,kron", "--sources", "1", "--repeats", "1", "--threads", "1",
                "--json", "--plot", "growth.svg", env=SMALL)
    rows = a.json().get("growth", [])
    s.equal([(r["graph"], r["problem"]) for r in rows], [(g, p) for g in ("kron", "uniform", "grid") for _ in range(2) for p in ("bfs", "sssp")],
            "two sizes of three families", a)
    s.equal([r["n"] for r in rows[:4]], [512, 512, 1024, 1024], "kron has a power of two of vertices", a)
    for before, row in [(rows[i], rows[i + 2]) for i in range(len(rows) - 2) if rows[i]["graph"] == rows[i + 2]["graph"]]:
        growth = row["ms"] / before["ms"]
        for name, of in (("step", "m"), ("against", "floor")):
            right = growth / (row[of] / before[of])
            s.ok(abs(row[name] - right) < 1e-3 * right, "%s of %s" % (name, json.dumps(row)), a)
    for row in rows:
        bfs, text = row["problem"] == "bfs", json.dumps(row)
        s.ok(row["floor"] > 0 and abs(row["x floor"] * row["floor"] - row["ms"]) < 1e-3 * row["ms"], "the floor of %s" % text, a)
        s.ok(abs(row["MB"] - (8 * row["n"] + (4 if bfs else 8) * row["m"]) * 1e-6) < 1e-6, "megabytes of %s" % text, a)
        if row["graph"] == "grid":  # top-down looks at every arc once; buckets relax few arcs again
            s.ok(row["arcs / m"] == 1 if bfs else 1 <= row["arcs / m"] < 1.5, "arcs of %s" % text, a)
        elif bfs:
            s.ok(0 < row["arcs / m"] < 0.75, "bottom-up looks at few arcs: %s" % text, a)
    for problem in ("bfs", "sssp"):
        picture = ElementTree.parse(s.path("growth-%s.svg" % problem)).getroot()
        s.equal(len(picture.findall("{http://www.w3.org/2000/svg}polyline")), 3, "three lines for %s" % problem)
    s.fails(2, r"\.svg", "bench", "cpu", "--growth", "--plot", "growth.png")
