# Everything a newcomer calls. Each target installs what it needs: Python 3.11+ and make suffice.

PYTHON ?= python3
UV_VERSION := 0.13.8
PATRONI_VERSION := 4.1.5
UV := .venv/uv/bin/uv
VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' pyproject.toml)
BIN := .venv/bin
PYTEST = $(BIN)/pytest -n $(PROCESSES) --dist worksteal
MATCHES ?= 10000
# Two and a half for each core, as much is waiting; each may need a GB, with its Chromium.
PROCESSES ?= $(shell $(PYTHON) -c 'import os; print(max(2, min(os.cpu_count() * 5 // 2, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30 - 1, 16)))')
STEPS ?= 1000000
SEED ?=
BUILDERS ?= docker podman
QUICK := actions cases creation draws evidence events games keys list menu names rulings start tournaments view
PARTS ?=
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export UV_PYTHON_DOWNLOADS := never
# Python keeps what it compiles: the tests start hundreds of processes, and each would compile anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help serve demo quick test check bench lint-description page-scripts pictures tables client-types simulate simulate-faults long recorded anew dist format uv clean

help:                       ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# By make itself: a shell in between would not hand on the signal that ends make.
serve demo: export ARBITER_DEMO ?= 1
serve demo: export ARBITER_OPEN_TABLES ?= 100

serve: .venv/serve.ready    ## the service, at http://127.0.0.1:8000 unless ARBITER_PORT or ARBITER_HOST is set
	@$(BIN)/arbiter serve

demo: .venv/serve.ready     ## bots play matches of every game on a server and a store of their own
	@$(BIN)/arbiter demo

quick: PROCESSES = 3

quick: .venv/test.ready     ## style, the rules, and some requests of every feature
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) -m "not slow and not longer" tests/domain tests/projections $(wildcard $(QUICK:%=tests/contract/*/test_%.py))

test: .venv/test.ready      ## every test that alone finds something, in PROCESSES processes
	$(PYTEST) -m "not slow"

check: .venv/test.ready     ## style, types and architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/test.ready     ## ratios measured in one run, as a table; PARTS="streams idle" for these alone
	$(BIN)/python -m tests.benchmarks $(PARTS)

lint-description: .venv/test.ready ## lint the description of the API with redocly and spectral, which npm installs
	$(BIN)/python -m tests.clients.lint

page-scripts: .venv/test.ready ## bundle the scripts of the pages from clients/pages, by tools that npm installs
	$(BIN)/python -m tests.clients.page_scripts

pictures: .venv/test.ready   ## take the pictures of the pages and the card of links anew, with Chromium
	$(BIN)/python -m tests.clients.pictures

tables: .venv/serve.ready   ## make the table of events in the documentation
	$(BIN)/python -m service.web.event_tables

client-types: .venv/test.ready ## make the types of clients/typescript from the description, by tools that npm installs
	$(BIN)/python -m tests.clients.typescript_types

simulate: .venv/serve.ready ## MATCHES of every game and variant by luck, every invariant checked
	$(BIN)/arbiter simulate --matches $(MATCHES)

simulate-faults: .venv/test.ready ## STEPS of clients and instances in virtual time with faults; SEED=… repeats
	$(BIN)/python -m tests.simulation --steps $(STEPS) $(if $(SEED),--seed $(SEED))

# A test that hangs for hours is for who watches it; and some of the long form measure time, and run alone.
long: export ARBITER_EFFORT ?= long

long: export PYTEST_ADDOPTS = $(if $(filter long,$(ARBITER_EFFORT)),--timeout=0)

long: .venv/test.ready      ## what is random or breaks things, for hours; ARBITER_EFFORT=ci for half of one
	-@$(MAKE) .venv/patroni.ready
	$(PYTEST) $(if $(filter long,$(ARBITER_EFFORT)),-n 0) -m "slow or longer" tests/faults
	$(PYTEST) -m "slow or longer" --ignore=tests/faults
	ARBITER_TEST_STORE=postgres $(PYTEST) -m "not slow and not longer" tests/contract tests/secrecy
	$(MAKE) simulate-faults

recorded: .venv/test.ready  ## record the matches of tests/recorded and the bundles of tests/corpus anew
	$(BIN)/python -m tests.recorded.record
	$(BIN)/python -m tests.corpus.record

anew: recorded tables client-types page-scripts ## all that is made from the code, after a change of it

# Where npm or a builder of containers is missing, what needs it is left out, and said.
dist: .venv/serve.ready     ## what is released, in dist/: wheels, the package for npm, the container's image
	@rm -rf dist
	$(UV) build --quiet --wheel --out-dir dist .
	$(UV) build --quiet --wheel --out-dir dist clients/python
	@rm -f dist/.gitignore
	@$(UV) export --frozen --quiet --no-dev --no-emit-project --output-file dist/arbiter-$(VERSION)-requirements.txt
	@if command -v npm >/dev/null; then \
		cd clients/typescript && npm ci --silent --no-audit --no-fund && npm pack --silent --pack-destination ../../dist; \
	else echo "left out: the package of the client in TypeScript, which npm makes" >&2; fi
	@builder=$$(for tool in $(BUILDERS); do $$tool info >/dev/null 2>&1 && echo $$tool && break; done); \
	if [ -n "$$builder" ]; then \
		BUILDAH_FORMAT=docker $$builder build --quiet --file deploy/container/Dockerfile --tag arbiter:$(VERSION) . && \
		$$builder save arbiter:$(VERSION) | gzip --no-name >dist/arbiter-$(VERSION)-image.tar.gz; \
	else echo "left out: the container's image, which Docker or Podman builds" >&2; fi
	@cd dist && sha256sum * | tee SHA256SUMS

format: .venv/test.ready    ## put the code in the house's form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

uv: .venv/uv/$(UV_VERSION)  ## only the installer, at the version that is built with

clean:                      ## delete what was installed and what tools left behind; data stays
	rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .bench-*

# uv.lock decides what is installed. Each group of packages has a stamp, and comes on top of the
# others: --inexact removes nothing, so serving does not undo testing. `make clean` starts anew.
.venv/serve.ready: uv.lock pyproject.toml | .venv/uv/$(UV_VERSION)
	@echo "Installing the packages that serving needs, about 110 MB on disk"
	@$(UV) sync --frozen --quiet --inexact --no-dev
	@touch $@

.venv/test.ready: .venv/serve.ready
	@echo "Installing the tools of tests and checks, about 360 MB on disk"
	@$(UV) sync --frozen --quiet --inexact
	@touch $@

# What one test of `make long` runs, which is skipped where this cannot be had. It runs as the user
# of PostgreSQL, who may not read a Python in someone's home.
.venv/patroni.ready: | .venv/uv/$(UV_VERSION)
	@echo "Installing Patroni, about 30 MB on disk"
	@$(UV) venv --quiet --clear --python $(firstword $(wildcard /usr/bin/python3) $(PYTHON)) .venv/patroni
	@$(UV) pip install --quiet --python .venv/patroni 'patroni[etcd3,psycopg3]==$(PATRONI_VERSION)'
	@touch $@

# uv has an environment of its own, with the only pip.
.venv/uv/$(UV_VERSION):
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Arbiter needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@echo "Making a Python environment in .venv"
	@$(PYTHON) -m venv --without-pip .venv
	@echo "Installing uv $(UV_VERSION), which installs the rest"
	@$(PYTHON) -m venv .venv/uv
	@.venv/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
