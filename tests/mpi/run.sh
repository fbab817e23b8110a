#!/usr/bin/env bash
# Runs the array tests on 1, 2, 3 and 4 ranks: `tests/mpi/run.sh openmpi` or `tests/mpi/run.sh mpich`;
# another list of ranks can follow: `tests/mpi/run.sh mpich "2 3"`; with an empty one, only failures, memory, and tasks whose tiles exchange
# values or that start tasks are tested.
# The drawn tasks among them run on 1, 2, 3 and 4 ranks with every list but an empty one.
# Needs that MPI library with its compiler wrapper, and libclang; tests/install-mpi.sh installs all of them.
# Every rank makes the same checks, on the same random programs. Ends with status 1 if one fails or takes too long.
set -euo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
ranks=${2-1 2 3 4}
tests=(programs bits numpy dtypes axes linalg fft fusion tasks)
[ -n "$ranks" ] || tests=(tasks)
# These tests are about a single rank: operations that are executed together, messages of failures (which otherwise name the failed rank),
# tiles that a body accesses, and the profile of one rank.
skip=(--skip groups_neighboring_operations --skip failures:: --skip verify:: --skip scopes:: --skip cuda:: --skip one_rank::)

export MPICC=mpicc.$mpi
# Each library needs a separate build, which shares crates that do not depend on MPI. For that, every script names weft-tools, so that
# all builds have the features of the whole workspace.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
arguments=()
for test in "${tests[@]}"; do
    arguments+=(--test "$test")
done
# The bindings are regenerated for the other library.
cargo clean -q -p mpi-sys -p mpi
binaries=$(cargo test -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi "${arguments[@]}" --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')

launch=("mpirun.$mpi")
if [ "$mpi" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch+=(--oversubscribe)
fi
# All ranks draw the same programs.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$RANDOM}
export WEFT_TEST_PROGRAMS=${WEFT_TEST_PROGRAMS:-60} WEFT_TEST_TASKS=${WEFT_TEST_TASKS:-20} WEFT_TEST_RANKS=1
echo "seed $PROPTEST_RNG_SEED, $WEFT_TEST_PROGRAMS programs, $WEFT_TEST_TASKS tasks, MPI is $mpi"
passed=0
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# on RANKS BINARY WORDS FLAG...: runs the tests of a binary on RANKS ranks.
on() {
    local count=$1 binary=$2 words=$3 name
    name=$(basename "$binary")
    if (cd runtime/array && timeout 300 "${launch[@]}" -n "$count" "$binary" --test-threads 1 "${skip[@]}" "${@:4}") >"$output" 2>&1 </dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "${name%-*} on $count ranks$words fails:"
        grep -a -v '^running\|^$' "$output" | tail -n 60
    fi
}
for count in $ranks; do
    for binary in $binaries; do
        on "$count" "$binary" ""
    done
done
if [ -z "$ranks" ]; then
    on 2 "$binaries" "" concurrent:: nested::
    binaries=
fi
for binary in $binaries; do
    case $(basename "$binary") in
    # Repeated with messages of many parts.
    programs-* | axes-* | linalg-*) WEFT_MPI_PART_BYTES=64 on 3 "$binary" " in parts of 64 bytes" ;;
    # Drawn tasks, on the other numbers of ranks too.
    tasks-*)
        WEFT_MPI_PART_BYTES=64 on 3 "$binary" " in parts of 64 bytes" concurrent::
        for count in 1 2 3 4; do
            [[ " $ranks " == *" $count "* ]] || on "$count" "$binary" "" drawn::
        done
        ;;
    esac
done
echo "$passed passed, $failed failed"
tests/mpi/failures.sh "$mpi" || failed=$((failed + 1))
tests/mpi/memory.sh "$mpi" || failed=$((failed + 1))
[ "$failed" = 0 ]
