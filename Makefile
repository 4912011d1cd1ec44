# Two commands need nothing but Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test test-fast test-oldest test-versions coverage lint docs bench picture lock locked package clean

demo: $(READY)
	$(BIN)/viewfuse demo

# Two processes at a time, of about the same duration. Their lines are mixed; each ends with its own count.
# With -m, the processes that tests start can import the tests too.
SOLVERS := tests/cluster tests/selection tests/graphs tests/linalg tests/fusion
OTHERS  := tests/cluster/baselines $(filter-out $(SOLVERS:%=%/),$(wildcard tests/*/)) $(wildcard tests/test_*.py)
test: $(READY)
	@$(BIN)/python -m pytest $(SOLVERS) --ignore=tests/cluster/baselines & solvers=$$!; \
	$(BIN)/python -m pytest $(OTHERS); others=$$?; \
	wait $$solvers && exit $$others

test-fast: $(READY)
	$(BIN)/python -m pytest -m "not slow"

test-oldest:
	$(PYTHON) benchmarks/oldest.py

# A part of the tests on Python 3.11, 3.12 and 3.13, with the oldest and the newest libraries.
test-versions:
	$(PYTHON) benchmarks/versions.py

coverage: $(READY)
	@# The deselected test limits the size of files, including those that coverage writes.
	$(BIN)/coverage run -m pytest --deselect tests/cli/test_faults.py::test_a_disk_that_fills_up
	$(BIN)/coverage combine
	$(BIN)/coverage report

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

# Every ratio of this commit, as a table. The results of earlier commits are in benchmarks/kept/results; commit the new file.
bench: $(READY)
	$(BIN)/python benchmarks/bench.py

# The versions and hashes of the development environment; commit the file.
lock: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet pyproject.toml --extra test --extra docs --universal --python-version 3.11 --generate-hashes \
		--no-annotate --no-emit-index-url --custom-compile-command "make lock" -o requirements-dev.txt

# The development environment with exactly these versions.
locked:
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $(READY) $(VENV)/.docs-ready

# Build, check and install the package.
package: $(READY)
	.ci/package

# The picture in README.md. Look at it before you commit it.
picture: $(READY)
	$(BIN)/viewfuse demo -o build/demo
	chromium --headless=new --no-sandbox --enable-unsafe-swiftshader --hide-scrollbars --window-size=1250,1290 --force-device-scale-factor=0.9 \
		--virtual-time-budget=8000 --user-data-dir=$$(mktemp -d) --screenshot=docs/report.png "file://$(CURDIR)/build/demo/report.html"

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/.docs-ready: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

clean:
	rm -rf docs/_build docs/gallery $(VENV) .venv-oldest .venv-versions build dist .pytest_cache .mypy_cache .ruff_cache
