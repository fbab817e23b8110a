#!/usr/bin/env bash
# Checks and measures the Rust programs that need a GPU, with the files from tests/gpu/build.sh, in at most $WEFT_GPU_SECONDS (290) seconds:
# `programs.sh [RESULTS]` (results.txt). See common.sh for what it needs.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
begin "${1:-results.txt}" 290
tar -xzf "$here/programs.tar.gz" -C "$work" || exit 1
PATH=$work/programs:$PATH

if [ "$small" = 1 ]; then
    stencil_n=64 stencil_i=(4 12) cg_sizes=(8) cg_i=(4 12)
    tasks=50 kernel_elements=1000 kernels=50 rounds=1
    export WEFT_TEST_LENGTH=1003 WEFT_MEASURE_MIB=2 WEFT_MEASURE_LAUNCHES=200 WEFT_TEST_PROGRAMS=3
else
    stencil_n=16384 stencil_i=(20 220) cg_sizes=(150 50) cg_i=(25 225)
    # Two vectors of 5 million f64 are read in about 20 us.
    tasks=20000 kernel_elements=5000000 kernels=5000 rounds=3
    export WEFT_TEST_PROGRAMS=20
fi

elapsed() { sed -n 's/^Elapsed Time: \([0-9.]*\) ms$/\1/p'; }
least() { sort -g | head -1; }

# slope COMMAND...: milliseconds per iteration of a program whose last argument is the number of iterations. The difference of a short and a
# long run excludes start and end; prints the minimum of several rounds. `counts` has the numbers of iterations.
slope() {
    local short long i
    for ((i = 0; i < rounds; i++)); do limited 60 "$@" "${counts[0]}" 2>>errors | elapsed; done >short
    for ((i = 0; i < rounds; i++)); do limited 60 "$@" "${counts[1]}" 2>>errors | elapsed; done >long
    short=$(least <short) long=$(least <long)
    [ -n "$short" ] && [ -n "$long" ] && calc "($long - $short) / (${counts[1]} - ${counts[0]})" 5
}

# each FLAGS MODE COUNT LENGTH: nanoseconds per operation, the minimum of several rounds.
each() {
    local i
    for ((i = 0; i < rounds; i++)); do
        WEFT_CONFIG="--gpus 1 --force --logdir $work $1" limited 60 bench-gpu "$2" "$3" "$4" 2>>errors | sed -n 's/^each \([0-9.]*\) ns$/\1/p'
    done | least
}

# ask SQL: the first value, from the joined file of the last profiled run.
ask() { limited 30 weft query --format csv "$1" joined.sqlite 2>>errors | sed -n '2s/^"\(.*\)"$/\1/; 2p' | cut -d, -f1; }

# profiled FLAGS PROGRAM...: runs the program with a profile and joins it; the output is in `log`.
profiled() {
    local flags=$1
    shift
    rm -rf prof joined.sqlite
    # shellcheck disable=SC2086
    limited 90 weft run --gpus 1 --profile --force --logging runtime=info --logdir prof $flags -- "$@" >out 2>log &&
        limited 60 weft export sqlite prof/weft_0.prof -o joined.sqlite 2>>errors
}

describe_machine

# ---- results
# tests NAME SECONDS THREADS COMMAND...
tests() {
    local name=$1 seconds=$2 threads=$3 status
    shift 3
    limited "$seconds" "$@" --ignored --test-threads="$threads" >out 2>&1
    status=$?
    if [ $status = 0 ]; then
        row "$name" "$(sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1 passed/p' out)" "all" ok
    else
        [ $status = 124 ] && status="no more time"
        row "$name" "$(grep -c '^test .* ok$' out) passed ($status)" "all" FAILED
        { grep -E '^test .* FAILED|panicked' -A1 out || tail -n 5 out; } | head -40 | tee -a "$results"
    fi
}
tests "driver: each method on the GPU" 60 1 test-driver driver::tests::trait_methods --skip copies_between_gpus

# ---- bandwidth
limited 60 test-driver --ignored --nocapture --test-threads=1 driver::tests::measure >out 2>>errors
measure() { sed -n "s/^\(.* \)\?$1 \([0-9.]*\) .*/\2/p" out; }
copy=$(measure copy_bandwidth)
told "copy within the GPU, bytes read and written" "${copy:-?} GB/s"
told "driver alone: a launch, until issued" "$(measure launch_issue) ns"
told "driver alone: a launch, until run" "$(measure launch_run) ns"
told "driver alone: a kernel in a graph of 100" "$(measure graph_kernel_run) ns"

