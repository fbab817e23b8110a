#!/usr/bin/env bash
# Builds the Python package for tests and prints the folder that holds it, beside the command `weft`. PROFILE names a build profile (dev),
# FEATURES features of Cargo; with some, the package has a folder of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${PROFILE:-dev}
# As `cargo test --workspace` builds them, so that nothing is compiled twice.
cargo build --quiet --profile "$profile" -p weft-python -p weft-features -p weft-tools ${FEATURES:+--features "$FEATURES"}
folder=$(realpath "${CARGO_TARGET_DIR:-target}")/$([ "$profile" = dev ] && echo debug || echo "$profile")
package=$folder/python${FEATURES:+-${FEATURES//[^a-z]/-}}
rm -rf "$package"
mkdir -p "$package"
cp -R python/weft "$package/weft"
cp "$folder/lib_core.so" "$package/weft/_core.abi3.so"
echo "$package"
