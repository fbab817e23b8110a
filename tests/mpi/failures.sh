#!/usr/bin/env bash
# Differences between ranks, and failures: `tests/mpi/failures.sh openmpi` or `tests/mpi/failures.sh mpich`, after a build by
# tests/mpi/run.sh. No program may hang, and each prints the reason of its end, with the rank and the line.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
cargo build -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --example ranks || exit 1
program=$CARGO_TARGET_DIR/debug/examples/ranks
source=runtime/array/examples/ranks.rs
launch=("mpirun.$mpi")
if [ "$mpi" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch+=(--oversubscribe)
fi
export WEFT_CONFIG="--cpus 1 --gpus 0"
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Prints the line number of a text in the program.
line() {
    grep -n -F "$1" "$source" | head -n 1 | cut -d : -f 1
}

# expect RANKS WAY 0|fails TEXT...: checks that the run ends as expected, and prints each text.
expect() {
    local ranks=$1 way=$2 status=$3 found text
    shift 3
    timeout 60 "${launch[@]}" -n "$ranks" "$program" "$way" >"$output" 2>&1 </dev/null
    found=$?
    local wrong=
    [ "$found" = 124 ] && wrong="hangs"
    [ "$status" = 0 ] && [ "$found" != 0 ] && wrong="ends with $found"
    [ "$status" = fails ] && [ "$found" = 0 ] && wrong="does not fail"
    for text in "$@"; do
        grep -a -q -F -- "$text" "$output" || wrong="${wrong:+$wrong, }does not say '$text'"
    done
    if [ -n "$wrong" ]; then
        failed=$((failed + 1))
        echo "ranks $way on $ranks ranks $wrong:"
        tail -n 20 "$output"
    fi
}

# unsaid NAME TEXT: checks that the last run has not printed this text.
unsaid() {
    grep -a -q -F -- "$2" "$output" || return 0
    failed=$((failed + 1))
    echo "ranks $1 says '$2':"
    tail -n 20 "$output"
}

for ranks in 2 3; do
    at=$(line 'if is_odd { &a - &b }')
    expect $ranks operation fails "subtract at $source:$at:" "add at $source:$at:" ' on rank 1' \
        'do not run the same program'
    expect $ranks values fails "load at $source:$(line 'f64::from(rank)')" 'do not run the same program'
    for way in axis:sum_axis:sum long-axis:sum_axis:sum sort:sort_axis:sort "order:(left - right):subtract" value:from_slice\(\&values:load; do
        IFS=: read -r way call name <<<"$way"
        expect $ranks "$way" fails "$name at $source:$(line "$call"):" ' on each, with different parameters' 'do not run the same program'
    done
    expect $ranks end fails 'the end of the program on rank 1' 'do not run the same program'
    expect $ranks slow 0 "sum 262144"
    expect $ranks unfinished 0 "sum 262144"
    expect $ranks index fails "error take at $source:$(line '.take(&weft')" \
        "error on rank $((ranks - 1)): take at $source:$(line '.take(&weft')" 'index 262144 is out of bounds'
    expect $ranks memory 0 'error true add at' 'error true on rank 1: add at' 'sum 262144'
    # A failure that the program has received is not reported again, on any rank; others are
    # reported by the rank that failed.
    for way in caught caught-task; do
        expect $ranks $way 0 "caught on rank $((ranks - 1)):"
        unsaid "$way on $ranks ranks" "weft: "
    done
    expect $ranks unread fails "weft: take at $source:$(line 'let picked')" "weft: on rank $((ranks - 1)): take at"
    unsaid "unread on $ranks ranks" "could not compute"
    expect $ranks panic fails 'rank 1 has no more to say than 262144' 'the end of the program on rank 1'
    expect $ranks kill fails
done
WEFT_MPI_PART_BYTES=4k expect 2 slow fails 'WEFT_MPI_PART_BYTES 4k: it is not a whole number'
# A missing message is reported, whether it has one part or many.
WEFT_MPI_PART_BYTES=4096 expect 3 memory 0 'error true add at' 'error true on rank 1: add at' 'sum 262144'
WEFT_MPI_PART_BYTES=4096 expect 3 index fails "error on rank 2: take at $source:$(line '.take(&weft')" 'index 262144 is out of bounds'
# Ranks cut operations equally even if their cores or thresholds differ.
timeout 60 "${launch[@]}" -n 1 env WEFT_CONFIG="--cpus 3 --gpus 0" "$program" slow : \
    -n 1 env WEFT_CONFIG="--cpus 1 --gpus 0 --min-cpu-chunk 1000" "$program" slow : \
    -n 1 env WEFT_CONFIG="--cpus 0 --omps 1 --ompthreads 2 --gpus 0" "$program" slow >"$output" 2>&1 </dev/null
if [ "$?" != 0 ] || [ "$(grep -a -c -F "sum 262144" "$output")" != 3 ]; then
    failed=$((failed + 1))
    echo "ranks with different numbers of workers fail:"
    tail -n 20 "$output"
fi

[ "$failed" = 0 ] && echo "ranks that differ or fail: passed, MPI is $mpi"
exit "$failed"