# ---- stencil
counts=("${stencil_i[@]}")
export WEFT_CONFIG="--gpus 1"
ours=$(slope stencil -t -n $stencil_n -i)
WEFT_CONFIG="--gpus 1 --cuda-graphs"
graphs=$(slope stencil -t -n $stencil_n -i)
unset WEFT_CONFIG
theirs=
[ -n "$python" ] && theirs=$(slope "$python" "$here/cupy_stencil.py" $stencil_n)
told "stencil n=$stencil_n, an iteration" "${ours:-?} ms"
told "  with --cuda-graphs" "${graphs:-?} ms"
told "  CuPy" "${theirs:-none} ms"
for i in "${stencil_i[@]}"; do
    profiled "" stencil -n $stencil_n -i "$i"
    ask "SELECT count(*) FROM WEFT_KERNEL WHERE source = 'cupti' AND kind = 'kernel'"
done >kernels
per=$(calc "($(tail -1 kernels) - $(head -1 kernels)) / (${stencil_i[1]} - ${stencil_i[0]})" 1)
floor="16 * $stencil_n * $stencil_n / 1e6 / $ours / $copy * 100"
told "  kernels an iteration" "$per"
judged "  of copy bandwidth, each kernel reading and writing once" "$(calc "$floor * $per" 1)" " %" least 80
told "  of copy bandwidth, reading and writing once per iteration" "$(calc "$floor" 1) %"
judged "  faster than CuPy" "$(calc "$theirs / $ours" 2)" "x" least 1.5

# ---- conjugate gradients
counts=("${cg_i[@]}")
for n in "${cg_sizes[@]}"; do
    export WEFT_CONFIG="--gpus 1"
    ours=$(slope cg -t -n "$n" -m)
    WEFT_CONFIG="--gpus 1 --cuda-graphs"
    graphs=$(slope cg -t -n "$n" -m)
    unset WEFT_CONFIG
    theirs=
    [ -n "$python" ] && theirs=$(slope "$python" "$here/cupy_cg.py" "$n")
    told "cg n=$n, an iteration" "${ours:-?} ms"
    told "  with --cuda-graphs" "${graphs:-?} ms"
    told "  CuPy" "${theirs:-none} ms"
    judged "  faster than CuPy" "$(calc "$theirs / $ours" 2)" "x" least 1.5
    profiled "" cg -n "$n" -m "${cg_i[1]}"
    time=$(ask "SELECT avg(\"end\" - start) FROM WEFT_KERNEL WHERE source = 'cupti' AND name LIKE '%matvec%'")
    told "  its matrix times vector" "${time:-?} ns"
    judged "  of copy bandwidth, the matrix read once" "$(calc "8 * $n ^ 4 / $time / $copy * 100" 1)" " %" least 85
done

# ---- the cost of a task
for mode in adds dots loop; do
    judged "a task of 100 elements ($mode)" "$(calc "$(each "" $mode $tasks 100) / 1000")" " us" most 6
    judged "  with --cuda-graphs" "$(calc "$(each --cuda-graphs $mode $tasks 100) / 1000")" " us" most 2
done

# ---- the cost of recording
for elements in $kernel_elements $((kernel_elements / 50)); do
    off=$(each "--profile --cupti=no" dots $kernels "$elements")
    on=$(each "--profile --cupti" dots $kernels "$elements")
    told "dot of $elements elements, CUPTI off" "$(calc "$off / 1000") us"
    told "  CUPTI on" "$(calc "$on / 1000") us"
    if [ "$elements" = "$kernel_elements" ]; then
        judged "  CUPTI costs" "$(calc "($on / $off - 1) * 100" 2)" " %" most 5
    else
        told "  CUPTI costs, on small kernels" "$(calc "($on / $off - 1) * 100" 2) %"
    fi
done
rm -f joined.sqlite
limited 60 weft export sqlite weft_0.prof -o joined.sqlite 2>>errors
told "  CUPTI's own count of its overhead (? if none)" "$(ask "SELECT group_concat(name || '=' || value, ' ') FROM WEFT_LOSS WHERE name LIKE '%overhead%'")"

