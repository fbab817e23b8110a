#!/usr/bin/env bash
# Compares the type stubs with the built package, by mypy's stubtest: stubtest.sh. PYTHON names an interpreter with NumPy and mypy;
# the built package is on PYTHONPATH.
set -euo pipefail
# Its whole path: mypy runs in another folder.
python=$(command -v "${PYTHON:-python3}")
[[ $python == /* ]] || python=$PWD/$python
cd "$(dirname "$0")/.."
"$python" python/stubs.py --check
# Without the sources, which mypy would check too.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd python && find weft -name '*.pyi' -exec cp --parents {} "$folder" \;)
cp python/weft/py.typed "$folder/weft/"
cd "$folder"
MYPYPATH=$folder "$python" -m mypy.stubtest --concise --allowlist "$OLDPWD/python/stubtest-allowed.txt" --ignore-unused-allowlist weft
