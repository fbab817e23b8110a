"""Environment variables with an invalid value are rejected when the package is imported, with their name and the valid values."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("WEFT_FALLBACK", "bogus", "it is warn, error or quiet"),
        ("WEFT_FALLBACK_BYTES", "abc", "it is a number of bytes"),
        ("WEFT_FALLBACK_BYTES", "-5", "it is a number of bytes"),
        ("WEFT_PROVENANCE", "usr", "it is call or user"),
        ("WEFT_TRACEBACK", "fll", "it is short or full"),
        ("WEFT_RANDOM", "bogus", "it is weft or numpy"),
    ],
)
def test_rejects_invalid_values(name, value, words):
    run = [sys.executable, "-c", "import weft.numpy"]
    done = subprocess.run(run, env={**os.environ, name: value}, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert f"{name}={value}: {words}" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("name", "value"), [("WEFT_FALLBACK_BYTES", "1000"), ("WEFT_PROVENANCE", "user"), ("WEFT_TRACEBACK", "full")])
def test_accepts_valid_values(name, value):
    run = [sys.executable, "-c", "import weft.numpy as np; print(int(np.ones(3).sum()))"]
    done = subprocess.run(run, env={**os.environ, name: value}, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
