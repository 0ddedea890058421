"""Bad input and bad words: one line each, the right exit code, nothing half done."""
import gzip
import os
import re

from harness import pack
from test_contract import TINY

GOOD = "p sp 3 2\na 1 2 5\na 2 3 6\n"
MTX = "%%MatrixMarket matrix coordinate real general\n"

# name, content, what the line must name: the place and the trouble
MALFORMED = [
    ("id-high.gr", "p sp 3 1\na 1 9 5\n", r":2:5: .*9"),
    ("id-zero.gr", "p sp 3 1\na 0 2 5\n", r":2:3: .*0"),
    ("count-negative.gr", "p sp -3 1\na 1 2 5\n", r":1:6: "),
    ("count-promise.gr", "p sp 3 1000000000000000000\na 1 2 5\n", r":1:\d+: "),
    ("count-short.gr", "p sp 3 2\na 1 2 5\n", r"count-short\.gr"),
    ("number-overflow.gr", "p sp 3 1\na 1 2 99999999999999999999\n", r":2:7: "),
    ("number-letters.gr", "p sp 3 1\na 1 2 5x\n", r":2:\d+: "),
    ("line-unknown.gr", "p sp 3 1\nz 1 2 5\n", r":2:1: "),
    ("weight-missing.gr", "p sp 3 1\na 1 2\n", r":2:\d+: "),
    ("no-header.gr", "a 1 2 5\n", r":1:\d+: "),
    ("nan.mtx", MTX + "2 2 1\n1 2 nan\n", r":3:5: "),
    ("id-high.mtx", MTX + "2 2 1\n1 3 1.0\n", r":3:3: .*3"),
    ("promise.mtx", MTX + "1000000 1000000 1000000000000000000\n1 2 1\n", r":2:\d+: "),
    ("short.mtx", MTX + "2 2 2\n1 2 1.0\n", r"short\.mtx"),
    ("letters.txt", "1 2\n3 four\n", r":2:3: "),
    ("negative.txt", "1 2\n-3 4\n", r":2:1: "),
    ("overflow.txt", "1 99999999999999999999999\n", r":1:3: "),
    ("nan.csv", "1,2,0.5\n2,3,nan\n", r":2:5: "),
    ("short.graph", "3 2\n2\n", r"short\.graph"),
    ("id-high.graph", "3 2\n2\n1 9\n2\n", r":3:3: .*9"),
    ("magic.nfg", b"not a graph at all, but long enough to hold a header" * 8, r"magic\.nfg"),
    ("magic.npz", b"PK\x03\x04 torn", r"magic\.npz"),
    ("magic.sg", b"\x01\x02\x03", r"magic\.sg"),
    ("empty.gr", "", r"empty\.gr"),
]

READABLE = [
    ("no-newline.gr", GOOD.rstrip("\n")),
    ("crlf.gr", GOOD.replace("\n", "\r\n")),
    ("comments.gr", "c one\n\nc two\np sp 3 2\nc three\na 1 2 5\nc four\n\na 2 3 6\nc five\n"),
    ("packed.gr.gz", pack(GOOD)),
    ("packed-wrong-name.gr", pack(GOOD)),
]


def test_malformed(s):
    for name, content, pattern in MALFORMED:
        s.file(name, content)
        a = s.fails(3, re.escape(name) + ".*" if not pattern.startswith(":") else re.escape(name) + pattern, "info", name)
        s.ok(re.search(pattern, a.err) is not None, "%s names the place /%s/" % (name, pattern), a)
    a = s.run("info", "id-high.gr", "--json")
    e = a.json().get("error", {})
    s.equal((a.code, e.get("status"), e.get("exit")), (3, "NF_EFORMAT", 3), "the JSON of an error", a)
    s.ok(":2:5:" in e.get("message", ""), "its message has the place", a)


def test_readable(s):
    for name, content in READABLE:
        s.file(name, content)
        a = s.works("sssp", name, "--source", 1, "--json")
        s.equal(a.json().get("max"), 11, name, a)


def test_torn_gzip(s):
    s.file("torn.gr.gz", gzip.compress(("c " + "filler " * 9 + "\n").encode() * 50 + GOOD.encode(), mtime=0)[:-12])
    s.fails(3, r"torn\.gr\.gz", "info", "torn.gr.gz")
    s.file("flip.gr.gz", pack(GOOD)[:-8] + b"\0\0\0\0\0\0\0\0")
    s.fails(3, r"flip\.gr\.gz", "info", "flip.gr.gz")


