#!/usr/bin/env bash
# Checks and measures the Python package on a GPU, with the files from tests/gpu/build.sh, in at most $WEFT_GPU_SECONDS (190) seconds:
# `wheel.sh [RESULTS]` (results.txt). See common.sh for what it needs; the tests need pytest, pytest-timeout and hypothesis.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
begin "${1:-results.txt}" 190
find_python
python=${python:-$(command -v "${PYTHON:-python3}")}
"$python" -m pip install --quiet --no-index --no-deps --disable-pip-version-check --target "$work/site" "$here"/*.whl || exit 1
export PYTHONPATH=$work/site PATH=$work/site/bin:$PATH WEFT_COMMAND=$work/site/bin/weft PYTHONDONTWRITEBYTECODE=1
describe_machine
python=${python:-$(command -v "${PYTHON:-python3}")}

if [ "$small" = 1 ]; then
    elements=(--elements 4096 --round 0.001) jobs=2 cg_n=8 all=0 only=(--only "test_sum or test_tril")
else
    elements=() jobs=8 cg_n=50 all=1 only=()
fi

# ---- the first result of a fresh process: kernels come from the wheel's bundle, since the cache is empty
first_result() {
    rm -rf first
    WEFT_CACHE=$work/first WEFT_CONFIG="--gpus 1" limited 60 "$python" - "$cg_n" <<'PYTHON' 2>>errors
import sys, time

start = time.perf_counter()
import weft.numpy as np

n = int(sys.argv[1])
A = np.eye(n * n) * 4 + 1e-3
b = np.ones(n * n)
x, r = np.zeros(n * n), b.copy()
p, rr = r.copy(), r.dot(r)
for _ in range(3):
    q = A @ p
    a = rr / p.dot(q)
    x += a * p
    r -= a * q
    new = r.dot(r)
    p = r + new / rr * p
    rr = new
float(rr)
print(time.perf_counter() - start)
PYTHON
}
if [ -f "$work/site/weft/kernels.weft" ]; then
    judged "first result of CG, with the wheel's bundle of kernels" "$(calc "$(first_result)")" " s" most 0.4
    WEFT_KERNEL_BUNDLE= told "  without it" "$(WEFT_KERNEL_BUNDLE='' first_result) s"
else
    told "first result of CG, no bundle in this wheel" "$(first_result) s"
fi

# ---- functions compared with CuPy
export WEFT_CACHE=$work/kernels
limited 75 "$python" "$here/functions.py" --seconds $((65 * slower)) "${elements[@]}" --json functions.json >functions.txt 2>>errors
status=$?
tee -a "$results" <functions.txt
value() { "$python" -c "
import json, math
rows = json.load(open('functions.json'))
ratios = [row['ratio'] for row in rows if row.get('ratio')]
print($1)" 2>/dev/null; }
told "functions: rows measured, of all" "$(value "f\"{sum('weft_ms' in row for row in rows)} of {len(rows)}\"") (status $status)"
judged "functions: geometric mean compared with CuPy" "$(calc "$(value "math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else ''")" 2)" "x" least 1.2
judged "functions: wrong, or ran on the host" "$(value "sum(row.get('agrees') is False or 'error' in row for row in rows)")" "" most 0

# ---- tests of the package: every way to end, failures, results of functions, linear algebra
pytest() {
    local name=$1 limit=$2
    shift 2
    if ! "$python" -c 'import pytest' 2>/dev/null; then
        row "$name" "no pytest" "" "NOT MEASURED"
        return
    fi
    local parallel=()
    "$python" -c 'import xdist' 2>/dev/null && parallel=(-n "$jobs")
    WEFT_TEST_GPU=1 WEFT_TEST_ALL=${all#0} limited "$limit" "$python" -m pytest -q -p no:cacheprovider --tb line "${parallel[@]}" "$@" >out 2>&1
    local status=$?
    row "$name" "$(tail -n 1 out | cut -c1-60)" "all" "$([ $status = 0 ] && echo ok || echo "FAILED ($status)")"
    [ $status = 0 ] || grep -E '^(FAILED|ERROR|/|E )' out | head -20 | tee -a "$results"
}
pytest "every way to end: status, profile, no signal" 40 "$here/python/tests/test_gpu_ends.py"
pytest "failures belong to what they wrote" 40 "$here/python/tests/test_gpu_failures.py"
pytest "functions and linear algebra: NumPy's results" 60 "$here/python/tests/test_gpu_functions.py" "$here/python/tests/test_gpu_linalg.py"

# ---- third-party test suites, on the GPU and on CPUs
if [ -d "$here/suites" ]; then
    for suite in array-api cupynumeric; do
        WEFT_CONFIG="--cpus 2 --gpus 1 --fbmem 2000" limited 70 "$python" "$here/suites-run/run.py" "$suite" --suites "$here/suites" --cache "$work/cache" \
            --part fixed --shards "$jobs" --limit $((30 * slower)) "${only[@]}" --compare "--cpus 2 --gpus 0" >out 2>>errors
        status=$?
        row "$suite: the same outcomes as on CPUs" "$(sed -n 's/^.*: \([0-9]* tests compared\) with.*: \([0-9]* differ\)$/\1, \2/p' out)" "0 differ" \
            "$([ $status = 0 ] && echo ok || echo "FAILED ($status)")"
        grep "^$suite: .*; with" out | head -20 | tee -a "$results"
    done
else
    told "suites" "not in this folder"
fi

# ---- sanitizers, on a fixed list of functions
if [ "$small" = 1 ]; then
    told "compute-sanitizer" "not tried"
elif command -v compute-sanitizer >/dev/null; then
    for tool in memcheck initcheck racecheck; do
        WEFT_CONFIG="--gpus 1 --fbmem 500" limited 30 compute-sanitizer --tool $tool --error-exitcode 9 "$python" "$here/functions.py" --elements 65536 --once \
            "x + y" cumsum sort argsort nonzero histogram bincount take "A.sum" pad searchsorted median maximum >out 2>&1
        status=$?
        row "compute-sanitizer --tool $tool" "$(grep -o 'ERROR SUMMARY.*' out | head -1 | cut -c1-40)" "0 errors" "$([ $status = 0 ] && echo ok || echo "status $status")"
        [ $status = 0 ] || grep '=========' out | head -5 | tee -a "$results"
    done
else
    told "compute-sanitizer" "not here"
fi

end
