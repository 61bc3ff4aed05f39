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

$(VENV)/docs: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	touch $@

$(VENV)/bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	touch $@

demo: $(VENV)/ready  ## simulate a closed-loop 3-D mechanism from its TOML file: report, energy, HDF5, plots, moving picture
	$(BIN)/bricard run examples/bricard.toml --output demo --plots --view
	@echo "open demo/bricard.html in a browser: the linkage moves, offline"

test: $(VENV)/ready  ## the quick tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-all: $(VENV)/ready  ## all tests, the long ones too
	$(BIN)/python -m pytest -n 2 --dist loadfile -m ''

test-machines: $(VENV)/ready  ## the numerical tests as other processors run them, resumed where it was stopped: MACHINES="haswell zen"
	$(BIN)/python -m lab.processors $(MACHINES)

lint: $(VENV)/ready  ## ruff and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

viewer:  ## build the page of the viewer from viewer/ (needs Node.js and npm)
	cd viewer && npm ci --ignore-scripts --silent && npm run --silent build

pictures: $(VENV)/ready  ## make the moving picture of the README and those of docs/viewer.md (needs chromium)
	$(BIN)/python docs/pictures/make_viewer.py

gallery: $(VENV)/ready  ## make the pictures of the gallery (needs chromium); NAMES="chain bricard" for some of them
	$(BIN)/python docs/pictures/make_gallery.py $(NAMES)

screens: docs  ## make the screenshots of tutorial, report and documentation (needs chromium)
	$(BIN)/python docs/pictures/make_screens.py

pages: $(VENV)/ready  ## write the pages of methods and mechanisms from their source
	$(BIN)/python docs/generate.py

docs: $(VENV)/docs  ## the documentation as HTML in build/docs; warnings are errors
	$(BIN)/python docs/sphinx/build.py

bench: $(VENV)/bench  ## speed and accuracy beside exudyn, trees beside Pinocchio and MuJoCo, costs of all formulations, on one thread
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/run.py
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/trees.py
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/bricard experiment costs

bench-peers: $(VENV)/bench  ## time to accuracy beside exudyn, mujoco, pinocchio and IDA, on one thread
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/bricard bench peers

ab: $(VENV)/ready  ## is this tree slower than another revision? make ab BASE=HEAD~5; CPU time, interleaved, with intervals
	$(BIN)/python benchmarks/ab.py $(BASE) $(AB)

campaign: $(VENV)/ready  ## random mechanisms against an independent oracle, resumed where it was stopped: make campaign N=1000 SEED=1
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m lab.campaign run $(or $(N),200) --seed $(or $(SEED),1)

campaign-quick: $(VENV)/ready  ## 200 random mechanisms against the oracle, from the start
	rm -f build/campaign/quick.jsonl
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m lab.campaign run 200 --seed 1 --file build/campaign/quick.jsonl

wheel: $(VENV)/ready  ## build the wheel, install it in an empty environment and run the demo with it
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile build/wheel/*.whl
	cp examples/bricard.toml build/wheel/
	cd build/wheel && venv/bin/bricard run bricard.toml --output demo --plots --view && test -s demo/bricard.html

changelog: $(VENV)/ready  ## put the fragments of changes/ into CHANGELOG.md: make changelog VERSION=0.2.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	$(BIN)/towncrier build --yes --version $(VERSION)

clean:  ## remove the virtual environment and what the targets wrote
	rm -rf $(VENV) demo build bench.json

.PHONY: help demo test test-all test-machines lint viewer pictures gallery screens pages bench bench-peers ab campaign campaign-quick docs wheel changelog clean
