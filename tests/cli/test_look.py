"""Help, manual page, completion, colours and pictures."""
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from harness import ROOT, data
from test_contract import TINY

COMMANDS = ["info", "bfs", "sssp", "apsp", "path", "generate", "convert", "verify", "algorithms", "bench", "devices",
            "version", "help"]
COORDINATES = "p aux sp co 5\nv 1 -74000000 40700000\nv 2 -73900000 40700000\nv 3 -74000000 40800000\nv 4 -73900000 40800000\n" \
              "v 5 -73950000 40750000\n"


def manual():
    with open(ROOT + "/cli/nearfar.1", encoding="utf-8") as file:
        return file.read()


def test_help(s):
    out = s.works("help").out
    s.ok(all(re.search(r"^  %s " % c, out, re.M) for c in COMMANDS), "every command in the overview")
    s.equal(s.works("--help").out, out, "--help is help")
    s.equal(s.works("help", "--words").out.split(), COMMANDS, "the list of commands")
    for command in COMMANDS:
        a = s.works(command, "--help")
        s.ok("usage: nearfar " + command in a.out and "examples:" in a.out, "%s --help" % command, a)
        s.ok(re.search(r"examples:\n  nearfar " + command, a.out), "%s --help has an example" % command, a)
        s.equal(s.works("help", command).out, a.out, "help %s" % command)
        s.ok(max(len(line) for line in a.out.splitlines()) <= 110, "%s --help is not too wide" % command)
        for word in s.works("help", "--words", command).out.split():
            if word.startswith("--"):
                s.ok(word.rstrip("=") in a.out, "%s --help tells %s" % (command, word))
    s.fails(2, r"no command", "help", "nothing")


def test_manual(s):
    text = manual().replace("\\-", "-")
    for command in COMMANDS:
        s.ok(re.search(r"^\.B %s$" % command, text, re.M), "the manual has %s" % command)
        for word in s.works("help", "--words", command).out.split():
            if word.startswith("--"):
                s.ok(re.search(re.escape(word.rstrip("=")) + r"\\fR", text), "the manual has %s of %s" % (word, command))
    for code in (0, 1, 2, 3, 4, 5, 6, 7, 8, 130):
        s.ok("\n.B %d\n" % code in text, "the manual has exit code %d" % code)
    known = set(re.findall(r"--[a-z-]+", " ".join(s.works("help", "--words", c).out for c in COMMANDS)))
    for word in set(re.findall(r"\\fB(--[a-z-]+)", text)):
        s.ok(word in known, "%s of the manual exists" % word)


