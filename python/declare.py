#!/usr/bin/env python3
"""Writes what the tables in `python/declared/` declare: functions of `weft.numpy`, type stubs, docs/numpy.md and a page of rustdoc.

With ``--check`` nothing is written, and the status is 1 where a file is not as it would be written. `declaring/table.py` says what the
tables hold.
"""

import argparse
import pathlib
import sys

from declaring import pages, stubs, table, wrappers

ROOT = pathlib.Path(__file__).resolve().parent.parent


def texts(rows):
    """Every file that is made, with its text, by path in the repository."""
    made = {f"python/weft/numpy/{path}": text for path, text in wrappers.files(rows, table.FOLDER).items()}
    made |= {f"python/weft/{path}": stubs.stub(module, rows) for module, path in stubs.MODULES.items()}
    made["docs/numpy.md"] = pages.numpy_page(rows)
    made["runtime/array/src/numpy.md"] = pages.rust_page(rows)
    return made


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    try:
        made = texts(table.load())
    except table.Wrong as error:
        print(f"declare.py: {error}", file=sys.stderr)
        return 2
    different = [path for path, text in made.items() if not (ROOT / path).is_file() or (ROOT / path).read_text() != text]
    kept = (ROOT / "python/weft/numpy/_declared").glob("*.py")
    left = [path for path in (str(one.relative_to(ROOT)) for one in kept) if path not in made]
    if options.check:
        for path in different + left:
            print(f"{path} is out of date: run python3 python/declare.py", file=sys.stderr)
        return int(bool(different or left))
    for path in different:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(made[path])
    for path in left:
        (ROOT / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
