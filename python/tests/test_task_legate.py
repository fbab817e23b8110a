"""Programs with Legate's tasks run as they are, on CPUs and on emulated GPUs."""

import os
import pathlib
import subprocess
import sys
import textwrap
import warnings

import emulated
import numpy
import pytest
import weft
import weft.legate as lg
import weft.numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("WEFT_COMMAND", "weft")
PROGRAM = ROOT / "examples" / "tasks" / "batched_fft.py"


@pytest.mark.parametrize("cpus", [1, 2, 3, 4])
def test_batched_transforms_match_numpy(cpus, tmp_path):
    environment = {**os.environ, "WEFT_PYTHON": sys.executable}
    command = [COMMAND, "run", "--compat", "cupynumeric", "--cpus", str(cpus), "--gpus", "0", "--", str(PROGRAM)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("512x300: largest difference to NumPy"), done.stdout


SLIDE = """
@lg.task (
    variants=("gpu",),
    constraints=(
        lg.align("input", "output"),
        lg.broadcast("input", (0,)),
    ),
)
def batched_fft(
    output: lg.OutputArray, input: lg.InputArray,
):
    cu_input      = cupy.asarray(input)
    cu_output     = cupy.asarray(output)
    cu_output[:] = cupy.fft.fftn(cu_input, axes=(0,))

batched_fft(
    lg.create_array(shape=(M,N), dtype=lg.complex64),
    cupynumeric.random.rand(M,N).astype(np.complex64),
)
"""


@pytest.mark.parametrize("imported", ["legate.core", "weft.legate"])
def test_slide_code_runs_unmodified(imported, tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(f"import cupynumeric\nimport numpy as cupy\nimport numpy as np\nimport {imported} as lg\nM, N = 64, 100\n{SLIDE}")
    command = [COMMAND, "run", "--compat", "cupynumeric", "--cpus", "2", "--gpus", "0", "--", str(program)]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "WEFT_PYTHON": sys.executable}, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("gpus", [1, 2])
def test_batched_transforms_match_numpy_on_emulated_gpus(gpus, tmp_path):
    variables = emulated.environment(tmp_path, gpus)
    compat = subprocess.run([sys.executable, "-m", "weft.compat", "cupynumeric"], capture_output=True, text=True, timeout=60).stdout.strip()
    variables["PYTHONPATH"] = os.pathsep.join([compat, os.environ.get("PYTHONPATH", "")])
    printed = emulated.run(PROGRAM, tmp_path, variables)
    assert printed.startswith("512x300: largest difference to NumPy"), printed


def test_provides_legate_names(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(
        textwrap.dedent(
            """\
            from __future__ import annotations

            import cupynumeric as np
            import legate.core.task
            from legate.core import Scope, TaskContext, VariantCode, bloat, get_legate_runtime, types
            from legate.core.task import ADD, InputStore, OutputArray, ReductionStore, VariantOptions, align, task

            @task(variants=(VariantCode.CPU, VariantCode.GPU), options=VariantOptions(may_throw_exception=True),
                  constraints=(align("x", "y"), bloat("y", "x", (1,), (1,))))
            def smoothed(ctx: TaskContext, x: InputStore, y: OutputArray, h: ReductionStore[ADD], n: int) -> None:
                first = ctx.ranges_of("y")[0].start - ctx.ranges_of("x")[0].start
                y[:] = n * x[first : first + len(y)]
                h[...] += y.sum()

            @task
            def plain(y: OutputArray):
                y[:] = 1

            x, h = np.arange(1000.0), np.zeros(())
            y = get_legate_runtime().create_array(types.float64, (1000,))
            with Scope(provenance="here"):
                smoothed(x, y, h, 2)
            print(float(h), float(y.sum()), task is legate.core.task.task)
            plain(y)
            print(y.sum())
            """
        )
    )
    environment = {**os.environ, "WEFT_PYTHON": sys.executable}
    command = [COMMAND, "run", "--compat", "cupynumeric", "--cpus", "2", "--gpus", "0", "--min-cpu-chunk", "64", "--", str(program)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "999000.0 999000.0 True\n1000.0\n"), done.stderr


def test_unsupported_features_raise():
    with pytest.raises(NotImplementedError, match="concurrent tasks and communicators are not supported"):
        lg.VariantOptions(communicators=("nccl",))
    with pytest.raises(NotImplementedError, match="nullable arrays are not supported"):
        lg.create_array(lg.float64, (3,), nullable=True)
    with pytest.raises(NotImplementedError, match="unbound arrays are not supported"):
        lg.create_array(lg.float64)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with lg.Scope(priority=2, parallel_policy=object()):
            pass
    assert [str(one.message) for one in warned] == ["legate.core.Scope: without effect in Weft: parallel_policy"]


def test_supports_images_and_scales():
    @lg.task(constraints=(lg.align("pos", "y"), lg.image("pos", "crd"), lg.broadcast("x")))
    def picked(pos: lg.InputStore, crd: lg.InputStore, x: lg.InputStore, y: lg.OutputStore, ctx: weft.TaskContext):
        first = ctx.ranges_of("crd")[0].start
        for at, (begin, end) in enumerate(pos):
            y[at] = x[crd[begin - first : end - first]].sum()

    pos = numpy.stack([numpy.arange(500) * 2, numpy.arange(500) * 2 + 2], axis=1)
    crd, x, y = numpy.arange(1000)[::-1].copy(), numpy.arange(1000.0), np.zeros(500)
    picked(pos, crd, x, y)
    assert numpy.array_equal(y, x[crd].reshape(-1, 2).sum(axis=1))

    @lg.task(constraints=(lg.scale((2,), "s", "b"),))
    def doubled(s: lg.InputStore, b: lg.OutputStore):
        b[:] = numpy.repeat(s, 2)

    b = np.zeros(2000)
    doubled(x, b)
    assert numpy.array_equal(b, numpy.repeat(x, 2))
