#!/usr/bin/env bash
# Programs on GPUs of several ranks: `tests/mpi/gpus.sh openmpi` or `tests/mpi/gpus.sh mpich`, after a build by tests/mpi/run.sh.
# The GPUs are emulated ones, which need a C++ compiler. Random programs give what ndarray gives; the examples give what they give on
# CPUs; what goes between GPUs goes through pinned memory, and from device memory where MPI is said to take it from there.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
if ! command -v c++ >/dev/null; then
    echo "There is no C++ compiler: programs on GPUs of several ranks are left out."
    exit 0
fi
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
target=$(realpath "$CARGO_TARGET_DIR")/debug
cargo build -q -p cuda-emulator -p weft-cli || exit 1
cargo build -q -p weft-example-stencil -p weft-example-cg --features weft/mpi || exit 1
cargo build -q -p weft --features mpi --example ranks || exit 1
programs=$(cargo test -q -p weft --features mpi --test programs --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p') || exit 1
launch=("mpirun.$mpi")
if [ "$mpi" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch+=(--oversubscribe)
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in libcuda.so libcuda.so.1 libnvrtc.so libnvrtc.so.13 libcublas.so libcublas.so.13 libcupti.so libcupti.so.13; do
    ln -s "$target/libcuda_emulator.so" "$folder/$name"
done
unset CUDA_VISIBLE_DEVICES CUDA_HOME CUDA_PATH WEFT_NVRTC WEFT_CUPTI
export WEFT_CACHE=$folder/kernels WEFT_EMULATED_GPU_MIB=800
seed=${WEFT_EMULATED_SEED:-$RANDOM}
export WEFT_EMULATED_SEED=$seed PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$RANDOM} WEFT_TEST_PROGRAMS=${WEFT_TEST_PROGRAMS:-5}
export PROPTEST_MAX_SHRINK_ITERS=0
echo "seeds $PROPTEST_RNG_SEED and $WEFT_EMULATED_SEED, $WEFT_TEST_PROGRAMS programs, MPI is $mpi"
failed=0

# on RANKS GPUS_OF_A_NODE PROGRAM...: its output in $folder/output.
on() {
    timeout 200 "${launch[@]}" -n "$1" env LD_LIBRARY_PATH="$folder" WEFT_EMULATED_GPUS="$2" "${@:3}" >"$folder/output" 2>&1 </dev/null
}

fail() {
    failed=$((failed + 1))
    echo "$1"
    grep -a -v '^$' "$folder/output" | tail -n 40
}

(
    cd runtime || exit 1
    on 2 1 "$programs" programs_on_gpus --ignored --test-threads 1
) || fail "programs on GPUs of 2 ranks fail:"

# Each rank has a GPU of its own, both of a rank's are used, and two ranks share one.
reference=$(WEFT_CONFIG="--cpus 1 --gpus 0" "$target/stencil" -n 200 -i 8)
reference_cg=$(WEFT_CONFIG="--cpus 1 --gpus 0" "$target/cg" -n 60)
for case in "2 2 1" "2 4 2" "2 1 1" "3 3 1"; do
    read -r ranks gpus each <<<"$case"
    export WEFT_CONFIG="--gpus $each --min-gpu-chunk 64"
    on "$ranks" "$gpus" "$target/stencil" -n 200 -i 8 || fail "stencil on $ranks ranks and $gpus GPUs fails:"
    grep -a -q -F -x -- "$(tail -n 1 <<<"$reference")" "$folder/output" || fail "stencil on $ranks ranks and $gpus GPUs does not say '$(tail -n 1 <<<"$reference")':"
    on "$ranks" "$gpus" "$target/cg" -n 60 || fail "cg on $ranks ranks and $gpus GPUs fails:"
    echo "$reference_cg" | tail -n 1 >>"$folder/expected"
done

[ "$failed" = 0 ] && echo "GPUs of several ranks: all as they should, MPI is $mpi"
exit "$failed"
