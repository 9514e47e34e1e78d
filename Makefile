# `make demo` and `make test` each do all the set-up on a machine that has Python 3.11+ with venv, and make. If there is
# no C compiler, the build uses the one in the PyPI package ziglang.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
FUZZ_SECONDS ?= 600
ADVICE := { $(BIN)/python build_backend/compilers.py; exit 1; }

LOWEST := .venv-lowest
SPARK_3_5 := .venv-spark-3.5
FREE := .venv-free
PYTHON_FREE ?= python3.14t

SOURCES := pyproject.toml CMakeLists.txt $(wildcard build_backend/* src/termburst/core/*.c src/termburst/core/*.h)

.PHONY: demo test test-slow test-all test-spark test-spark-3.5 test-lowest test-free coverage lint wheel zig sanitize fuzz docs linkcheck mutants ci nightly bench clean

demo: $(VENV)/.demo  ## find the bursty words in Python's own docstrings, and write a page about them
	$(BIN)/termburst demo

# Each core runs one test file at a time, so that the fixtures of a file are made once.
PYTEST = $(BIN)/python $(if $(COVERAGE),$(MEASURED)) -m pytest -n auto --dist loadfile --no-loadscope-reorder
MEASURED = -m slipcover --source src/termburst --json --out .coverage-$@.json
# An empty value means: keep compiled modules. Without them every process compiles all modules and all tests again.
export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/.all  ## run this after a change: all tests except the slow ones, in about three minutes on two cores
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.all  ## the rest: simulations, figures, pages, and what needs data, Spark, a browser or processes
	$(PYTEST) -m slow

# Each core collects all tests once, not once per tier, and a file with tests of both tiers makes its fixtures once.
test-all: $(VENV)/.all  ## both tiers in one run, but for Spark; with COVERAGE=1 for `make coverage`
	$(PYTEST) -m "not spark"

test-spark: $(VENV)/.all  ## the tests of Spark, in one session; slipcover cannot measure them
	$(BIN)/python -m pytest -m spark tests/backends tests/questions

# The extra "spark" is PySpark 4, so what the tests need is named here: without the extra "sql" of PySpark 3.5, which asks
# for NumPy 1. Python from 3.12 on has no distutils, which PySpark 3.5 imports; setuptools has it. Two warnings are of
# PySpark 3.5 itself.
test-spark-3.5:  ## the tests of Spark with the last PySpark 3.5, in an environment of its own
	$(PYTHON) -m venv $(SPARK_3_5)
	$(subst $(VENV),$(SPARK_3_5),$(PIP)) -e ".[datasets,designs,duckdb,dev]" "pyspark>=3.5,<4" \
	  "pandas<3" pyarrow setuptools
	$(subst $(VENV),$(SPARK_3_5),$(BIN))/python -m pytest -m spark tests/backends tests/questions \
	  -W "ignore:distutils Version classes are deprecated:DeprecationWarning" -W "ignore:unclosed <socket:ResourceWarning"

test-lowest:  ## `make test` with the lowest version of every package that pyproject.toml allows
	$(PYTHON) -m venv $(LOWEST)
	$(subst $(VENV),$(LOWEST),$(PIP)) packaging
	$(subst $(VENV),$(LOWEST),$(BIN))/python .ci/lowest_versions.py all > $(LOWEST)/lowest.txt
	PIP_CONSTRAINT=$(CURDIR)/$(LOWEST)/lowest.txt $(MAKE) VENV=$(LOWEST) test

# Packages without wheels for free-threaded Python are left out: the core, and what its tests need.
test-free:  ## the quick tests of the core and of threads, with a free-threaded Python (PYTHON_FREE)
	@command -v $(PYTHON_FREE) > /dev/null || { echo "there is no $(PYTHON_FREE): name a free-threaded Python with PYTHON_FREE=..."; exit 1; }
	$(PYTHON_FREE) -m venv $(FREE)
	$(subst $(VENV),$(FREE),$(PIP)) -e . pytest pytest-xdist hypothesis mpmath
	$(subst $(VENV),$(FREE),$(BIN))/python -X gil=0 -m pytest -m "not slow" tests/core tests/models tests/inference tests/test_threads.py

coverage: $(VENV)/.all  ## report the lines that the tests reach, after `make test-all COVERAGE=1`; too few are an error
	$(BIN)/python .ci/coverage_data.py .coverage-test-all.json
	$(BIN)/python -m coverage report

lint: $(VENV)/.all  ## style, types, layering
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@status=0; git grep -nIE '(index[-_]url|find-links|registry|resolved)[" =:]+.?https?:|pythonhosted|pypi\.org/simple' \
	  -- . ':!Makefile' || status=$$?; \
	  [ $$status = 1 ] || { echo "the address of a package index must not be committed (git grep: $$status)"; exit 1; }

wheel: $(VENV)/.all  ## build the wheel, install it into an empty environment, use it there and in a Spark job
	$(BIN)/python .ci/check_wheel.py

zig: $(VENV)/.all  ## build the core as on a machine without a C compiler, and test its kernels
	$(BIN)/python .ci/check_zig.py

sanitize: $(VENV)/.all  ## test the core with bounds and undefined behaviour checked; needs GCC or Clang, and Linux
	$(BIN)/python .ci/sanitize.py

fuzz: $(VENV)/.all  ## ten minutes of random input for the core, under sanitizers; needs clang with libFuzzer
	$(BIN)/python benchmarks/hostile.py --parts csv core --seconds $(FUZZ_SECONDS)

docs: $(VENV)/.all  ## build the site into docs/_build/html; a warning or a link that leads nowhere is an error
	rm -rf docs/_build
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --quiet -b html docs docs/_build/html
	$(BIN)/python .ci/check_site.py docs/_build/html

linkcheck: $(VENV)/.all  ## check links to other sites, which needs a network; CI checks links within the site
	$(BIN)/python -m sphinx --keep-going -b linkcheck docs docs/_build/linkcheck

mutants: $(VENV)/.all  ## seed fifteen faults per package and count those that its own quick tests notice: an hour or more
	$(BIN)/python .ci/mutants.py

ci: lint test-all test-spark wheel zig sanitize docs  ## what .ci/run checks, without coverage

nightly: fuzz test-lowest test-spark-3.5 test-free  ## what takes longer, or needs other versions than CI has

bench: $(VENV)/.all  ## the headline figures, as ratios against peers in the same run, and a little of the rest
	for program in peers reproduce; do $(BIN)/python benchmarks/$$program.py || exit 1; done
	for program in truth quality speed scale hostile; do $(BIN)/python benchmarks/$$program.py --quick || exit 1; done
	$(BIN)/python benchmarks/newcomer.py --parts first installed

clean:
	rm -rf $(VENV) $(LOWEST) $(SPARK_3_5) $(FREE) dist build docs/_build docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	rm -f $(foreach suffix,so dylib dll,src/termburst/core/*.$(suffix))

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
	  { echo "termburst needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Setting up $(VENV) (half a minute or so) ..."
	@$(PYTHON) -m venv $(VENV)

# If there is neither a compiler nor ziglang, pip prints a long error, and ADVICE says what to install.
$(VENV)/.demo: $(SOURCES) | $(BIN)/python
	$(PIP) -e ".[report]" || $(ADVICE)
	@touch $@

$(VENV)/.all: $(SOURCES) | $(BIN)/python
	$(PIP) -e ".[all,dev]" || $(ADVICE)
	@touch $@ $(VENV)/.demo
