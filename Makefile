# A thin layer over CMake (see CMakePresets.json). `make demo` and `make test` install what they miss; the others do not.
#
#   make            the library and the command, in build/release
#   make demo       a road network made, searched, checked and drawn, in build/demo; the command for the CPU alone, in build/cpu
#   make test       every test: style, release, sanitizers, fuzzing, installation (FUZZ_SECONDS=30, STAGES=...)
#   make bench      the benchmarks' tables; BENCH='--scale 18 --sources 4' tells `nearfar bench cpu` what to measure
#   make install    into PREFIX (/usr/local), below DESTDIR
#   make check-style, make clean
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 30
STAGES ?=
BENCH ?=
MAKEFLAGS += --no-print-directory

.PHONY: all demo test bench install check-style clean

all:
	@cmake --preset release
	@cmake --build --preset release -j$(JOBS)

demo:
	@scripts/deps demo
	@scripts/demo

test:
	@scripts/deps test
	@python3 scripts/run-tests --jobs $(JOBS) --fuzz-seconds $(FUZZ_SECONDS) $(STAGES)

bench:
	@scripts/deps demo
	@cmake --preset bench
	@cmake --build --preset bench -j$(JOBS)
	@scripts/bench build/bench $(BENCH)

install: all
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

check-style:
	@python3 scripts/run-tests --jobs $(JOBS) style

clean:
	rm -rf build
