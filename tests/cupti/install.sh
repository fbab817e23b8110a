#!/usr/bin/env bash
# Installs two versions of NVIDIA's CUPTI with their headers by pip, for tests that compare our layouts with them, in
# FOLDER/venv-cupti13 (CUDA 13.0) and FOLDER/venv-cupti12 (12.4). No GPU is needed. Nothing is installed twice.
# If it fails, it prints the reason and ends with a status other than 0.
set -euo pipefail

[ $# = 1 ] || { echo "usage: install.sh FOLDER" >&2; exit 1; }
mkdir -p "$1"
cd "$1"

install() {
    local venv=$1
    shift
    [ -e "$venv/complete" ] && return
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$@"
    touch "$venv/complete"
}

install venv-cupti13 nvidia-cuda-cupti==13.0.85 nvidia-cuda-runtime==13.0.96
install venv-cupti12 nvidia-cuda-cupti-cu12==12.4.127 nvidia-cuda-runtime-cu12==12.4.127
