#!/usr/bin/env bash
# Tests of the Python package with a free-threaded CPython: free-threaded.sh [FOLDER [pytest arguments]]
# FOLDER (target/tmp/python-free-threaded) holds the interpreter, as FOLDER/bin/python3. Debian has no package for it: if it is missing,
# it is built from Debian's sources, whose signatures apt-get checks. This takes some minutes. PROFILE names a build profile (dev).
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/install.sh

# CPython supports free threading from 3.14 on, and pyo3 requires that version. Mirrors may not have it yet.
readonly sources=("unstable python3.14" "testing python3.14" "testing python3.13" "stable python3.13")
readonly libraries=(zlib1g-dev libffi-dev libssl-dev libbz2-dev liblzma-dev libsqlite3-dev)

folder=$(realpath -m "${1:-${CARGO_TARGET_DIR:-target}/tmp/python-free-threaded}")
python=$folder/bin/python3
shift $(($# > 0))

# Whether the interpreter is free-threaded and has the modules of the standard library that the tests need.
works() {
    "$python" -c 'import bz2, ctypes, lzma, sqlite3, ssl, zlib' 2>/dev/null && [ -n "$(python/own-abi.sh "$python")" ]
}

# fetch FOLDER SUITE PACKAGE: downloads the sources of a Debian package. The system's package lists stay unchanged.
fetch() {
    local apt=$1/apt-$2
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb-src http://deb.debian.org/debian $2 main" >"$apt/sources.list"
    local options=(-qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$apt/lists"
        -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=$(id -un)")
    (cd "$1" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only --tar-only "$3")
}

# Builds an interpreter for tests, without optimisation.
build() {
    local source
    for source in "${sources[@]}"; do
        # shellcheck disable=SC2086 # Suite and package are words.
        if fetch "$work" $source >"$work/log" 2>&1; then
            break
        fi
        echo "$name: there are no sources of $source" >&2
    done
    [ -n "$(find "$work" -maxdepth 1 -name '*.orig.tar.xz')" ] || {
        cat "$work/log" >&2
        refuse "no sources of a free-threaded CPython are available"
    }
    tar -xf "$work"/*.orig.tar.xz -C "$work"
    echo "$name: building $(basename "$work"/Python-*)" >&2
    (
        cd "$work"/Python-*
        ./configure --disable-gil --disable-test-modules --prefix="$folder" OPT="-O1 -DNDEBUG"
        make -j"$(nproc)"
        make install
    ) >"$work/log" 2>&1 || {
        tail -n 20 "$work/log" >&2
        refuse "CPython could not be built"
    }
    works || refuse "the CPython in $folder lacks a library"
}

if ! works; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    command -v apt-get >/dev/null || refuse "needs Debian's apt-get, or the folder of a free-threaded CPython as an argument"
    if ! dpkg -s "${libraries[@]}" >/dev/null 2>&1; then
        need_apt "install ${libraries[*]}"
        install_packages "${libraries[@]}"
    fi
    build
fi
"$python" -VV
if "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 14))'; then
    # For tests only: pyo3 still works with 3.13, but does not guarantee it.
    export UNSAFE_PYO3_SKIP_VERSION_CHECK=1
fi
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: 'numpy>=2.1' pytest pytest-timeout hypothesis
PYTHON=$folder/venv/bin/python python/test.sh "$@"
