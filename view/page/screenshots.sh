#!/bin/sh
# Records profiles and creates the pictures of docs/images (or another folder). Has the requirements of test.sh, and needs an interpreter
# PYTHON with the package `weft`.
set -eu
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --no-audit --no-fund
node build.mjs test screenshots.mts
exec node target/test/screenshots.mjs "$@"
