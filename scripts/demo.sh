#!/usr/bin/env bash
# The demonstration: three companies, each with its own table of salaries, learn pay by level and
# group and the pay gap, and nothing else. One process per party over TLS; beside it the answer
# computed in the clear. PROTOCOL=quad lets one of four parties cheat. It is compiled as tests are,
# which is quick; `cargo build --release` takes longer, and computes faster. BUILT is the folder of programs that are
# built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -z "${BUILT:-}" ]]; then
    ${CARGO:-cargo} build --locked --package tacit-cli --bins --example pay-gap-data
    BUILT="${CARGO_TARGET_DIR:-target}/debug"
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$BUILT/examples/pay-gap-data" "$work"

echo
echo "== What the program takes from whom, and what it reveals to whom"
"$BUILT/tacit" program show examples/pay-gap/pay-gap.tacit --rows a=2000 --rows b=2000 --rows c=2000

echo
readonly PROTOCOL="${PROTOCOL:-trio}"
echo "== One process per party over TLS, under $PROTOCOL, each company with its own table"
"$BUILT/tacit" run examples/pay-gap/pay-gap.tacit --local --protocol "$PROTOCOL" \
    --table alice="$work/alice.csv" --table bob="$work/bob.csv" --table carol="$work/carol.csv"

echo
echo "== The answer in the clear, from all three tables"
"$BUILT/examples/pay-gap-data" "$work" --answer
