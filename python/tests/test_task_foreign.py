"""Bodies of tasks that run without the interpreter: functions of C, and functions that Numba compiles."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy
import pytest
import weft
import weft.numpy as np
from weft.tasks import ADD, In, InOut, Out, Reduce, TaskContext, align, halo

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "runtime" / "core" / "include" / "weft_task.h"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The example in C."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = tmp_path_factory.mktemp("c") / "libheat.so"
    source = ROOT / "examples" / "c_task" / "heat.c"
    command = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I", str(HEADER.parent), "-o", str(path), str(source)]
    subprocess.run(command, check=True)
    return path


def test_package_contains_the_header():
    own = pathlib.Path(weft.__file__).parent / "include" / "weft_task.h"
    assert own.read_text() == HEADER.read_text()
    assert pathlib.Path(weft.tasks.include()) == own.parent


def heat(body):
    @weft.task(align("x", "y"), halo("x", 1), body=body)
    def heat(x: In, y: Out, rate: float): ...

    return heat


def flowed(x, rate):
    padded = numpy.pad(x, 1, mode="edge")
    return x + rate * (padded[:-2] - 2.0 * x + padded[2:])


def test_c_functions_serve_as_bodies(library):
    loaded = ctypes.CDLL(str(library))
    bodies = [
        weft.foreign(str(library), "heat"),
        weft.foreign(library, "heat", user=5),
        weft.foreign(loaded, "heat"),
        loaded.heat,
        ctypes.cast(loaded.heat, ctypes.c_void_p).value,
    ]
    a = numpy.random.default_rng(3).normal(size=60_000)
    for body in bodies:
        y = np.zeros(60_000)
        heat(body)(a[::-1], y[:], 0.25)
        assert numpy.allclose(y, flowed(a[::-1], 0.25), rtol=1e-15)


def test_c_function_error_message_reaches_the_caller(library):
    y = np.zeros(10, "f4")
    heat(weft.foreign(library, "heat"))(np.zeros(10, "f4"), y, 0.5)
    with pytest.raises(RuntimeError, match="its body failed: heat flows in doubles, not in dtype 10"):
        y.sum().item()


@pytest.mark.parametrize("cpus", [1, 2, 3, 4])
def test_c_example_runs(library, cpus):
    environment = {**os.environ, "WEFT_CONFIG": f"--cpus {cpus} --gpus 0"}
    command = [sys.executable, str(ROOT / "examples" / "c_task" / "run.py"), str(library)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "heat 20000.000000 before, 20000.000000 after, 20200 of 100000 warm\n"


def test_rejects_invalid_bodies(library):
    with pytest.raises(AttributeError, match="cold: there is no such function in"):
        weft.foreign(library, "cold")
    with pytest.raises(TypeError, match="is not a C function: give a library with a name"):
        weft.foreign("text of no use")
    with pytest.raises(TypeError, match="task heat: body: <function"):
        heat(lambda: None)
    with pytest.raises(OSError):
        weft.foreign("/no/such/library.so", "heat")


def test_ctypes_callback_serves_as_body():
    class Operand(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("access", ctypes.c_int32), ("axes", ctypes.c_int32)]

    class Task(ctypes.Structure):
        _fields_ = [("abi", ctypes.c_uint32), ("count", ctypes.c_int32), ("operands", ctypes.POINTER(Operand))]

    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Task))
    def body(task):
        # The body still runs in the interpreter: the callback takes its lock, and no lock of the runtime is held meanwhile.
        seen.append((task[0].abi, task[0].count, task[0].operands[0].dtype, task[0].operands[0].access))
        return 3 if len(seen) > 2 else 0

    @weft.task(body=body, whole=True)
    def called(x: InOut): ...

    x = np.zeros(10)
    called(x)
    called(x)
    assert x[0] == 0.0 and seen == [(1, 1, 11, 2)] * 2
    called(x)
    with pytest.raises(RuntimeError, match="its body failed: it returned 3"):
        x.sum().item()


class TestNumba:
    """Functions that Numba compiles."""

    @pytest.fixture(autouse=True)
    def numba(self):
        pytest.importorskip("numba")

    def test_compiles_elementwise_bodies(self):
        @weft.task(align("x", "y"), compiler="numba")
        def saxpy(a: float, x: In["f8", 1], y: InOut["f8", 1]):
            for at in range(len(x)):
                y[at] += a * x[at]

        a = numpy.random.default_rng(3).normal(size=50_000)
        y, expected = np.ones(50_000), numpy.ones(50_000)
        saxpy(2.5, a, y)
        expected += 2.5 * a
        saxpy(1.0, np.asarray(a)[::-2], y[1::2])
        expected[1::2] += a[::-2]
        assert numpy.array_equal(y, expected)

    def test_compiles_axes_values_and_reductions(self):
        @weft.task(align("x"), compiler="numba")
        def counted(x: In["i4", 2], below: numpy.int32, sums: Reduce[ADD, "i8", 1], count: Reduce[ADD, "i8", 0]):
            for row in range(x.shape[0]):
                for column in range(x.shape[1]):
                    if x[row, column] < below:
                        sums[column] += x[row, column]
                        count[()] += 1

        a = numpy.random.default_rng(3).integers(0, 100, (400, 70)).astype("i4")
        sums, count = np.zeros(70, "i8"), np.zeros((), "i8")
        counted(a, 50, sums, count)
        assert numpy.array_equal(sums, (a * (a < 50)).sum(axis=0)) and int(count) == (a < 50).sum()

    def test_exceptions_fail_compiled_bodies(self):
        @weft.task(compiler="numba")
        def raising(x: InOut["f8", 1]):
            raise ValueError("not seen")

        x = np.zeros(10)
        raising(x)
        with pytest.raises(RuntimeError, match="its body failed: it raised an exception, and compiled code cannot report more"):
            x.sum().item()

    def test_rejects_uncompilable_functions(self):
        def untyped(x: In): ...

        with pytest.raises(TypeError, match="x: Numba needs the dtype and the number of axes"):
            weft.task(compiler="numba")(untyped)

        def asking(x: In["f8", 1], ctx: TaskContext): ...

        with pytest.raises(TypeError, match="ctx: a compiled body gets no TaskContext"):
            weft.task(compiler="numba")(asking)
        with pytest.raises(ValueError, match="the compiler 'c' is unknown; there is numba"):
            weft.task(compiler="c")(untyped)

    def test_cfunc_serves_as_body(self):
        import numba

        @numba.cfunc(numba.types.int32(numba.types.voidptr))
        def nothing(task):
            return 0

        @weft.task(body=nothing)
        def called(x: InOut): ...

        x = np.ones(1000)
        called(x)
        assert float(x.sum()) == 1000.0


def test_document_mentions_every_public_name():
    text = (ROOT / "docs" / "tasks.md").read_text()
    for name in weft.tasks.__all__:
        assert re.search(rf"\b{name}\b", text), name
