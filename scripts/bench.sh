#!/usr/bin/env bash
# The standard set of benchmarks: medians of several runs, one JSON object per line to
# target/bench.jsonl, and a table in Markdown to standard output.
#
#   scripts/bench.sh [RUNS] [SECONDS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly RUNS="${1:-5}"
readonly SECONDS_EACH="${2:-1}"
${CARGO:-cargo} build --release --locked --package tacit-cli --features baselines >&2
tacit="${CARGO_TARGET_DIR:-target}/release/tacit"
out="${CARGO_TARGET_DIR:-target}/bench.jsonl"
: >"$out"

# Runs one benchmark several times and keeps the run with the median rate.
measure() {
    local run
    for ((run = 0; run < RUNS; run++)); do
        "$tacit" bench "$@" --seconds "$SECONDS_EACH" --vs-limit --json
    done | python3 -c '
import json, sys
runs = sorted((json.loads(line) for line in sys.stdin), key=lambda r: r["per_second"])
middle = dict(runs[len(runs) // 2], runs=len(runs), command="tacit bench " + sys.argv[1])
ratios = sorted(r["limit"]["ratio"] for r in runs if r["limit"])
if ratios:
    middle["limit"]["ratio"] = ratios[len(ratios) // 2]
print(json.dumps(middle))' "$*" | tee -a "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
n = r["passes"] * r["lanes"]
cpu = r["cpu_seconds"]
limit = r["limit"]
rate = r["per_second"]
unit, scale = next((u, s) for u, s in (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)) if rate >= s or s == 1)
ratio = "%.0f %%" % (100 * limit["ratio"]) if limit else "-"
print("| `%s` | %.3g %s | %.3g | %.3g | %s | %d |" % (
    r["command"], rate / scale, unit, cpu["user"] * 1e9 / n, cpu["system"] * 1e9 / n, ratio,
    r["peak_rss_bytes"] / 1e6))'
}

echo "| command | results/s | user ns | system ns | of the bound | MB per party |"
echo "| --- | --- | --- | --- | --- | --- |"
for protocol in trio astra replicated multi-fan-in lift quad quad-a quad-het tetrad fantastic-four; do
    measure and --protocol "$protocol" --network 1gbit --transport tcp
done
for protocol in trio astra replicated multi-fan-in lift quad quad-a quad-het tetrad fantastic-four; do
    measure and --protocol "$protocol"
    measure and --protocol "$protocol" --transport tls
    measure mul --width 32 --protocol "$protocol"
    measure mul --width 64 --protocol "$protocol"
    measure dot --width 32 --length 1000 --instances 1000 --protocol "$protocol"
    measure matmul --width 32 --size 256 --protocol "$protocol"
    measure and --protocol "$protocol" --transport memory --instances 1048576
    measure aes --protocol "$protocol"
done
measure aes --protocol trio --transport tls
measure aes --protocol trio --instances 1048576
measure compare --width 32 --protocol trio
measure sha256 --protocol trio
measure sha256 --protocol trio --instances 1
measure sha256 --protocol trio --instances 1 --transport tls

# Programs: medians of several runs, on random inputs.
program() {
    "$tacit" program bench "examples/bench/$1.tacit" "${@:2}" --runs "$RUNS" --json | tee -a "$out" |
        python3 -c '
import json, sys
r = json.load(sys.stdin)
rows = max(r["rows"].values(), default=0)
sent = sum(r["bytes_sent"].values())
rate = "%.3g M/s" % (rows / r["seconds"] * 1e-6) if rows else "-"
print("| `%s` | %.3g | %s | %.3g | %.3g | %d | %d |" % (
    sys.argv[1], r["seconds"], rate, r["cpu_seconds"], sent * 1e-6, r["rounds"],
    r["peak_rss_bytes"] / 1e6))' "$*"
}

echo
echo "| program | seconds | rows | CPU s, all parties | MB sent, all | rounds | MB per party |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for protocol in trio astra replicated multi-fan-in lift quad quad-a quad-het tetrad fantastic-four; do
    for threads in 1 2; do
        program compare --rows n=1000000 --protocol "$protocol" --threads "$threads"
    done
    program relu --rows n=1000000 --protocol "$protocol"
    program multiply --rows n=4000000 --protocol "$protocol"
    program dot --rows n=1000 --protocol "$protocol"
    program matmul --protocol "$protocol"
    program sort --rows n=1000000 --protocol "$protocol"
    program group-by --rows n=10000000 --protocol "$protocol"
done
