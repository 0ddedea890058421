"""`nearfar verify`: right results pass, planted errors are caught, in the graph's labels."""
import json
import struct

from harness import data

# 1 -> 2 -> 3 -> 4 with a shortcut, 6 unreached from 1; labels count from 1.
GRAPH = "p sp 7 9\na 1 2 4\na 1 3 1\na 3 2 2\na 2 4 5\na 3 4 8\na 4 1 7\na 4 5 1\na 5 4 1\na 6 5 2\n"


def table(s, name):
    """A .tsv as (lines before the rows, header, rows)."""
    lines = s.read(name).splitlines()
    at = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    return lines[:at], lines[at].split("\t"), [line.split("\t") for line in lines[at + 1:]]


def plant(s, name, label, column, value):
    """right.tsv with one cell changed."""
    before, header, rows = table(s, "right.tsv")
    vertex, at = header.index("vertex"), header.index(column)
    for row in rows:
        if row[vertex] == str(label):
            row[at] = value
    s.file(name, "\n".join(before + ["\t".join(header)] + ["\t".join(row) for row in rows]) + "\n")


def test_right_results(s):
    s.file("g.gr", GRAPH)
    for command in ("bfs", "sssp"):
        for extra in ([], ["--parents"], ["--deterministic"], ["--source", 4], ["--source", 4, "--nearest", "--parents"]):
            s.works(command, "g.gr", "--source", 1, "--output", "r.tsv", "--verify", *extra)
            a = s.works("verify", "g.gr", "r.tsv")
            s.ok(command in a.out and "all rules hold" in a.out, "%s %s" % (command, extra), a)
    s.works("apsp", "g.gr", "--output", "r.json")
    a = s.works("verify", "g.gr", "r.json", "--json")
    s.equal((a.json().get("verified"), a.json().get("rows")), (True, 7), "apsp", a)
    s.works("bfs", "g.gr", "--source", 1, "--output", "r.txt")
    s.works("verify", "g.gr", "r.txt", "--problem", "bfs")
    s.equal(s.run("verify", "g.gr", "r.txt", "--problem", "sssp").code, 1, "levels are not distances")


def test_bounded_results(s):
    """A result of a run with a cutoff or a target is right for verify when it is told of them, and wrong when it is not."""
    s.file("g.gr", GRAPH)
    for bound in (["--cutoff", 7], ["--target", 2], ["--cutoff", 7, "--target", 3]):
        s.works("sssp", "g.gr", "--source", 1, "--deterministic", "--output", "bounded.tsv", *bound)
        s.works("verify", "g.gr", "bounded.tsv", "--deterministic", *bound)
        s.equal(s.run("verify", "g.gr", "bounded.tsv").code, 1, "not told of %s" % bound)
    s.equal(s.run("verify", "g.gr", "bounded.tsv", "--cutoff", 3).code, 1, "told of another cutoff")


PLANTED = [
    ("too near", 4, "distance", "7"),
    ("too far", 4, "distance", "9"),
    ("reached though nothing leads there", 6, "distance", "3"),
    ("unreached though an arc leads there", 5, "distance", "inf"),
    ("the source is not at 0", 1, "distance", "1"),
    ("a parent without an arc", 4, "parent", "1"),
    ("a parent that is not tight", 2, "parent", "1"),
    ("a circle of parents", 3, "parent", "3"),
    ("the source has another parent", 1, "parent", "4"),
    ("a far vertex off by one", 5, "distance", "10"),
    ("a parent for the unreached", 6, "parent", "5"),
    ("no parent for the reached", 5, "parent", "-1"),
]


def test_planted_errors(s):
    s.file("g.gr", GRAPH)
    s.works("sssp", "g.gr", "--source", 1, "--deterministic", "--output", "right.tsv")
    s.works("verify", "g.gr", "right.tsv")
    _, header, rows = table(s, "right.tsv")
    missing = next(row[header.index("parent")] for row in rows if row[header.index("vertex")] == "6")
    for what, label, column, value in PLANTED:
        plant(s, "wrong.tsv", label, column, missing if value == "-1" else value)
        a = s.run("verify", "g.gr", "wrong.tsv")
        s.equal(a.code, 1, "%s is caught" % what, a)
        s.ok(len(a.err.splitlines()) == 1 and "rule" in a.err, "%s is told in one line" % what, a)
    plant(s, "wrong.tsv", 4, "distance", "9")
    a = s.run("verify", "g.gr", "wrong.tsv", "--json")
    s.ok(a.code == 1 and a.json().get("verified") is False and "vertex 4" in a.json().get("message", ""), "labels in JSON", a)