def complete(s, *words):
    script = "source %s/cli/nearfar.bash; COMP_WORDS=(%s); COMP_CWORD=%d; _nearfar; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
        ROOT, " ".join("'%s'" % w for w in (s.binary,) + words), len(words))
    done = subprocess.run(["bash", "-c", script], cwd=s.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode().split()


def test_completion(s):
    s.file("tiny.gr", TINY)
    s.equal(complete(s, ""), COMMANDS, "every command")
    s.equal(complete(s, "gen"), ["generate"], "a command begun")
    s.equal(complete(s, "sssp", "tiny.gr", "--dist"), ["--distance-type="], "an option")
    s.equal(complete(s, "apsp", "--sour"), [], "only the command's own options")
    s.equal(complete(s, "sssp", "--distance-type", "i"), ["i32", "i64"], "values")
    s.equal(complete(s, "sssp", "--distance-type", "="), ["i32", "u32", "i64", "u64", "f32", "f64"], "values after =")
    s.ok("dijkstra" in complete(s, "sssp", "--algorithm", ""), "algorithms")
    s.ok("road" in complete(s, "generate", ""), "kinds")
    s.ok("tiny.gr" in complete(s, "sssp", "ti"), "files")
    s.ok("tiny.gr" in complete(s, "sssp", "--output", "ti"), "files as values")
    s.equal(complete(s, "help", "ss"), ["sssp"], "help")


def test_colours(s):
    s.file("tiny.gr", TINY)
    for args in (("info", "tiny.gr"), ("sssp", "tiny.gr", "--source", 1), ("algorithms",), ("devices",), ("info", "nothing.gr")):
        a = s.run(*args)
        s.ok("\033" not in a.out + a.err, "no colours in a pipe: %s" % (args,), a)
        s.ok("\033" not in s.run(*args, "--color=never").out, "--color=never")
    s.ok("\033[" in s.run("info", "tiny.gr", "--color=always").out, "--color=always")
    s.ok("\033[" in s.run("info", "nothing.gr", "--color", "always").err, "--color always on errors")


def test_people(s):
    s.file("tiny.gr", TINY)
    a = s.works("sssp", "tiny.gr", "--source", 1, "--verify")
    s.ok(all(w in a.out for w in ("sssp from 1", "4 of 5", "max", "mean", "time", "why", "all rules hold")), "the summary", a)
    s.ok(re.search(r"mean +3\b", a.out), "the mean", a)
    s.equal(s.works("sssp", "tiny.gr", "--source", 1, "--quiet").out, "", "--quiet")
    a = s.works("apsp", "tiny.gr")
    s.ok("17 of 25 pairs" in a.out, "apsp counts pairs", a)


def test_verbose(s):
    s.file("tiny.gr", TINY)
    a = s.works("bfs", "tiny.gr", "--source", 1, "--json")
    s.equal(a.err, "", "nothing is noted unless asked for", a)
    s.equal(a.json()["time_ms"]["device"], 0, "the CPU is no device of its own", a)
    s.ok("bfs: " in s.works("bfs", "tiny.gr", "--source", 1, "--verbose").err, "--verbose tells what was chosen")
    if not any(d["name"] == "emulator" for d in s.works("devices", "--json").json()):
        s.skip("no emulator in this build")
        return
    a = s.works("bfs", "tiny.gr", "--source", 1, "--device", "emulator", "--algorithm", "vertex", "--verbose", "--json")
    levels = re.findall(r"bfs level (\d+): frontier (\d+), arcs \d+, .*us [\d.]+, way ", a.err)
    s.equal([int(n) for n, _ in levels], list(range(len(levels))), "every level is told", a)
    s.ok(len(levels) > 1 and sum(int(f) for _, f in levels) == 4, "frontiers are what is reached", a)
    s.ok(0 < a.json()["time_ms"]["device"] <= a.json()["time_ms"]["run"] * 1.5 + 1, "the device's own time", a)


def svg(s, name):
    text = s.read(name)
    ElementTree.fromstring(text)
    return text


def test_plot(s):
    s.file("tiny.gr", TINY)
    s.fails(6, r"no coordinates; give them with --coordinates", "sssp", "tiny.gr", "--source", 1, "--plot", "m.svg")
    s.ok(not s.exists("m.svg"), "no picture")
    s.file("places.co", COORDINATES)
    s.works("sssp", "tiny.gr", "--source", 1, "--coordinates", "places.co", "--plot", "m.svg")
    text = svg(s, "m.svg")
    s.ok("tiny.gr: distance from 1" in text and "source 1" in text and "unreached" in text, "title, source and legend")
    width, height = [float(x) for x in re.search(r'width="(\d+)" height="(\d+)"', text).groups()]
    ratio = (width - 3 * 28 - 150) / (height - 78 - 28)
    s.ok(abs(ratio - 0.7575) < 0.01, "longitudes shrink with latitude: %.3f" % ratio)
    s.file("tiny.co", COORDINATES)
    s.works("path", "tiny.gr", "--source", 1, "--target", 4, "--plot", "p.svg", "--projection", "plain")
    text = svg(s, "p.svg")
    s.ok("target 4" in text and "polyline" in text, "the path, with coordinates found beside the graph")
    s.works("bfs", "tiny.gr", "--source", 1, "--source", 4, "--nearest", "--plot", "n.svg")
    s.ok("nearest of 2 sources" in svg(s, "n.svg"), "nearest")
    s.fails(2, r"one source", "bfs", "tiny.gr", "--source", 1, "--source", 4, "--plot", "x.svg")
    s.fails(3, r"cannot be written", "bfs", "tiny.gr", "--source", 1, "--plot", "no/such/x.svg")


def test_plot_hard_places(s):
    """Coordinates that no map can show, or that all agree, still make a picture that is well-formed."""
    s.file("hard.gr", "p sp 3 2\na 1 2 1\na 2 3 1\n")
    for places in ("0 0,0 0,0 0", "1e308 0,-1e308 1e308,0 -1e308", "1e-320 0,0 0,0 1e-320", "5 1,5 2,5 3", "-1e300 7,0 7,1 7"):
        lines = ["v %d %s\n" % (i + 1, place) for i, place in enumerate(places.split(","))]
        s.file("hard.co", "p aux sp co 3\n" + "".join(lines))
        s.works("sssp", "hard.gr", "--source", 1, "--target", 3, "--plot", "hard.svg")
        s.ok(re.search(r"[^a-z](inf|nan)[^a-z]", svg(s, "hard.svg").split("</title>")[1]) is None, "numbers for %s" % places)


def test_plot_generated(s):
    for kind, more in (("grid2d", ["--rows", 30, "--cols", 50]), ("road", ["--n", 5000]), ("delaunay", ["--n", 3000]),
                       ("path", ["--n", 10])):
        s.works("generate", kind, *more, "--seed", 1, "-o", "g.nfg")
        a = s.run("sssp", "g.nfg", "--source", 0, "--plot", "g.svg")
        if a.code == 6 and "no coordinates" in a.err and kind == "path":
            continue
        if s.equal(a.code, 0, kind, a):
            s.ok(svg(s, "g.svg").count("<path stroke=") >= 3, "%s has colours" % kind)


def test_plot_dense(s):
    """More edges than a picture can hold: a share of them is drawn."""
    s.works("generate", "uniform", "--n", 2000, "--edges", 800000, "--seed", 1, "-o", "dense.nfg")
    s.file("dense.co", "p aux sp co 2000\n" + "".join("v %d %d %d\n" % (i + 1, i * 7919 % 2003, i * i % 1999) for i in range(2000)))
    s.works("bfs", "dense.nfg", "--source", 0, "--coordinates", "dense.co", "--plot", "dense.svg")
    size = len(svg(s, "dense.svg"))
    s.ok(1_000_000 < size < 12_000_000, "the picture has %d bytes" % size)


def test_plot_new_york(s):
    ny = data("road/USA-road-d.NY.gr.gz")
    if ny is None or data("road/USA-road-d.NY.co.gz") is None:
        s.skip("no USA-road-d.NY")
        return
    s.works("sssp", ny, "--source", 100000, "--target", 1, "--target", 200000, "--plot", "ny.svg")
    text = svg(s, "ny.svg")
    s.ok(200_000 < len(text) < 6_000_000, "the picture has %d bytes" % len(text))


def test_odd_names(s):
    for name in ("a b.gr", "größe.gr", "<&>\".gr", b"byte\xff.gr", "-dash.gr"):
        path = os.path.join(os.fsencode(s.folder), name if isinstance(name, bytes) else name.encode())
        with open(path, "w", encoding="utf-8") as file:
            file.write(TINY)
        shown = os.fsdecode(name)
        s.file("odd.co", COORDINATES)
        a = s.run("sssp", "--source", "1", "--json", "--coordinates", "odd.co", "--plot", "odd.svg", "--", shown)
        s.ok(a.code == 0 and a.json().get("sum") == 12, "%r" % shown, a)
        svg(s, "odd.svg")
        a = s.run("info", "--json", "--", shown)
        if isinstance(name, str):
            s.equal(a.json().get("name"), name, "the name in JSON", a)
        else:
            s.ok(a.json().get("n") == 5, "JSON even so", a)
