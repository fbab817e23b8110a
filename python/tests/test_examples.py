"""The examples have NumPy's results."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
SIZES = {"stencil": ["-n", "200"], "cg": ["-n", "12"], "black_scholes": ["-n", "20000"], "kmeans": ["-n", "2000"], "channel": ["-n", "40"], "power": ["-n", "200"]}


def values(name, package):
    program = [sys.executable, str(EXAMPLES / f"{name}.py"), *SIZES[name], "--package", package]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "is not in Weft" not in done.stderr, done.stderr
    # All but the time.
    return done.stdout.rsplit(",", 1)[0]


def test_every_example_has_a_size():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_examples_match_numpy(name):
    assert values(name, "weft.numpy") == values(name, "numpy")
