"""Task bodies for GPUs: CUDA C, and Python functions that submit work to the tile's stream. On emulated GPUs."""

import textwrap

import emulated
import profiled
import pytest
import weft
import weft.numpy as np
from weft.tasks import In, InOut, Out, Unbound

#: A body in CUDA C.
SAXPY = """\
__device__ void saxpy(weft::Index<1> i, double a, weft::In<double, 1> x, weft::InOut<double, 1> y) {
    y(i) += a * x(i);
}
"""

#: The common start of the programs. A body here is a client of the driver itself, as CuPy is.
BEFORE = '''
import ctypes

import numpy
import weft
import weft.numpy as np
from weft.tasks import ADD, MAX, DeviceArray, In, InOut, Out, Reduce, TaskContext, align, broadcast, halo

driver = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    code = getattr(driver, name)(*args)
    assert code == 0, (name, code)


def word(value):
    return ctypes.c_uint64(value)


def first(array):
    return array.__cuda_array_interface__["data"][0]


def strides(array):
    """Bytes between neighbours."""
    said = array.__cuda_array_interface__["strides"]
    return numpy.empty(array.shape, array.dtype).strides if said is None else said


def extent(array):
    """The range of addresses, up to one past the last byte."""
    assert all(step > 0 for step in strides(array))
    return sum((length - 1) * step for length, step in zip(array.shape, strides(array))) + array.dtype.itemsize if array.size else 0


def on_host(array, stream):
    """The elements, and the memory between them, on the host; waits for the stream."""
    room = numpy.empty(extent(array), "u1")
    call("cuMemcpyDtoHAsync_v2", word(room.ctypes.data), word(first(array)), word(len(room)), word(stream))
    call("cuStreamSynchronize", word(stream))
    return room, numpy.ndarray(array.shape, array.dtype, room, 0, strides(array))


def to_gpu(array, room, stream):
    """Writes the elements back. The memory is pageable, so the call has read it when it returns."""
    call("cuMemcpyHtoDAsync_v2", word(first(array)), word(room.ctypes.data), word(len(room)), word(stream))
'''


def program(folder, text):
    path = folder / "prog.py"
    path.write_text(f"{BEFORE}\nSAXPY = '''{SAXPY}'''\n{textwrap.dedent(text)}")
    return path


def printed(folder, text, gpus=1, **more):
    return emulated.run(program(folder, text), folder, emulated.environment(folder, gpus, **more))



@pytest.mark.parametrize("gpus", [0, 1, 2])
def test_accepts_cuda_c_as_text_and_file(gpus, tmp_path):
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    text = """
        import pathlib

        ran = []

        def made(**options):
            @weft.task(align("x", "y"), **options)
            def saxpy(a: float, x: In["f8", 1], y: InOut["f8", 1]):
                ran.append(len(x))
                y += a * x

            return saxpy

        x = numpy.random.default_rng(1).random(5000)
        relative, absolute = "saxpy.cu", pathlib.Path(__file__).with_name("saxpy.cu")
        for options in [dict(cuda=SAXPY), dict(cuda=relative), dict(cuda=absolute, cuda_block=64), dict(cuda=SAXPY, cuda_block=[128], variants=("cpu", "gpu"))]:
            y = np.ones(5000)
            made(**options)(2.0, np.array(x), y)
            assert numpy.array_equal(y, 1.0 + 2.0 * x)
        print(len(ran) > 0)
        """
    assert printed(tmp_path, text, gpus) == f"{gpus == 0}\n"


def test_runs_tasks_with_cuda_c_only(tmp_path):
    text = """
        source = '''
        template <typename T>
        __device__ void counted(weft::Index<1> i, weft::In<T, 1> x, weft::Reduce<weft::i64, 0> total, float limit) {
            if (x(i) > limit) total.add(1);
        }
        '''

        @weft.task(cuda=source)
        def counted(x: In, total: Reduce[ADD, "i8", 0], limit: numpy.float32):
            "A function without statements is not a body for CPUs."

        for dtype in ("f4", "f8", "i4"):
            total = np.zeros((), "i8")
            counted(np.arange(1000).astype(dtype), total, 700)
            print(int(total))

        # Errors of the body contain its text. Without GPUs there is no body to run.
        with weft.annotate(cpus=True):
            counted(np.arange(10), total, 1)
        try:
            int(total)
        except RuntimeError as error:
            print("it has no body for CPUs" in str(error), error.__cause__)

        @weft.task(cuda="__device__ void wrong(weft::Index<1> i, weft::InOut<double, 1> x) {\\n    x(i) = nothing;\\n}\\n")
        def wrong(x: InOut["f8", 1]): ...

        x = np.zeros(10)
        wrong(x)
        try:
            x.sum().item()
        except RuntimeError as error:
            print("wrong.cu:2" in str(error) or "wrong.cu(2)" in str(error), "nothing" in str(error))
        """
    assert printed(tmp_path, text) == "299\n299\n299\nTrue None\nTrue True\n"


