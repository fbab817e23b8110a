#!/bin/sh
# Builds dist/page.html from src/. `--check` builds it and compares it with the committed file.
set -eu
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --no-audit --no-fund
node_modules/.bin/tsc --noEmit
if [ "${1:-}" = --check ]; then
    before=$(sha256sum dist/page.html)
    node build.mjs
    [ "$before" = "$(sha256sum dist/page.html)" ] || { echo "view/page/dist/page.html is not what view/page/build.sh makes of the sources: run it and commit the file" >&2; exit 1; }
else
    node build.mjs
fi
