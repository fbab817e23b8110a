"""Results of tasks whose length is not known beforehand."""

import numpy
import pytest
import weft
import weft.numpy as np
from weft.tasks import In, InOut, Out, Unbound, align


@weft.task
def above(x: In["f8", 1], limit: float, found: weft.Unbound["i8"], ctx: weft.TaskContext):
    found.extend(numpy.flatnonzero(x > limit) + ctx.ranges_of("x")[0].start)


def test_call_returns_elements_in_tile_order():
    x = numpy.random.default_rng(3).random(100_000)
    found = above(x, 0.9)
    assert isinstance(found, np.ndarray) and found.dtype == "int64"
    assert numpy.array_equal(found, numpy.flatnonzero(x > 0.9))
    # It is an array like any other.
    assert float(np.array(x)[found].min()) > 0.9
    assert above(x, limit=2.0).shape == (0,)


@weft.task(align("x", "y"))
def parted(x: In, low: Unbound["f4"], y: Out, high: "Unbound[numpy.complex64]"):
    y[:] = x + 1
    for value in x:
        (high if value > 0.5 else low).append(value)
    assert len(low) + len(high) == len(x)


def test_returns_several_results_in_parameter_order():
    x = numpy.random.default_rng(4).random(3000)
    y = np.empty(3000)
    low, high = parted(x, y)
    assert (low.dtype, high.dtype) == ("float32", "complex64")
    assert numpy.array_equal(low, x[x <= 0.5].astype("f4"))
    assert numpy.array_equal(high, x[x > 0.5].astype("c8"))
    assert numpy.array_equal(y, x + 1)
    assert repr(parted) == "<task parted(x: In, low: Unbound, y: Out, high: Unbound)>"


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_supports_every_dtype(dtype):
    @weft.task
    def copied(x: In, found: Unbound[dtype]):
        found.extend(x[: len(x) // 2])
        found.extend([])
        found.extend(x[len(x) // 2 :].reshape(1, -1))

    x = numpy.arange(1000).astype(dtype)
    found = copied(x)
    assert found.dtype == x.dtype and numpy.array_equal(found, x)


def test_added_elements_are_copied():
    @weft.task
    def reusing(x: In, found: Unbound["f8"]):
        room = numpy.zeros(1)
        for value in x:
            room[0] = value
            found.extend(room)

    assert numpy.array_equal(reusing(numpy.arange(300.0)), numpy.arange(300.0))


def test_unfit_elements_fail_the_call():
    def adding(value, dtype, method="append"):
        @weft.task
        def adding(x: In, found: Unbound[dtype]):
            getattr(found, method)(value)

        return adding(np.zeros(3))

    def refused(kind, text, *args):
        with pytest.raises(RuntimeError, match="its body failed") as raised:
            adding(*args)
        assert type(raised.value.__cause__) is kind and text in str(raised.value.__cause__)

    refused(TypeError, "found is of int64, and elements of float64 were added; cast them", 2.5, "i8")
    refused(TypeError, "found is of bool, and elements of int64 were added", 1, "?")
    refused(TypeError, "elements of complex128 were added", 1j, "f8")
    refused(TypeError, "elements of <U4 were added", "text", "f8")
    refused(OverflowError, "an integer is out of bounds for uint8", 256, "u1")
    refused(OverflowError, "an integer is out of bounds for uint8", [1, -1], "u1", "extend")
    refused(ValueError, "append takes one element, not an array of shape (2,); extend takes all of its elements", [1, 2], "i8")
    assert list(adding(255, "u1")) == [255]
    assert list(adding(True, "f4")) == [1.0]


def test_failing_body_returns_no_result():
    @weft.task
    def failing(x: InOut, found: Unbound["f8"]):
        found.append(1.0)
        raise ValueError("no result")

    x = np.zeros(10)
    with pytest.raises(RuntimeError, match="failing at .*: ValueError: no result"):
        failing(x)
    with pytest.raises(RuntimeError, match="no result"):
        x.sum().item()


def test_rejects_invalid_definitions():
    with pytest.raises(TypeError, match=r'task f: found: Unbound needs the dtype of the elements in brackets, such as Unbound\["f8"\]'):

        @weft.task
        def f(x: In, found: Unbound): ...

    with pytest.raises(ValueError, match="found is a result of unknown length, which is not cut: it has no constraints"):

        @weft.task(align("x", "found"))
        def f(x: In, found: Unbound["f8"]): ...

    with pytest.raises(ValueError, match="found: a function of C cannot fill a result of unknown length"):

        @weft.task(body=4096)
        def f(x: In, found: Unbound["f8"]): ...

    with pytest.raises(TypeError, match="a compiled body cannot fill a result of unknown length"):

        @weft.task(compiler="numba")
        def f(x: In["f8", 1], found: Unbound["f8"]): ...

    @weft.task
    def f(x: In, found: Unbound["f8"]): ...

    with pytest.raises(ValueError, match="found: a body for GPUs cannot fill a result of unknown length"):

        @weft.task(variants=("cpu", "gpu"))
        def g(x: In, found: Unbound["f8"]):
            found.extend(x)

    with pytest.raises(TypeError, match="f: 2 arguments for 1 parameters"):
        f(np.zeros(3), np.zeros(3))


_kept = []


@weft.task
def keeping(x: In, found: Unbound["f8"]):
    found.append(1.0)
    _kept.append(found)


def test_kept_results_reject_elements_after_the_body():
    assert keeping(np.ones(3)).tolist() == [1.0]
    with pytest.raises(RuntimeError, match="found: its body has ended"):
        _kept[0].append(2.0)
    with pytest.raises(RuntimeError, match="found: its body has ended"):
        _kept[0].extend([2.0])
