# Every target does its own set-up. `make demo` shows the package at work, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

$(VENV)/bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	touch $@

demo: $(VENV)/ready  ## simulate a closed-loop 3-D mechanism from its TOML file: report, energy, timing, HDF5, plots
	$(BIN)/bricard run examples/bricard.toml --output demo --plots

test: $(VENV)/ready  ## the quick tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-all: $(VENV)/ready  ## all tests, the long ones too
	$(BIN)/python -m pytest -n 2 --dist loadfile -m ''

lint: $(VENV)/ready  ## ruff and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

pages: $(VENV)/ready  ## write the pages of the methods from their source
	$(BIN)/python docs/generate.py

bench: $(VENV)/bench  ## speed and accuracy beside exudyn, costs of all formulations, on one thread
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/run.py
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/bricard experiment costs

clean:  ## remove the virtual environment and what the targets wrote
	rm -rf $(VENV) demo

.PHONY: help demo test test-all lint pages bench clean
