"""NumPy's own functions with arrays of Weft, and what both libraries do with each other's arrays. Nothing falls back."""

import io
import subprocess
import sys

import numpy
import numpy.fft
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


@pytest.fixture
def a():
    return np.array([[2.0, 1.0, 3.0], [4.0, 4.0, 6.0]])


@pytest.fixture
def h():
    return numpy.arange(6.0).reshape(2, 3)


#: Calls with an array of Weft as the result, by NumPy's functions of an array `a` of Weft and one
#: `h` of NumPy.
CALLS = [
    "add(a, h)", "add(h, a)", "subtract(h, 1, out=a.copy())", "matmul(h, a.T)", "vecdot(h, a)", "h + a", "h - a", "h @ a.T", "a @ h.T",
    "h == a", "h > a", "add.reduce(a, axis=0)", "add.outer(h[0], a[1])", "multiply.accumulate(a, 1)", "concatenate([a, h])",
    "concatenate([h, a])", "stack([h, a])", "vstack([a, h])", "where(a > 1, h, 0)", "linalg.norm(a)", "linalg.norm(a, axis=1)",
    "linalg.solve(eye(3), a[0])", "linalg.inv(a[:, :2])", "fft.fft(a)", "einsum('ij,ij->i', a, h)", "tensordot(a, h.T, 1)",
    "dot(h, a.T)", "mean(a)", "sum(a, axis=0)", "sort(a)", "argsort(a)", "median(a)", "percentile(a, 50)", "unique(a)",
    "interp(a, arange(6.0), arange(6.0))", "isclose(a, h)", "broadcast_to(a, (2, 2, 3))", "clip(h, a, None)", "h.clip(a, a + 1)",
    "diff(a)", "convolve(a[0], h[0])", "polyval(a[0], 2)", "pad(a, 1)", "roll(a, 1)", "kron(a, h)", "cov(a)", "logical_and(a, h)",
    "isin(h, a)", "tile(a, 2)", "append(h, a)", "searchsorted(h[0], a[0])", "take_along_axis(a, argsort(a), 1)", "zeros_like(a)",
]  # fmt: skip


@pytest.mark.parametrize("text", CALLS)
def test_numpy_functions_accept_arrays(text, a, h):
    names = vars(numpy)
    made = eval(text, {}, {**names, "a": a, "h": h})
    expected = eval(text, {}, {**names, "a": numpy.array(a), "h": h})
    assert isinstance(made, (np.ndarray, numpy.generic))
    host = numpy.asarray(made)
    assert host.dtype == expected.dtype and host.shape == expected.shape
    assert numpy.allclose(host, expected)


@pytest.mark.parametrize(
    "write",
    [
        lambda m, h, of: m.put(h, of([0, 5]), of([50.0, 60.0])),
        lambda m, h, of: m.put(h, of([7, -7]), of([1.0]), mode="wrap"),
        lambda m, h, of: m.putmask(h, of([[True, False, True]] * 2), of([7.0, 8.0])),
        lambda m, h, of: m.place(h, of([[False, True, True]] * 2), v) if (v := of([3.0, 4.0, 5.0])) is not None else None,
        lambda m, h, of: m.copyto(h, of([9.0, 8.0, 7.0]), where=of([True, False, True])),
        lambda m, h, of: m.put_along_axis(h, of([[0], [1]]), of([[1.5], [2.5]]), 1),
        lambda m, h, of: m.fill_diagonal(h, of([1.0, 2.0])),
        lambda m, h, of: h.__setitem__(of([1]), of([5.0, 6.0, 7.0])),
        lambda m, h, of: h.put([0], of([5.0])),
        lambda m, h, of: m.add(of([1.0, 2.0, 3.0]), 1, out=h),
    ],
)
@pytest.mark.parametrize("module", [numpy, np])
def test_numpy_arrays_are_written_in_place(write, module, h):
    expected = h.copy()
    write(numpy, expected, numpy.array)
    write(module, h, np.array)
    assert numpy.array_equal(h, expected)


@pytest.mark.parametrize("name", ["assert_equal", "assert_almost_equal"])
def test_assertions_compare_arrays(name, a):
    check = getattr(np.testing, name)
    check(a, a.copy())
    with pytest.raises(AssertionError):
        check(a, a + 1)


def test_assertions_compare_nested_lists_and_dictionaries(a):
    np.testing.assert_equal([a, {"x": a}], [a.copy(), {"x": numpy.array(a)}])
    with pytest.raises(AssertionError):
        np.testing.assert_equal([a, {"x": a}], [a, {"x": a + 1}])


