#!/usr/bin/env bash
# Builds the command weft for Linux systems with glibc 2.28 or later (RHEL 8, Debian 10, Ubuntu 18.10 and their successors) and packs
# it as dist/weft-VERSION-TARGET.tar.gz with a checksum file.
#
#     cli/build-binaries.sh [TARGET...]      default: this machine's, for instance x86_64-unknown-linux-gnu
#
# Needs Rust and Python 3. The linker is zig from PyPI, called by cargo-zigbuild from crates.io; both are installed below target/.
# CUDA, CUPTI and NVTXW backends are loaded at run time, so the binary must depend only on the C library, which is checked.
# An existing archive is not replaced.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly glibc=2.28 zig=0.13.0 zigbuild=0.20.1
readonly out=${WEFT_DIST:-dist}
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$target_dir/tmp/binaries

if [ $# -eq 0 ]; then
    set -- "$(rustc -vV | sed -n 's/^host: //p')"
fi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)

python3 -m venv "$tools/venv"
"$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check "ziglang==$zig"
cargo install --quiet --locked --root "$tools" "cargo-zigbuild@$zigbuild"
export PATH=$tools/venv/bin:$tools/bin:$PATH

mkdir -p "$out"
for target in "$@"; do
    name=weft-$version-$target
    if [ -e "$out/$name.tar.gz" ]; then
        echo "$out/$name.tar.gz exists: remove it to build it again" >&2
        exit 1
    fi
    cargo zigbuild --release -p weft-tools --target "$target.$glibc"
    binary=$target_dir/$target/release/weft

    libraries=$(readelf -d "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
    others=$(tr ' ' '\n' <<<"$libraries" | grep -vE '^(libc|libm|libdl|libpthread|librt|libutil|ld-linux[-_a-z0-9]*)\.so\.[0-9]+$|^$' || true)
    newest=$(readelf -V "$binary" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
    if [ -n "$others" ]; then
        echo "$binary needs libraries other than the C library: $others" >&2
        exit 1
    fi
    if [ "$(printf '%s\n' "$newest" "$glibc" | sort -V | tail -n 1)" != "$glibc" ]; then
        echo "$binary needs glibc $newest, which is newer than $glibc" >&2
        exit 1
    fi

    staged=$(mktemp -d)
    mkdir "$staged/$name"
    cp "$binary" README.md LICENSE CHANGELOG.md "$staged/$name/"
    strip --strip-debug "$staged/$name/weft" 2>/dev/null || true
    tar -C "$staged" -czf "$out/$name.tar.gz" "$name"
    rm -r "$staged"
    (cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
    echo "$out/$name.tar.gz: glibc $newest; libraries $libraries"
done
