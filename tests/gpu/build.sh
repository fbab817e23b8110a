#!/usr/bin/env bash
# Creates a folder with all files for tests/gpu/run.sh, to be copied to a machine with a GPU, which needs neither cargo
# nor a network: `tests/gpu/build.sh [FOLDER]` (target/gpu).
set -euo pipefail
cd "$(dirname "$0")/../.."

target=${CARGO_TARGET_DIR:-target}
folder=${1:-target/gpu}
newest_glibc=2.35 # Ubuntu 22.04
most_mib=60

# Only a folder created by this script is replaced.
if [ -e "$folder" ] && [ ! -e "$folder/built" ]; then
    echo "build.sh: $folder exists and was not made by this script; name another folder" >&2
    exit 1
fi

jobs=${WEFT_BUILD_JOBS:-$(nproc)}
# Both commands select the same packages, and so the same features, so that nothing is compiled twice.
packages=(-p weft-core -p weft-array -p weft-tools -p weft-features -p weft-example-stencil -p weft-example-cg)
cargo build -j "$jobs" --release "${packages[@]}" --bin weft --bin stencil --bin cg --example mistakes
# Prints the path of the executable of a test or benchmark target.
executables=$(cargo test -j "$jobs" --release "${packages[@]}" --lib --test gpu --test programs --bench gpu --no-run --message-format=json |
    python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line) if line.startswith("{") else {}
    if message.get("executable") and message["target"]["kind"][0] in ("lib", "test", "bench"):
        print(message["target"]["kind"][0], message["target"]["name"], message["executable"])
')
executable() { awk -v kind="$1" -v name="$2" '$1 == kind && $2 == name { print $3 }' <<<"$executables"; }

rm -rf "$folder"
mkdir -p "$folder"
cp "$target/release/weft" "$target/release/stencil" "$target/release/cg" "$target/release/examples/mistakes" "$folder"
cp "$(executable lib weft_core)" "$folder/test-driver"
cp "$(executable test gpu)" "$folder/test-gpu"
cp "$(executable test programs)" "$folder/test-programs"
cp "$(executable bench gpu)" "$folder/bench-gpu"
strip "$folder"/*
cp tests/gpu/run.sh tests/gpu/cupy_*.py "$folder"
{
    git describe --always --dirty
    date -u +%FT%TZ
    rustc --version
} >"$folder/built"

glibc=$(objdump -T "$folder"/weft "$folder"/stencil "$folder"/cg "$folder"/mistakes "$folder"/test-* "$folder"/bench-gpu |
    sed -n 's/.*(\?GLIBC_\([0-9.]*\)).*/\1/p' | sort -uV | tail -1)
size=$(du -sm "$folder" | cut -f1)
echo "$folder: $size MiB; runs with glibc $glibc and newer"
if [ "$size" -ge "$most_mib" ]; then
    echo "build.sh: more than $most_mib MiB" >&2
    exit 1
fi
if [ "$(printf '%s\n' "$glibc" "$newest_glibc" | sort -V | tail -1)" != "$newest_glibc" ]; then
    echo "build.sh: needs a glibc newer than $newest_glibc: will not start on Ubuntu 22.04" >&2
fi
