# The front door. Everything else is CMake with presets (CMakePresets.json).
JOBS ?= $(shell nproc)
UNITY ?= TESTS
FUZZ_SECONDS ?= 300

PREFIX ?= /usr/local

.PHONY: demo test python bench accuracy kv-memory fit fit-runs build install format check-full docs-check clean observe-engine

build:
	@tools/setup build
	@cmake --preset release -DBUILD_TESTING=OFF $(QUIETLY)
	@cmake --build build/release --target plimsoll -j$(JOBS) $(QUIETLY)

# Builds only the program, then answers the tutorial's question with it and replays a trace.
demo: QUIETLY = >/dev/null
demo: build
	@tools/demo build/release/plimsoll

# Builds everything and runs all tests.
test:
	tools/setup build test python
	cmake --preset release -DBUILD_TESTING=ON -DPLIMSOLL_PYTHON=ON -DPLIMSOLL_UNITY=$(UNITY)
	cmake --build build/release -j$(JOBS)
	ctest --test-dir build/release -j$(JOBS) --output-on-failure

# The Python package in build/release/python, and a wheel of it, for Debian's Python or another one.
PYTHON ?= /usr/bin/python3
python:
	@tools/setup build python
	@cmake --preset release -DPLIMSOLL_PYTHON=ON -DPYTHON_EXECUTABLE=$(PYTHON)
	@cmake --build build/release --target python_wheel -j$(JOBS)

# How far are predictions from measured runs? Writes the tables of docs/accuracy.md.
CASES ?= ../shared/data/cases
accuracy: build
	@tools/accuracy build/release/plimsoll $(CASES)

# How far is the memory of KV caches from what engines logged? Writes those tables of docs/accuracy.md.
kv-memory: QUIETLY = >/dev/null
kv-memory: build
	@cmake --build build/release --target kv_memory -j$(JOBS) $(QUIETLY)
	@tools/kv-memory build/release/tools/kv_memory/kv_memory tests/kv_memory/cases.csv

# The efficiencies of catalog/kernels/ from tables of measured operators: the rows to standard
# output, how far they are off and whether they are what is shipped to standard error.
TABLES ?= ../shared/data/ground-truth
fit: QUIETLY = >/dev/null
fit: build
	@cmake --build build/release --target fit -j$(JOBS) $(QUIETLY)
	@build/release/tools/fit/fit $(TABLES)

# The constants that whole runs decide, fitted again, and what is off when a GPU or a model is left
# out of the fit; writes the tables of docs/accuracy.md on that. Some minutes.
fit-runs: build
	@tools/fit-runs build/release/plimsoll $(CASES) --left-out

# The program, its manual page and its completion scripts for bash and zsh; DESTDIR is respected.
install: build
	cmake --install build/release --prefix $(PREFIX)

# How fast is it here? Lines `bench NAME VALUE UNIT`; docs/performance.md says what they mean.
bench: QUIETLY = >/dev/null
bench: build
	@tools/setup bench
	@cmake --preset release -DPLIMSOLL_BENCH=ON $(QUIETLY)
	@cmake --build build/release --target micro_benchmarks -j$(JOBS) $(QUIETLY)
	@bench/whole/whole.py build/release/plimsoll
	@build/release/bench/micro_benchmarks --benchmark_repetitions=3

format:
	git ls-files '*.h' '*.cc' | xargs clang-format -i

# Re-runs every command shown in docs/ and README.md and compares its output.
docs-check: build python
	tools/docs-check build/release/plimsoll

# `plimsoll observe` against a real engine on this machine's processor (npm; skipped without it).
observe-engine: build
	tools/observe-engine build/release/plimsoll

# What is too slow for every change: data races, equal bytes from unoptimised and optimised
# builds, clang-tidy, long fuzzing.
check-full:
	tools/setup
	tools/setup page
	tools/check-full $(FUZZ_SECONDS)

clean:
	rm -rf build
