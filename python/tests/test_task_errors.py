"""Errors of tasks: at the decorator, at the call, and in a body."""

import inspect
import traceback

import numpy
import pytest
import weft
import weft.numpy as np
from weft.tasks import ADD, MIN, In, InOut, Out, Reduce, TaskContext, align, broadcast, halo


def line():
    return inspect.currentframe().f_back.f_lineno


@weft.task(align("x", "y"))
def root(x: In, y: Out):
    if (x < 0).any():
        raise ValueError("a value is negative")
    y[:] = numpy.sqrt(x)


def test_exception_names_its_line_and_poisons_only_its_outputs():
    x = np.full(100_000, 4.0)
    x[700] = -1.0
    y, other = np.zeros(100_000), np.zeros(100_000)
    called = line() + 1
    root(x, y)
    root(np.full(100_000, 9.0), other)
    assert float(other.sum()) == 300_000.0
    with pytest.raises(RuntimeError) as raised:
        (y + 1.0).sum().item()
    text = str(raised.value)
    raising = inspect.getsourcelines(root.__wrapped__)[1] + 3
    assert text.startswith(f"root at {__file__}:{called} (operation "), text
    assert f"its body failed: ValueError: a value is negative ({__file__}:{raising})" in text
    assert float(x.sum()) == 4.0 * 99_999 - 1


@pytest.mark.parametrize("raised", [KeyError("k"), SystemExit(3), KeyboardInterrupt(), MemoryError(), RecursionError("deep")])
def test_every_kind_of_exception_is_a_failure(raised):
    @weft.task
    def raising(x: InOut):
        raise raised

    x = np.zeros(10)
    raising(x)
    with pytest.raises(RuntimeError, match=f"its body failed: {type(raised).__name__}"):
        x.sum().item()


def test_errors_name_the_innermost_program_line():
    @weft.task
    def calling(x: InOut):
        numpy.linalg.inv(numpy.zeros((2, 2)))

    x = np.zeros(3)
    calling(x)
    with pytest.raises(RuntimeError, match=r"LinAlgError: .*\(.*test_task_errors\.py:\d+\)"):
        x.sum().item()


def test_rejects_return_values():
    @weft.task
    def returning(x: InOut):
        return x

    x = np.zeros(3)
    returning(x)
    with pytest.raises(RuntimeError, match="writes its results to its outputs and returns nothing, and it returned ndarray"):
        x.sum().item()


def test_inputs_are_read_only():
    @weft.task
    def writing(x: In, y: Out):
        x[0] = 1.0

    x, y = np.zeros(3), np.zeros(3)
    writing(x, y)
    with pytest.raises(RuntimeError, match="ValueError: assignment destination is read-only"):
        y.sum().item()
    assert float(x.sum()) == 0.0


@pytest.mark.parametrize("size", [10, 200_000])
def test_rejects_weft_calls_within_a_body(size):
    known = np.ones(size)
    calls = [
        lambda: np.ones(size),
        lambda: known + 1,
        lambda: known[0],
        lambda: float(known.sum()),
        lambda: numpy.asarray(known),
        lambda: known.fill(2),
        weft.wait,
        weft.finish,
        lambda: root(known, known),
    ]
    x = np.zeros(size)
    for call in calls:

        @weft.task
        def nested(x: InOut):
            call()  # noqa: B023

        y = x + 0.0
        nested(y)
        with pytest.raises(RuntimeError, match="the body of a task cannot make calls on arrays of Weft"):
            y.sum().item()
    assert float(known.sum()) == size


def test_rejects_invalid_calls_with_a_remedy():
    @weft.task(align("x", "y"))
    def axpy(a: int, x: In["f8", 1], y: Out["f8", 1]): ...

    x, y = np.zeros(5), np.zeros(5)

    def refused(kind, text, *args, **kwargs):
        with pytest.raises(kind) as raised:
            axpy(*args, **kwargs)
        assert str(raised.value) == text

    refused(ValueError, "axpy: y of shape [5] does not fit x of shape [4] along axis 0: 5 elements instead of 4", 1, np.zeros(4), y)
    refused(ValueError, "axpy: x is of float32, not float64; cast it", 1, np.zeros(5, "f4"), y)
    refused(ValueError, "axpy: x of shape [5, 5] has 2 axes, not 1", 1, np.zeros((5, 5)), y)
    refused(TypeError, "axpy: x: it must be an array, not a single value", 1, 2.0, y)
    refused(TypeError, "axpy: x: it must be an array, not str", 1, "text", y)
    refused(TypeError, "axpy: a: it must be a single value, not str", "text", x, y)
    refused(TypeError, "axpy: a: it is of int64, and float64 was given", 2.5, x, y)
    refused(TypeError, "axpy: the argument y is missing", 1, x)
    refused(TypeError, "axpy: the arguments a, x, y are missing")
    refused(TypeError, "axpy: 4 arguments for 3 parameters", 1, x, y, y)
    refused(TypeError, "axpy: unknown parameter `b`; use one of a, x, y", 1, x, y, b=2)
    refused(TypeError, "axpy: x is given twice", 1, x, y, x=x)
    refused(TypeError, "axpy: y: a task writes to it: it must be an array of weft.numpy, not ndarray", 1, x, numpy.zeros(5))
    refused(TypeError, "axpy: x: Weft's arrays cannot hold elements of object", 1, numpy.array([None] * 5), y)
    y.flags.writeable = False
    refused(ValueError, "axpy: y: it is read-only, and the task writes to it", 1, x, y)
    with pytest.raises(ValueError, match="it is a copy of parts of an array"):
        axpy(1, x, np.zeros(5, "c16").real)
    with pytest.raises(ValueError, match="it is read-only"):
        axpy(1, x, np.broadcast_to(np.zeros(1), (5,)))


