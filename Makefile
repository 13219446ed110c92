# Everything runs in a virtual environment of the project's own; nothing else needs to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types bench clean

demo: $(READY)
	$(BIN)/entryprune demo

# One thread for each of the two processes: with two each they mostly wait for one another.
test: lint types
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/hostile.py --models --keep build/hostile
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/baselines.py
	rm -f build/bench/time.jsonl
	$(BIN)/entryprune bench study time --quick --threads 2 --store build/bench/time.jsonl -o build/bench
	$(BIN)/entryprune bench table time --quick --store build/bench/time.jsonl

# torch is pinned in constraints.txt because an unpinned one may bring gigabytes of GPU packages.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "entryprune needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Name another with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench,dev,excel,files,peers]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
