# Two commands do all the set-up: `make run` for people, `make test` for developers. They need Python 3.11, make and git.

PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
  $(name) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
VENV := .venv
BIN := $(VENV)/bin
# How many processes run tests. Three keep two cores busy, as now and then one waits for an agent, a database or a lock.
WORKERS ?= 3
# What is compiled is kept: thousands of tests start the program hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-long check ready programs lint collected format bench clean

run: $(VENV)/.installed
	@$(BIN)/holdfast up

test: ready
	@$(BIN)/python -m pytest -n $(WORKERS)

test-long: ready
	@HOLDFAST_TEST_LONG=1 $(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.developing lint
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

# Checked by one core while the other compiles the tests, which each process that runs them would do for itself, and
# while the outside programs are fetched.
ready:
	@$(MAKE) --no-print-directory -j 3 lint collected programs

programs: $(VENV)/bin/python
	@$(BIN)/python tests/outside/programs.py

collected: $(VENV)/.developing
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null

lint: $(VENV)/.developing
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.developing
	@$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format -q .

bench: $(VENV)/.installed
	@for name in $$($(BIN)/holdfast bench); do echo "== $$name"; $(BIN)/holdfast bench $$name || exit 1; done

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Holdfast needs Python 3.11 or newer, with venv (Debian: python3-venv)."; exit 1; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.developing: $(VENV)/bin/python pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/.installed
