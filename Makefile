# Everything a person or a machine does with this repository. `make` alone lists the targets.
#
# Set-up happens on demand: each target depends on a stamp inside the virtual environment, written
# only after its installation has ended well. An interrupted set-up is therefore taken up again,
# and a change of pyproject.toml or of the tested versions in constraints.txt installs anew.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
# Nothing (make CONSTRAINTS=) stands for the latest versions, which nobody has tested yet.
CONSTRAINTS ?= constraints.txt

BIN := $(VENV)/bin
# Tests and tools start hundreds of processes, which should not all compile the same modules.
unexport PYTHONDONTWRITEBYTECODE
# By the environment, so that the versions hold in the isolated environments of builds as well;
# later versions of pip read the second name there.
PINNED := $(if $(CONSTRAINTS),PIP_CONSTRAINT=$(CONSTRAINTS) PIP_BUILD_CONSTRAINT=$(CONSTRAINTS))
PIP := $(PINNED) $(BIN)/python -m pip --disable-pip-version-check -qq
STAMP := $(VENV)/.fogspiel
EXPLAIN := echo "If a version in '$(CONSTRAINTS)' is not to be had for this Python: make CONSTRAINTS="
# What every installation depends on.
SOURCES := pyproject.toml $(STAMP)-constraints

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check bench docs pytest kernels wheel constraints clean FORCE

help: ## list the targets
	@echo "make demo is the place to start. All targets:"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r target text; do printf '%-14s %s\n' "$$target" "$$text"; done
	@echo "Variables: PYTHON=$(PYTHON) VENV=$(VENV) JOBS=$(JOBS) CONSTRAINTS=$(CONSTRAINTS)"

demo: $(STAMP)-package ## set up what is needed and show rules becoming a fast game
	@$(BIN)/fogspiel demo
	@echo "The command is $(BIN)/fogspiel; 'source $(BIN)/activate' makes it fogspiel."

# What needs one core goes side by side, once everything is installed; the tests take all cores.
test: $(STAMP)-dev $(STAMP)-interop $(STAMP)-cluster $(STAMP)-bridge ## lint, types, documentation and all tests: what CI runs
	@$(MAKE) --no-print-directory -j$(JOBS) -Otarget check docs kernels
	@$(MAKE) --no-print-directory pytest

check: $(STAMP)-dev ## lint, format, types, docstrings and texts only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/architecture/docstring_lint.py

pytest: $(STAMP)-dev $(STAMP)-interop $(STAMP)-cluster $(STAMP)-bridge kernels ## all tests, on JOBS cores
	$(BIN)/pytest -n $(JOBS) --dist worksteal

# Built before the workers of the tests start: each of them would build all, a minute of work.
# Games are compiled anew, since those from the cache need fewer kernels.
kernels: $(STAMP)-dev ## build native kernels, unless they are in the cache
	@echo "Building native kernels, unless they are in the cache ..."
	-@FOGSPIEL_GAMES_CACHE=off $(BIN)/fogspiel simulate kuhn_poker --playouts 10 >/dev/null
	-@FOGSPIEL_GAMES_CACHE=off $(BIN)/fogspiel simulate othello --playouts 1000 >/dev/null

bench: $(STAMP)-package $(STAMP)-interop $(STAMP)-peers ## measure playouts, beliefs, search and solving beside peers, and loading; writes benchmarks/*.json
	@mkdir -p benchmarks
	$(BIN)/fogspiel bench playouts $$(test -e $(STAMP)-interop && echo --against openspiel) --json > $(VENV)/playouts.json
	@mv $(VENV)/playouts.json benchmarks/playouts.json
	$(BIN)/fogspiel bench load --json > $(VENV)/load.json
	@mv $(VENV)/load.json benchmarks/load.json
	$(BIN)/fogspiel bench search --json > $(VENV)/search.json
	@mv $(VENV)/search.json benchmarks/search.json
	@if test -e $(STAMP)-interop; then \
		echo "$(BIN)/fogspiel bench beliefs --json"; \
		$(BIN)/fogspiel bench beliefs --json > $(VENV)/beliefs.json && \
		mv $(VENV)/beliefs.json benchmarks/beliefs.json; fi
	@if test -e $(STAMP)-peers; then \
		echo "$(BIN)/fogspiel bench solve --against openspiel,liteefg --json"; \
		$(BIN)/fogspiel bench solve --against openspiel,liteefg --json > $(VENV)/solve.json && \
		mv $(VENV)/solve.json benchmarks/solve.json; fi

