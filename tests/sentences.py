#!/usr/bin/env python3
"""Counts sentence patterns that make comments, messages and documents hard to read.

Usage: tests/sentences.py [--list | --check] [FILE...]

Prints the number of matches of each pattern in all tracked files, or in the given ones.
--list also prints each match; --check exits with status 1 if a count exceeds its limit.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = (".rs", ".py", ".pyi", ".md", ".ts", ".tsx", ".toml", ".sh", ".h", ".cuh", ".cu", ".c")

# Files and folders that are not counted, with the reason.
EXCLUDED = {
    "python/weft/numpy/_declared/": "generated from python/declared, which is counted",
    "view/page/dist/": "generated from view/page/src, which is counted",
    "tests/data/": "recordings and output of other programs",
    "tests/sentences.py": "contains the patterns",
}

# Patterns, each with a name, the recommended wording and its limit. A limit is the count when it was last lowered:
# remaining matches are literal uses of the words, code in documentation, and examples whose line numbers documents quote.
# A change must not add matches: raise a limit only for a match that is right, and lower it after removing some.
PATTERNS = [
    (
        "documentation begins with a clause",
        "begin with a noun phrase or a third-person verb",
        r"^\s*//[/!]\s+(?:What|Who|Whoever|Whatever|That|How many|How much|So many|Both|The same|Which)\b",
        0,
    ),
    (
        "where for if",
        "use `if` for conditions",
        r"(?i)\bwhere (?:there|it|they|one|that) (?:is|are|has|have)\b",
        0,
    ),
    (
        "archaic passive",
        "name the action: reported, passed, requested, created",
        r"(?i)\b(?:is|are|be|was|were|being) (?:told|said|had|asked for|made of|let go|given up|looked at|gone on)\b",
        1,
    ),
    (
        "anonymous person",
        "name the component, or use the passive voice",
        r"(?i)\b(?:whoever|nobody|somebody)\b",
        0,
    ),
    ("unnamed quantity", "name the quantity", r"(?i)\bso (?:many|much)\b(?! (?:that|as))", 0),
    ("place for a relation", "use `next to`, `with`, or `in addition to`", r"(?i)\bbeside\b", 2),
    ("has X be", "use a verb for the effect", r"(?i)\b(?:has|have|had|lets) [a-z ]{2,30} be [a-z]+", 0),
    (
        "archaic adverb or relative",
        "use `again`, `of it`, or a relative clause with `that`",
        r"(?i)\b(?:of whom|to whom|for whom|thereof|anew|wherein|whereof)\b",
        0,
    ),
    (
        "is no X",
        "use `is not a X`, `unknown X`, or `invalid X`",
        r"(?<=\w )(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|other\b|one\b|\w+er\b|[a-z]+ (?:for|to|of|in)\b)[A-Za-z]",
        3,
    ),
    ("archaic adverb of time", "use `forever`, `later`", r"(?i)\b(?:for ever|by and by|ere|in vain|hither|thither|whence)\b", 0),
    (
        "text in the line of a heading",
        "put the text after `# Errors`, `# Panics`, or `# Safety` on the next line",
        r"^\s*//[/!] # (?:Errors|Panics|Safety) \S",
        0,
    ),
    ("comment of only `the same`", "repeat the subject", r"(?:^\s*(?://[/!]?|#)|\*\*) (?:The same|As above|That of [a-z ]+)\.(?:\s|$)", 0),
    ("Rust comment over 100 columns", "wrap the comment", r"^(?=.{101})\s*//(?![/!]? \||.*https?://)", 13),
]


def tracked():
    """Returns the paths of all tracked files, relative to the root."""
    output = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    return [name for name in output.decode().split("\0") if name]


def is_counted(name):
    """Returns whether the sentences of a file are counted."""
    return name.endswith(SUFFIXES) and not name.startswith(tuple(EXCLUDED))


def matches(name, line):
    """Returns the indices of the patterns that match a line; in Rust, only of lines with comments or strings."""
    if name.endswith(".rs") and "//" not in line and '"' not in line:
        return []
    return [index for index, pattern in enumerate(EXPRESSIONS) if pattern.search(line) and (name.endswith(".rs") or index not in RUST_ONLY)]


EXPRESSIONS = [re.compile(pattern) for _, _, pattern, _ in PATTERNS]
RUST_ONLY = {index for index, pattern in enumerate(PATTERNS) if "Rust" in pattern[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--list", action="store_true", help="print each match")
    action.add_argument("--check", action="store_true", help="fail if a count exceeds its limit")
    parser.add_argument("files", metavar="FILE", nargs="*", help="count only in these files")
    args = parser.parse_args()
    if args.check and args.files:
        parser.error("the limits are for all files: omit FILE")
    found = [[] for _ in PATTERNS]
    for name in args.files or filter(is_counted, tracked()):
        path = ROOT / name if not args.files else pathlib.Path(name)
        if not path.is_file():
            continue  # deleted, but still in the index
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for index in matches(name, line):
                found[index].append(f"{name}:{number}: {line.strip()[:140]}")
    exceeded = False
    for (name, wording, _, limit), places in zip(PATTERNS, found):
        too_many = args.check and len(places) > limit
        exceeded |= too_many
        if args.list or too_many:
            print(*places, sep="\n", end="\n" if places else "")
        print(f"{len(places):6}  {name}" + (f": the limit is {limit}; {wording}" if too_many else ""))
    print(f"{sum(map(len, found)):6}  in total")
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