def test_missing_files(s):
    s.fails(3, r"nowhere\.gr.*No such file", "info", "nowhere.gr")
    s.fails(3, r".", "info", ".")
    s.file("tiny.gr", TINY)
    s.fails(3, r"nowhere\.ss", "bfs", "tiny.gr", "--sources", "nowhere.ss")
    s.fails(3, r"nowhere\.co", "info", "tiny.gr", "--coordinates", "nowhere.co")
    s.file("bad.ss", "4\nx\n")
    s.fails(3, r"bad\.ss:2:1:", "bfs", "tiny.gr", "--sources", "bad.ss")
    s.file("high.ss", "4\n77\n")
    a = s.run("bfs", "tiny.gr", "--sources", "high.ss")
    s.ok(a.code in (3, 6) and "77" in a.err, "a source that is none", a)


def test_bad_vertices(s):
    s.file("tiny.gr", TINY)
    s.fails(2, r"needs a source", "sssp", "tiny.gr")
    s.fails(6, r"--source 6: tiny\.gr has no such vertex; its 5 vertices are numbered 1 to 5", "sssp", "tiny.gr", "--source", 6)
    s.fails(6, r"no such vertex", "sssp", "tiny.gr", "--source", 0)
    s.fails(2, r"not a vertex", "sssp", "tiny.gr", "--source", "-1")
    s.fails(2, r"not a vertex", "sssp", "tiny.gr", "--source", "1x")
    s.fails(2, r"not a vertex", "sssp", "tiny.gr", "--source", "random:x")
    s.fails(2, r"not a vertex", "sssp", "tiny.gr", "--source", "18446744073709551616")
    s.fails(6, r"--target 6", "sssp", "tiny.gr", "--source", 1, "--target", 6)
    s.file("none.gr", "p sp 0 0\n")
    s.fails(6, r"no vertices", "bfs", "none.gr", "--source", 1)
    s.equal(s.works("apsp", "none.gr", "--json").json().get("reached"), 0, "all pairs of nothing")


def test_bad_words(s):
    s.file("tiny.gr", TINY)
    s.fails(2, r"nearest: .*sssp", "ssps", "tiny.gr")
    s.fails(2, r"no command", "zzzzzzzz")
    s.fails(2, r"command comes first", "--json-lines")
    s.fails(2, r"unknown option --sorce; the nearest: source", "sssp", "tiny.gr", "--sorce", 1)
    s.fails(2, r"unknown option --zzzzzz; see", "sssp", "tiny.gr", "--zzzzzz")
    s.fails(2, r"apsp takes no option --source", "apsp", "tiny.gr", "--source", 1)
    s.fails(2, r"needs a value: --source V", "sssp", "tiny.gr", "--source")
    s.fails(2, r"takes no value", "sssp", "tiny.gr", "--source", 1, "--parents=yes")
    s.fails(2, r"one word too many", "info", "tiny.gr", "tiny.gr")
    s.fails(2, r"needs GRAPH", "info")
    s.fails(2, r"needs IN OUT", "convert", "tiny.gr")
    s.fails(2, r"not a number", "sssp", "tiny.gr", "--source", 1, "--cutoff", "abc")
    s.fails(2, r"not a number", "sssp", "tiny.gr", "--source", 1, "--cutoff", "nan")
    s.fails(2, r"did you mean i64", "sssp", "tiny.gr", "--source", 1, "--distance-type", "i65")
    s.fails(2, r"amount of memory", "info", "tiny.gr", "--memory", "4X")
    s.fails(2, r"whole number from 1", "info", "tiny.gr", "--threads", 0)
    s.fails(2, r"the name tells no graph format", "convert", "not-read-yet.gr", "x.foo")
    s.fails(2, r"the name tells no graph format", "generate", "rmat", "--scale", 30, "--edge-factor", 64, "-o", "x.tsp")
    s.fails(2, r"must end in \.txt", "sssp", "not-read-yet.gr", "--source", 1, "--output", "x.foo")
    s.fails(2, r"must end in \.svg", "sssp", "tiny.gr", "--source", 1, "--plot", "x.png")
    a = s.fails(2, r"sorce", "sssp", "tiny.gr", "--sorce", 1, "--json")
    s.equal(a.json().get("error", {}).get("status"), "NF_EINVAL", "wrong words in JSON too", a)
    a = s.run()
    s.ok(a.code == 2 and "usage" in a.err and a.out == "", "no words at all", a)


def test_memory_limit(s):
    s.works("generate", "uniform", "--n", 20000, "--edge-factor", 8, "-o", "u.el")
    a = s.run("info", "u.el", "--memory", "100K")
    s.ok(a.code == 5 and len(a.err.splitlines()) == 1, "a limit that is too small", a)
    s.works("info", "u.el", "--memory", "1G")
    a = s.run("apsp", "u.el", "--memory", "64M", "--output", "all.tsv")
    s.ok(a.code == 5 and not s.exists("all.tsv"), "all pairs do not fit", a)
    s.works("generate", "path", "--n", 2000, "-o", "line.nfg")
    s.works("apsp", "line.nfg", "--memory", "4M", "--output", "line.npy")
    s.ok(os.path.getsize(s.path("line.npy")) > 30e6, "a matrix larger than memory goes to its file by rows")
