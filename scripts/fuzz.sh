#!/usr/bin/env bash
# Runs every fuzz target for a while: scripts/fuzz.sh [SECONDS_EACH] [TARGET...]
# `--check` instead of seconds only checks that they compile.
#
# Stable Rust and a C++ compiler suffice: coverage comes from LLVM's own pass, and as there is
# next to no unsafe code, no sanitizer is needed. A crash leaves its input in fuzz/artifacts.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cargo="${CARGO:-cargo}"
target_dir="${CARGO_TARGET_DIR:-$root/target}/fuzz"
cd "$root/fuzz"

# The versions that the workspace has; cargo adds what only the fuzz targets need.
cp "$root/Cargo.lock" Cargo.lock

if [[ "${1:-}" == --check ]]; then
    exec "$cargo" clippy --target-dir "$target_dir" -- -D warnings
fi

seconds="${1:-60}"
shift || true
if (($# == 0)); then
    # shellcheck disable=SC2046
    set -- $(sed -n '/^\[\[bin\]\]/,$s/^name = "\(.*\)"$/\1/p' Cargo.toml)
fi

host="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cdebug-assertions \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
"$cargo" build --release --target "$host" --target-dir "$target_dir"

for target in "$@"; do
    echo "== $target, $seconds s"
    mkdir -p "corpus/$target" "artifacts/$target" "seeds/$target"
    "$target_dir/$host/release/$target" -max_total_time="$seconds" -max_len=4096 \
        -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="artifacts/$target/" "corpus/$target" "seeds/$target"
done
