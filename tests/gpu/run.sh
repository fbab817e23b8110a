#!/usr/bin/env bash
# Runs everything that needs a GPU, with the files from tests/gpu/build.sh, within eight minutes: `run.sh [RESULTS]` (results.txt). The two
# scripts that it starts also run alone: programs.sh for the programs in Rust, wheel.sh for the Python package.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=$(realpath -m "${1:-results.txt}")
part=$(mktemp "${TMPDIR:-/tmp}/weft-gpu.XXXXXX")
trap 'rm -f "$part"' EXIT
"$here/wheel.sh" "$part"
cp "$part" "$results"
WEFT_GPU_SECONDS=$((470 - SECONDS)) "$here/programs.sh" "$part"
{
    echo
    cat "$part"
} >>"$results"
echo "$SECONDS s; both parts are in $results"
