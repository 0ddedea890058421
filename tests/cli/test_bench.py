"""`nearfar bench`: the shape of its tables, that answers are checked, and its words."""
import json
import os
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


def test_bench_device(s):
    names = {a["name"] for a in s.works("algorithms", "--device", "emulator", "--json").json() if a["problem"] == "bfs"}
    if not names:
        s.skip("no emulator in this build")
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
    names = {a["name"] for a in s.works("algorithms", "--device", "emulator", "--json").json() if a["problem"] == "sssp"}
    if not names:
        s.skip("no emulator in this build")
        return
    a = s.works("bench", "gpu-sssp", "--device", "emulator", "--scale", "6", "--sources", "2", "--repeats", "1", "--auto-check", "--json",
                "-o", "auto.md", env=CALM)
    rows = a.json()["auto"]
    s.ok(len({r["graph"] for r in rows}) >= 12 and {r["problem"] for r in rows} == {"sssp"}, "twelve graphs at least", a)
    for r in rows:
        s.ok(abs(r["x"] - r["auto ms"] / r["ms"]) < 1e-3 * r["x"] + 1e-9, "the ratio of %s" % json.dumps(r), a)
        s.ok(r["of"] >= len(names) - 3 and r["best fixed"] in names - {"auto"}, "nearly every fixed method ends: %s" % json.dumps(r), a)
        s.ok("weights" in r["reason"] and ("mean" in r["reason"] or "to" in r["reason"]), "a reason in statistics: %s" % r["reason"], a)
    s.ok(all(r["reason"] in s.read("auto.md") for r in rows), "the reasons are written whole", a)


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


def test_bench_parts(s):
    a = s.works("bench", "cpu", "--scale", "12", "--repeats", "1", "--graphs", "kron,grid", "--problems", "apsp,many,path", "--threads", "1",
                "--json", env=CALM)
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
    a = s.works("bench", "cpu", "--growth", "--edges", "40000", "--graphs", "grid,uniform", "--sources", "1", "--repeats", "1", "--threads", "1",
                "--json", "--plot", "growth.svg", env=CALM)
    rows = a.json().get("growth", [])
    s.equal([(r["graph"], r["problem"]) for r in rows], [(g, p) for g in ("uniform", "grid") for _ in range(2) for p in ("bfs", "sssp")],
            "two sizes of two families", a)
    for before, row in zip(rows[:2] + rows[4:6], rows[2:4] + rows[6:]):
        growth = row["ms"] / before["ms"] / (row["m"] / before["m"])
        s.ok(abs(row["step"] - growth) < 1e-3 * growth, "the step of %s" % json.dumps(row), a)
    for problem in ("bfs", "sssp"):
        picture = ElementTree.parse(s.path("growth-%s.svg" % problem)).getroot()
        s.equal(len(picture.findall("{http://www.w3.org/2000/svg}polyline")), 2, "two lines for %s" % problem)
    s.fails(2, r"\.svg", "bench", "cpu", "--growth", "--plot", "growth.png")
