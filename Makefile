# Everything a person does with this repository. Each target makes its own .venv; nothing is installed by hand.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ferrata-ready
# torch's CPU build where pip finds one; any 2.13 build works
TORCH  ?= torch==2.13.0
JOBS   ?= 2

.PHONY: help setup demo test test-fast check format bench docs op-db tables clean

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "ferrata needs Python 3.10 or newer (this is $$($(PYTHON) --version)); set PYTHON=/path/to/python3"; exit 1; }
	@command -v $${CXX:-g++} >/dev/null || { echo "No C++ compiler. Install one: sudo apt-get install g++   (Fedora: sudo dnf install gcc-c++)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv is missing. Install it: sudo apt-get install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check $(TORCH) "hatchling>=1.24" "editables>=0.5" "cmake>=3.20" "ninja>=1.11"
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[dev]'
	$(BIN)/ferrata build
	@touch $@

setup: $(STAMP)  ## make .venv and build the native libraries

demo: $(STAMP)  ## the main job: kernel -> torch.compile -> GE graph -> checked result
	@$(BIN)/ferrata demo

test: $(STAMP)  ## the whole test suite (under 30 minutes on 2 cores)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -q

test-fast: $(STAMP)  ## a subset under 2 minutes
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -q -m "not slow"

check: $(STAMP)  ## ruff, mypy --strict, clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	git ls-files 'ferrata/native/*.h' 'ferrata/native/*.cpp' | xargs $(BIN)/clang-format --dry-run -Werror

format:  ## put the sources into the project's format
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format --quiet .
	git ls-files 'ferrata/native/*.h' 'ferrata/native/*.cpp' | xargs $(BIN)/clang-format -i

bench: $(STAMP)  ## ratios against torch, measured side by side; writes benchmarks/results.json
	$(BIN)/python -m benchmarks

op-db: $(STAMP)  ## PyTorch's operator database on the npu device against CPU; writes docs/reference/op_db.md
	$(BIN)/python tools/op_db_report.py

tables: $(STAMP)  ## the generated pages of graph mode: converters, zoo, its speed and memory (an hour and more on 2 cores)
	$(BIN)/python tools/converters_report.py --samples 4
	$(BIN)/python -m tools.zoo_report
	$(BIN)/python -m benchmarks zoo memory
	$(BIN)/python -m benchmarks.bench_zoo --doc
	$(BIN)/python -m benchmarks.bench_memory --doc

docs: $(STAMP)  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:  ## remove what was built here (not the user's cache)
	rm -rf $(VENV) site build dist
