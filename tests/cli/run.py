#!/usr/bin/env python3
"""Tests of the command `nearfar`. Usage: run.py PATH-TO-NEARFAR [NAME...]; the last line counts passed, failed, skipped."""
import sys

from harness import Suite
import test_bench
import test_contract
import test_inputs
import test_look
import test_process
import test_resume
import test_verify


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    tests = [value for module in (test_contract, test_inputs, test_verify, test_look, test_process, test_resume, test_bench)
             for name, value in vars(module).items() if name.startswith("test_") and callable(value)]
    wanted = sys.argv[2:]
    return Suite(sys.argv[1]).go([t for t in tests if not wanted or t.__name__.replace("test_", "") in wanted])


if __name__ == "__main__":
    sys.exit(main())
