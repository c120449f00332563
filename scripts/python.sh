#!/usr/bin/env bash
# Python's side of Tacit, in an environment of its own under target/python.
#
#     scripts/python.sh test [ARGUMENT...]   builds the extension module and runs the tests; arguments go to pytest
#     scripts/python.sh array-api CLONE [ARGUMENT...]
#                                            runs the public test suite of the array API standard from a clone of
#                                            github.com/data-apis/array-api-tests with its submodule, at the commit that
#                                            tests/array_api/suite.py names, in an environment of its own
#     scripts/python.sh lint                 format and style of the Python code
#     scripts/python.sh wheel                builds the wheel (optimised), with the command in the extension module, and tries it in a fresh environment;
#                                            fails if it is larger than 20 MB, or is imported in more than 0.2 s
#     scripts/python.sh command              runs the tests of the command line with the command of an installed wheel
#     scripts/python.sh setup                makes the environment only
#
# EXTENSION is the extension module if it is built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo="${CARGO:-cargo}"
target="${CARGO_TARGET_DIR:-target}"
environment="$target/python"
# The oldest Python that the pinned packages of the tests run on.
wanted='import sys; sys.exit(sys.version_info < (3, 11))'
# What a wheel may be at most.
most_wheel_bytes=20000000
most_import_seconds=0.2

# An environment with what a file names, made again when that file changes.
made() {
    python3 -c "$wanted" 2>/dev/null || { echo "Python 3.11 or later is needed for Python's tests" >&2; exit 1; }
    local environment="$1" requirements="$2" stamp="$1/made-of"
    if ! cmp -s "$requirements" "$stamp"; then
        rm -rf "$environment"
        python3 -m venv "$environment"
        "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
        cp "$requirements" "$stamp"
    fi
}

setup() {
    made "$environment" python/requirements.txt
}

extension() {
    if [[ -z "${EXTENSION:-}" ]]; then
        "$cargo" build --package tacit-python --package tacit-cli --locked
        # Random queries, which the tests ask others too.
        "$cargo" build --package tacit-query --features random --example differential --locked
        EXTENSION="$target/debug/lib_tacit.so"
        [[ -f "$EXTENSION" ]] || EXTENSION="$target/debug/lib_tacit.dylib"
    fi
    # Replaced as a whole: a running Python keeps the old one.
    cp "$EXTENSION" python/src/tacit/_tacit.abi3.so.new
    mv python/src/tacit/_tacit.abi3.so.new python/src/tacit/_tacit.abi3.so
}

# The wheel, installed in a fresh environment. Arguments go to maturin.
installed() {
    setup
    local maturin wheels
    wheels="$(mkdir -p "$target/wheels" && cd "$target/wheels" && pwd)"
    maturin="$(cd "$environment/bin" && pwd)/maturin"
    (cd python && "$maturin" build --quiet --release --compression-level 9 --out "$wheels" "$@")
    wheel="$(ls -t "$target"/wheels/tacit_mpc-*.whl | head -n 1)"
    fresh="$(mktemp -d)"
    trap 'rm -rf "$fresh"' EXIT
    python3 -m venv "$fresh"
    "$fresh/bin/pip" install --quiet --disable-pip-version-check "$wheel"
}

case "${1:-}" in
setup)
    setup
    ;;
test)
    shift
    setup
    extension
    python="$(cd "$environment/bin" && pwd)/python"
    cd python
    PYTHONPATH=src "$python" -m pytest -q "$@"
    ;;
array-api)
    shift
    [[ -d "${1:-}" ]] || { echo "Say where a clone of github.com/data-apis/array-api-tests is" >&2; exit 2; }
    made "$target/python-array-api" python/tests/array_api/requirements.txt
    extension
    PYTHONPATH=python/src "$target/python-array-api/bin/python" python/tests/array_api/suite.py "$@"
    ;;
lint)
    setup
    "$environment/bin/ruff" check --quiet python
    "$environment/bin/ruff" format --quiet --check python
    ;;
wheel)
    installed
    "$fresh/bin/tacit" --version
    # A wheel has what is offered, and says of the rest how to get it.
    "$fresh/bin/tacit" protocols lift >/dev/null
    refused="$("$fresh/bin/tacit" protocols tetrad 2>&1 || true)"
    [[ "$refused" == *"--features baselines"* ]] || { echo "tetrad: $refused" >&2; exit 1; }
    (cd "$fresh" && bin/python -c 'import doctest, tacit; raise SystemExit(doctest.testmod(tacit).failed)')
    # The median of five processes; the doctest above has made the bytecode.
    (cd "$fresh" && bin/python -c '
import statistics, subprocess, sys
code = "import time; start = time.perf_counter(); import tacit; print(time.perf_counter() - start)"
seconds = statistics.median(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))
print(f"imported in {seconds:.2f} s, NumPy included; {sys.argv[1]} s is the most")
raise SystemExit(seconds > float(sys.argv[1]))' "$most_import_seconds") || { echo "importing tacit takes too long" >&2; exit 1; }
    bytes="$(wc -c <"$wheel")"
    echo "$wheel: $((bytes / 1000000)) MB; $((most_wheel_bytes / 1000000)) MB are the most"
    ((bytes <= most_wheel_bytes)) || { echo "the wheel is too large" >&2; exit 1; }
    ;;
command)
    # The tests name protocols that are there to be compared with.
    installed --features baselines
    TACIT_COMMAND="$fresh/bin/tacit" "$cargo" test --workspace --locked --test circuit --test exit_codes --test network --test output \
        --test party --test prepared --test program --test protocols --test run --test sql
    ;;
*)
    sed -n 's/^#     //p' "$0" >&2
    exit 2
    ;;
esac
