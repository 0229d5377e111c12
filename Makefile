# samedeal: the only commands to remember. `make` alone lists them.

PYTHON ?= python3
GAME   ?= forty-thieves
SEED   ?= friday-night

# Half of the tests mostly wait, for processes and for what becomes of them.
WORKERS ?= $$($(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')

# Tests start hundreds of processes, each of which would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

BIN     := .venv/bin
READY   := .venv/.ready
SOURCES := $(wildcard rules protocol server client tests ops examples)

.DEFAULT_GOAL := help
.PHONY: help setup run test soak cover check web fix demo cluster bench compiled prove docs pictures clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY)  ## make .venv with everything that the other targets need
	@echo ".venv is ready"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "samedeal needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up .venv (once, a minute or so) ..."
	@if command -v uv >/dev/null; then \
	    uv venv --quiet --allow-existing --python "$(PYTHON)" .venv && \
	    uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else \
	    $(PYTHON) -m venv .venv && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'; \
	fi
	@touch $@

run: $(READY)  ## serve at 127.0.0.1:8642, with everything kept in ./data
	@$(BIN)/samedeal-server serve --listen 127.0.0.1:8642 --data data

test: $(READY)  ## pass all tests but those in a browser
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder --ignore=tests/web

soak: $(READY)  ## pass all tests, ten times as hard
	@SAMEDEAL_SOAK=10 $(BIN)/python -m pytest -q -n auto --dist loadfile --timeout=3600

cover: $(READY)  ## tell which lines no test reaches
	@$(BIN)/coverage run -m pytest -q
	@$(BIN)/coverage report --show-missing --skip-covered

check: $(READY)  ## format, lint, types, import directions, generated docs
	@$(BIN)/ruff format --check --quiet $(SOURCES)
	@$(BIN)/ruff check --quiet $(SOURCES)
	@$(BIN)/mypy $(SOURCES)
	@$(BIN)/pyright $(SOURCES)
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python ops/docs.py --check

web: $(READY)  ## the browser client: its types (TypeScript from npm, once) and tests in real browsers
	@$(BIN)/python ops/typecheck_web.py
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile tests/web

fix: $(READY)  ## format, and mend what lint can mend by itself
	@$(BIN)/ruff format $(SOURCES)
	@$(BIN)/ruff check --fix $(SOURCES)

demo: $(READY)  ## a whole race in the terminal (GAME=forty-thieves SEED=friday-night)
	@$(BIN)/python ops/demo.py --game "$(GAME)" --seed "$(SEED)"

cluster: $(READY)  ## three nodes on this machine, with PostgreSQL and Mosquitto (DATA=DIR keeps all)
	@$(BIN)/python ops/cluster.py $(if $(DATA),--data "$(DATA)")

bench: $(READY)  ## measure the rules core and the server
	@PYTHONPATH=ops $(BIN)/python -m bench $(PARTS)

compiled: $(READY)  ## make the faster build of the server in ./.compiled (docs/performance.md)
	@$(BIN)/python ops/overlay.py

prove: $(READY)  ## write the proofs of a game anew (GAME=amazons), to be read before they are kept
	@$(BIN)/python ops/prove.py "$(GAME)"

docs: $(READY)  ## write the generated docs anew
	@$(BIN)/python ops/docs.py

pictures: $(READY)  ## photograph the browser client anew for the docs (needs chromium)
	@PYTHONPATH=ops $(BIN)/python ops/pictures.py

clean:  ## remove .venv and every cache (./data stays)
	@rm -rf .venv .compiled build dist htmlcov .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +
