# Everything a newcomer calls. Each target sets up what it needs: Python 3.11+ and make suffice.

PYTHON ?= python3
UV_VERSION := 0.13.8
BIN := .venv/bin
MATCHES ?= 10000
PROCESSES ?= 2
CHARTS ?=
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export UV_PYTHON_DOWNLOADS := never

.PHONY: serve test demo check bench charts page simulate faults recorded format clean

serve: .venv/ready          ## the service on the embedded store, http://127.0.0.1:8000
	$(BIN)/arbiter serve --port 8000 --data ./data

demo: .venv/ready           ## bots play matches of every game over HTTP
	$(BIN)/arbiter demo

test: .venv/ready           ## every test, in PROCESSES processes
	$(BIN)/pytest -n $(PROCESSES) --dist worksteal

check: .venv/ready          ## style, types and architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/ready          ## ratios measured in one run, as a table
	$(BIN)/python -m tests.benchmarks

charts: .venv/ready         ## every figure of speed over size, measured and drawn; CHARTS=--quick
	.venv/uv/bin/uv sync --frozen --quiet --group charts
	$(BIN)/python -m tests.benchmarks.charts $(CHARTS)
	$(BIN)/python -m tests.benchmarks.charts.drawing

page: .venv/ready           ## make the page of the second verifier from its parts
	$(BIN)/python -m service.web.build

simulate: .venv/ready       ## MATCHES of every game and variant by luck, every invariant checked
	$(BIN)/arbiter simulate dollar-prize --matches $(MATCHES)
	$(BIN)/arbiter simulate twelve-chips --matches $(MATCHES)
	$(BIN)/arbiter simulate together --matches $(MATCHES)
	$(BIN)/arbiter simulate grouping-bw --matches $(MATCHES) --options '{"variant":"death-match"}'
	$(BIN)/arbiter simulate grouping-bw --matches $(MATCHES) --options '{"variant":"final-match-2"}'

faults: .venv/ready         ## the long form of the crash tests and of the random ones
	ARBITER_KILLS=200 ARBITER_WORKER_KILLS=200 ARBITER_STORE_KILLS=50 ARBITER_REDIS_FAULTS=100 \
		ARBITER_EVERY_CALL=1 ARBITER_SCHEDULES=10000 \
		ARBITER_SLOW_READERS=1000 ARBITER_FAST_READERS=100 \
		$(BIN)/pytest tests/faults
	ARBITER_DEADLINES=1000 $(BIN)/pytest tests/service/test_two_leaders.py
	ARBITER_TEST_STORE=postgres $(BIN)/pytest -n $(PROCESSES) --dist worksteal tests/contract
	ARBITER_TEST_SNAPSHOTS=5 $(BIN)/pytest -n $(PROCESSES) --dist worksteal tests/contract
	ARBITER_EVERY_BYTE=1 ARBITER_EDITS=10000 $(BIN)/pytest tests/projections
	ARBITER_TEST_DRAWS=100000 $(BIN)/pytest tests/domain/test_uniformity.py tests/web/test_rng.py
	ARBITER_TEST_MATCHES=1000 ARBITER_TEST_WORLDS=500 $(BIN)/pytest tests/domain tests/projections
	ARBITER_FUZZ=30 $(BIN)/pytest tests/contract/test_bad_input.py tests/contract/test_schemathesis.py

recorded: .venv/ready       ## record a match of every game that has no recorded one yet
	$(BIN)/python -m tests.recorded.record
	$(BIN)/python -m tests.corpus.record

format: .venv/ready         ## put the code in the house's form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:                      ## forget everything that was set up
	rm -rf .venv

# The lock file decides what is installed; uv itself comes into an environment of its own.
.venv/ready: uv.lock pyproject.toml .venv/uv/bin/uv
	.venv/uv/bin/uv sync --frozen --quiet
	touch $@

.venv/uv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Arbiter needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(PYTHON) -m venv .venv/uv
	.venv/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
