#!/usr/bin/env bash
# Fuzzes each reader for the given number of seconds: tests/fuzz/run.sh [SECONDS] [TARGET...]
# Needs `cargo install cargo-fuzz`. A finding is left in tests/fuzz/artifacts; `tests/fuzz/run.sh 0 TARGET` runs the corpus once.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-120}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(weft_prof legion_prof nsys_sqlite)
# Coverage needs unstable compiler options, but no unstable language features.
export RUSTC_BOOTSTRAP=1
for target in "${targets[@]}"; do
    mkdir -p "corpus/$target"
    cargo fuzz run --fuzz-dir . --sanitizer none "$target" "corpus/$target" "seeds/$target" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
        $([ "$seconds" = 0 ] && echo -runs=0)
done
