#!/usr/bin/env python3
"""Checks that each path of the repository that a document names in code exists: check_paths.py DOCUMENT..."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# As in `tests/layering.rs`.
FOLDERS = ("runtime", "common", "nvtx-export", "analysis", "view", "cli", "python", "examples", "tests", "docs")


def main():
    wrong = count = 0
    for document in sys.argv[1:]:
        text = Path(document).read_text(encoding="utf-8")
        for path in re.findall(r"`([\w./-]+)`", text):
            if path.split("/")[0] not in FOLDERS or "/" not in path:
                continue
            count += 1
            if not (ROOT / path).exists():
                wrong += 1
                print(f"{document}: `{path}` does not exist")
    print(f"{count} paths checked, {wrong} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
