#!/usr/bin/env bash
# Builds wheels of the Python package, with the command weft in them, for Linux systems with glibc 2.28 or later, as
# dist/weft_array-VERSION-cp311-abi3-manylinux_2_28_ARCH.whl. They install without Rust. If PYTHON is a free-threaded interpreter, the
# wheel is only for its version, such as cp314-cp314t.
#
#     python/build-wheels.sh [TARGET...]      default: this machine's, for instance x86_64-unknown-linux-gnu
#
# Needs Rust and Python 3.11. The linker is zig's, from PyPI, as are maturin and cargo-zigbuild; they are installed below target/.
# Where NVRTC is found (WEFT_NVRTC names it), the wheels hold the standard kernels for GPUs, compiled: see bundle.sh. They are made once, with the
# package of this machine's kind, whose wheel is built first; without that target the wheels hold none.
# A wheel of this machine's kind is tried: installed into a fresh environment without Rust, where a program is run and profiled.
# PYTHON names the interpreter, WEFT_DIST the folder, WEFT_BUILD_PROFILE a profile of Cargo.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly glibc=2.28 limit_mb=40
readonly out=${WEFT_DIST:-dist} python=${PYTHON:-python3} profile=${WEFT_BUILD_PROFILE:-python}
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/tmp/wheels
host=$(rustc -vV | sed -n 's/^host: //p')

targets=$(python/wheel-order.sh "$host" "$@")
# If no interpreter is named, maturin builds wheels for the stable ABI.
own=$(python/own-abi.sh "$python")
interpreter=()
if [ -n "$own" ]; then
    tools+=-$own
    interpreter=(--interpreter "$tools/venv/bin/python")
fi
"$python" -m venv "$tools/venv"
"$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'ziglang==0.13.0' 'cargo-zigbuild==0.20.1' 'maturin==1.16.0'
mkdir -p "$out"

bundle=
for target in $targets; do
    staged=$(mktemp -d)
    PATH=$tools/venv/bin:$PATH maturin build --zig --profile "$profile" --target "$target" \
        --compatibility "manylinux_${glibc/./_}" --out "$staged" --quiet "${interpreter[@]}"
    wheel=$(echo "$staged"/*.whl)
    PATH=$tools/venv/bin:$PATH WEFT_BUILD_PROFILE=$profile PYTHONPATH=python/backend \
        "$tools/venv/bin/python" - "$wheel" "$target.$glibc" <<'PYTHON'
import pathlib
import shutil
import subprocess
import sys
import tempfile

import wheel_command

wheel, target = sys.argv[1:]
binary = wheel_command.build_command("--target", target, cargo=["cargo-zigbuild", "zigbuild"])
with tempfile.TemporaryDirectory() as folder:
    stripped = shutil.copy(binary, pathlib.Path(folder, "weft"))
    # The tools of this machine may not support other architectures; those binaries keep their symbols.
    subprocess.run(["strip", stripped], stderr=subprocess.DEVNULL, check=False)
    wheel_command.add_command(pathlib.Path(wheel), pathlib.Path(stripped))
PYTHON
    if [ "$target" = "$host" ]; then
        unpacked=$(mktemp -d)
        "$tools/venv/bin/python" -m zipfile -e "$wheel" "$unpacked"
        "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy
        bundle=$tools/kernels.weft
        PYTHON=$tools/venv/bin/python python/bundle.sh "$unpacked" "$bundle" || {
            [ $? -eq 3 ] || exit 1
            bundle=none
        }
        rm -rf "$unpacked"
    fi
    if [ -f "$bundle" ]; then
        PYTHONPATH=python/backend "$tools/venv/bin/python" -c \
            'import pathlib, sys, wheel_command; wheel_command.add_to_package(*map(pathlib.Path, sys.argv[1:]))' "$wheel" "$bundle"
    fi
    size=$(stat -c %s "$wheel")
    echo "$(basename "$wheel"): $((size / 1000000)) MB"
    if [ "$size" -gt $((limit_mb * 1000000)) ]; then
        echo "$wheel has more than $limit_mb MB" >&2
        exit 1
    fi
    if [ "$target" = "$host" ]; then
        PYTHON=$python python/try-wheel.sh "$wheel"
    fi
    mv "$wheel" "$out/"
    rmdir "$staged"
done
