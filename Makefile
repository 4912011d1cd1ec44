# Two commands need nothing but Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test test-oldest coverage lint docs bench clean

demo: $(READY)
	$(BIN)/viewfuse demo

test: $(READY)
	$(BIN)/pytest

test-oldest:
	$(PYTHON) benchmarks/oldest.py

coverage: $(READY)
	@# that test limits the size of files, and so of coverage's own
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

bench: $(READY)
	$(BIN)/python benchmarks/exact.py

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/.docs-ready: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

clean:
	rm -rf docs/_build docs/gallery $(VENV) .venv-oldest build dist .pytest_cache .mypy_cache .ruff_cache