def test_assertions_of_numpy_accept_arrays(a):
    from weft.numpy.testing import assert_allclose, assert_array_equal, assert_array_less

    assert_allclose(a, numpy.array(a))
    assert_array_equal(a, a.copy())
    assert_array_less(a, a + 1)
    numpy.testing.assert_allclose(a, a + 1e-12)
    with pytest.raises(AssertionError, match="Mismatched elements: 6 / 6"):
        assert_allclose(a, a + 1)


def test_vector_elements_are_scalars():
    array = np.arange(4, dtype="f4")
    assert [type(one) for one in array] == [numpy.float32] * 4
    assert set(np.array([1, 1, 2])) == {1, 2} and max(array) == 3.0
    assert [type(one) for one in np.array([True, False])] == [numpy.bool] * 2
    assert [one.shape for one in np.ones((2, 3))] == [(3,), (3,)]
    assert list(np.arange(4).reshape(2, 2).flat) == [0, 1, 2, 3]
    assert list(reversed(np.arange(3))) == [2, 1, 0]
    for read in (iter, reversed):
        with pytest.raises(TypeError, match="0-d"):
            read(np.array(1))


@pytest.mark.parametrize("dtype", ["i8", "?", "f8"])
def test_iteration_sees_concurrent_writes(dtype):
    found = {}
    for module in (np, numpy):
        array = module.ones(5, dtype)
        found[module] = []
        for at, one in enumerate(array):
            array[at + 1 :] = at % 2
            found[module].append(one.item())
    assert found[np] == found[numpy]


def test_foreign_ufuncs_compute_on_array_memory():
    seen = []

    def look(value):
        seen.append(value)
        return value + 1

    array = np.arange(3.0)
    assert numpy.frompyfunc(look, 1, 1)(array).tolist() == [1.0, 2.0, 3.0] and seen == [0.0, 1.0, 2.0]
    flags = np.zeros(3, "?")
    made = numpy.isfinite(array, out=flags)
    assert made is flags and flags.all()


@pytest.mark.parametrize(
    "text", ["m + x", "x + m", "x - m", "m < x", "ufuncs.add(x, m)", "ufuncs.add(m, x)", "ufuncs.sin(m)", "ufuncs.maximum(m, x)", "ufuncs.hypot(x, m)"]
)
def test_masked_arrays_keep_masks(text):
    masked = numpy.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
    made = eval(text, {"m": masked, "x": np.ones(3), "ufuncs": np})
    expected = eval(text, {"m": masked, "x": numpy.ones(3), "ufuncs": numpy})
    assert numpy.ma.allequal(made, expected) and numpy.array_equal(numpy.ma.getmaskarray(made), numpy.ma.getmaskarray(expected))


def test_accepts_foreign_indices():
    class Other:
        def __init__(self, values):
            self.values = numpy.array(values)

        def __array__(self, dtype=None, copy=None):
            return self.values

    array = np.arange(10.0)
    assert array[Other([1, 3])].tolist() == [1.0, 3.0]
    assert array[Other([True] + [False] * 9)].tolist() == [0.0]
    array[Other([2])] = 7.0
    assert array[2].item() == 7.0
    with pytest.raises(IndexError):
        array[Other([0.5])]


def test_arrays_support_the_buffer_protocol():
    array = np.arange(3, dtype="i2")
    file = io.BytesIO()
    file.write(array)
    file.seek(0)
    back = np.zeros(3, "i2")
    file.readinto(back)
    assert back.tolist() == [0, 1, 2]
    assert array.data.tobytes() == bytes([0, 0, 1, 0, 2, 0]) and array.data.shape == (3,)
    assert numpy.shares_memory(numpy.frombuffer(array, "i2"), numpy.asarray(array))


def test_dlpack_copies_reversed_memory():
    array = np.arange(4.0)
    made = numpy.from_dlpack(array[::-1])
    assert made.tolist() == [3.0, 2.0, 1.0, 0.0] and not numpy.shares_memory(made, numpy.asarray(array))
    with pytest.raises(BufferError, match="backwards"):
        array[::-1].__dlpack__(copy=False)


def test_matrix_product_programs_have_no_fallbacks():
    text = """
import warnings
warnings.simplefilter("error")
import numpy, weft.numpy as np
print((numpy.ones((2, 2)) @ np.ones((2, 2))).sum().item())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.stdout == "8.0\n", done.stderr
