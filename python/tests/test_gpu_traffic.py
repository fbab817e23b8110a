"""Functions on GPUs move at most 1.5 times the least bytes, apart from listed ones: counted on an emulated GPU by tests/gpu/functions.py."""

import os
import pathlib
import subprocess
import sys

import emulated
import pytest

FUNCTIONS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "gpu" / "functions.py"
#: What every change counts; with WEFT_TEST_ALL everything.
SOME = ["x + y", "sum", "x[x > 0.5]", "histogram", "pad, reflect", "maximum.accumulate"]


@pytest.mark.skipif(emulated.IS_REAL, reason="counts accesses on an emulated GPU")
def test_kernels_move_few_bytes(tmp_path):
    traffic = tmp_path / "traffic"
    variables = emulated.environment(tmp_path) | {"WEFT_EMULATED_TRAFFIC": str(traffic), "WEFT_EMULATED_GPU_MIB": "1000"}
    names = [] if os.environ.get("WEFT_TEST_ALL") else SOME
    done = subprocess.run(
        [sys.executable, FUNCTIONS, "--count", traffic, "--check", "--seconds", "1000", *names],
        cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=1100,
    )  # fmt: skip
    emulated.skip_without_compiler(done)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 are wrong" in done.stdout
