#!/usr/bin/env bash
# Puts cargo-deny into the folder given: the one that is installed, if it is of this version, or
# else a new build, without optimisation (it runs for a second, but takes minutes to optimise).
set -euo pipefail

readonly VERSION=0.20.2
tools="$1"

if [[ "$(cargo-deny --version 2>/dev/null)" == "cargo-deny $VERSION" ]]; then
    mkdir -p "$tools/bin"
    ln -sf "$(command -v cargo-deny)" "$tools/bin/cargo-deny"
else
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 \
        "${CARGO:-cargo}" install cargo-deny --locked --version "$VERSION" --root "$tools"
fi
