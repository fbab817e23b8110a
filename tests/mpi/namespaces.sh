#!/usr/bin/env bash
# Runs array tests on separate hosts: network and host name namespaces with one wire between them, over TCP, by Open MPI.
# After a build by `tests/mpi/run.sh openmpi`. If the user may not create namespaces, it prints a message and ends with 0.
set -uo pipefail
cd "$(dirname "$0")/../.."

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target} MPICC=mpicc.openmpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
own=weft$$
hosts=(10.77.0.1 10.77.0.2)
work=$(mktemp -d)
finish() {
    for number in 1 2; do
        ip netns del "$own-$number" 2>/dev/null
    done
    rm -rf "$work"
}
trap finish EXIT

make() {
    for number in 1 2; do
        ip netns add "$own-$number" && ip -n "$own-$number" link set lo up || return 1
    done
    ip -n "$own-1" link add wire1 type veth peer name wire2 netns "$own-2" || return 1
    for number in 1 2; do
        ip -n "$own-$number" address add "${hosts[number - 1]}/24" dev "wire$number" &&
            ip -n "$own-$number" link set "wire$number" up || return 1
    done
    unshare --uts true
}
if ! make >"$work/made" 2>&1; then
    echo "Skipped: namespaces cannot be created here ($(tail -n 1 "$work/made"))."
    exit 0
fi

# A replacement for ssh, called by Open MPI with a host and a shell command.
cat >"$work/agent" <<AGENT
#!/bin/sh
host=\$1
shift
exec ip netns exec $own-\${host##*.} unshare --uts sh -c "hostname $own-\${host##*.}; \$*"
AGENT
chmod +x "$work/agent"

binaries=$(cargo test -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --test programs --test axes --test linalg --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$RANDOM} WEFT_TEST_PROGRAMS=${WEFT_TEST_PROGRAMS:-30} WEFT_TEST_RANKS=1
export WEFT_CONFIG="--cpus 1 --gpus 0"
failed=0
for each in 1 2; do
    for binary in $binaries; do
        name=$(basename "$binary")
        timeout 200 "$work/agent" "${hosts[0]}" cd "$PWD/array" "&&" exec mpirun.openmpi --oversubscribe \
            --host "${hosts[0]}:$each,${hosts[1]}:$each" -n $((2 * each)) \
            --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
            --mca oob_tcp_if_include 10.77.0.0/24 \
            -x PROPTEST_RNG_SEED -x WEFT_TEST_PROGRAMS -x WEFT_TEST_RANKS -x WEFT_CONFIG -x PATH \
            "$binary" --test-threads 1 >"$work/output" 2>&1 </dev/null || {
            failed=$((failed + 1))
            echo "${name%-*} on 2 hosts with $each ranks each fails:"
            grep -a -v '^running\|^$' "$work/output" | tail -n 40
        }
    done
done
[ "$failed" = 0 ] && echo "array tests on two hosts: passed, seed $PROPTEST_RNG_SEED"
exit "$failed"