BODY = """
    ran = []

    @weft.task(align("x", "y"), halo("x", 1))
    def smoothed(x: In, y: Out, weight: numpy.float32, ctx: TaskContext):
        ran.append(None)
        smooth(x, y, weight, ctx)

    def smooth(x, y, weight, ctx):
        own, part = ctx.ranges_of("y")[0], ctx.ranges_of("x")[0]
        padded = numpy.pad(x, (int(own.start == part.start), int(own.stop == part.stop)), mode="edge")
        y[...] = (1 - weight) * padded[1:-1] + weight * (padded[:-2] + padded[2:]) / 2

    @smoothed.gpu
    def smoothed(y, x, weight, context: TaskContext):
        assert context.stream > 1 and context.device in (0, 1) and type(weight) is numpy.float32, context
        assert context.tiles == weft_tiles and context.shape == (n,), context
        assert isinstance(x, DeviceArray) and len(x) == len(context.ranges_of("x")[0])
        ran.append(context.device)
        (_, own_x), (room, own_y) = on_host(x, context.stream), on_host(y, context.stream)
        smooth(own_x, own_y, weight, context)
        to_gpu(y, room, context.stream)

    n, steps = 1000, 5
    weft_tiles = 1 if gpus < 2 else 2
    start = numpy.random.default_rng(3).random(n)
    x, y = np.array(start), np.empty(n)
    for _ in range(steps):
        smoothed(x, y, 0.5)
        # Weft's own work before and after it.
        x, y = y * 2.0 - 1.0, np.empty(n)
    found = numpy.asarray(x)
    expected = start
    for _ in range(steps):
        padded = numpy.pad(expected, 1, mode="edge")
        expected = (0.5 * padded[1:-1] + 0.5 * (padded[:-2] + padded[2:]) / 2) * 2.0 - 1.0
    assert numpy.allclose(found, expected, atol=1e-12), abs(found - expected).max()
    print(sorted(set(ran), key=str), len(ran) // steps)
"""


@pytest.mark.parametrize(("gpus", "expected"), [(1, "[0] 1\n"), (2, "[0, 1] 2\n")])
@pytest.mark.parametrize("seed", [5, 6])
def test_runs_python_bodies_on_the_tile_stream(gpus, expected, seed, tmp_path):
    assert printed(tmp_path, f"gpus = {gpus}\n" + textwrap.dedent(BODY), gpus, seed=seed) == expected


def test_runs_cpu_bodies_without_gpus(tmp_path):
    before, _, rest = textwrap.dedent(BODY).partition("@smoothed.gpu\n")
    text = f"gpus = 0\n{before}@smoothed.gpu\n{rest}"
    assert printed(tmp_path, text, 0).startswith("[None] ")


@pytest.mark.parametrize("where", ["tile", "default"])
@pytest.mark.parametrize("seed", range(4))
def test_unsynchronized_work_is_ordered(where, seed, tmp_path):
    """Copies and fills in the tile's stream, or in the default one, run between the work before the body and the work after it."""
    text = """
        @weft.task(align("x", "y"), variants="gpu")
        def shifted(x: In["f4", 1], y: Out["f4", 1], value: int, ctx: TaskContext):
            stream = word(ctx.stream if where == "tile" else 0)
            half = len(x) // 2
            call("cuMemcpyDtoDAsync_v2", word(first(y)), word(first(x)), word(4 * half), stream)
            call("cuMemsetD32Async", word(first(y) + 4 * half), ctypes.c_uint(value), word(len(x) - half), stream)

        n = 512
        x, expected = np.arange(n).astype("f4"), numpy.arange(n).astype("f4")
        for number in range(12):
            y = np.empty(n, "f4")
            shifted(x, y, 0x3F800000)
            x = y * 2 + number
            expected = numpy.r_[expected[: n // 2], numpy.ones(n // 2, "f4")] * 2 + number
        assert numpy.array_equal(x, expected)
        print("done")
        """
    assert printed(tmp_path, f"where = {where!r}\n" + textwrap.dedent(text), seed=seed, flags="--cuda-graphs" if seed == 1 else "") == "done\n"


