# Everything a newcomer calls. Each target installs what it needs: Python 3.11+ and make suffice.

PYTHON ?= python3
UV_VERSION := 0.13.8
UV := .venv/uv/bin/uv
BIN := .venv/bin
MATCHES ?= 10000
PROCESSES ?= 3
STEPS ?= 1000000
ONLY ?=
SEED ?=
PARTS ?=
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export UV_PYTHON_DOWNLOADS := never
# Python keeps what it compiles: the tests start hundreds of processes, and each would compile anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help serve demo test check bench lint-description page-scripts pictures tables client-types simulate simulate-faults faults recorded format uv clean

help:                       ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s  %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# By make itself: a shell in between would not hand on the signal that ends make.
serve demo: export ARBITER_DEMO ?= 1

serve: .venv/serve.ready    ## the service, at http://127.0.0.1:8000 unless ARBITER_PORT or ARBITER_HOST is set
	@$(BIN)/arbiter serve

demo: .venv/serve.ready     ## bots play matches of every game on a server and a store of their own
	@$(BIN)/arbiter demo

test: .venv/test.ready      ## every test, in PROCESSES processes
	$(BIN)/pytest -n $(PROCESSES) --dist worksteal

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

tables: .venv/serve.ready   ## make the tables of events and endpoints in the documentation
	$(BIN)/python -m service.web.event_tables
	$(BIN)/python -m service.endpoint_table
	$(BIN)/python -m service.event_catalogue

client-types: .venv/test.ready ## make the types of clients/typescript from the description, by tools that npm installs
	$(BIN)/python -m tests.clients.typescript_types

simulate: .venv/serve.ready ## MATCHES of every game and variant by luck, every invariant checked
	$(BIN)/arbiter simulate --matches $(MATCHES)

simulate-faults: .venv/test.ready ## STEPS of clients and instances in virtual time with faults; SEED=… repeats
	$(BIN)/python -m tests.simulation --steps $(STEPS) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

faults: export PYTEST_ADDOPTS := --timeout=0

faults: .venv/test.ready    ## the long form of the crash tests, of the random ones, and of simulate-faults
	ARBITER_KILLS=200 ARBITER_WORKER_KILLS=200 ARBITER_STORE_KILLS=50 ARBITER_REDIS_FAULTS=100 \
		ARBITER_EVERY_CALL=1 ARBITER_SCHEDULES=10000 ARBITER_DISK_FAULTS=50 \
		ARBITER_SLOW_READERS=1000 ARBITER_FAST_READERS=100 \
		ARBITER_FOLLOWERS=1000 ARBITER_RULING_KILLS=50 \
		$(BIN)/pytest tests/faults
	ARBITER_DEADLINES=1000 $(BIN)/pytest tests/service/cluster/test_two_leaders.py
	ARBITER_TEST_STORE=postgres $(BIN)/pytest -n $(PROCESSES) --dist worksteal tests/contract tests/secrecy/test_*_http*.py
	ARBITER_EVERY_BYTE=1 ARBITER_EDITS=10000 $(BIN)/pytest tests/projections
	ARBITER_TEST_DRAWS=100000 $(BIN)/pytest tests/domain/test_uniformity.py tests/service/web/test_rng.py
	ARBITER_TEST_MATCHES=1000 ARBITER_TEST_WORLDS=500 $(BIN)/pytest tests/domain tests/projections tests/secrecy
	ARBITER_TEST_BUNDLES=1000 ARBITER_TEST_VALUES=3000 $(BIN)/pytest tests/service/web
	ARBITER_REWINDS=10000 $(BIN)/pytest -n $(PROCESSES) --dist worksteal tests/domain/test_rewinds_random.py
	ARBITER_WATCHERS=2000 $(BIN)/pytest tests/deploy/test_nginx_cache.py
	ARBITER_FUZZ=30 $(BIN)/pytest tests/contract/test_bad_input.py tests/contract/test_schemathesis.py
	$(MAKE) simulate-faults

recorded: .venv/test.ready  ## record the matches of tests/recorded and the bundles of tests/corpus anew
	$(BIN)/python -m tests.recorded.record
	$(BIN)/python -m tests.corpus.record

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
	@echo "Installing the tools of tests and checks, about 530 MB on disk"
	@$(UV) sync --frozen --quiet --inexact
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
