# The front door. Everything else is CMake with presets (CMakePresets.json).
JOBS ?= $(shell nproc)
UNITY ?= ON
ASSERT ?= OFF
FUZZ_SECONDS ?= 300

PREFIX ?= /usr/local

.PHONY: demo test test-build test-configure record python bench accuracy kv-memory forecast-kinds fit fit-doubts fit-power fit-runs build install format check-full docs docs-check pictures deb static try-install clean observe-engine

# Ninja says how far it is, on standard error; CMake only what goes wrong.
configure = cmake --preset release -DPLIMSOLL_ASSERT=$(ASSERT) $(1) >/dev/null
compile = cmake --build build/release -j$(JOBS) --target $(1) >&2

# Batches (cmake/rooms.cmake) make a build from nothing quick. Whoever changes code may prefer UNITY=OFF.
build:
	@tools/setup build
	@$(call configure,-DPLIMSOLL_UNITY=$(UNITY))
	@$(call compile,plimsoll)

# Builds only the program, then answers the tutorial's question with it and replays a trace.
demo: build
	@tools/demo build/release/plimsoll

# Builds everything and runs all tests but those that tools/check-full has (label LONG); with ASSERT=ON,
# as .ci/run does, with assertions.
test: test-build
	ctest --test-dir build/release -j$(JOBS) --output-on-failure --timeout 900 -LE LONG

test-build: test-configure
	@$(call compile,all)

test-configure:
	@tools/setup build test python
	@$(call configure,-DBUILD_TESTING=ON -DPLIMSOLL_PYTHON=ON -DPLIMSOLL_UNITY=$(UNITY))

# The unit tests of one room, for which no room below it is built: make test-engine.
test-%: test-configure
	@$(call compile,test_$*)
	@build/release/tests/test_$* --gtest_brief=1

# Writes what the program prints now into all scenarios and pages. Look at the difference.
record: build python
	@ls tests/scenario/*.scenario | xargs -P $(JOBS) -I {} sh -c \
	  'python3 tests/scenario/run_scenario.py build/release/plimsoll {} --update >/dev/null || true'
	@tools/answer-schemas build/release/plimsoll --update
	@tools/docs-check build/release/plimsoll --update >/dev/null || true
	@tools/pictures build/release/plimsoll
	@git diff --stat -- tests/scenario docs README.md

# The Python package in build/release/python, and a wheel of it, for Debian's Python or another one.
PYTHON ?= /usr/bin/python3
python:
	@tools/setup build python
	@$(call configure,-DPLIMSOLL_PYTHON=ON -DPYTHON_EXECUTABLE=$(PYTHON) -DPLIMSOLL_UNITY=$(UNITY))
	@$(call compile,python_wheel)

# How long is it to the first answer by each way of installing? As root, with a network; some minutes.
try-install: deb static python
	@tools/try-install

# How far are predictions from measured runs? Writes the tables of docs/explanation/accuracy.md.
CASES ?= ../shared/data/cases
accuracy: build
	@tools/accuracy build/release/plimsoll $(CASES)

# How far is the memory of KV caches from what engines logged? Writes docs/explanation/accuracy-kv-memory.md.
kv-memory: build
	@$(call compile,kv_memory)
	@tools/kv-memory build/release/tools/kv_memory/kv_memory tests/kv_memory/cases.csv

# How well do forecasts do on demand whose truth is known? Writes the table of docs/explanation/forecast-accuracy.md.
forecast-kinds: build
	@$(call compile,forecast_kinds)
	@tools/forecast-kinds build/release/tools/forecast_kinds/forecast_kinds

# The efficiencies of catalog/kernels/ from tables of measured operators: the rows to standard
# output, how far they are off and whether they are what is shipped to standard error.
TABLES ?= ../shared/data/ground-truth
fit: build
	@$(call compile,fit)
	@build/release/tools/fit/fit $(TABLES)

# The constants that whole runs decide, fitted again, and what is off when a GPU or a model is left
# out of the fit; writes the tables of docs/explanation/accuracy-fit.md. Some minutes.
fit-runs: build
	@tools/fit-runs build/release/plimsoll $(CASES) --left-out

# How wide what measured cases leave open makes intervals, fitted again, with each group left out;
# writes the tables of docs/explanation/accuracy-intervals.md.
fit-doubts: build
	@tools/fit-doubts build/release/plimsoll $(CASES) --write

# What share of its TDP a busy GPU draws, fitted again to measured power; writes the tables of
# docs/explanation/power.md. Needs python3-numpy.
fit-power: build
	@$(PYTHON) tools/fit-power build/release/plimsoll $(TABLES)/ml-energy

# The program, its manual page and its completion scripts for bash, zsh and fish; DESTDIR is respected.
install: build
	cmake --install build/release --prefix $(PREFIX)

# A Debian package of the same: build/release/plimsoll_VERSION_ARCHITECTURE.deb.
deb: build
	@tools/setup packages
	@cd build/release && cpack -G DEB >/dev/null
	@ls build/release/*.deb

# A program that needs no library of the machine: build/static/plimsoll.
static:
	@tools/setup build
	@$(call configure,-B build/static -DPLIMSOLL_STATIC=ON -DPLIMSOLL_UNITY=$(UNITY))
	@cmake --build build/static -j$(JOBS) --target plimsoll >&2

# How fast is it here? Lines `bench NAME VALUE UNIT`; docs/explanation/performance.md says what they mean.
bench: build
	@tools/setup bench
	@$(call configure,-DPLIMSOLL_BENCH=ON)
	@$(call compile,micro_benchmarks)
	@bench/whole/whole.py build/release/plimsoll
	@build/release/bench/micro_benchmarks --benchmark_repetitions=3

format:
	git ls-files '*.h' '*.cc' | xargs clang-format -i

# The documentation as a site with search, in build/site. A broken link fails.
docs:
	@tools/setup docs
	@mkdocs build --quiet
	@echo "build/site/index.html"

# Re-runs every command shown in docs/ and README.md and compares its output, that of terminals in pictures
# and the figures in the prose.
docs-check: build python
	tools/docs-check build/release/plimsoll
	tools/pictures build/release/plimsoll --check

# The pictures of the README and the docs, from the runs they show; of pages only where there is Chromium.
pictures: build
	@tools/pictures build/release/plimsoll

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
