"""Calls with extreme arguments: results, or errors and their messages, are NumPy's; none may fall back."""

import warnings

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def outcome(module, code):
    scope = {"m": module, "nan": numpy.nan, "inf": numpy.inf, "I": module.arange(6).reshape(2, 3), "V": module.arange(5)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = eval(code, scope)
        except Exception as error:  # noqa: BLE001 - any error of NumPy is compared
            # NumPy names the argument of some axes, and its own module.
            return type(error).__name__.removeprefix("_"), str(error).removeprefix("axis: ")
    return normalized(made), [one.category.__name__ for one in caught]


def normalized(made):
    if isinstance(made, (list, tuple)):
        return type(made).__name__, [normalized(one) for one in made]
    host = numpy.asarray(made)
    return str(host.dtype), host.shape, repr((numpy.round(host, 12) if host.dtype.kind in "fc" else host).tolist())


CALLS = [
    # Sorting and searching.
    *(f"m.{name}(V, {how})" for name in ("sort", "argsort") for how in ("kind='x'", "kind=3", "kind='h'", "kind='stable', stable=True", "stable=False")),
    "V.sort(kind='x')", "m.argsort(m.array(3))", "m.sort(m.array(3))",
    *(f"m.{name}({how})" for name in ("partition", "argpartition") for how in (
        "V, 1.5", "V, [1, 2.0]", "V, 9", "V[:0], 3", "V, 1, kind='z'", "m.zeros((0, 3)), 1, 0", "V, m.array([[1]])", "V, True", "m.array(3), 0")),
    *(f"m.searchsorted(V, 1, {how})" for how in ("'x'", "'r'", "sorter=[1.0]", "sorter=[1]", "sorter=[[1]]", "sorter=[0, 1, 2, 3, 4]")),
    "m.digitize([1, 2], [1, 2, 3j])", "m.digitize([1j], [1, 2])", "m.bincount([1], minlength='x')", "m.bincount(m.array([0, 2, 2], 'u8'))",
    # Inserting and trimming.
    *(f"m.insert(I, {how})" for how in (
        "1, 5", "[1], [1, 2, 3], 1", "1, [7, 8], 1", "[0, 2], [5, 6, 7], 0", "[1, 1], [[1], [2]], 0", "slice(1, 3), 9, 1", "m.array([1.0, 2.0]), [1, 2]",
        "[], []", "m.array([]), []", "-1, [4, 5]", "7, 1", "[[1]], 1", "[2], [[5], [6]], 1", "m.array([True, False, True]), 5, 1")),
    *(f"m.trim_zeros({values}, '{trim}'{axis})" for values in ("[0, 1, 0]", "m.array([0, 0, 2, 0])", "m.zeros(3)", "m.array([[0, 0], [0, 1]])", "m.array(5.0)")
        for trim in ("fb", "f", "B", "x") for axis in ("", ", 0")),
    "m.select([True], [0], default=[0])", "m.select([m.array([True, False])], [m.array([1, 2])], default=m.array([[5], [6]]))",
    "m.block(V) is V", "m.place([1, 2], [True], [3])",
    # Clipping and choosing.
    "m.clip(V)", "m.clip(V, 2)", "m.clip(V, a_max=2)", "m.clip(V, 2, 3, max=3)", "m.clip(V, 2, 3, min=3)", "m.clip(V, min=1)", "m.clip(V, None, None)",
    "m.array([1, 0]).choose((m.array([1.5, 2.5]), m.array([3.5, 4.5])), out=m.zeros(2, 'i4'))",
    # Interpolation with infinite values.
    "m.interp([0.5, 1, 1.5, 2, nan, inf, -inf], [-inf, 1, 2, inf], [1, inf, 3, 4])", "m.interp(0.5, [-inf, inf], [10, 10])",
    "m.interp([1, 2, 2.5, 3, 4], [1, 2, 2.5, 3, 4], [1, 2, inf, inf, 4])", "m.interp(0.5, [0, inf], [3j, 3j])",
    # About equal.
    *(f"m.isclose({pair}, {how})" for pair in (
        "m.array([1, 2], 'f4'), 1.0000001", "1, 1.00000001", "[1, nan], [1, nan]", "m.array([1, 2], 'i4'), 2", "3, m.array([3, 4], 'f4')", "1j, 1j + 1e-9")
        for how in ("equal_nan=True", "atol=0, rtol=0", "atol=m.array([1.0, 0.1])", "rtol=nan")),
    # Products.
    *(f"m.{name}(V, m.array([1, 2]), mode={mode})" for name in ("convolve", "correlate") for mode in ("0", "1", "2", "3", "'v'", "'same'")),
    "m.convolve(V, V, mode=None)", "m.cross(0, [1, 2])", "m.cross([1, 2], 3)",
    "m.einsum('i,i->i', V, V, out=m.zeros(5, 'i2'), casting='unsafe')", "m.einsum('i,i->i', V, V, dtype='f4')",
    # Universal functions.
    "m.add(1, 2, sig='ll->l', signature='ll->l')", "m.add(1, 2, signature='ll->l', dtype=int)", "m.add(V, 1, out=m.zeros(5, int), where=[1, 0, 1, 0, 1])",
    "m.add(V, 1, out=m.zeros(5, int), where=m.array([1, 0, 1, 0, 1]))", "m.add(V, 1, where=m.array([True] * 5))", "m.add(V, 1, where=m.array([True] * 5), out=None)",
    "isinstance(m.matmul, m.ufunc) and m.matmul.signature", "m.matmul(V, V)", "m.vecdot(I, V[:3])",
    # Copies.
    "m.array([1], copy='always')", "m.array(V, copy=m._CopyMode.IF_NEEDED) is V", "m.array(V, copy=m._CopyMode.ALWAYS) is V", "m.array(V, copy=0) is V",
    "m.array([1, 0]).choose(m.array([5, 6]), m.array([7, 8]))",
    # Shapes.
    "m.reshape(V, (True, -1))", "m.zeros((True, 2))", "I.transpose(m.array([1, 0]))", "m.transpose(I, [1, 0])", "m.transpose(I, (0,))", "I.transpose(())",
    "m.pad(V, 'x')", "m.pad(V, 1.5)", "m.pad(I, 1, 'mean', stat_length=-1)", "m.pad(I, 1, 'mean', stat_length=((1, 2), (3, -2)))",
    # Single numbers.
    "m.real(1)", "m.imag(2.5)", "m.real(1 + 2j)", "m.imag(1 + 2j)", "type(m.real(1)).__name__ == 'int'",
    # Transforms.
    "m.fft.fftn(I, s=(-1, 2))", "m.fft.irfftn(I, s=(2, 2))", "m.fft.fft2(I, s=(2, 2), axes=None)", "m.fft.fft(V, out=m.zeros(5, complex))", "m.fft.fft(V, out='')",
]  # fmt: skip


@pytest.mark.parametrize("code", CALLS)
def test_edge_cases_match_numpy(code):
    assert outcome(np, code) == outcome(numpy, code)


def test_rejects_misfitting_outputs():
    with pytest.raises(ValueError, match="wrong shape"):
        np.fft.fft(np.arange(4.0), out=np.zeros(3, complex))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.fft.fft(np.arange(4.0), out=np.zeros(4))
    with pytest.raises(TypeError, match="rule 'safe'"):
        np.einsum("i,i->i", np.arange(5), np.arange(5), out=np.zeros(5, "i2"))


GIVEN = numpy.random.default_rng(0)
A, B, VECTOR, ROWS = GIVEN.normal(size=(2, 3, 4)), GIVEN.normal(size=(2, 4, 5)), GIVEN.normal(size=4), GIVEN.normal(size=(2, 4))
PRODUCTS = [
    ("matmul", (A, B), {"out": (2, 3, 5)}), ("matmul", (A, B), {"out": (2, 3, 4)}), ("matmul", (A, B), {"out": (7, 2, 3, 5)}),
    ("matmul", (A, B.swapaxes(1, 2)), {"axes": [(-2, -1), (-1, -2), (-2, -1)]}), ("matmul", (A, B), {"axes": [(-2, -1), (-2, -1), (0, 1)]}),
    ("matmul", (A, VECTOR), {"axes": [(-2, -1), (-1,), (0,)]}), ("matmul", (A.astype(int), B.astype(int)), {"dtype": "f4"}), ("matmul", (A, B), {"dtype": "i4"}),
    ("matmul", (A, B), {"axis": 0}), ("matmul", (A, B), {"keepdims": True}), ("matmul", (A, 3.0), {}), ("matmul", (A, B), {"foo": 1}),
    ("vecdot", (A, A), {"axis": 0}), ("vecdot", (A, A), {"axis": 1, "keepdims": True}), ("vecdot", (A, VECTOR), {"axes": [2, 0, ()]}),
    ("vecdot", (A, VECTOR), {"axes": [2, 0]}), ("vecdot", (A, A), {"axis": 0, "axes": [0, 0]}), ("vecdot", (A, A), {"out": (5, 2, 3)}),
    ("vecdot", (A, A), {"keepdims": True, "axes": [0, 0, 2]}), ("vecdot", (VECTOR, 3.0), {}), ("vecdot", (A, VECTOR[:3]), {}), ("vecdot", (A * 1j, A), {}),
    ("matvec", (A, VECTOR), {}), ("matvec", (A, ROWS), {"out": (2, 3)}), ("matvec", (A, ROWS[:, None]), {}), ("matvec", (A, VECTOR), {"axes": [(1, 2), (0,), (0,)]}),
    ("matvec", (A, VECTOR[:2]), {}), ("matvec", (VECTOR, VECTOR), {}), ("vecmat", (VECTOR, B), {"out": (2, 5)}), ("vecmat", (ROWS * 1j, B), {}),
    ("vecmat", (VECTOR[:1], B), {}), ("vecmat", (VECTOR, B), {"axis": 1}),
]  # fmt: skip


@pytest.mark.parametrize("name, arrays, how", PRODUCTS)
def test_product_keywords_match_numpy(name, arrays, how):
    def made(module):
        given = {key: module.zeros(value) if key == "out" else value for key, value in how.items()}
        result = getattr(module, name)(*(module.asarray(one) for one in arrays), **given)
        assert "out" not in given or result is given["out"]
        return numpy.asarray(result)

    try:
        expected = made(numpy)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            made(np)
    else:
        numpy.testing.assert_allclose(made(np), expected, rtol=1e-12, atol=1e-12)
        assert made(np).dtype == expected.dtype


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3), (1, 1), (3, 0), (0, 3), (2, 0, 0)])
def test_householder_reflections_match_numpy(dtype, shape):
    given = (GIVEN.normal(size=shape) * 5 + (GIVEN.normal(size=shape) * 1j if dtype[0] == "c" else 0)).astype(dtype)
    tolerance = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for array in (given, numpy.triu(given)):
        for made, expected in zip(np.linalg.qr(np.asarray(array), "raw"), numpy.linalg.qr(array, "raw")):
            assert made.dtype == expected.dtype and made.shape == expected.shape
            numpy.testing.assert_allclose(numpy.asarray(made), expected, rtol=tolerance, atol=tolerance)


