#!/usr/bin/env bash
# Compares the messages predicted by `weft simulate` with those of real ranks: `tests/mpi/simulate.sh openmpi` or `tests/mpi/simulate.sh mpich`, after
# a build by tests/mpi/run.sh.
# The examples stencil, cg and images are recorded on one rank. The predicted messages and bytes between each two of 2, 3 and 4 ranks must
# equal those of real runs. Has the requirements of tests/mpi/run.sh. Ends with status 1 if a table differs.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
ranks=${2:-2 3 4}
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cargo build -q -p weft-tools -p weft-features -p weft-example-stencil -p weft-example-cg --features weft/mpi || exit 1
cargo build -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --example images || exit 1
weft=$CARGO_TARGET_DIR/debug/weft
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

run() { # ranks, cores of each, program and its arguments
    local count=$1 cores=$2
    shift 2
    timeout 120 "$weft" run --ranks-per-node "$count" --launcher "mpirun.$mpi" --profile --force --profile-operands --cpus "$cores" \
        --min-cpu-chunk 2048 --logdir "$folder/$count" "$CARGO_TARGET_DIR/debug/$@" </dev/null >"$folder/said" 2>&1
}

# The first run: one rank with a given number of cores.
record() {
    run 1 "$@" && return
    echo "$* on 1 rank fails:"
    tail -n 20 "$folder/said"
    failed=$((failed + 1))
    return 1
}

compare() { # ranks, cores of each, program and its arguments
    local count=$1
    local sql="SELECT srcRank, dstRank, count(*), sum(bytes) FROM WEFT_COPY WHERE srcRank IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"
    if run "$@" &&
        "$weft" query "$sql" "$folder/$count"/weft_*.prof --format csv | tail -n +2 >"$folder/real" &&
        "$weft" simulate "$folder/1/weft_0.prof" --ranks "$count" --cores-per-rank "$2" --by channel --format csv 2>"$folder/notes" |
        tail -n +2 >"$folder/predicted" &&
        [ -s "$folder/real" ] && diff "$folder/real" "$folder/predicted" >"$folder/said"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$* differs from the prediction:"
        tail -n 20 "$folder/said" "$folder/notes"
    fi
}

check() { # cores of a rank, program and its arguments
    record "$@" || return
    for count in $ranks; do
        compare "$count" "$@"
    done
}

# The number of tiles equals that of the recording on one rank, so the images are the same.
same_tiles() { # program and its arguments
    for count in $ranks; do
        record "$count" "$@" || return
        compare "$count" 1 "$@"
        grep -q "are estimates" "$folder/notes" || {
            failed=$((failed + 1))
            echo "a message about estimated images of other tiles is missing"
        }
    done
}

check 1 stencil -n 300 -i 5
check 2 stencil -n 200 -i 3
check 1 cg -n 12 -m 6
check 2 cg -n 16 -m 3
same_tiles examples/images 20000 9000
same_tiles examples/images 20000 300
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
