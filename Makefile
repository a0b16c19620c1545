# Every target works from a clean clone with Python 3.11 and make alone.
# `make test PYTHON=python3.13` runs it with that one, in an environment of its own.
PYTHON ?= python3
VENV := .venv$(if $(filter-out python3,$(PYTHON)),-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'))
BIN := $(VENV)/bin
PIP := @$(BIN)/python requirements/progress.py

.PHONY: run env test test-fuzz test-pictures test-postgres test-quart check alerts contract conformance client screens binary deb release bench bench-peers lock clean

run: env  ## Start with a demo organization in ./data
	$(BIN)/svc run --demo

env: $(VENV)/.run  ## Create .venv with the pinned dependencies and the program, .venv/bin/svc

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit("svc needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@echo 'Making $(VENV)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.python requirements/run.lock pyproject.toml
	$(PIP) install -r requirements/run.lock
	@echo 'Installing svc itself'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.run requirements/test.lock
	$(PIP) install -r requirements/test.lock
	@touch $@

$(VENV)/.bench: $(VENV)/.run requirements/bench.lock
	$(PIP) install -r requirements/bench.lock
	@touch $@

# What a release is installed from in a test, where there is no index to ask.
$(VENV)/.wheels: $(VENV)/.python requirements/run.lock
	$(PIP) download --dest $(VENV)/wheels -r requirements/run.lock
	@touch $@

# All that is in it. It is built in half a minute, so a clean clone always builds it.
IN_BINARY := $(shell find svc docs config release -type f ! -name '*.pyc')

dist/svc: $(VENV)/.run $(IN_BINARY)
	@$(BIN)/python -m release.binary $@

binary: dist/svc  ## Build dist/svc, the program with its interpreter in one file

deb: dist/svc  ## Build the Debian package from it
	@$(BIN)/python -m release.debian

release: dist/svc  ## Build all that a release has into dist/, with checksums: see docs/releasing.md
	@rm -f dist/*.deb dist/*.whl dist/*.tar.gz dist/SHA256SUMS
	@$(BIN)/python -m release.debian
	@$(BIN)/hatchling build --directory dist --target wheel --target sdist
	@$(BIN)/python -m release.checksums

# Each test is in one of four targets, by its mark; .ci/run calls them all. The costliest files begin first
# (tests/costly.py), so that the workers end together.
PYTEST := $(BIN)/python -m pytest -n auto

# A file stays with one worker, for what its tests share: a browser, a service, a database.
test: $(VENV)/.test $(VENV)/.wheels $(VENV)/.screens dist/svc  ## Run the suite, on all cores, but for made-up input and pictures
	sh tests/ensure_programs.sh
	$(PYTEST) --dist loadfile --no-loadscope-reorder -m "not fuzz and not pictures and not postgres"

# Test by test: these are few and long. Only files with the mark are imported.
FILES_WITH = $$(grep -rl --include "test_*.py" "mark\.$(1)$$" tests)

test-fuzz: $(VENV)/.test  ## Run what is tested by made-up input, by histories, and by kills at each step
	$(PYTEST) --dist load --maxschedchunk 1 -m "fuzz and not postgres" $(call FILES_WITH,fuzz)

test-pictures: $(VENV)/.test $(VENV)/.screens  ## Compare every screen with its pictures, and look for faults on it
	sh tests/ensure_programs.sh
	$(PYTEST) --dist load --maxschedchunk 1 -m "pictures and not fuzz and not postgres" $(call FILES_WITH,pictures)

# The suites that run on PostgreSQL as well; CONTRIBUTING.md says which are left out, and why.
ON_POSTGRESQL := storage tools services runs

test-postgres: $(VENV)/.test  ## Run what is asked of PostgreSQL, and one suite on it, by servers of the tests' own
	sh tests/ensure_programs.sh
	$(PYTEST) --dist loadfile -m "postgres" $(call FILES_WITH,postgres)
	DATABASE=postgresql $(PYTEST) --dist loadfile --no-loadscope-reorder -m "not (sqlite or fuzz or pictures or postgres)" $(ON_POSTGRESQL:%=tests/%)

# The fast path is a way and not another behaviour: what is tested at a door holds for Quart alone as well.
# Tests of hundreds of bodies are of what a door reads, whoever leads to it.
DOOR_TESTS := ai channels embeds files forms imports sites tools/test_tools.py tools/test_contract.py

test-quart: $(VENV)/.test  ## Run the tests of the doors through Quart alone, without the fast path
	DOORS=quart $(BIN)/python -m pytest -n auto --dist worksteal -k "not test_any and not always_204" tests/mcp $(DOOR_TESTS:%=tests/http/%)

check: $(VENV)/.test $(VENV)/.bench $(VENV)/.screens  ## Lint, types, import contracts; the benches and the screens are read too
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(SCREENS) run lint

# promtool comes with Prometheus: where it is not installed, `apt-get download prometheus` has it, and SVC_PROMTOOL names it.
alerts: $(VENV)/.test  ## Test config/prometheus and config/grafana, with Prometheus's promtool
	SVC_ALERTS=true $(BIN)/python -m pytest -q -n0 tests/http/operator/test_monitoring.py

# Node and npm come as a package of Python's, so that no machine needs them.
$(VENV)/.npm: $(VENV)/.python requirements/node.lock
	$(PIP) install -r requirements/node.lock
	@touch $@

NODE := PATH="$(CURDIR)/$(BIN):$$PATH" npm --loglevel error --prefix
NPM := $(NODE) clients/typescript

$(VENV)/.client: $(VENV)/.npm clients/typescript/package.json clients/typescript/package-lock.json
	$(NPM) ci
	touch $@

.PHONY: clients/typescript/openapi.json
clients/typescript/openapi.json: $(VENV)/.run
	$(BIN)/python -m svc openapi > $@

# Both generators as they come, without flags that change what they make of the contract.
client: $(VENV)/.client $(VENV)/.test clients/typescript/openapi.json  ## Generate clients in TypeScript and Python, check examples against them
	$(NPM) run generate
	$(NPM) run check
	PATH="$(CURDIR)/$(BIN):$$PATH" openapi-python-client generate --overwrite --fail-on-warning --meta none \
		--path clients/typescript/openapi.json --output-path clients/python/svc_api
	cd clients/python && MYPYPATH=. $(CURDIR)/$(BIN)/mypy --strict --follow-imports=silent --config-file= example.py

contract: client  ## Lint the contract, and check the client of it
	$(NPM) run lint

SCREENS := $(NODE) screens

$(VENV)/.screens: $(VENV)/.npm screens/package.json screens/package-lock.json
	$(SCREENS) ci
	touch $@

screens: $(VENV)/.screens clients/typescript/openapi.json  ## Check and build the screens into the package (the built files are committed)
	$(SCREENS) run generate
	$(SCREENS) run check
	$(SCREENS) run build

$(VENV)/.mcp: $(VENV)/.npm tests/node/package.json tests/node/package-lock.json
	$(NODE) tests/node ci
	touch $@

# In an environment of its own: it needs an older openai than the tests.
$(VENV)/.litellm: $(VENV)/.python requirements/litellm.lock
	@$(PYTHON) -m venv $(VENV)/litellm
	@$(VENV)/litellm/bin/python requirements/progress.py install -r requirements/litellm.lock
	@touch $@

conformance: $(VENV)/.test $(VENV)/.mcp $(VENV)/.litellm  ## Run MCP's official suites and clients, and clients of chat completions
	sh tests/ensure_programs.sh
	$(BIN)/python -m tests.mcp.conformance
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.mcp.connecting
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.http.ai.conformance

$(VENV)/.peers: $(VENV)/.npm bench/peers/node/package.json bench/peers/node/package-lock.json
	$(NODE) bench/peers/node ci --ignore-scripts
	touch $@

bench-peers: $(VENV)/.bench $(VENV)/.litellm $(VENV)/.peers  ## Install the gateways of others that the bench of ours runs beside it

bench: $(VENV)/.bench  ## Run every bench beside its peer and print the figures
	$(BIN)/python -m bench

lock:  ## Resolve the dependencies again and pin them with hashes (needs uv)
	uv pip compile pyproject.toml --extra server --extra top --extra postgresql --group build $(LOCK) -o requirements/run.lock
	uv pip compile pyproject.toml --extra server --extra top --extra postgresql --group build --group test --group check -c requirements/run.lock $(LOCK) -o requirements/test.lock
	uv pip compile pyproject.toml --extra server --extra postgresql --group build --group bench -c requirements/run.lock $(LOCK) -o requirements/bench.lock
	uv pip compile --group node $(LOCK) -o requirements/node.lock
	uv pip compile --group litellm $(LOCK) -o requirements/litellm.lock

LOCK := --upgrade --universal --python-version 3.11 --generate-hashes --quiet --custom-compile-command "make lock"

clean:
	rm -rf .venv .venv-* data dist clients/typescript/node_modules clients/python/svc_api tests/node/node_modules screens/node_modules bench/peers/node/node_modules
