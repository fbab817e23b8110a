#!/usr/bin/env bash
# Programs on GPUs of several ranks: `tests/mpi/gpus.sh openmpi` or `tests/mpi/gpus.sh mpich`, after a build by tests/mpi/run.sh.
# The GPUs are emulated, which needs a C++ compiler. Random programs are compared with ndarray, random tasks with an oracle, and
# examples with their results on CPUs. Messages go through pinned memory, or from GPU to GPU if MPI is declared to accept GPU addresses.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
if ! command -v c++ >/dev/null; then
    echo "A C++ compiler is missing: programs on GPUs of several ranks are left out."
    exit 0
fi
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
target=$(realpath -m "$CARGO_TARGET_DIR")/debug
weft=$target/weft
cargo build -q -p cuda-emulator -p weft-tools -p weft-features -p weft-example-stencil -p weft-example-cg --features weft/mpi || exit 1
cargo build -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --example ranks || exit 1
# executable TEST: prints the path of the test's executable.
executable() {
    cargo test -q -p weft-array -p weft-tools -p weft-features --features weft-array/mpi --test "$1" --no-run --message-format=json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}
programs=$(executable programs) && tasks=$(executable tasks) || exit 1
launch=("mpirun.$mpi")
if [ "$mpi" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch+=(--oversubscribe)
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in libcuda.so libcuda.so.1 libnvrtc.so libnvrtc.so.13 libcublas.so libcublas.so.13 libcufft.so libcufft.so.12 libcusolver.so libcusolver.so.12 libcupti.so libcupti.so.13; do
    ln -s "$target/libcuda_emulator.so" "$folder/$name"
done
unset CUDA_VISIBLE_DEVICES CUDA_HOME CUDA_PATH WEFT_NVRTC WEFT_CUBLAS WEFT_CUFFT WEFT_CUSOLVER WEFT_CUPTI WEFT_KERNEL_BUNDLE
export WEFT_CACHE=$folder/kernels WEFT_EMULATED_GPU_MIB=800
seed=${WEFT_EMULATED_SEED:-$RANDOM}
export WEFT_EMULATED_SEED=$seed PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$RANDOM} WEFT_TEST_PROGRAMS=${WEFT_TEST_PROGRAMS:-5}
export WEFT_TEST_TASKS=${WEFT_TEST_TASKS:-5}
export PROPTEST_MAX_SHRINK_ITERS=0
echo "seeds $PROPTEST_RNG_SEED and $WEFT_EMULATED_SEED, $WEFT_TEST_PROGRAMS programs, $WEFT_TEST_TASKS tasks, MPI is $mpi"
failed=0

# on RANKS GPUS_OF_A_NODE PROGRAM...: runs the program; its output is in $folder/output.
on() {
    timeout 200 "${launch[@]}" -n "$1" env LD_LIBRARY_PATH="$folder" WEFT_EMULATED_GPUS="$2" "${@:3}" >"$folder/output" 2>&1 </dev/null
}

fail() {
    failed=$((failed + 1))
    echo "$1"
    grep -a -v '^$' "$folder/output" | tail -n 40
}

(
    cd runtime/array || exit 1
    on 2 1 "$programs" programs_on_gpus --ignored --test-threads 1
) || fail "programs on GPUs of 2 ranks fail:"
(
    cd runtime/array || exit 1
    on 2 1 "$tasks" tasks_on_gpus --ignored --test-threads 1
) || fail "tasks on GPUs of 2 ranks fail:"

# alike RANKS GPUS_OF_A_NODE TEXT PROGRAM...: every rank prints the text.
alike() {
    on "$1" "$2" "${@:4}" || fail "$(basename "$4") on $1 ranks and $2 GPUs fails:"
    [ "$(grep -a -c -F -x -- "$3" "$folder/output")" = "$1" ] ||
        fail "$(basename "$4") on $1 ranks and $2 GPUs does not say '$3' on each:"
}

# The output equals that on CPUs, with one or two GPUs for each rank, and with a shared one.
stencil=("$target/stencil" -n 200 -i 8)
cg=("$target/cg" -n 8)
sum=$(WEFT_CONFIG="--cpus 1 --gpus 0" "${stencil[@]}")
iterations=$(WEFT_CONFIG="--cpus 1 --gpus 0" "${cg[@]}")
for case in "2 2 1" "2 4 2" "2 1 1" "3 3 1"; do
    read -r ranks gpus each <<<"$case"
    export WEFT_CONFIG="--cpus 1 --gpus $each --min-gpu-chunk 64"
    alike "$ranks" "$gpus" "$sum" "${stencil[@]}"
done
export WEFT_CONFIG="--cpus 1 --gpus 1 --min-gpu-chunk 64"
alike 2 2 "$iterations" "${cg[@]}"

# A failure on one rank is a failure on all ranks.
on 2 2 "$target/examples/ranks" memory || fail "an operation without memory fails the run:"
on 2 2 "$target/examples/ranks" index && fail "an index that is wrong on one rank fails nothing:"
grep -a -q "index 262144 is out of bounds" "$folder/output" || fail "an index that is wrong on one rank is not named:"

# The memories of messages between two ranks: 1 is pinned memory, 2 GPU memory. Contributions of all ranks have numbers from 2^62.
memories="SELECT group_concat(DISTINCT memoryId) FROM WEFT_MESSAGE WHERE number < (1 << 62)"
for case in "1 false" "2 true"; do
    read -r memory is_aware <<<"$case"
    mkdir "$folder/$is_aware"
    export WEFT_CONFIG="--cpus 1 --gpus 1 --min-gpu-chunk 64 --cuda-aware-mpi=$is_aware --profile --force --logdir $folder/$is_aware"
    WEFT_EMULATED_REACHABLE=1 alike 2 2 "$sum" "${stencil[@]}"
    found=$("$weft" query "$memories" "$folder/$is_aware"/weft_*.prof --format csv 2>"$folder/output" | tail -n 1)
    [ "$found" = "$memory" ] || fail "messages with --cuda-aware-mpi=$is_aware are in memory $found and not $memory:"
    lost=$("$weft" query "SELECT count(*) FROM WEFT_LOSS WHERE severity <> 'note' AND value > 0" "$folder/$is_aware"/weft_*.prof \
        --format csv 2>"$folder/output" | tail -n 1)
    [ "$lost" = 0 ] || fail "a profile of GPUs of 2 ranks lost $lost kinds of records:"
done

[ "$failed" = 0 ] && echo "GPUs of several ranks: passed, MPI is $mpi"
exit "$failed"
