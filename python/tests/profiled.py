"""Profiles of Python programs, as databases."""

import os
import sqlite3
import subprocess
import sys
import textwrap

COMMAND = os.environ.get("WEFT_COMMAND", "weft")


def database(program, folder, *flags, arguments=(), **environment):
    """Runs a program, given as a path or a text, with a profile; returns the database of the profile."""
    if isinstance(program, str):
        text, program = program, folder / "prog.py"
        program.write_text(textwrap.dedent(text))
    environment = {**os.environ, **environment}
    run = [COMMAND, "run", "--profile", *flags, "--", sys.executable, str(program), *map(str, arguments)]
    done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    export = [COMMAND, "export", "sqlite", "weft_0.prof", "-o", "weft.sqlite"]
    subprocess.run(export, cwd=folder, check=True, capture_output=True, timeout=300)
    return sqlite3.connect(folder / "weft.sqlite")