def test_rejects_overlapping_outputs():
    @weft.task
    def both(x: Out, y: Out): ...

    x = np.zeros(10)
    with pytest.raises(ValueError, match="x and y are both written and have elements in common"):
        both(x[:6], x[4:])


def test_rejects_inconsistent_definitions():
    def refused(kind, match, function, *constraints, **options):
        with pytest.raises(kind, match=match):
            weft.task(*constraints, **options)(function)

    def plain(x: In, y: Out, a: float = 1.0): ...

    refused(ValueError, 'unknown parameter "z"; it has x, y, a', plain, align("x", "z"))
    refused(ValueError, "a is a single value, which is not cut: it has no constraints", plain, align("x", "a"))
    refused(ValueError, "give the halo to an input", plain, halo("y", 1))
    refused(TypeError, "'x' is not a constraint; use align", plain, "x")
    refused(ValueError, "variants: 'tpu' is none; there are cpu, omp, gpu", plain, variants=("cpu", "tpu"))

    def missing(x: In, y): ...

    refused(TypeError, "task missing: y has no annotation: use In, Out, InOut or Reduce", missing)

    def text(x: In, y: str): ...

    refused(TypeError, "the annotation of y, <class 'str'>, is none of In, Out", text)

    def unknown(x: "In", y: "Nothing"): ...  # noqa: F821

    refused(TypeError, "the annotation 'Nothing' of y cannot be evaluated: name 'Nothing' is not defined", unknown)

    def many(x: In, *y: Out): ...

    refused(TypeError, r"\*y stands for any number of arguments", many)

    def bare(x: In, y: Reduce): ...

    refused(TypeError, r"Reduce needs a reduction in brackets, such as Reduce\[ADD\]", bare)

    def default(x: In, y: Out = None): ...

    refused(TypeError, "y is an array, which has no default", default)

    def none(a: float): ...

    refused(ValueError, "a task needs at least one array", none)

    def reduced(x: In, h: Reduce[ADD, "f8"]): ...

    refused(ValueError, "h: it cannot have broadcast", reduced, broadcast("h"))
    with pytest.raises(TypeError, match="names ADD, MUL, MIN or MAX first"):
        Reduce["add"]
    with pytest.raises(TypeError, match="makes a task of a function, not of int"):
        weft.task()(3)


def test_rejects_min_reduction_of_complex_dtype():
    @weft.task
    def least(x: In, y: Reduce[MIN]): ...

    with pytest.raises(ValueError, match="y: min is not defined for complex128"):
        least(np.zeros(3, "c16"), np.zeros((), "c16"))


def test_string_annotations_see_enclosing_names():
    from weft import tasks as inner

    @weft.task
    def told(x: "inner.In", y: "inner.Out['f8', 1]", ctx: "TaskContext"):
        y[:] = x

    y = np.zeros(4)
    told(np.arange(4.0), y)
    assert list(y) == [0.0, 1.0, 2.0, 3.0]


def test_task_resembles_its_function():
    assert root.__name__ == "root" and root.__wrapped__.__code__.co_argcount == 2
    assert repr(root) == "<task root(x: In, y: Out)>"
    assert weft.task(name="other")(root.__wrapped__).__repr__().startswith("<task other(")


def test_selects_bodies_by_processor_kind():
    @weft.task(variants=("cpu", "gpu"))
    def one(x: InOut):
        x += 1

    @one.gpu_variant
    def one(x: InOut):
        x += 100

    x = np.zeros(3)
    one(x)
    assert x[0] == 1.0

    @one.cpu_variant
    def one(x: InOut):
        x += 10

    one(x)
    assert x[0] == 11.0


def lines_of(error):
    """The functions and lines that an exception came through in this file."""
    return [(one.name, one.lineno) for one in traceback.extract_tb(error.__traceback__) if one.filename == __file__]


def test_exception_is_the_cause_of_the_error():
    class Own(Exception):
        pass

    def helper(value):
        raise Own(value)

    @weft.task
    def calling(x: InOut):
        local = x  # noqa: F841
        try:
            helper(7)
        except Own as error:
            raise LookupError("found nothing") from error

    first = inspect.getsourcelines(calling.__wrapped__)[1]
    x = np.zeros(100)
    calling(x)
    for _ in range(2):
        # Dependent operations fail, too, each time that a result is read.
        with pytest.raises(RuntimeError, match="its body failed: LookupError: found nothing") as raised:
            (x + 1).sum().item()
        cause = raised.value.__cause__
        assert type(cause) is LookupError and cause.args == ("found nothing",)
        assert lines_of(cause) == [("calling", first + 6)]
        assert type(cause.__cause__) is Own and cause.__cause__.args == (7,)
        assert lines_of(cause.__cause__) == [("calling", first + 4), ("helper", inspect.getsourcelines(helper)[1] + 1)]
        assert f"line {first + 6}, in calling" in "".join(traceback.format_exception(raised.value))
    # The memory of the array is not kept by local variables of the body.
    for error in (cause, cause.__cause__):
        assert "local" not in error.__traceback__.tb_frame.f_locals


def test_errors_of_other_kinds_have_no_cause():
    x = np.zeros(10)
    with pytest.raises(IndexError) as raised:
        numpy.asarray(x[np.array([11])])
    assert raised.value.__cause__ is None