def test_reductions_start_with_the_identity(tmp_path):
    text = """
        @weft.task(variants="gpu")
        def counted(x: In, total: Reduce[ADD], most: Reduce[MAX], bins: Reduce[ADD], ctx: TaskContext):
            _, own = on_host(x, ctx.stream)
            for out, value in ((total, own.sum()), (most, own.max()), (bins, numpy.bincount(own.astype(int) % 4, minlength=4))):
                room, made = on_host(out, ctx.stream)
                if out is most:
                    assert made == -numpy.inf
                    made[...] = value
                else:
                    assert (made == 0).all()
                    made[...] += value
                to_gpu(out, room, ctx.stream)

        x = numpy.random.default_rng(2).random(5000) * 100
        total, most, bins = np.ones(()), np.zeros(()), np.zeros(4, "i8")
        counted(np.array(x), total, most, bins)
        assert numpy.isclose(float(total), 1 + x.sum()) and float(most) == x.max()
        assert numpy.array_equal(bins, numpy.bincount(x.astype(int) % 4))
        print("done")
        """
    assert printed(tmp_path, text, 2) == "done\n"


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_exports_array_interface_and_dlpack(dtype, tmp_path):
    """Version 3 of the CUDA array interface, and DLPack's capsules, also of views, and of dtypes that Weft's own kernels lack."""
    text = """
        class Tensor(ctypes.Structure):
            _fields_ = [("data", ctypes.c_uint64), ("kind", ctypes.c_int32), ("id", ctypes.c_int32), ("axes", ctypes.c_int32), ("code", ctypes.c_uint8),
                        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                        ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]

        class Managed(ctypes.Structure):
            _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]

        class Versioned(ctypes.Structure):
            _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("flags", ctypes.c_uint64), ("tensor", Tensor)]

        pointer, rename = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_SetName
        pointer.argtypes, pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
        rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
        used = ctypes.create_string_buffer(b"used")

        def check(array, is_written, ctx):
            said = array.__cuda_array_interface__
            assert said["version"] == 3 and said["stream"] == ctx.stream and said["data"][1] is not is_written, said
            assert said["shape"] == array.shape == (30, 20) and said["typestr"] == array.dtype.str == numpy.dtype(dtype).str
            steps = strides(array)
            assert (said["strides"] is None) == (steps == (20 * array.dtype.itemsize, array.dtype.itemsize))
            assert array.ndim == 2 and array.size == 600 and len(array) == 30
            assert array.__dlpack_device__() == (2, ctx.device)
            codes = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
            for options, name, kind in (
                ({}, b"dltensor", Managed),
                ({"stream": 1, "max_version": (0, 8)}, b"dltensor", Managed),
                ({"stream": ctx.stream, "max_version": (1, 1), "copy": False}, b"dltensor_versioned", Versioned),
                ({"stream": -1, "max_version": (1, 0), "dl_device": (2, ctx.device)}, b"dltensor_versioned", Versioned),
            ):
                capsule = array.__dlpack__(**options)
                managed = ctypes.cast(pointer(capsule, name), ctypes.POINTER(kind)).contents
                tensor = managed.tensor
                assert tensor.data + tensor.offset == said["data"][0] and (tensor.kind, tensor.id) == (2, ctx.device)
                assert (tensor.code, tensor.bits, tensor.lanes) == (codes[array.dtype.kind], 8 * array.dtype.itemsize, 1)
                assert (tensor.axes, *tensor.shape[:2]) == (2, 30, 20)
                assert tuple(step * array.dtype.itemsize for step in tensor.strides[:2]) == steps
                if kind is Versioned:
                    assert (managed.major, managed.flags) == (1, 0 if is_written else 1)
                if "copy" in options:
                    # Takes over the capsule, as a consumer does.
                    assert rename(capsule, used) == 0
                    del capsule
                    managed.deleter(ctypes.addressof(managed))
            for refused in ({"stream": 77}, {"stream": 0}, {"dl_device": (1, 0)}, {"copy": True}):
                try:
                    array.__dlpack__(**refused)
                except BufferError:
                    continue
                raise AssertionError(refused)
            try:
                numpy.asarray(array)
            except TypeError as error:
                assert "where NumPy cannot reach it: take it with cupy.asarray or torch.as_tensor" in str(error), error
            else:
                raise AssertionError("NumPy took it")

        kept = []

        @weft.task(align("x", "y"), variants=("cpu", "gpu"))
        def doubled(x: In, y: Out, ctx: TaskContext):
            assert ctx.stream is not None, "it ran on a CPU"
            check(x, False, ctx)
            check(y, True, ctx)
            kept.append(x)
            (_, own), (room, made) = on_host(x, ctx.stream), on_host(y, ctx.stream)
            made[...] = own + own
            to_gpu(y, room, ctx.stream)

        x = (numpy.arange(2400).reshape(60, 40) % 100).astype(dtype)
        ours, y = np.array(x), np.zeros((30, 20), dtype)
        for own, view in ((x[:30, :20], ours[:30, :20]), (x.T[:30, ::2][:, :20], ours.T[:30, ::2][:, :20])):
            doubled(view, y)
            assert numpy.array_equal(y, own + own)
        assert repr(kept[0]) == f"<x of {numpy.dtype(dtype)} and shape (30, 20) on GPU 0>"
        try:
            kept[0].__cuda_array_interface__
        except RuntimeError as error:
            print(error)
        """
    assert printed(tmp_path, f"dtype = {dtype!r}\n" + textwrap.dedent(text)) == "the body has returned: x is not its any more; keep a copy instead\n"


