"""Scopes that select the processors and the order of tasks."""

import os
import sqlite3
import subprocess
import sys
import textwrap

import pytest
import weft
import weft.numpy as np

COMMAND = os.environ.get("WEFT_COMMAND", "weft")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, TypeError, "needs a name, gpus, cpus or priority"),
        ({"gpus": range(0)}, ValueError, "gpus must be a number or a range"),
        ({"gpus": range(0, 4, 2)}, ValueError, "gpus must be a number or a range"),
        ({"gpus": -1}, ValueError, "gpus must be a number or a range"),
        ({"gpus": 0, "cpus": True}, ValueError, "not on both"),
        ({"priority": 128}, ValueError, "between -128 and 127"),
        ({"priority": 1.5}, TypeError, "float"),
    ],
)
def test_rejects_invalid_scopes(given, error, words):
    with pytest.raises(error, match=words):
        weft.annotate(**given)


def test_scopes_change_no_result():
    x = np.arange(1000.0)
    for scope in [weft.annotate(gpus=1), weft.annotate("host", cpus=True), weft.annotate(priority=-3)]:
        for _ in range(2):
            with scope:
                assert float((x * 2).sum()) == 999000.0

    @weft.annotate("urgent", priority=1)
    def doubled():
        return x * 2

    assert float(doubled().sum()) == 999000.0


def test_profile_contains_scopes(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(
        textwrap.dedent(
            """\
            import weft
            import weft.numpy as np

            x = np.ones(100)
            with weft.annotate("assembly", priority=2), weft.annotate(gpus=range(1, 3)):
                print(float(x.sum()))
            """
        )
    )
    environment = {**os.environ, "WEFT_PYTHON": sys.executable}
    command = [COMMAND, "run", "--profile", "--gpus", "0", "--", str(program)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "100.0\n"), done.stderr
    command = [COMMAND, "export", "sqlite", "weft_0.prof", "-o", "run.sqlite"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    with sqlite3.connect(tmp_path / "run.sqlite") as database:
        names = [name for (name,) in database.execute("SELECT name FROM WEFT_SCOPE ORDER BY id")]
    assert names == ["assembly", "gpus 1..3, priority 2"]
