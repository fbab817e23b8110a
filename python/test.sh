#!/usr/bin/env bash
# Tests of the Python package against NumPy: test.sh [pytest arguments]. PYTHON names an interpreter with NumPy, pytest, pytest-timeout
# and hypothesis, for notebooks nbclient and ipykernel, for type stubs mypy; PROFILE a build profile (dev); PACKAGE the folder of a built
# package, which is used as it is.
set -euo pipefail
. "$(dirname "$0")/interpreter.sh"
cd "$(dirname "$0")/.."
package=${PACKAGE:-}
if [ -z "$package" ]; then
    package=$(python/package.sh)
    if [ "${PROFILE:-dev}" = dev ]; then
        # The emulator of GPUs, in the folder of the command.
        cargo build --quiet -p cuda-emulator -p weft-python -p weft-features -p weft-tools
    fi
fi
export PYTHONPATH=$package
WEFT_COMMAND=$(dirname "$package")/weft \
    "$PYTHON" -m pytest -q -p no:cacheprovider --timeout 300 python/tests "$@"
# With arguments, only the selected tests run.
if [ $# -gt 0 ]; then
    exit
fi
if "$PYTHON" -c 'import mypy' 2>/dev/null; then
    python/stubtest.sh
else
    echo "There is no mypy: the type stubs are not compared with the package."
fi