# ---- links
linked() {
    local name=$1 flags=$2 method=$3 kernels good issued
    shift 3
    if ! profiled "$flags" "$@"; then
        row "$name" "$(tail_of log)" "" FAILED
        return
    fi
    kernels=$(ask "SELECT count(*) FROM WEFT_KERNEL WHERE source = 'cupti'")
    good=$(ask "SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK t JOIN WEFT_KERNEL k ON k.id = t.kernelId WHERE k.source = 'cupti' AND t.method IN ($method)")
    row "$name: linked by $method" "${good:-?} of ${kernels:-?}" "all" "$([ "${kernels:-0}" -gt 0 ] && [ "$good" = "$kernels" ] && echo ok || echo MISSED)"
    told "  not linked, by reason (? if none)" "$(ask "SELECT group_concat(reason || '=' || n, ' ') FROM (SELECT reason, count(*) n FROM WEFT_UNMATCHED GROUP BY 1)")"
    # Only tools record ranges, so this checks a file with data of nsys.
    row "  the range around the call says the same / another" "$(ask "SELECT value FROM WEFT_META WHERE key LIKE '%external_id_agreed'") / $(ask "SELECT value FROM WEFT_META WHERE key LIKE '%external_id_disagreed'")" "all / 0" ""
    issued=$(sed -n 's/.*GPUs were given //p' log)
    told "  device layer" "$issued"
    counted() { echo "$issued" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
    kernels=$(ask "SELECT count(*) FROM WEFT_KERNEL WHERE source = 'cupti' AND kind = 'kernel'")
    row "  kernels recorded, kernels issued" "$kernels, $(calc "$(counted kernels) + $(counted graph_kernels)" 0)" "equal" \
        "$([ -n "$kernels" ] && [ "$kernels" = "$(calc "$(counted kernels) + $(counted graph_kernels)" 0)" ] && echo ok || echo MISSED)"
    kernels=$(ask "SELECT count(*) FROM WEFT_KERNEL WHERE source = 'cupti' AND kind <> 'kernel'")
    row "  copies and fills recorded, issued" "$kernels, $(calc "$(counted copies) + $(counted fills)" 0)" "equal" \
        "$([ -n "$kernels" ] && [ "$kernels" = "$(calc "$(counted copies) + $(counted fills)" 0)" ] && echo ok || echo MISSED)"
    told "  losses" "$(ask "SELECT group_concat(name || '=' || value, ' ') FROM WEFT_LOSS WHERE value > 0")"
}
cg_n=${cg_sizes[${#cg_sizes[@]} - 1]}
linked "stencil" "" "'external_id'" stencil -n $((stencil_n / 8)) -i 50
linked "cg" "" "'external_id'" cg -n "$cg_n" -m 100
linked "stencil in graphs" --cuda-graphs "'external_id', 'recorded'" stencil -n $((stencil_n / 8)) -i 50
linked "cg in graphs" --cuda-graphs "'external_id', 'recorded'" cg -n "$cg_n" -m 100
told "  of them by 'recorded'" "$(ask "SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK t JOIN WEFT_KERNEL k ON k.id = t.kernelId WHERE k.source = 'cupti' AND t.method = 'recorded'")"

# ---- more than the memory holds
WEFT_CONFIG="--gpus 1 --fbmem 4" limited 60 mistakes memory >out 2>>errors
status=$?
if [ $status = 0 ] && grep -q '^read: failed .*out of memory' out && grep -q '^    resize: --fbmem ' out && grep -q '^small: 100$' out; then
    row "out of memory is an error that the program survives" "$(sed -n 's/^read: failed.*: \(.*out of memory.*\)/\1/p' out | cut -c1-60)" "" ok
else
    row "out of memory is an error that the program survives" "status $status: $(tail_of out)" "" FAILED
fi

# ---- nsys
if [ "$small" = 1 ]; then
    told "nsys" "not tried"
elif command -v nsys >/dev/null; then
    rm -rf under
    if limited 90 weft run --gpus 1 --nsys --profile --force --logdir under -- cg -n "$cg_n" -m 30 >out 2>log; then
        kernels=$(limited 30 weft query --format csv "SELECT count(*) FROM WEFT_KERNEL WHERE source = 'nsys' AND kind = 'kernel'" under/weft.sqlite | sed -n 2p)
        good=$(limited 30 weft query --format csv "SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK t JOIN WEFT_KERNEL k ON k.id = t.kernelId WHERE k.source = 'nsys' AND k.kind = 'kernel'" under/weft.sqlite | sed -n 2p)
        row "cg under nsys: kernels linked" "$good of $kernels" "all" "$([ "${kernels:-0}" -gt 0 ] && [ "$good" = "$kernels" ] && echo ok || echo MISSED)"
    else
        row "cg under nsys" "$(tail_of log)" "" FAILED
    fi
    limited 60 weft run --gpus 1 --nsys --profile --force --cupti --logdir under -- cg -n "$cg_n" -m 5 >out 2>log
    told "CUPTI under nsys says" "$(grep -i cupti log | head -1 | cut -c1-120)"
else
    told "nsys" "not here"
fi

# ---- results of whole programs, last since they compile more than a thousand kernels
tests "every operation, GPU against CPU" 150 8 test-gpu
tests "random programs, GPU against ndarray" 60 1 test-programs gpu

end
