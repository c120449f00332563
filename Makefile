# Every target sets itself up from a fresh clone on a machine with Rust and a C compiler.
#
#   make demo       three processes over TLS encrypt 10,000 AES blocks, checked
#   make test       all tests
#   make test-all   the same, with the long ones
#   make bench      benchmarks
#   make lint       format, clippy, licences and sources of dependencies
#   make fuzz       every fuzz target for a minute each (needs a C++ compiler too)

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

CARGO ?= cargo
# Where `make lint` puts the tools it builds; reused if they are there.
TOOLS ?= $(CURDIR)/target/tools
DENY_VERSION := 0.20.2
FUZZ_SECONDS ?= 60

.PHONY: help
help:
	@sed -n 's/^#   //p' Makefile

.PHONY: demo
demo:
	@scripts/demo.sh

.PHONY: test
test:
	@$(CARGO) test --workspace --locked

# Long tests are `#[ignore]`d with their reason; here they run too, optimised.
.PHONY: test-all
test-all: test
	@$(CARGO) test --workspace --locked --release -- --include-ignored

.PHONY: bench
bench:
	@$(CARGO) bench --workspace --locked

.PHONY: lint
lint: components $(TOOLS)/bin/cargo-deny
	@$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	if command -v c++ >/dev/null; then $(CARGO) clippy --manifest-path fuzz/Cargo.toml -- -D warnings; fi
	$(TOOLS)/bin/cargo-deny --log-level error check bans licenses sources

.PHONY: components
components:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy

# Built without optimisation: it runs for a second and takes minutes to optimise.
$(TOOLS)/bin/cargo-deny:
	@if [[ "$$(cargo-deny --version 2>/dev/null)" == "cargo-deny $(DENY_VERSION)" ]]; then
		mkdir -p $(TOOLS)/bin
		ln -sf "$$(command -v cargo-deny)" $@
		exit
	fi
	CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
	CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 \
		$(CARGO) install cargo-deny --locked --version $(DENY_VERSION) --root $(TOOLS)

# The advisory database is fetched from its repository, so this is not part of `lint`.
.PHONY: audit
audit: $(TOOLS)/bin/cargo-deny
	@$(TOOLS)/bin/cargo-deny check advisories

.PHONY: fuzz
fuzz:
	@scripts/fuzz.sh $(FUZZ_SECONDS)
