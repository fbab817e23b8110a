#!/usr/bin/env bash
# The folders of profiles if earlier ones exist: `tests/mpi/folders.sh openmpi` or `mpich`, after a build by tests/mpi/run.sh.
# All ranks of a run choose the same folder, even if only one finds an existing file; nothing is replaced without --force.
set -uo pipefail
cd "$(dirname "$0")/../.."

mpi=${1:?which MPI: openmpi or mpich}
export MPICC=mpicc.$mpi CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
cargo build -q -p weft-tools -p weft-features -p weft-example-stencil --features weft/mpi || exit 1
target=$(cd "$CARGO_TARGET_DIR" && pwd)/debug
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=("mpirun.$mpi" -n 3)
[ "$mpi" = openmpi ] && launch+=(--oversubscribe)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect WHAT FOUND WANTED
expect() {
    [ "$2" = "$3" ] && return
    failed=$((failed + 1))
    printf '%s is\n%s\nand not\n%s\n' "$1" "$2" "$3"
}

# names FOLDER: prints the names of its files in one line.
names() {
    (cd "$1" && find . -type f | sort | tr '\n' ' ')
}

# Only the last rank finds an existing file.
echo old >"$folder/weft_2.prof"
run() {
    (cd "$folder" && WEFT_CONFIG="--cpus 1 --gpus 0 --profile $1" timeout 120 "${launch[@]}" "$target/stencil" -n 60 -i 3) \
        >"$folder.said" 2>&1 </dev/null || expect "the run" "$(cat "$folder.said")" "done"
}
one="./weft-run-1/weft_0.prof ./weft-run-1/weft_1.prof ./weft-run-1/weft_2.prof "
two="./weft-run-2/weft_0.prof ./weft-run-2/weft_1.prof ./weft-run-2/weft_2.prof "
run ""
expect "what there is" "$(names "$folder")" "$one./weft_2.prof "
expect "the message" "$(grep -c 'belongs to an earlier run, so' "$folder.said")" 1
expect "the earlier file" "$(cat "$folder/weft_2.prof")" old
run ""
expect "what there is" "$(names "$folder")" "$one$two./weft_2.prof "
run "--force"
expect "what there is with --force" "$(names "$folder")" "$one$two./weft_0.prof ./weft_1.prof ./weft_2.prof "

# `weft run` chooses for all of its ranks, and joins their files.
(cd "$folder" && timeout 120 "$target/weft" run --ranks-per-node 3 --launcher "mpirun.$mpi" --cpus 1 --gpus 0 --profile \
    -- "$target/stencil" -n 60 -i 3) >"$folder.said" 2>&1 </dev/null
expect "the last line" "$(tail -n 1 "$folder.said")" \
    "weft: the profiles of 3 ranks are joined in weft-run-3/weft.sqlite; next: \`weft stats weft-run-3/weft.sqlite\`"
rm -f "$folder.said"
[ "$failed" = 0 ] || exit 1
echo "ranks agree on folders"
