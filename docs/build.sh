#!/usr/bin/env bash
# Builds the site of these pages in target/site and checks it: links between pages, paths, and commands of `weft`.
# WEFT names the built command; without one, commands are not compared, unless WEFT_TEST_REQUIRE=weft.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target/tmp/venv-docs
packages=(sphinx==9.0.4 myst-parser==5.2.0 furo==2025.12.19)

# A stamp names what the environment holds.
if [[ $(cat "$venv/packages" 2>/dev/null) != "${packages[*]}" ]]; then
    rm -rf "$venv"
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
    printf '%s' "${packages[*]}" >"$venv/packages"
fi

documents=(*.md docs/*.md docs/decisions/*.md tests/README.md view/page/README.md)
"$venv/bin/python" tests/check_paths.py "${documents[@]}"
weft=${WEFT:-$target/release/weft}
if [[ -x $weft ]]; then
    "$venv/bin/python" tests/check_commands.py "$weft" "${documents[@]}"
elif [[ ,${WEFT_TEST_REQUIRE:-}, == *,weft,* ]]; then
    echo "$weft is missing: build it with cargo build --release --bin weft" >&2
    exit 1
else
    echo "$weft is missing: commands in documents are not compared with its help."
fi

# Broken links, missing pictures and pages in no list of contents are warnings of Sphinx. It warns only of pages that it reads, so all are read.
rm -rf "$target/site"
"$venv/bin/python" -m sphinx -q -E -W --keep-going -j auto -c docs -b html . "$target/site"
cat >"$target/site/index.html" <<'PAGE'
<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">Weft</a>
PAGE
echo "The site is $target/site/index.html"
