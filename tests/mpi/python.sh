#!/usr/bin/env bash
# Python programs on several ranks: `tests/mpi/python.sh openmpi` or `tests/mpi/python.sh mpich`; a number of ranks can follow (2). PYTHON names
# an interpreter with NumPy. Builds the package with the bindings that tests/mpi/run.sh made for that library.
# Random programs give NumPy's values on every rank, and a profile has the lines of each rank.
set -euo pipefail
. "$(dirname "$0")/../../python/interpreter.sh"
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
ranks=${2-2}
export MPICC=mpicc.$mpi
package=$(FEATURES=weft-python/mpi python/package.sh)
weft=$(dirname "$package")/weft
[ "$mpi" = openmpi ] && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PYTHONPATH=$package WEFT_PYTHON=$PYTHON WEFT_FALLBACK=error PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# ranks PROGRAM...: runs the program on all ranks, with profiles.
ranks() {
    timeout 300 "$weft" run --ranks-per-node "$ranks" --launcher "mpirun.$mpi" --cpus 1 --gpus 0 --profile --force --logdir "$folder" "$@" \
        >"$folder/output" 2>&1 </dev/null || { echo "$* on $ranks ranks fails:" && tail -n 40 "$folder/output" && exit 1; }
}

seed=${SEED:-$RANDOM}
ranks python/tests/random_programs.py "$seed" "${PROGRAMS:-40}"
# Output of several ranks may be on one line.
[ "$(grep -o "give NumPy's values" "$folder/output" | wc -l)" = "$ranks" ] || { cat "$folder/output" && exit 1; }
echo "${PROGRAMS:-40} random programs from $seed on give NumPy's values on $ranks ranks"

ranks examples/python/stencil.py -n 600 -i 10
lines=$("$weft" query "SELECT count(DISTINCT rank) FROM WEFT_TASK t JOIN WEFT_PROVENANCE p ON p.id = t.provenanceId WHERE p.file LIKE '%/stencil.py'" \
    "$folder"/weft_*.prof --format csv 2>/dev/null | tail -n 1)
[ "$lines" = "$ranks" ] || { echo "lines of stencil.py have tasks on ${lines:-no} ranks" && exit 1; }
alone=$("$PYTHON" examples/python/stencil.py -n 600 -i 10 --package numpy | sed 's/,.*//')
grep -qF "$alone" "$folder/output" || { echo "NumPy gives $alone" && cat "$folder/output" && exit 1; }
echo "the stencil gives NumPy's value on $ranks ranks, and its lines have tasks on each"

# A fallback gathers, with a warning.
cat >"$folder/gathers.py" <<'PROGRAM'
import weft.numpy as np
x = np.ones(1000)
print("fell back:", np.asmatrix(x).sum())
PROGRAM
WEFT_FALLBACK=warn ranks "$folder/gathers.py"
[ "$(grep -o "1000.0" "$folder/output" | wc -l)" = "$ranks" ] || { cat "$folder/output" && exit 1; }
grep -q "all $ranks ranks gather the arrays" "$folder/output" || { echo "no warning says that a fallback gathers" && cat "$folder/output" && exit 1; }

# Rolled views and masked updates of large arrays: every rank makes the same copies.
cat >"$folder/rolls.py" <<'PROGRAM'
import numpy
import weft.numpy as wnp


def run(np):
    u = np.array(numpy.random.default_rng(3).random((230, 190)))
    for step in range(6):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
        mask = u > 0.6
        u[mask] -= 0.25
        if step % 2:
            u[step] = 0.5
        kept = np.roll(np.roll(u, 2, 0), -1, 1)
        u[mask] *= 1.5
        u = u + 0.01 * kept
    return u


ours, theirs = numpy.asarray(run(wnp)), run(numpy)
print("rolls agree" if numpy.allclose(ours, theirs, rtol=1e-13) else "rolls differ")
PROGRAM
ranks "$folder/rolls.py"
[ "$(grep -o "rolls agree" "$folder/output" | wc -l)" = "$ranks" ] || { cat "$folder/output" && exit 1; }
echo "rolled views and masked updates give NumPy's values on $ranks ranks"
echo "Python passes over $mpi on $ranks ranks"
