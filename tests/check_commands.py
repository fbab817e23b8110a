#!/usr/bin/env python3
"""Compares the commands in documents with `weft --help`: check_commands.py WEFT DOCUMENT...

Each `weft ...` in code of a document must name an existing subcommand and existing flags. WEFT is the built command.
The flags of a program behind `weft run` are its own and are not compared.
"""

import re
import shlex
import subprocess
import sys
from functools import cache

# Hidden from `weft --help`.
HIDDEN = {"bind"}


@cache
def help_of(weft, *command):
    """Returns the help of a command."""
    run = subprocess.run([weft, *command, "--help"], capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else ""


@cache
def subcommands(weft):
    """Returns the names of all subcommands."""
    lines = help_of(weft).split("Commands:\n")[1].split("\n\n")[0].splitlines()
    return HIDDEN | {line.split()[0] for line in lines if re.match(r"  [a-z]", line)}


@cache
def flags_of(weft, command):
    """Returns the flags of a subcommand, each with whether its value is the next word."""
    flags = {"-h": False, "--help": False}
    for line in help_of(weft, command).splitlines():
        option = re.match(r"\s+(?:(-\w)(?:, |$| ))?(--[a-z0-9-]+)?(?P<value> <[^>]+>)?", line)
        for name in option.groups()[:2] if option else ():
            if name:
                flags[name] = bool(option["value"])
    return flags


def code(text):
    """Yields the code of a document: lines of fenced blocks, joined at backslashes, and spans of paragraphs."""
    fence = re.compile(r"^(```+)[^\n]*\n(.*?)^\1\s*$", re.DOTALL | re.MULTILINE)
    for block in fence.finditer(text):
        yield from re.sub(r"\\\n\s*", "", block[2]).splitlines()
    for span in re.findall(r"`([^`]+)`", fence.sub("", text)):
        yield span.replace("\\|", "|")


def commands(text):
    """Yields the words of each call of `weft`, without the name."""
    for line in code(text):
        match = re.match(r"\s*(?:\$ )?(?:[A-Z_]+=\S* )*weft (?!=)(.*)", line)
        if not match:
            continue
        # A description follows `#` or several spaces.
        call = re.split(r"\s#|\s{2,}|\s[|;&>]+\s", match[1])[0]
        try:
            words = shlex.split(call)
        except ValueError:
            # A quoted text continues in the next line.
            words = call.split('"')[0].split()
        yield call, [word.strip("[]") for word in words]


def problem(weft, words):
    """Returns what is wrong with a call of `weft`, if anything."""
    name, *rest = words
    if name in ("--help", "--version", "-h", "-V"):
        return None
    if name not in subcommands(weft):
        return f"unknown subcommand `{name}`"
    flags = flags_of(weft, name)
    at = 0
    while at < len(rest):
        word = rest[at].split("=")[0]
        at += 1
        is_flag = re.match(r"--?[a-zA-Z]", word)
        if is_flag and word not in flags:
            return f"unknown flag `{word}` of `weft {name}`"
        if is_flag and flags[word] and "=" not in rest[at - 1]:
            at += 1
        if name == "run" and not is_flag and word not in ("FLAGS", "..."):
            # The program's own arguments follow.
            return None
    return None


def main():
    weft, *documents = sys.argv[1:]
    count = wrong = 0
    for document in documents:
        with open(document, encoding="utf-8") as file:
            for call, words in commands(file.read()):
                count += 1
                if words and (what := problem(weft, words)):
                    wrong += 1
                    print(f"{document}: `weft {call}`: {what}")
    print(f"{count} commands compared with the help of weft, {wrong} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
