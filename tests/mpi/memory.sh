#!/usr/bin/env bash
# Arrays that are larger together than the memory of one rank: `tests/mpi/memory.sh openmpi` or `tests/mpi/memory.sh mpich`, after a
# build by tests/mpi/run.sh. Operations work if the ranks can hold the data together. If one rank needs a whole array, all ranks fail, and none hangs.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
cargo build -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --example memory || exit 1
program=$CARGO_TARGET_DIR/debug/examples/memory
launch=("mpirun.$mpi")
if [ "$mpi" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch+=(--oversubscribe)
fi
# The size of an array is 40 MiB.
flags="--cpus 1 --gpus 0 --sysmem"
export WEFT_CONFIG="$flags 64"
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# expect RANKS WAY 0|fails COUNT TEXT [TEXT...]: the run ends as it should, and prints the first text COUNT times, and each other text.
expect() {
    local ranks=$1 way=$2 status=$3 count=$4 found text
    shift 4
    timeout 120 "${launch[@]}" -n "$ranks" "$program" "$way" >"$output" 2>&1 </dev/null
    found=$?
    local wrong=
    [ "$found" = 124 ] && wrong="hangs"
    [ "$status" = 0 ] && [ "$found" != 0 ] && wrong="ends with $found"
    [ "$status" = fails ] && [ "$found" = 0 ] && wrong="does not fail"
    [ "$(grep -a -c -F -- "$1" "$output")" = "$count" ] || wrong="${wrong:+$wrong, }does not say '$1' $count times"
    for text in "$@"; do
        grep -a -q -F -- "$text" "$output" || wrong="${wrong:+$wrong, }does not say '$text'"
    done
    if [ -n "$wrong" ]; then
        failed=$((failed + 1))
        echo "memory $way on $ranks ranks $wrong:"
        tail -n 20 "$output"
    elif [ -n "${WEFT_TEST_VERBOSE:-}" ]; then
        cut -c 1-200 "$output"
    fi
}

# Three arrays, and the memory kept for a stencil.
WEFT_CONFIG="$flags 100" expect 1 stencil fails 1 'error true' 'requested from SYSTEM_MEM' 'resize: --sysmem'
expect 1 ring fails 1 'error true'
for ranks in 2 4; do
    WEFT_CONFIG="$flags 100" expect $ranks stencil 0 "$ranks" 'stencil is right'
    expect $ranks ring 0 "$ranks" 'ring is right'
    expect $ranks loop 0 "$ranks" 'loop is right'
    expect $ranks batches 0 "$ranks" 'batches is right'
    expect $ranks transpose 0 "$ranks" 'transpose is right'
    expect $ranks read fails "$ranks" 'error true' 'requested from SYSTEM_MEM for elements 0..5242880'
done
for ranks in 2 3; do
    # A rank's part of the array and the received parts exceed the memory.
    WEFT_CONFIG="$flags 28" expect $ranks transpose fails "$ranks" 'error true' \
        'of 41,943,040 bytes (40.0 MiB) on this rank'
done
[ "$failed" = 0 ] && echo "arrays larger than a rank's memory: passed, MPI is $mpi"
exit "$failed"
