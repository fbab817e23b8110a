#!/usr/bin/env bash
# Fetches NVIDIA's two headers of NVTXW into FOLDER, for the tests that compile backends against them:
# FOLDER/v1 from the crate nvtxw 0.1.0, FOLDER/v2 from pip's nvidia-nvtx 13.5.25. Nothing is fetched twice.
# If it fails, it prints the reason and ends with a status other than 0.
set -euo pipefail

readonly crate=https://static.crates.io/crates/nvtxw/nvtxw-0.1.0.crate
readonly crate_sum=66accefb8fea528456bf0333cedfa94932abb245bd0fad264e5c7c6188bba163
readonly wheel=nvidia-nvtx==13.5.25

refuse() {
    echo "fetch-headers: $1" >&2
    exit 1
}

[ $# = 1 ] || refuse "usage: fetch-headers.sh FOLDER"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
exec 9>"$folder/lock"
flock 9

if [ ! -e "$folder/v1/nvtxw3/nvtxw3.h" ]; then
    part=$(mktemp -d "$folder/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    curl -sSfL --retry 3 --max-time 120 -o "$part/nvtxw.crate" "$crate" || refuse "$crate is not available"
    echo "$crate_sum  $part/nvtxw.crate" | sha256sum --check --quiet || refuse "$crate has changed"
    tar xzf "$part/nvtxw.crate" -C "$part"
    rm -rf "$folder/v1"
    mv "$part/nvtxw-0.1.0/src/nvtxw-sys/include" "$folder/v1"
    rm -rf "$part"
fi

if [ ! -e "$folder/v2/nvtxw3/nvtxw3.h" ]; then
    part=$(mktemp -d "$folder/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    python3 -m pip download -q --no-deps --only-binary :all: -d "$part" "$wheel" || refuse "pip cannot get $wheel"
    python3 -m zipfile -e "$part"/*.whl "$part"
    rm -rf "$folder/v2"
    mv "$part/nvidia/cu13/include" "$folder/v2"
    rm -rf "$part"
fi

echo "$folder"