def test_planted_owner(s):
    s.file("g.gr", GRAPH)
    s.works("sssp", "g.gr", "--source", 1, "--source", 6, "--nearest", "--output", "right.json")
    s.works("verify", "g.gr", "right.json")
    o = json.loads(s.read("right.json"))
    holder = o[0] if isinstance(o, list) else o
    if not s.ok("owners" in holder, "owners are written: %s" % sorted(holder)):
        return
    holder["owners"][2] = 6
    s.file("wrong.json", json.dumps(o))
    a = s.run("verify", "g.gr", "wrong.json")
    s.equal(a.code, 1, "a wrong owner is caught", a)


def test_planted_apsp(s):
    s.file("g.gr", GRAPH)
    s.works("apsp", "g.gr", "--output", "m.npy")
    with open(s.path("m.npy"), "rb") as file:
        raw = bytearray(file.read())
    s.works("verify", "g.gr", "m.npy", "--problem", "apsp")
    start = len(raw) - 7 * 7 * 8
    for cell, value in ((1, 2), (9, 1), (0, 1), (7 * 5 + 4, 1)):
        wrong = bytearray(raw)
        wrong[start + 8 * cell:start + 8 * cell + 8] = struct.pack("<q", value)
        s.file("wrong.npy", bytes(wrong))
        a = s.run("verify", "g.gr", "wrong.npy", "--problem", "apsp")
        s.equal(a.code, 1, "cell %d = %d is caught" % (cell, value), a)


def test_source_option(s):
    s.file("g.gr", GRAPH)
    s.works("sssp", "g.gr", "--source", 1, "--output", "r.tsv")
    s.works("verify", "g.gr", "r.tsv", "--source", 1)
    s.equal(s.run("verify", "g.gr", "r.tsv", "--source", 2).code, 1, "another source")
    s.fails(6, r"no such vertex", "verify", "g.gr", "r.tsv", "--source", 99)


def test_torn_results(s):
    s.file("g.gr", GRAPH)
    s.works("sssp", "g.gr", "--source", 1, "--output", "r.txt")
    s.works("sssp", "g.gr", "--source", 1, "--output", "r.nfd")
    lines = s.read("r.txt").splitlines()
    for name, content in (("letters.txt", "\n".join(lines[:-1] + ["7 x"]) + "\n"), ("label.txt", "\n".join(lines + ["99 4"]) + "\n"),
                          ("empty.txt", "")):
        s.file(name, content)
        a = s.run("verify", "g.gr", name)
        s.ok(a.code in (1, 3) and len(a.err.splitlines()) == 1 and name in a.err, "%s is refused" % name, a)
    with open(s.path("r.nfd"), "rb") as file:
        s.file("torn.nfd", file.read()[:-9])
    s.fails(3, r"torn\.nfd", "verify", "g.gr", "torn.nfd")


def test_against(s):
    s.file("g.gr", GRAPH)
    for name, source in (("a.tsv", 1), ("b.json", 1), ("c.tsv", 4)):
        s.works("sssp", "g.gr", "--source", source, "--output", name)
    s.works("verify", "g.gr", "a.tsv", "--against", "b.json")
    a = s.run("verify", "g.gr", "a.tsv", "--against", "c.tsv")
    s.ok(a.code == 1 and "LDBC" in a.err, "another result", a)
    s.fails(3, r"nowhere", "verify", "g.gr", "a.tsv", "--against", "nowhere.tsv")


def test_tolerance(s):
    s.file("f.csv", "1,2,0.1\n2,3,0.2\n")
    s.file("r.txt", "1 0\n2 0.1\n3 0.3\n")
    a = s.run("verify", "f.csv", "r.txt", "--directed")
    s.equal(a.code, 1, "0.1 + 0.2 is not 0.3", a)
    s.works("verify", "f.csv", "r.txt", "--directed", "--tolerance", "1e-9")


def test_ldbc(s):
    folder = data("vectors/ldbc/example")
    if folder is None:
        s.skip("no LDBC examples")
        return
    for way in ("directed", "undirected"):
        graph = "%s/example-%s.e" % (folder, way)
        for problem in ("bfs", "sssp"):
            want = "%s/example-%s-%s" % (folder, way, problem.upper())
            s.works("verify", graph, want, "--problem", problem, "--" + way, "--tolerance", "1e-12")
            with open(want, encoding="utf-8") as file:
                source = next(line.split()[0] for line in file if float(line.split()[1]) == 0)
            s.works(problem, graph, "--source", source, "--output", "ours.tsv", "--" + way)
            s.works("verify", graph, "ours.tsv", "--against", want, "--" + way)
