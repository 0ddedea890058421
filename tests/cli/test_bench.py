"""`nearfar bench`: the shape of its tables, that answers are checked, and its words."""
import json


def test_bench_words(s):
    s.fails(2, r"no suite is called", "bench", "gpus")
    s.fails(2, r"--graphs.*nearest: kron", "bench", "cpu", "--graphs", "grid,krom")
    s.fails(2, r"--problems", "bench", "cpu", "--problems", "bfs,all")
    s.fails(2, r"--threads.*1,2", "bench", "cpu", "--threads", "1,x")
    s.fails(2, r"\.md or \.json", "bench", "cpu", "--output", "table.txt")
    s.fails(2, r"6 to 26", "bench", "cpu", "--scale", "3")
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
