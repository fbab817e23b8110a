#!/usr/bin/env bash
# Compares the type stubs with the built package, by mypy's stubtest: stubtest.sh. PYTHON names an interpreter with NumPy and mypy;
# the built package is on PYTHONPATH.
set -euo pipefail
. "$(dirname "$0")/interpreter.sh"
cd "$(dirname "$0")/.."
"$PYTHON" python/declare.py --check
# Excludes the sources, which mypy would check too.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd python && find weft -name '*.pyi' -exec cp --parents {} "$folder" \;)
cp python/weft/py.typed "$folder/weft/"
cd "$folder"
MYPYPATH=$folder "$PYTHON" -m mypy.stubtest --concise --allowlist "$OLDPWD/python/stubtest-allowed.txt" --ignore-unused-allowlist weft
