#!/usr/bin/env bash
# Tests of the Python package against NumPy: test.sh [pytest arguments]. PYTHON names an interpreter with NumPy, pytest, pytest-timeout
# and hypothesis; PROFILE a build profile (dev).
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${PROFILE:-dev}
# As `cargo test --workspace` builds them, so that nothing is compiled twice.
cargo build --quiet --profile "$profile" -p weft-python -p weft-features -p weft-tools
folder=$(realpath "${CARGO_TARGET_DIR:-target}")/$([ "$profile" = dev ] && echo debug || echo "$profile")
package=$folder/python
rm -rf "$package"
mkdir -p "$package"
cp -R python/weft "$package/weft"
cp "$folder/lib_core.so" "$package/weft/_core.abi3.so"
PYTHONPATH=$package WEFT_COMMAND=$folder/weft "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider --timeout 300 python/tests "$@"
