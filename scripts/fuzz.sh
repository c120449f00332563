#!/usr/bin/env bash
# Runs every fuzz target for a while: scripts/fuzz.sh [SECONDS_EACH] [TARGET...]
# Stable Rust and a C++ compiler suffice: coverage comes from LLVM's own pass, and as there is
# next to no unsafe code, no sanitizer is needed. A crash leaves its input in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../fuzz"

seconds="${1:-60}"
shift || true
targets=("$@")
if ((${#targets[@]} == 0)); then
    mapfile -t targets < <(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | tail -n +2)
fi

host="$(rustc -vV | sed -n 's/^host: //p')"
target_dir="${CARGO_TARGET_DIR:-../target}/fuzz"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cdebug-assertions \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
${CARGO:-cargo} build --release --target "$host" --target-dir "$target_dir"

for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    seeds=()
    if [[ -d "seeds/$target" ]]; then seeds=("seeds/$target"); fi
    "$target_dir/$host/release/$target" -max_total_time="$seconds" -max_len=4096 \
        -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="artifacts/$target/" "corpus/$target" "${seeds[@]}"
done
