#!/usr/bin/env bash
# Compiles the standard kernels for GPUs with this machine's NVRTC and packs them into one file: bundle.sh PACKAGES OUT
# PACKAGES is a folder that holds the package weft, OUT the file; the package uses PACKAGES/weft/kernels.weft.
#
# Needs no GPU: python/kernels.py and the examples run on the emulated one, which needs a C++ compiler, and leave the sources of their
# kernels. WEFT_NVRTC names the compiler where `weft info` does not find it. WEFT_BUNDLE_SOURCES keeps the sources in that folder; if it holds
# sources already, they are packed as they are. Status 3: there is no NVRTC.
set -euo pipefail
packages=$(realpath "$1") out=$(realpath -m "$2")
given=${WEFT_BUNDLE_SOURCES:+$(realpath -m "$WEFT_BUNDLE_SOURCES")}
cd "$(dirname "$0")/.."
. python/interpreter.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sources=${given:-$folder/sources}
unset WEFT_KERNEL_BUNDLE WEFT_KERNEL_SOURCES WEFT_CONFIG
export PYTHONPATH=$packages

if ! "$PYTHON" -c 'import sys, weft._core as core; sys.exit(core.kernel_compiler() is None)'; then
    echo "no bundle: NVRTC was not found; install pip's nvidia-cuda-nvrtc, or set WEFT_NVRTC" >&2
    exit 3
fi
if ! compgen -G "$sources/*.cu" >/dev/null; then
    cargo build --quiet -p cuda-emulator -p weft-features
    emulator=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/libcuda_emulator.so
    mkdir "$folder/libraries"
    for name in cuda:1 nvrtc:13 cublas:13 cufft:12 cusolver:12 cupti:13; do
        ln -s "$emulator" "$folder/libraries/lib${name%:*}.so.${name#*:}"
    done
    emulated() {
        env -u CUDA_VISIBLE_DEVICES -u CUDA_HOME -u CUDA_PATH -u WEFT_NVRTC -u WEFT_CUBLAS -u WEFT_CUFFT -u WEFT_CUSOLVER -u WEFT_CUPTI \
            LD_LIBRARY_PATH="$folder/libraries" WEFT_CACHE="$folder/cache" WEFT_KERNEL_SOURCES="$sources" WEFT_EMULATED_GPUS=1 WEFT_EMULATED_GPU_MIB=3000 \
            WEFT_FALLBACK=quiet WEFT_HOST=quiet WEFT_CONFIG="--cpus 1 --gpus 1 --min-gpu-chunk 64" "$PYTHON" -P "$@"
    }
    emulated python/kernels.py
    emulated examples/python/cg.py -n 50
    emulated examples/python/stencil.py -n 100
    emulated examples/python/black_scholes.py
fi
"$PYTHON" - "$sources" "$out" <<'PYTHON'
import pathlib
import sys

from weft import _core

sources, out = map(pathlib.Path, sys.argv[1:])
kernels, targets, size = _core.pack_kernels(sources, out)
print(f"{out.name}: {kernels} kernels for {', '.join(targets)}, {size / 1e6:.1f} MB")
PYTHON