def test_exceptions_fail_only_the_call_and_are_the_cause(tmp_path):
    text = """
        @weft.task(variants=("gpu",))
        def failing(x: InOut, ctx: TaskContext):
            # Work issued before stays in order.
            call("cuMemsetD32Async", word(first(x)), ctypes.c_uint(0), word(len(x)), word(ctx.stream))
            raise LookupError("not here")

        x, other = np.ones(1000, "f4"), np.ones(1000, "f4")
        failing(x); import sys; line = sys._getframe().f_lineno
        try:
            (x + 1).sum().item()
        except RuntimeError as error:
            cause = error.__cause__
            text = str(error)
            assert text.startswith(f"failing at {__file__}:{line} (operation ") and "LookupError: not here" in text, text
            print(type(cause).__name__, cause.__traceback__.tb_frame.f_code.co_name)
        print(float(other.sum()))

        @weft.task(variants=("gpu",))
        def nested(x: InOut):
            other + 1

        nested(other)
        try:
            other.sum().item()
        except RuntimeError as error:
            print("the body of a task cannot make calls on arrays of Weft" in str(error))
        """
    assert printed(tmp_path, text) == "LookupError failing\n1000.0\nTrue\n"


def test_body_may_leave_another_context_current(tmp_path):
    text = """
        @weft.task(variants=("gpu",))
        def leaving(x: InOut, ctx: TaskContext):
            device, current = ctypes.c_int(), ctypes.c_uint64()
            call("cuCtxGetDevice", ctypes.byref(device))
            assert device.value == ctx.device
            call("cuDevicePrimaryCtxRetain", ctypes.byref(current), 1 - ctx.device)
            call("cuCtxSetCurrent", current)

        x = np.ones(1000)
        for _ in range(3):
            leaving(x)
            x = x + 1
        print(float(x.sum()))
        """
    assert printed(tmp_path, text) == "4000.0\n"