docs: $(STAMP)-dev $(STAMP)-bridge kernels ## build the documentation; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

# The wheel is built from the source archive, which is thereby shown to be complete. PYTHON may be
# any supported version: the wheel is installed into a new environment of it.
wheel: $(STAMP)-dev ## build source archive and wheel in dist, and try the wheel by itself
	@rm -rf dist
	@echo "Building the source archive and the wheel ..."
	@$(BIN)/python -m hatchling build -t sdist -d dist
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist dist/*.tar.gz
	@$(PINNED) $(PYTHON) tests/architecture/try_wheel.py dist/*.whl

constraints: ## write the newest versions that fit together to constraints.txt, to be tested
	$(PYTHON) tests/architecture/constraints.py

clean: ## remove everything that was made, the virtual environment too
	rm -rf $(VENV) build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP)-venv:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "No '$(PYTHON)' here. Name a Python 3.11 or later: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Fogspiel needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V 2>&1)."; \
		  echo "Name another one: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python's venv module is incomplete; on Debian: apt install python3-venv"; exit 1; }
	@touch $@

# The versions in force, so that another file, none, or other versions install anew.
$(STAMP)-constraints: FORCE | $(STAMP)-venv
	@cmp -s $(or $(CONSTRAINTS),/dev/null) $@ || cp $(or $(CONSTRAINTS),/dev/null) $@

$(STAMP)-package: $(SOURCES) | $(STAMP)-venv
	@echo "Installing Fogspiel and what it runs on ..."
	@$(PIP) install --editable . || { $(EXPLAIN); exit 1; }
	@touch $@

$(STAMP)-dev: $(SOURCES) | $(STAMP)-package
	@echo "Installing the tools for development ..."
	@$(PIP) install --editable '.[dev,docs,lab]' || { $(EXPLAIN); exit 1; }
	@touch $@

# Tests and measurements beside OpenSpiel skip, and say so, where it has no binary package. No stamp
# is written then: the next run tries again.
$(STAMP)-interop: $(SOURCES) | $(STAMP)-package
	@echo "Installing OpenSpiel, which some tests compare with ..."
	@if $(PIP) install --only-binary open_spiel --editable '.[interop]'; then touch $@; \
		else echo "OpenSpiel could not be installed; what needs it is skipped."; fi

# Large, and not there for every system: its test skips without it.
$(STAMP)-cluster: $(SOURCES) | $(STAMP)-package
	@echo "Installing Ray, on which a test plays a tournament ..."
	@if $(PIP) install --only-binary ray --editable '.[cluster]'; then touch $@; \
		else echo "Ray could not be installed; what needs it is skipped."; fi

# From its binary package only: building the solver needs a compiler, and tests of bridge skip without.
$(STAMP)-bridge: $(SOURCES) | $(STAMP)-package
	@echo "Installing endplay, whose solver looks through bridge deals ..."
	@if $(PIP) install --only-binary endplay --editable '.[bridge]'; then touch $@; \
		else echo "endplay could not be installed; what needs it is skipped."; fi

$(STAMP)-peers: $(SOURCES) | $(STAMP)-package
	@echo "Installing solvers to measure beside ..."
	@if $(PIP) install --prefer-binary --editable '.[peers]'; then touch $@; \
		else echo "They could not be installed; solving is not measured."; fi
