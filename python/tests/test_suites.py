"""The command that runs suites of other projects: its counts, and missing suites."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

SUITES = pathlib.Path(__file__).resolve().parent.parent / "suites"


def test_absent_suites_are_skipped(tmp_path):
    command = [sys.executable, str(SUITES / "run.py"), "array-api", "npbench", "--suites", str(tmp_path), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "array-api: skipped" in done.stdout and "npbench: skipped" in done.stdout


def test_counts_tests_by_computing_library(tmp_path):
    (tmp_path / "test_some.py").write_text(
        "import numpy as np\n"
        "import weft.numpy as w\n"
        "def test_weft(): assert int(w.arange(4).sum()) == 6\n"
        "def test_fallback(): assert w._fallback.call('sum', np.sum, (w.arange(4),), {}) == 6\n"
        "def test_failed(): assert int(w.arange(4).sum()) == 7\n"
        "def test_without_arrays(): pass\n"
    )
    records = tmp_path / "records"
    records.touch()
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(SUITES), os.environ.get("PYTHONPATH", "")]))
    environment.update(SUITE_RECORDS=str(records), SUITE_MODULE="weft.numpy", WEFT_FALLBACK="quiet")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "counting", "test_some.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    found = {}
    for line in records.read_text().splitlines():
        record = json.loads(line)
        found[record["test"].split("::")[1]] = record
    assert {name: record["outcome"] for name, record in found.items()} == {
        "test_weft": "passed", "test_fallback": "passed", "test_failed": "failed", "test_without_arrays": "passed",
    }  # fmt: skip
    assert found["test_fallback"]["fallbacks"] == {"sum": 1} and not found["test_weft"]["fallbacks"]
    assert found["test_weft"]["arrays"] and not found["test_without_arrays"]["arrays"]


@pytest.mark.parametrize(
    "text, value",
    [
        ("import numpy as np\nmade = np.arange(2)", "weft.numpy"),
        ("from numpy import arange, testing\nmade = arange(2)", "weft.numpy"),
        ("from numpy.linalg import norm\nimport numpy.testing\nmade = numpy.testing", "module"),
    ],
)
def test_imports_are_swapped(tmp_path, text, value):
    sys.path.insert(0, str(SUITES))
    try:
        import swap
    finally:
        sys.path.remove(str(SUITES))
    file = tmp_path / "kernel.py"
    file.write_text(text)
    made = swap.load("kernel", str(file), "weft.numpy")
    assert type(made.made).__module__ == value or type(made.made).__name__ == value
