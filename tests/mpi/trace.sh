#!/usr/bin/env bash
# The profiles of real ranks as one trace: `tests/mpi/trace.sh openmpi` or `tests/mpi/trace.sh mpich`, after a build by tests/mpi/run.sh.
# Checks that both sides of every message are one copy, clocks are measured, and the critical path adds up, also if ranks are missing or killed.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
cargo build -q -p weft-tools -p weft-features -p weft-example-stencil --features weft/mpi || exit 1
cargo build -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --example ranks || exit 1
weft=$CARGO_TARGET_DIR/debug/weft
[ "$mpi" = openmpi ] && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
    failed=$((failed + 1))
    echo "$1"
}

# expect ANSWER SQL INPUT...
expect() {
    local answer=$1 sql=$2 found
    shift 2
    # Standard error lists the missing data of the inputs.
    found=$("$weft" query "$sql" "$@" --format csv 2>"$folder/errors" | tail -n 1)
    [ "$found" = "$answer" ] || fail "$sql is $found and not $answer, of $*: $(cat "$folder/errors")"
}

# ranks COUNT FOLDER PROGRAM...: runs the program with profiles.
ranks() {
    timeout 120 "$weft" run --ranks-per-node "$1" --launcher "mpirun.$mpi" --cpus 1 --gpus 0 --profile --force --logdir "$2" -- "${@:3}" \
        >"$folder/output" 2>&1 </dev/null
}

whole="SELECT sum(part) = max(end) - min(start) FROM WEFT_CRITICAL_PATH"
for count in 2 3; do
    logs=$folder/$count
    if ! ranks "$count" "$logs" "$CARGO_TARGET_DIR/debug/stencil" -n 300 -i 20; then
        fail "stencil on $count ranks fails:"
        tail -n 20 "$folder/output"
        continue
    fi
    profiles=("$logs"/weft_*.prof)
    expect 0 "SELECT count(*) FROM WEFT_LOSS WHERE severity <> 'note' AND value > 0" "${profiles[@]}"
    expect 1 "SELECT count(*) > 0 AND min(sides) = 2 AND max(sides) = 2 FROM (SELECT count(*) AS sides FROM WEFT_MESSAGE GROUP BY copyUid)" \
        "${profiles[@]}"
    expect 1 "SELECT (SELECT count(*) FROM WEFT_COPY WHERE srcRank IS NOT NULL) * 2 = (SELECT count(*) FROM WEFT_MESSAGE)" "${profiles[@]}"
    # Data was available before it was sent, and received after it was sent.
    expect 0 "SELECT count(*) FROM WEFT_MESSAGE s JOIN WEFT_MESSAGE r USING (srcRank, dstRank, number) \
        WHERE s.side = 'send' AND r.side = 'receive' AND r.passed < s.passed" "${profiles[@]}"
    expect $((count - 1)) "SELECT count(*) FROM WEFT_META WHERE key LIKE '%looks_error_ns'" "${profiles[@]}"
    expect 1 "$whole" "${profiles[@]}"
    expect 1 "$whole" "$logs/weft.sqlite"
    expect 1 "SELECT count(DISTINCT rank) > 1 FROM WEFT_CRITICAL_PATH" "${profiles[@]}"
    # A single rank.
    expect 1 "$whole" "$logs/weft_1.prof"
    expect 0 "SELECT count(*) FROM WEFT_LOSS WHERE severity <> 'note' AND value > 0" "$logs/weft_1.prof"
    for format in perfetto text sqlite; do
        "$weft" export "$format" "${profiles[@]}" -o "$folder/out.$format" --force >"$folder/output" 2>&1 || fail "export $format fails"
    done
    "$weft" export legion "${profiles[@]}" -o "$folder/legion_%.prof" --force >"$folder/output" 2>&1 || fail "export legion fails"
done

# A rank that kills itself: the records up to then still form one trace.
ranks 2 "$folder/killed" "$CARGO_TARGET_DIR/debug/examples/ranks" kill && fail "a run whose rank is killed does not fail"
line=$(grep -n -F 'a.sum().try_item()? > 20.0' runtime/array/examples/ranks.rs | cut -d : -f 1)
grep -q "rank 1 was stopped during the run; the last operation it recorded is .* at runtime/array/examples/ranks.rs:$line" "$folder/output" ||
    fail "the line of a killed rank is not named: $(cat "$folder/output")"
profiles=("$folder"/killed/weft_*.prof)
[ "${#profiles[@]}" = 2 ] || fail "a killed run leaves ${#profiles[@]} profiles"
expect 1 "SELECT sum(value) > 0 FROM WEFT_LOSS WHERE name = 'unfinished'" "${profiles[@]}"
expect 1 "$whole" "${profiles[@]}"

[ "$failed" = 0 ] && echo "profiles of ranks as one trace: passed, MPI is $mpi"
exit "$failed"
