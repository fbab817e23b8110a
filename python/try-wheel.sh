#!/usr/bin/env bash
# Installs a wheel into a fresh environment that has no Rust, and runs, profiles and checks a program there: try-wheel.sh WHEEL
set -euo pipefail
wheel=$(realpath "$1")
. "$(dirname "$0")/interpreter.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
SECONDS=0
"$PYTHON" -m venv venv
# Only the files of the wheel, and the interpreter's own folder.
export PATH=$folder/venv/bin:/usr/bin:/bin
unset PYTHONPATH VIRTUAL_ENV WEFT_PYTHON WEFT_CONFIG
if command -v cargo >/dev/null; then
    echo "there is a Rust toolchain in $(command -v cargo): remove it from PATH for a trial without one" >&2
    exit 1
fi
pip install --quiet --disable-pip-version-check "$wheel"
cat >prog.py <<'PROGRAM'
import weft.numpy as np

grid = np.zeros((502, 502))
grid[0, :] = 100.0
center = grid[1:-1, 1:-1]
for _ in range(10):
    center[:] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
print(float(grid.sum()) > 50200.0)
PROGRAM
[ "$(python prog.py)" = True ]
echo "the first result took $SECONDS s"
[ "$(weft run --profile prog.py)" = True ]
weft stats weft_0.prof --by line --format csv >lines.csv
grep -q 'prog.py:7' lines.csv
weft check prog.py
echo "import cupynumeric as np; print(np.arange(4).sum())" >other.py
[ "$(weft run --compat cupynumeric other.py)" = 6 ]
python -c "import weft.numpy, pathlib; assert (pathlib.Path(weft.__file__).parent / 'py.typed').exists()"
echo "the wheel works"
