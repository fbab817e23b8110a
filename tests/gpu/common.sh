# Functions of the scripts that run on a machine with a GPU. They need bash, awk, tar and timeout; CuPy, nsys and compute-sanitizer for what
# compares with them or runs under them. $PYTHON is the Python with CuPy. WEFT_GPU_SMALL=1 selects small sizes, on which the figures have no
# meaning, to test the scripts themselves. No step stops the others, and each has a time limit.

# begin RESULTS SECONDS: opens the file of results and a folder for work, for at most $WEFT_GPU_SECONDS seconds, or this number.
begin() {
    results=$(realpath -m "$1")
    seconds=${WEFT_GPU_SECONDS:-$2}
    small=${WEFT_GPU_SMALL:-0}
    # Emulated GPUs are slow.
    slower=$((small == 1 ? 10 : 1))
    [ -n "${WEFT_GPU_SECONDS:-}" ] || seconds=$((seconds * slower))
    work=$(mktemp -d "${TMPDIR:-/tmp}/weft-gpu.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cd "$work" || exit 1
    unset WEFT_CONFIG
    : >"$results"
}

# end: prints the errors of all steps, and the time.
end() {
    if [ -s errors ]; then
        say ""
        say "wrote to standard error:"
        sort errors | uniq -c | sort -rn | head -20 | tee -a "$results"
    fi
    say ""
    say "$SECONDS s; written to $results"
}

say() { printf '%s\n' "$*" | tee -a "$results"; }
row() { printf '%-58s %-26s %-18s %s\n' "$1" "$2" "$3" "$4" | tee -a "$results"; }

# limited SECONDS COMMAND...: runs the command with a time limit, and within the time of all steps.
limited() {
    local left=$((seconds - SECONDS)) limit=$(($1 * slower))
    shift
    [ "$left" -lt "$limit" ] && limit=$left
    [ "$limit" -le 0 ] && return 124
    timeout --kill-after=5 "$limit" "$@"
}

# calc EXPRESSION [DIGITS]: prints the value; nothing if a part of the expression is missing.
calc() { awk "BEGIN { v = $1; if (v == v + 0) printf \"%.${2:-3}f\", v }" 2>/dev/null; }

# verdict MEASURED least|most GOAL
verdict() {
    if [ -z "$1" ]; then
        echo "NOT MEASURED"
    elif [ "$(awk -v a="$1" -v b="$3" -v how="$2" 'BEGIN { print (how == "least" ? a >= b : a <= b) }')" = 1 ]; then
        echo ok
    else
        echo MISSED
    fi
}
# judged NAME MEASURED UNIT least|most GOAL
judged() { row "$1" "${2:-?}$3" "at $4 $5$3" "$(verdict "$2" "$4" "$5")"; }
told() { row "$1" "${2:-?}" "" ""; }

tail_of() { tail -n 3 "$1" | tr '\n' ' ' | cut -c1-300; }

# find_python: sets `python` to a Python with CuPy, if there is one. NVIDIA's libraries are then found among its packages.
find_python() {
    local candidate
    python=
    for candidate in ${PYTHON:-} python3 /opt/*/.venv/bin/python3; do
        if command -v "$candidate" >/dev/null && "$candidate" -c 'import cupy' 2>/dev/null; then
            python=$(command -v "$candidate")
            break
        fi
    done
    if [ -n "$python" ] && [ -z "${VIRTUAL_ENV:-}" ]; then
        VIRTUAL_ENV=$(dirname "$(dirname "$python")")
        export VIRTUAL_ENV
    fi
}

# describe_machine: prints the versions of everything, and the head of the table. `weft` must be on PATH.
describe_machine() {
    find_python
    say "Weft on a GPU, $(date -u +%F\ %T) UTC; built from $(tr '\n' ' ' <"$here/built")"
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null | tee -a "$results"
    limited 60 weft info 2>&1 | tee -a "$results"
    if [ -n "$python" ]; then say "CuPy           $("$python" -c 'import cupy; print(cupy.__version__)')"; else say "CuPy           none"; fi
    say "GLIBC          $(ldd --version 2>/dev/null | sed -n '1s/.* //p')"
    say ""
    row "what" "measured" "goal" "verdict"
}
