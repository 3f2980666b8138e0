# Every target sets up all it needs in .venv, once; nothing has to be installed first but Python 3.11 or newer.
PYTHON ?= python3
# Hundreds of processes are started here: what was compiled once is kept, whatever the surroundings say.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin

.PHONY: verify test pytest lint example example-http load bench bench-exploring bench-finding bench-streaming bench-proxy bench-auditing bench-sweeping clean

# The whole journey on a PostgreSQL of its own: model, lockstep, faults, report. ARGS are passed on.
verify: .venv/ready
	$(BIN)/keepfact verify $(ARGS)

# Style, types, the import law, the generated pages, and every test. PYTEST_ARGS are passed on.
test: .venv/ready
	$(MAKE) --no-print-directory -j2 lint pytest

pytest: .venv/ready
	$(BIN)/pytest -q -n 3 --dist worksteal $(PYTEST_ARGS)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/mypy -p keepfact
	$(BIN)/lint-imports
	$(BIN)/python -m keepfact.spec.publish --check
	$(BIN)/python -m keepfact.model.paths --check
	$(BIN)/python -m keepfact.conformance.schemas --check
	$(BIN)/python -m keepfact.conformance.refuted --check

# An agent whose worker dies, continued in a second run; once asked at the store itself, once over HTTP.
example: .venv/ready
	cd examples && ../$(BIN)/python -m fund_overlap

example-http: .venv/ready
	cd examples && ../$(BIN)/python -m fund_overlap --http

# 500 runs and 8 workers, while workers, recovery and database are killed again and again. ARGS are passed on.
load: .venv/ready
	$(BIN)/python -m tests.impl.load $(ARGS)

# Figures and ratios, from one run on one server; nothing in the tests depends on them.
bench: .venv/ready
	-$(BIN)/pip install -q --disable-pip-version-check -e '.[benchmarks]'
	$(BIN)/python benchmarks/lockstep.py
	$(BIN)/python benchmarks/steps.py
	$(BIN)/python benchmarks/growth.py

# Steps to find each defect, ours beside a plain Hypothesis machine; ARGS are passed on.
bench-finding: .venv/ready
	$(BIN)/python benchmarks/finding.py $(ARGS)

# Exploring a scope beside other model checkers; what is not installed is skipped, and said to be.
bench-exploring: .venv/ready
	-$(BIN)/pip install -q --disable-pip-version-check -e '.[benchmarks]'
	$(BIN)/python benchmarks/exploring.py

# A thousand idle streams on one gateway: memory, processor, and how soon one event reaches all of them.
bench-streaming: .venv/ready
	$(BIN)/python benchmarks/streaming.py

# The same work directly and through the proxy that stands between a system and its PostgreSQL.
bench-proxy: .venv/ready
	$(BIN)/python benchmarks/proxy.py

# Seconds and memory of audit and report on a long evidence; ARGS are the numbers of steps.
bench-auditing: .venv/ready
	$(BIN)/python benchmarks/auditing.py $(ARGS)

# Kills a second in a sweep, beside the least that a kill can cost.
bench-sweeping: .venv/ready
	$(BIN)/python benchmarks/sweeping.py

clean:
	rm -rf .venv

# An editable install sees every change in the folders, but holds copies of the files that stand alone.
.venv/ready: pyproject.toml constraints.txt __main__.py conformance/suite/asked.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "expected Python 3.11 or newer, but $(PYTHON) is `$(PYTHON) --version`. Give another: make PYTHON=python3.12 …"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
