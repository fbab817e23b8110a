#!/bin/sh
# Runs unit tests, then tests of the page in Chromium with `weft view` on new profiles. Requires builds of the page, `weft` and `stencil`.
# WEFT names the command, if it is not target/debug/weft; with RETRY set, failed tests are repeated once. Arguments: names of tests (tasks, use, safe, frames, file, live, pair).
set -eu
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --no-audit --no-fund
node_modules/.bin/tsc --noEmit
rm -rf target
if [ $# -eq 0 ]; then
    node build.mjs unit
    node --test target/unit/
    set -- tasks use safe frames file live pair
fi
for name in "$@"; do
    node build.mjs test "test/$name.test.ts"
    run="node --test --test-concurrency=1 --test-reporter=spec target/test/$name.test.mjs"
    $run || {
        # A browser without a GPU is occasionally slow on a busy machine.
        [ -n "${RETRY:-}" ] && echo "The tests $name failed; once more:" && $run
    }
done