def test_profile_contains_bodies_by_uid_and_line(tmp_path):
    """The task, its launch, and the kernels and copies that the body itself issued."""
    path = program(
        tmp_path,
        """
        @weft.task(align("x", "y"), variants=("gpu",))
        def filled(x: In, y: Out, ctx: TaskContext):
            call("cuMemsetD32Async", word(first(y)), ctypes.c_uint(7), word(len(y)), word(ctx.stream))

        @weft.task(align("x", "y"), cuda=SAXPY)
        def saxpy(a: float, x: In["f8", 1], y: InOut["f8", 1]): ...

        x, y = np.ones(1000), np.zeros(1000, "i4")
        z = np.ones(1000)
        filled(np.zeros(1000, "i4"), y)  # here
        saxpy(2.0, x, z)  # there
        assert int(y.sum()) == 7000 and float(z.sum()) == 3000.0
        """,
    )
    lines = path.read_text().splitlines()
    here, there = (next(at for at, text in enumerate(lines, 1) if text.endswith(f"# {word}")) for word in ("here", "there"))
    variables = emulated.environment(tmp_path)
    flags = variables.pop("WEFT_CONFIG").split()
    try:
        database = profiled.database(path, tmp_path, *flags, **variables)
    except AssertionError as error:
        if "C++ compiler" in str(error):
            pytest.skip("there is no C++ compiler for the emulator")
        raise
    rows = database.execute(
        """
        SELECT t.name, p.line, t.variant, k.kind, k.name, x.method, x.share, x.launchUid = t.uid, t.uid = l.uid
        FROM WEFT_TASK t JOIN WEFT_PROVENANCE p ON p.id = t.provenanceId JOIN WEFT_KERNEL_TASK x ON x.taskUid = t.uid
        JOIN WEFT_KERNEL k ON k.id = x.kernelId JOIN WEFT_LAUNCH l ON l.uid = x.launchUid
        WHERE t.name IN ('filled', 'saxpy') ORDER BY t.name
        """
    ).fetchall()
    assert [row[:4] for row in rows] == [("filled", here, "GPU", "memset"), ("saxpy", there, "GPU", "kernel")]
    assert rows[0][4] == "[CUDA memset]" and rows[1][4].startswith("weft_task_saxpy_")
    assert [row[5:] for row in rows] == [("external_id", 1.0, 1, 1)] * 2
    assert database.execute("SELECT count(*) FROM WEFT_UNMATCHED").fetchone() == (0,)


def test_rejects_invalid_definitions():
    def refused(kind, text, function, *args, **options):
        with pytest.raises(kind) as raised:
            weft.task(*args, **options)(function)
        assert str(raised.value).startswith(text), str(raised.value)

    def f(x: In, y: Out["f8", 1]):
        y[:] = x

    def stub(x: In, y: Out["f8", 1]): ...

    def found(x: In, y: Unbound["f8"]): ...

    code = "__device__ void f(weft::Index<1> i, weft::In<double, 1> x, weft::Out<double, 1> y) { y(i) = x(i); }"
    refused(TypeError, "task f: cuda is a text in CUDA C, or the path of a file .cu, not bytes", f, cuda=b"x")
    refused(FileNotFoundError, "[Errno 2] No such file or directory: ", f, cuda="nowhere.cu")
    refused(ValueError, "task f: its CUDA C has neither a function f, of one index, nor f_block", f, cuda="int x;")
    refused(ValueError, "task f: cuda_block needs a body in CUDA C, by cuda=", f, cuda_block=64)
    refused(ValueError, "task f: a block has 1 to 1024 threads", f, cuda=code, cuda_block=2048)
    refused(TypeError, "task f: cuda_block is a number of threads", f, cuda=code, cuda_block=2.5)
    refused(ValueError, "task f: cuda= is a body for GPUs, and variants name none", f, cuda=code, variants=("cpu",))
    refused(ValueError, "task f: body= makes a body for CPUs, and variants name none", f, body=4096, variants="gpu")
    refused(ValueError, "task f: body= makes a body for CPUs alone; use cuda=, or @f.gpu, for one on GPUs", f, body=4096, variants=("cpu", "gpu"))
    refused(ValueError, "task found: y: a body for GPUs cannot fill a result of unknown length", found, variants=("cpu", "gpu"))

    task = weft.task(f)
    with pytest.raises(TypeError, match="task f: unknown parameter `z`; use one of x, y"):
        task.gpu(lambda x, z: None)
    with pytest.raises(TypeError, match="task f: its body does not take y"):
        task.gpu(lambda x: None)
    with pytest.raises(TypeError, match=r"task stub: its text is `\.\.\.`, which is not a body for CPUs"):
        weft.task(stub).gpu(f)
    assert task.gpu(lambda y, x: None) is task


def test_gpu_only_body_requires_a_gpu():
    @weft.task(variants=("gpu",))
    def f(x: InOut):
        x += 1

    x = np.zeros(3)
    f(x)
    with pytest.raises(RuntimeError, match="it has no body for CPUs: run it on a GPU, with --gpus"):
        x.sum().item()

    # A body for groups of cores becomes the body for CPUs if there is no other.
    @f.omp_variant
    def f(x):
        x += 5

    @f.omp_variant
    def f(x):
        x += 50

    y = np.zeros(3)
    f(y)
    assert list(y) == [5.0] * 3
