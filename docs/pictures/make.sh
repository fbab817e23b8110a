#!/usr/bin/env bash
# Records runs and draws the pictures of this folder, for README.md and docs/reading-a-profile.md. Arguments: names of
# pictures; default: all. WEFT names the command, if it is not target/debug/weft; the example `stencil` is in the same folder. PYTHON names an
# interpreter that has the package `weft`.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
weft=$(realpath "${WEFT:-target/debug/weft}")
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wanted() {
    [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" $1 "* ]]
}
names=("$@")

# picture NAME VIEW-FLAGS -- COMMAND...: records the command on two cores, and draws the profile.
picture() {
    local name=$1 flags=()
    shift
    while [ "$1" != -- ]; do
        flags+=("$1")
        shift
    done
    shift
    wanted "$name" || return 0
    mkdir "$work/$name"
    (cd "$work/$name" && WEFT_CONFIG="--profile --cpus 2 ${CONFIG:-}" "$@")
    "$weft" view --force --svg "docs/pictures/$name.svg" --source-root "$root" "${flags[@]}" "$work/$name/weft_0.prof"
}

advice="$root/examples/advice"
stencil="$(dirname "$weft")/stencil"

picture stencil --lanes CPU -- "$stencil" -n 2000 -i 8
picture full --lanes CPU -- "$stencil" -n 3000 -i 12
picture gaps --lanes CPU --between 40%..46% -- "$python" "$advice/blocking.py" before
picture gaps-closed --lanes CPU --between 40%..46% -- "$python" "$advice/blocking.py" after
CONFIG="--max-inline-chunk=0 --fusion=false" picture barcode --lanes CPU --between iteration:100..104 -- "$stencil" -n 60 -i 400
CONFIG="--fusion=false" picture confetti --lanes CPU --between 40%..60% -- "$python" "$advice/unfused.py" before
picture one-tile --lanes CPU --between 30%..60% -- "$python" "$advice/one_tile.py" before
picture plateau --lanes MEM -- "$stencil" -n 2000 -i 12
