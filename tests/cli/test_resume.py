"""All pairs in a file: killed at any moment and resumed, interrupted, out of memory."""
import os
import random
import re
import shlex
import signal
import subprocess
import time

import test_process

CALM = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # threads that wait must not take the time of those that work


def start(s, args, **more):
    return test_process.start(s, args, env=CALM, **more)


def dense(s):
    """Graphs for tiles (integers, floats) whose runs take a good part of a second."""
    if not s.exists("dense-f.nfg"):
        s.works("generate", "uniform", "--n", 1500, "--edge-factor", 60, "--weights", "1:1000", "--seed", 3, "-o", "dense-i.nfg")
        s.works("generate", "uniform", "--n", 1500, "--edge-factor", 60, "--weights", "0.5:99.25", "--seed", 4, "-o", "dense-f.nfg")
    return {"i": "dense-i.nfg", "f": "dense-f.nfg"}


def content(s, name):
    with open(s.path(name), "rb") as file:
        return file.read()


def wait_for(s, p, name):
    """Until the file is there, or the program has ended."""
    until = time.monotonic() + 60
    while not s.exists(name) and p.poll() is None and time.monotonic() < until:
        time.sleep(0.002)


def kill_until_done(s, args, name, seed):
    """kill -9 as soon as there is a journal, then after random times, resume, until a run is let finish by itself; how often it was killed,
    and when."""
    dice, kills, stages = random.Random(seed), 0, set()
    for k in range(60):
        p = start(s, args + ["--output", name, "--resume", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if k == 0:
            wait_for(s, p, name + ".nfj")
        try:
            _, err = p.communicate(timeout=0.01 if k == 0 else 0.02 + dice.random() * (0.15 + 0.02 * k))
            s.equal((p.returncode, err), (0, b""), "the run that is not killed succeeds")
            return kills, stages
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            kills += 1
            stages.add(s.exists(name + ".nfj"))
            if s.exists(name) and not s.exists(name + ".nfj"):  # it was whole, and the kill came late
                return kills, stages
    p = start(s, args + ["--output", name, "--resume", "--quiet"])
    s.equal(p.wait(timeout=300), 0, "the last run succeeds")
    return kills, stages


def test_kill(s):
    graphs = dense(s)
    cases = (("i", ["--set", "by=tiles", "--distance-type", "i32"]), ("f", ["--set", "by=tiles", "--parents"]),
             ("i", ["--set", "by=rows"]))
    for seed, (graph, more) in enumerate(cases):
        args = ["apsp", graphs[graph], "--algorithm", "streamed", "--memory", "6M", "--set", "tile=20", "--set", "gap=6"] + more
        s.works(*args, "--output", "whole.npy")
        kills, stages = kill_until_done(s, args, "killed.npy", seed)
        s.ok(kills > 0 and True in stages, "%s was killed %d times, with a journal there: %s" % (more, kills, stages))
        s.ok(content(s, "killed.npy") == content(s, "whole.npy"), "%s killed %d times: the same bytes" % (more, kills))
        if "--parents" in more:
            s.ok(content(s, "killed.parents.npy") == content(s, "whole.parents.npy"), "and the same parents")
        left = sorted(f for f in os.listdir(s.folder) if f.startswith("killed"))
        for name in left:
            os.unlink(s.path(name))
        s.ok(all(f.endswith(".npy") for f in left), "nothing else is left: %s" % left)


def test_interrupt_resume(s):
    """Ctrl-C ends with the line that goes on; that line, run by a shell, does."""
    s.works("generate", "uniform", "--n", 3500, "--edge-factor", 60, "--weights", "1:1000", "--seed", 3, "-o", "it's long.nfg")
    args = ["apsp", "it's long.nfg", "--algorithm", "streamed", "--memory", "20M", "--threads", "1", "--set", "by=tiles", "--set", "gap=4",
            "--set", "tile=32", "--output", "far.npy"]
    p = start(s, args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(s, p, "far.npy.nfj")
    test_process.let_work(p, test_process.work_of(p.pid) + 0.5)
    out, err, took = test_process.end_by(p, signal.SIGINT)
    text = err.decode()
    s.ok(p.returncode == 130 and out == b"" and len(text.splitlines()) == 1 and took < 3, "ended after %.2f s: %r" % (took, text))
    found = re.search(r"to go on: (.*)", text)
    if not s.ok(found is not None, "the line that goes on: %r" % text):
        return
    words = shlex.split(found.group(1))
    s.equal(words[1:], args + ["--resume"], "the same words and --resume")
    s.ok(s.exists("far.npy.part") and not s.exists("far.npy"), "the file has its name only when it is whole")
    s.fails(2, "unfinished run", *args)
    s.works(*words[1:])
    s.works("apsp", "it's long.nfg", "--output", "near.npy")
    s.ok(content(s, "far.npy") == content(s, "near.npy"), "the same as in memory")
    again = s.works(*words[1:])
    s.ok("whole" in again.out, "the same line once more has nothing left to do: %s" % again)


def test_resume_whole(s):
    """A finished file is told from one of another graph, of another type, or without the parents asked for."""
    for k, weights in enumerate(("1:9", "0.5:9.5", "1:10")):
        s.works("generate", "uniform", "--n", 300, "--weights", weights, "--seed", 3, "-o", "w%d.nfg" % k)
    for graph, more in (("w0.nfg", ["--distance-type", "i32"]), ("w1.nfg", ["--parents"]), ("w1.nfg", ["--set", "by=rows"])):
        args = ["apsp", graph, "--output", "w.npy", "--resume", "--algorithm", "streamed"] + more
        s.works(*args)
        before = content(s, "w.npy"), os.stat(s.path("w.npy")).st_mtime_ns
        s.ok("w.npy is whole" in s.works(*args).out, "whole: %s" % args)
        s.equal(s.works(*args, "--json").json().get("whole"), True, "JSON")
        s.equal(s.works(*args, "--quiet").out, "", "--quiet")
        s.ok(before == (content(s, "w.npy"), os.stat(s.path("w.npy")).st_mtime_ns), "untouched")
        s.fails(2, "nothing to resume", "apsp", "w2.nfg", *args[2:])
        s.fails(2, "nothing to resume", *args, "--distance-type", "f64")
        if "--parents" in more:
            os.unlink(s.path("w.parents.npy"))
            s.fails(2, "nothing to resume", *args)
        os.unlink(s.path("w.npy"))


def test_small_memory(s):
    """auto takes `streamed` when the matrix does not fit, and says so; without a .npy the error names one."""
    graph = dense(s)["i"]
    answer = s.works("apsp", graph, "--memory", "6M", "--output", "small.npy", "--explain")
    s.ok("apsp by streamed" in answer.out and "goes to a file" in answer.out, "why: %s" % answer.out)
    answer = s.works("apsp", graph, "--memory", "400M", "--output", "large.npy", "--explain")
    s.ok("streamed" not in answer.out.split("method")[0], "in memory where it fits: %s" % answer.out)
    s.ok(content(s, "small.npy") == content(s, "large.npy"), "the same bytes")
    s.fails(5, "--output X.npy", "apsp", graph, "--memory", "6M", "--output", "small.nfd")
    s.fails(2, "--resume goes with", "apsp", graph, "--output", "small.nfd", "--resume")
    s.fails(2, "--resume goes with", "apsp", graph, "--output", "small.npy", "--resume", "--algorithm", "johnson")
