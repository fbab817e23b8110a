#!/bin/sh
# Makes the pictures of docs/images (or of the folder given) from profiles recorded now. Needs what test.sh needs, and an interpreter
# with the package `weft`, which PYTHON names.
set -eu
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --no-audit --no-fund
node build.mjs test screenshots.mts
exec node target/test/screenshots.mjs "$@"
