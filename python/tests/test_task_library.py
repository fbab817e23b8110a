"""The library of docs/write-a-library.md, with the installed package."""

import os
import pathlib
import sqlite3
import subprocess
import sys

import numpy
import pytest
import weft.numpy as np

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "library" / "python"
COMMAND = os.environ.get("WEFT_COMMAND", "weft")
OFFSETS = [-30, -1, 0, 2, 30]


@pytest.fixture
def banded(monkeypatch):
    monkeypatch.syspath_prepend(str(LIBRARY))
    import banded

    return banded


def dense(bands):
    rows = bands.shape[1]
    matrix = numpy.zeros((rows, rows))
    for band, offset in zip(bands, OFFSETS):
        for row in range(max(0, -offset), min(rows, rows - offset)):
            matrix[row, row + offset] = band[row]
    return matrix


def test_products_and_solutions_match_the_dense_matrix(banded):
    rows = 700
    random = numpy.random.default_rng(1)
    bands = random.random((len(OFFSETS), rows))
    bands[2] += 6
    x = random.random(rows)
    matrix = banded.Banded(OFFSETS, np.asarray(bands))
    product = matrix @ np.asarray(x)
    numpy.testing.assert_allclose(numpy.asarray(product), dense(bands) @ x, rtol=1e-12)
    solution, left = matrix.jacobi(product, 80)
    numpy.testing.assert_allclose(numpy.asarray(solution), x, rtol=1e-6)
    assert float(left) < 1e-9
    with pytest.raises(ValueError, match="offsets"):
        banded.Banded([0], np.zeros((2, 4)))
    with pytest.raises(Exception, match="banded_times"):
        matrix @ np.zeros(rows - 1)


def test_profile_contains_tasks_by_line(tmp_path):
    path = os.pathsep.join(filter(None, [str(LIBRARY), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "WEFT_PYTHON": sys.executable, "PYTHONPATH": path}
    command = [COMMAND, "run", "--profile", "--cpus", "2", "--", str(LIBRARY / "heat.py")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # Far from the ends a row of the matrix sums to 1.
    assert "in the middle 1.000" in done.stdout
    done = subprocess.run([COMMAND, "export", "sqlite", "weft_0.prof", "-o", "run.sqlite"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(tmp_path / "run.sqlite") as database:
        rows = database.execute(
            "SELECT t.name, p.file FROM WEFT_TASK t JOIN WEFT_PROVENANCE p ON p.id = t.provenanceId WHERE t.name = 'banded_times'"
        ).fetchall()
    assert len(rows) >= 31
    assert {pathlib.Path(file).name for _, file in rows} == {"__init__.py"}
