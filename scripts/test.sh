#!/usr/bin/env bash
# Builds all tests and runs them, two programs of tests at a time, then the examples in documentation. Prints the twenty
# tests that took longest, and what failed; fails if anything did.
#
#     scripts/test.sh [--release] [ARGUMENT...]
#
# Arguments go to the programs of tests, as behind `cargo test --`: a part of the names of the tests to run, or
# --include-ignored for long ones too. JOBS is how many programs run at a time: tests that measure time need one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo="${CARGO:-cargo}"
profile=()
if [[ "${1:-}" == --release ]]; then
    profile=(--release)
    shift
fi
mkdir -p "${CARGO_TARGET_DIR:-target}"
logs="$(cd "${CARGO_TARGET_DIR:-target}" && pwd)/test-logs"
rm -rf "$logs"
mkdir "$logs"

# Where there is Python, its tests run too, unless some tests were asked for by name. Their packages come meanwhile.
with_python=
if [[ $# == 0 && ${#profile[@]} == 0 ]]; then
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        with_python=yes
        scripts/python.sh setup >"$logs/python.setup" 2>&1 &
    else
        echo "No Python 3.11: Python's tests do not run."
    fi
fi

# The programs, each with the folder of its crate. Those of the crates whose tests take longest begin first.
"$cargo" test --workspace --locked ${profile[@]+"${profile[@]}"} --no-run \
    --message-format=json-render-diagnostics >"$logs/build.json"
if [[ -n "$with_python" ]]; then
    # With the tests' own libraries: the same command with other parts would compile them again.
    "$cargo" build --workspace --locked --lib --bins --tests --examples --quiet
fi
sed -n 's|.*"manifest_path":"\([^"]*\)/Cargo.toml".*"test":true},"features".*"executable":"\([^"]*\)".*|\1 \2|p' \
    "$logs/build.json" >"$logs/found"
for crate in engine cli garbling proof backend; do
    grep "/crates/$crate " "$logs/found" || true
done | cat - "$logs/found" | awk '!seen[$0]++ { print NR, $0 }' >"$logs/programs"
[[ -s "$logs/programs" ]] || { echo "there are no tests" >&2; exit 1; }

# Runs a program in the folder of its crate, as `cargo test` does. Times of tests are an unstable option of their
# harness; the variable allows it, and nothing is compiled with it.
run() {
    local folder="$1" program="$2" start="$SECONDS" status=0 word=ok log counts
    shift 2
    log="$logs/${folder##*/}, ${program##*/}"
    log="${log%-*}.log"
    (cd "$folder" && RUSTC_BOOTSTRAP=1 "$program" "$@" -Zunstable-options --report-time) >"$log" 2>&1 || status=$?
    counts="$(sed -n 's/^test result: [^.]*\. \(.*ignored\);.*/\1/p' "$log")"
    if [[ "$status" != 0 ]]; then
        word=FAILED
        touch "$log.failed"
    fi
    echo "$word: $(basename "$log" .log): ${counts:-ended with $status}; $((SECONDS - start)) s"
}

# Takes one program after the other of those that nobody has taken.
work() {
    local number folder program
    while read -r number folder program; do
        if mkdir "$logs/$number.taken" 2>/dev/null; then
            run "$folder" "$program" "$@" </dev/null
            touch "$logs/$number.taken/ended"
        fi
    done <"$logs/programs"
}

for ((job = 0; job < ${JOBS:-2}; job++)); do
    work "$@" &
done
wait
while read -r number folder program; do
    [[ -f "$logs/$number.taken/ended" ]] || { echo "$program was not run to its end" >&2; exit 1; }
done <"$logs/programs"

examples=0
"$cargo" test --workspace --locked ${profile[@]+"${profile[@]}"} --doc -- "$@" >"$logs/documentation.log" 2>&1 || examples=$?
if [[ "$examples" == 0 ]]; then
    echo "ok: examples in documentation"
else
    echo "FAILED: examples in documentation"
    touch "$logs/documentation.log.failed"
fi

if [[ -n "$with_python" ]]; then
    wait
    extension="${CARGO_TARGET_DIR:-target}/debug/lib_tacit.so"
    [[ -f "$extension" ]] || extension="${extension%.so}.dylib"
    if EXTENSION="$extension" scripts/python.sh test --durations=5 >"$logs/python.log" 2>&1; then
        echo "ok: Python: $(tail -n 1 "$logs/python.log")"
    else
        echo "FAILED: Python"
        touch "$logs/python.log.failed"
    fi
fi

echo
echo "The tests that took longest:"
for log in "$logs"/*.log; do
    sed -n "s|^test \(.*\) \.\.\. .*<\([0-9.]*\)s>\$|\2 s  $(basename "$log" .log): \1|p" "$log"
done | sort -rn | awk "NR <= 20"

echo
if ls "$logs"/*.failed >/dev/null 2>&1; then
    for failed in "$logs"/*.failed; do
        echo "== $(basename "$failed" .log.failed) failed:"
        # What failed tests printed, or all of it where a program did not get as far.
        if grep -q '^failures:$' "${failed%.failed}"; then
            sed -n '/^failures:$/,$p' "${failed%.failed}"
        else
            tail -n 200 "${failed%.failed}"
        fi
    done
    exit 1
fi
passed="$(cat "$logs"/*.log | sed -n 's/^test result: .* \([0-9]*\) passed;.*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }')"
echo "All tests passed in $SECONDS s, with what was built:"
echo "$passed passed, 0 failed"
