"""What the tests of the command stand on: running it, counting checks, scratch files.

A check is one line that holds or does not; the run goes on after a failure. `skip` is for what this machine cannot do.
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("NF_DATA") or os.path.join(os.path.dirname(ROOT), "shared", "data")


class Answer:
    """What a command has answered."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            return {}

    def __str__(self):
        return "exit %d\n  stdout: %s\n  stderr: %s" % (self.code, self.out[:600].strip(), self.err[:600].strip())


class Suite:
    """Runs the command and counts."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.folder = tempfile.mkdtemp(prefix="nearfar-cli-")
        self.name = ""

    def run(self, *args, stdin=None, env=None, timeout=600, text=True):
        """Runs nearfar in the scratch folder."""
        done = subprocess.run([self.binary] + [str(a) for a in args], cwd=self.folder, input=stdin, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              stdin=None if stdin is not None else subprocess.DEVNULL, env={**os.environ, **(env or {})})
        out = done.stdout.decode("utf-8", "replace") if text else done.stdout
        return Answer(done.returncode, out, done.stderr.decode("utf-8", "replace"))

    def file(self, name, content):
        """Writes a scratch file (text or bytes) and gives its name."""
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def exists(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def ok(self, holds, what, answer=None):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED %s: %s" % (self.name, what))
            if answer is not None:
                print("  " + str(answer))
        return holds

    def equal(self, got, want, what, answer=None):
        return self.ok(got == want, "%s: got %r, expected %r" % (what, got, want), answer)

    def skip(self, why):
        self.skipped += 1
        print("skipped %s: %s" % (self.name, why))

    def fails(self, code, pattern, *args, **more):
        """A command that must end with this code and one line on stderr that matches."""
        answer = self.run(*args, **more)
        label = " ".join(str(a) for a in args)
        self.equal(answer.code, code, "exit code of `%s`" % label, answer)
        lines = answer.err.strip().splitlines()
        self.ok(len(lines) == 1 and re.search(pattern, lines[0]) is not None, "`%s` says in one line /%s/" % (label, pattern),
                answer)
        self.ok("--json" in args or answer.out == "", "`%s` prints nothing on stdout" % label, answer)
        return answer

    def works(self, *args, **more):
        answer = self.run(*args, **more)
        self.equal(answer.code, 0, "exit code of `%s`" % " ".join(str(a) for a in args), answer)
        return answer

    def go(self, tests):
        for test in tests:
            self.name = test.__name__.replace("test_", "")
            try:
                test(self)
            except Exception:  # a broken test is a failed one
                self.failed += 1
                print("FAILED %s: %s" % (self.name, traceback.format_exc()))
        shutil.rmtree(self.folder, ignore_errors=True)
        print("%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped))
        return 1 if self.failed or not self.passed else 0


def pack(text):
    return gzip.compress(text.encode())


def data(name):
    """A real graph's path, None when it is not at hand."""
    path = os.path.join(DATA, name)
    return path if os.path.exists(path) else None