def test_singular_matrices_have_singular_vectors():
    u, s, vh = np.linalg.svd(np.array([[1.0, 0.0], [0.0, 0.0]]), hermitian=True)
    for one in (u, vh):
        numpy.testing.assert_allclose(numpy.asarray(one @ one.T), numpy.eye(2))
    assert numpy.asarray(s).tolist() == [1, 0]


def test_median_may_sort_its_input():
    x = np.array([7.0, 1.0, 5.0, 3.0])
    assert float(np.median(x, overwrite_input=True)) == 4 and numpy.asarray(x).tolist() == [1, 3, 5, 7]
    y = np.array([[5, 1], [2, 4]])
    assert numpy.asarray(np.median(y, axis=0, overwrite_input=True)).tolist() == [3.5, 2.5]


def test_array_attributes_match_numpy():
    x = np.arange(6.0).reshape(2, 3)
    assert x.flags.carray and x.T.flags.farray and x.T.flags.fortran and not x.flags["FARRAY"]
    assert bytes(x.data) == numpy.asarray(x).tobytes() and bytes(np.array([True]).data) == b"\x01"
    out = np.zeros((2, 3))
    assert x.conj(out) is out and numpy.asarray(out).tolist() == numpy.asarray(x).tolist()
    assert isinstance(x.__array_wrap__(numpy.ones(2)), np.ndarray)

    class Own:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    assert isinstance(np.asarray(Own()), np.ndarray) and numpy.asarray(np.asarray(Own(), "f4")).tolist() == [0, 1, 2]
    other = type("Other", (), {"__array_ufunc__": None, "__divmod__": lambda self, left: "left", "__rdivmod__": lambda self, left: "right"})()
    assert divmod(x, other) == "right" and divmod(other, x) == "left"
    with pytest.warns(numpy.exceptions.ComplexWarning):
        x[x > 2] = np.array([1j, 2j, 3j])


def test_writes_to_numpy_arrays():
    for name, args in (
        ("put", ([1, 2], [5.0, 6.0])), ("putmask", ([True] * 5, [0.0, 1.0, 2.0, 3.0, 4.0])), ("place", ([True, False, True, False, True], [7.0, 8.0])),
        ("copyto", ([1.0] * 5,)), ("put_along_axis", ([4, 0], [2.0, 3.0], 0)),
    ):  # fmt: skip
        theirs, ours = numpy.zeros(5), numpy.zeros(5)
        getattr(numpy, name)(theirs, *map(numpy.array, args))
        getattr(np, name)(ours, *(np.array(one) if isinstance(one, list) else one for one in args))
        assert ours.tolist() == theirs.tolist()


def test_exposes_memory_of_empty_views():
    for made in (np.ones((3, 1, 3))[::-1], np.ones((1, 3))[::-1]):
        assert memoryview(np.diagonal(made, -3)).shape == numpy.diagonal(numpy.ones(made.shape)[::-1], -3).shape
