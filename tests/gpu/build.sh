#!/usr/bin/env bash
# Creates a folder with all files for run.sh, programs.sh and wheel.sh of tests/gpu, to be copied to a machine with a GPU, which needs neither cargo
# nor a network: `tests/gpu/build.sh [FOLDER]` (target/gpu). WEFT_WHEEL names a wheel that exists already.
# Where NVRTC is found (WEFT_NVRTC names it), the wheel gets a bundle of compiled kernels: see python/bundle.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=${CARGO_TARGET_DIR:-target}
folder=${1:-target/gpu}
newest_glibc=2.35 # Ubuntu 22.04
most_mib=60
. python/interpreter.sh

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
    "$PYTHON" -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line) if line.startswith("{") else {}
    if message.get("executable") and message["target"]["kind"][0] in ("lib", "test", "bench"):
        print(message["target"]["kind"][0], message["target"]["name"], message["executable"])
')
executable() { awk -v kind="$1" -v name="$2" '$1 == kind && $2 == name { print $3 }' <<<"$executables"; }

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
programs=$made/programs
mkdir "$programs"
cp "$target/release/weft" "$target/release/stencil" "$target/release/cg" "$target/release/examples/mistakes" "$programs"
cp "$(executable lib weft_core)" "$programs/test-driver"
cp "$(executable test gpu)" "$programs/test-gpu"
cp "$(executable test programs)" "$programs/test-programs"
cp "$(executable bench gpu)" "$programs/bench-gpu"
strip "$programs"/*

if [ -n "${WEFT_WHEEL:-}" ]; then
    cp "$WEFT_WHEEL" "$made"
else
    "$PYTHON" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$made" .
fi
wheel=$(echo "$made"/*.whl)
mkdir "$made/unpacked"
"$PYTHON" -m zipfile -e "$wheel" "$made/unpacked"
if [ ! -e "$made/unpacked/weft/kernels.weft" ]; then
    status=0
    python/bundle.sh "$made/unpacked" "$made/kernels.weft" || status=$?
    case $status in
        0) PYTHONPATH=python/backend "$PYTHON" -c \
            'import pathlib, sys, wheel_command; wheel_command.add_to_package(*map(pathlib.Path, sys.argv[1:]))' "$wheel" "$made/kernels.weft" ;;
        3) ;; # There is no NVRTC, as bundle.sh has said.
        *) exit 1 ;;
    esac
fi

rm -rf "$folder"
mkdir -p "$folder/python/tests" "$folder/suites-run" "$folder/docs"
tar --use-compress-program="gzip -9" -cf "$folder/programs.tar.gz" -C "$made" programs
cp "$wheel" "$folder"
cp tests/gpu/*.sh tests/gpu/*.py "$folder"
rm "$folder/build.sh"
# The tests find the documents as in the repository.
cp python/tests/emulated.py python/tests/test_gpu_*.py "$folder/python/tests"
cp docs/numpy.md "$folder/docs"
cp python/suites/*.py python/suites/*.txt "$folder/suites-run"
if [ -d ../shared/suites ]; then
    cp -R ../shared/suites "$folder/suites"
else
    echo "build.sh: there is no ../shared/suites: the suites are left out"
fi
{
    git describe --always --dirty
    date -u +%FT%TZ
    rustc --version
} >"$folder/built"

glibc=$(objdump -T "$programs"/* "$made"/unpacked/weft/*.so | sed -n 's/.*(\?GLIBC_\([0-9.]*\)).*/\1/p' | sort -uV | tail -1)
size=$(du -sm "$folder" | cut -f1)
echo "$folder: $size MiB; runs with glibc $glibc and newer"
if [ "$size" -ge "$most_mib" ]; then
    echo "build.sh: more than $most_mib MiB" >&2
    exit 1
fi
if [ "$(printf '%s\n' "$glibc" "$newest_glibc" | sort -V | tail -1)" != "$newest_glibc" ]; then
    echo "build.sh: needs a glibc newer than $newest_glibc: will not start on Ubuntu 22.04" >&2
fi
