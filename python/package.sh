#!/usr/bin/env bash
# Builds the Python package for tests and prints the folder that holds it, next to the command `weft`. PROFILE names a build profile (dev),
# FEATURES Cargo features. With features or a free-threaded PYTHON, the package has a separate folder.
set -euo pipefail
python=$(command -v "${PYTHON:-python3}" || true)
[[ $python == /* || -z $python ]] || python=$PWD/$python
cd "$(dirname "$0")/.."
profile=${PROFILE:-dev}
own=$(python/own-abi.sh "$python")
if [ -n "$own" ]; then
    export PYO3_PYTHON=$python
fi
# The same packages as for `cargo test --workspace`, so that nothing is compiled twice.
cargo build --quiet --profile "$profile" -p weft-python -p weft-features -p weft-tools ${FEATURES:+--features "$FEATURES"}
folder=$(realpath "${CARGO_TARGET_DIR:-target}")/$([ "$profile" = dev ] && echo debug || echo "$profile")
package=$folder/python${FEATURES:+-${FEATURES//[^a-z]/-}}${own:+-$own}
rm -rf "$package"
mkdir -p "$package"
cp -R python/weft "$package/weft"
rm -f "$package"/weft/_core.*.so
cp "$folder/lib_core.so" "$package/weft/_core.${own:-abi3}.so"
echo "$package"
