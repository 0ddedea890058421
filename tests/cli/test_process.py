"""The command as a process: Ctrl-C, terminals, closed pipes, full disks."""
import fcntl
import os
import pty
import resource
import select
import signal
import stat
import struct
import subprocess
import termios
import time


def slow(s):
    """A graph whose all-pairs run takes minutes."""
    if not s.exists("slow.nfg"):
        s.works("generate", "uniform", "--n", 6000, "--edge-factor", 40, "--weights", "1:1000", "--seed", 1, "-o", "slow.nfg")
    return ["apsp", "slow.nfg", "--threads", "1", "--algorithm", "johnson"]


def work_of(pid):
    """Seconds of processor time a process has had: on a loaded machine this tells how far it is, the clock does not."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def let_work(p, seconds):
    """Waits until a process has worked for so long, or has ended."""
    until = time.time() + 120
    while p.poll() is None and work_of(p.pid) < seconds and time.time() < until:
        time.sleep(0.02)


def end_by(p, number):
    """Sends a signal and waits for the end: what it said, and for how long it still worked."""
    used, before = resource.getrusage(resource.RUSAGE_CHILDREN), work_of(p.pid)
    p.send_signal(number)
    out, err = p.communicate(timeout=60)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, err, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime - before


def start(s, args, **more):
    return subprocess.Popen([s.binary] + args, cwd=s.folder, stdin=subprocess.DEVNULL, **more)


def test_interrupt(s):
    for name, number, code in (("cut.npy", signal.SIGINT, 130), ("cut.tsv.gz", signal.SIGINT, 130), ("cut.nfd", signal.SIGTERM, 143)):
        p = start(s, slow(s) + ["--output", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        let_work(p, 0.5)
        if not s.ok(p.poll() is None, "the run is long enough to be interrupted"):
            continue
        out, err, took = end_by(p, number)
        s.equal(p.returncode, code, "exit code")
        s.ok(took < 2.0, "ended after %.2f s of work" % took)
        s.equal((out, err), (b"", b"nearfar: interrupted\n"), "one line")
        left = [f for f in os.listdir(s.folder) if f.startswith("cut") or "part" in f or "tmp" in f]
        s.equal(left, [], "no partial output")


def test_interrupt_packing(s):
    """The slowest compressor is interrupted soon as well."""
    s.works("generate", "grid2d", "--rows", 700, "--cols", 700, "--weights", "1:99999", "-o", "wide.nfg")
    p = start(s, ["convert", "wide.nfg", "cut.wel.xz", "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    let_work(p, 0.3)
    if s.ok(p.poll() is None, "packing is long enough to be interrupted"):
        _, _, took = end_by(p, signal.SIGINT)
        s.ok(p.returncode == 130 and took < 0.8, "exit code %d after %.2f s of work" % (p.returncode, took))
    s.equal([f for f in os.listdir(s.folder) if f.startswith("cut")], [], "no partial output")


def test_interrupt_json(s):
    p = start(s, slow(s) + ["--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    let_work(p, 0.5)
    out, _, _ = end_by(p, signal.SIGINT)
    s.ok(p.returncode == 130 and b"NF_ECANCELLED" in out, "JSON says so: %r" % out)


def on_terminal(s, args, seconds, env=None, until=None):
    """Runs on a pseudo-terminal for a while (or until it shows a text), then Ctrl-C; what it showed, and the exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    p = start(s, args, stdout=slave, stderr=slave, env={**os.environ, "TERM": "xterm", **(env or {})})
    os.close(slave)
    seen, end, sent = b"", time.time() + seconds, False
    while time.time() < end + 60:
        if select.select([master], [], [], 0.1)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:
                break
        if until is not None and until in seen.decode("utf-8", "replace"):
            end = min(end, time.time())
        if not sent and time.time() >= end and p.poll() is None:
            p.send_signal(signal.SIGINT)
            sent = True
    p.wait(timeout=30)
    os.close(master)
    return seen.decode("utf-8", "replace"), p.returncode


