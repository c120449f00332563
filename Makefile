# Every target sets itself up from a fresh clone on a machine with Rust and a C compiler.
#
#   make demo       three companies compute their pay gap over TLS, beside the answer in the clear
#                   (PROTOCOL=quad: under another protocol)
#   make test       the tests, without the long ones (ARGS=name: those with this in their names)
#   make python     builds the Python package and runs its tests, in an environment of its own (needs Python 3.11)
#   make array-api  the public test suite of the array API standard on the Python package, from a clone of it
#                   (ARRAY_API_TESTS=path)
#   make wheel      the Python package as an optimised wheel, with the command in it
#   make test-all   the same, then all tests optimised, with the long ones; and with each comparison of the
#                   sharing protocols switched off, when a test must fail (needs Python 3)
#   make bench      the standard benchmarks, as a table and target/bench.jsonl (needs Python 3)
#   make sim        a sweep of the simulator of nodes (SCHEDULES=number, FIRST=seed)
#   make chaos      real nodes whose processes are killed at any moment (CYCLES=number)
#   make lint       format, clippy, circles of files, API documentation, licences and sources of dependencies
#   make doc        the API documentation of all crates, where a broken link is an error
#   make api        the public API of the library beside the committed one; API=write commits it anew (needs a nightly toolchain)
#   make circles    which files of a crate all reach each other (needs Python 3)
#   make audit      known vulnerabilities of dependencies (fetches the advisory database)
#   make fuzz       every fuzz target for a minute each (needs a C++ compiler too)
#   make bench-guard  instruction counts of eight kernels beside the committed ones (needs valgrind, Python 3)
#   make regret     what is lost by running what `tacit plan` says is fastest (an hour or more; needs Python 3)
#   make miri       memory accesses of tacit-ring under Miri (needs a nightly toolchain with Miri)
#   make msrv       whether the oldest supported Rust compiles everything (needs that toolchain)

CARGO ?= cargo
# Where `make lint` puts the tools that it builds; reused if they are there.
TOOLS ?= target/tools
FUZZ_SECONDS ?= 60
# The oldest Rust that is supported.
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.DEFAULT_GOAL := help
SCHEDULES ?= 100000
FIRST ?= 0
# Cycles of `make chaos`.
CYCLES ?= 60

.PHONY: help api demo sim chaos test python array-api wheel test-all bench bench-guard regret lint doc circles audit fuzz miri msrv components

help:
	@sed -n 's/^#   //p' Makefile

demo:
	@scripts/demo.sh

test:
	@scripts/test.sh $(ARGS)

python:
	@scripts/python.sh test

array-api:
	@scripts/python.sh array-api $(ARRAY_API_TESTS)

wheel:
	@scripts/python.sh wheel

sim:
	SIM_SCHEDULES=$(SCHEDULES) SIM_FIRST=$(FIRST) $(CARGO) test --release --locked --package tacit-node --test simulation -- \
		--nocapture --test-threads 1 --include-ignored

chaos:
	CHAOS_CYCLES=$(CYCLES) $(CARGO) test --workspace --locked --test service -- --ignored --nocapture whatever_is_killed

# Long tests are marked `#[ignore]` with their reason. Some measure time, so nothing runs beside them.
test-all: test
	@JOBS=1 scripts/test.sh --release --include-ignored
	TACIT_EXAMPLES=200 TACIT_ML=all TACIT_ONNX_ALL=1 TACIT_SPECS=all TACIT_QUERIES=2000 scripts/python.sh test
	scripts/python.sh command
	scripts/mutations.py

bench:
	@scripts/bench.sh

lint: components circles $(TOOLS)/bin/cargo-deny
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy --package tacit-cli --package tacit-python --locked -- -D warnings
	@$(MAKE) --no-print-directory doc
	@if command -v c++ >/dev/null; then scripts/fuzz.sh --check; fi
	@if command -v systemd-analyze >/dev/null; then \
		systemd-analyze security --offline=true --threshold=20 --no-pager packaging/tacit-node.service >/dev/null \
			|| { echo "packaging/tacit-node.service is more open than it was (systemd-analyze security)"; exit 1; }; fi
	@if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then scripts/python.sh lint; else echo "No Python 3.11: Python code is not looked at."; fi
	$(TOOLS)/bin/cargo-deny --log-level error check bans licenses sources

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

api: $(TOOLS)/bin/cargo-public-api
	@cargo +nightly --version >/dev/null 2>&1 || { echo "Nightly is missing: rustup toolchain install nightly"; exit 1; }
	@mkdir -p target/api
	@PATH="$(abspath $(TOOLS))/bin:$$PATH" CARGO_TARGET_DIR=target/api \
		cargo +nightly public-api --package tacit-mpc -sss > target/api/public-api.txt
	@if [ "$(API)" = write ]; then cp target/api/public-api.txt crates/tacit/public-api.txt; \
	else diff -u crates/tacit/public-api.txt target/api/public-api.txt \
		|| { echo "The public API has changed. If it is meant to: make api API=write, and say it in CHANGELOG.md."; exit 1; }; fi

$(TOOLS)/bin/cargo-public-api:
	$(CARGO) install cargo-public-api --version 0.52.0 --locked --root $(TOOLS)

circles:
	@if command -v python3 >/dev/null; then scripts/circles.py; else echo "No Python 3: circles are not looked for."; fi

audit: $(TOOLS)/bin/cargo-deny
	$(TOOLS)/bin/cargo-deny check advisories

fuzz:
	@scripts/fuzz.sh $(FUZZ_SECONDS)

bench-guard:
	@scripts/bench_guard.py

# What is lost by running what `tacit plan` says is fastest: an hour or more, and nothing beside it.
regret:
	$(CARGO) build --release --locked --package tacit-cli
	scripts/regret.py virtual --table
	scripts/regret.py sockets --table

# Miri knows neither sockets nor assembly. These tests are of portable code and of what it can emulate of the
# kernels: buffers, words, stream numbers, fields, and blocks of all backends of the PRG.
miri:
	@cargo +nightly miri --version >/dev/null 2>&1 || { \
		echo "Miri is missing: rustup toolchain install nightly --component miri,rust-src"; exit 1; }
	RUSTFLAGS="-Ctarget-feature=+aes,+avx2,+vaes,+avx512f" MIRIFLAGS=-Zmiri-disable-isolation \
		cargo +nightly miri test --locked --package tacit-ring --lib -- \
		buffer:: word:: stream:: prime:: gf64:: a_block

msrv:
	@cargo +$(MSRV) --version >/dev/null 2>&1 || { \
		echo "Rust $(MSRV) is missing: rustup toolchain install $(MSRV) --profile minimal"; exit 1; }
	cargo +$(MSRV) check --workspace --locked

components:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy

$(TOOLS)/bin/cargo-deny:
	scripts/install-deny.sh $(TOOLS)