def test_terminal(s):
    seen, code = on_terminal(s, slow(s), 90, until=" left")
    s.equal(code, 130, "exit code on a terminal")
    s.ok("[#" in seen and "%" in seen, "a progress bar: %r" % seen[-300:])
    s.ok("left" in seen, "with the time left: %r" % seen[-300:])
    bar = seen.rfind("%")
    s.ok("\r\033[K" in seen[bar:], "erased at the end: %r" % seen[-300:])
    seen, _ = on_terminal(s, slow(s) + ["--no-progress"], 2.0)
    s.ok("[#" not in seen, "--no-progress: %r" % seen[-300:])
    s.file("t.gr", "p sp 2 1\na 1 2 3\n")
    seen, _ = on_terminal(s, ["info", "t.gr"], 60)
    s.ok("\033[1m" in seen and "[#" not in seen, "colours, and no bar for a short run: %r" % seen)
    seen, _ = on_terminal(s, ["info", "t.gr"], 60, env={"NO_COLOR": "1"})
    s.ok("\033[1m" not in seen, "NO_COLOR: %r" % seen)
    s.works("generate", "path", "--n", 200, "-o", "long.nfg")
    seen, _ = on_terminal(s, ["path", "long.nfg", "--source", "0", "--target", "199"], 60)
    s.ok("160 more" in seen and seen.count("\n") < 60, "a long path is abbreviated: %r" % seen[-200:])
    seen, _ = on_terminal(s, ["path", "long.nfg", "--source", "0", "--target", "199", "--all"], 60)
    s.ok("more" not in seen and seen.count("\n") > 200, "--all")


def test_interrupt_verify(s):
    """The checkers cannot be cancelled; Ctrl-C ends them all the same."""
    s.works("generate", "uniform", "--n", 1500, "--edge-factor", 60, "--weights", "1:9", "--seed", 1, "-o", "v.nfg")
    s.works("apsp", "v.nfg", "--algorithm", "johnson", "--output", "v.nfd")
    s.file("many.txt", "\n".join(["0"] * 1500))
    seen, code = on_terminal(s, ["verify", "v.nfg", "v.nfd"], 60)
    s.equal(code, 0, "the result is right: %r" % seen)
    slow_check = ["sssp", "v.nfg", "--sources", "many.txt", "--verify", "--algorithm", "dijkstra"]
    seen, code = on_terminal(s, slow_check, 600, until="verify ")
    s.ok(code == 130 and "verify" in seen and "interrupted" in seen, "ended: %d %r" % (code, seen[-300:]))
    s.ok("reached" not in seen, "nothing is reported: %r" % seen[-300:])


def test_second_interrupt(s):
    p = start(s, slow(s), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    let_work(p, 0.5)
    p.send_signal(signal.SIGINT)
    p.send_signal(signal.SIGINT)
    p.wait(timeout=30)
    s.ok(p.returncode in (130, -signal.SIGINT), "a second Ctrl-C kills: %d" % p.returncode)


def test_closed_pipe(s):
    s.works("generate", "path", "--n", 300000, "-o", "p.nfg")
    for args in (["bfs", "p.nfg", "--source", "0", "--output", "-", "--quiet"],
                 ["bfs", "p.nfg", "--source", "0", "--source", "1", "--nearest", "--json"],
                 ["path", "p.nfg", "--source", "0", "--target", "299999"], ["convert", "p.nfg", "-", "--to", "gr"]):
        p = start(s, args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.read(10)
        p.stdout.close()
        err = p.stderr.read()
        p.stderr.close()
        p.wait(timeout=60)
        s.equal((p.returncode, err), (3, b""), "a quiet end with code 3: %s" % " ".join(args))


def test_full_disk(s):
    if not os.path.exists("/dev/full") or not stat.S_ISCHR(os.stat("/dev/full").st_mode):
        s.skip("no /dev/full")
        return
    s.file("t.gr", "p sp 2 1\na 1 2 3\n")
    for args in (["algorithms"], ["sssp", "t.gr", "--source", "1"], ["sssp", "t.gr", "--source", "1", "--json"],
                 ["sssp", "t.gr", "--source", "1", "--output", "-", "--quiet"], ["--help"], ["convert", "t.gr", "-", "--to", "mtx"]):
        full = os.open("/dev/full", os.O_WRONLY)
        p = start(s, args, stdout=full, stderr=subprocess.PIPE)
        os.close(full)
        err = p.communicate(timeout=60)[1].decode()
        s.ok(p.returncode == 3 and "No space left" in err and len(err.splitlines()) == 1,
             "a full disk is told: %s: %d %r" % (args, p.returncode, err))


def test_file_too_large(s):
    s.works("generate", "path", "--n", 900, "-o", "w.nfg")

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    for args in (["apsp", "w.nfg", "--output", "grown.npy"], ["apsp", "w.nfg", "--output", "grown.tsv"], ["apsp", "w.nfg", "--output", "grown.nfd"],
                 ["convert", "w.nfg", "grown.gr"], ["generate", "grid2d", "--n", "40000", "-o", "grown.nfg"]):
        p = start(s, args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=small)
        out, err = p.communicate(timeout=60)
        s.ok(p.returncode == 3 and b"File too large" in err and len(err.splitlines()) == 1 and out == b"",
             "a file that cannot grow: %s: %d %r" % (args, p.returncode, err))
        s.equal([f for f in os.listdir(s.folder) if f.startswith("grown")], [], "nothing is left of it")
