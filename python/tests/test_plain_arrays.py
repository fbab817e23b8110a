"""Plain calls on views, matrices and complex numbers: the same results, classes and errors as NumPy's."""

import numpy
import pytest
import weft.numpy as np

SHAPES = [(), (1,), (5,), (0,), (3, 4), (4, 4), (1, 4), (4, 0), (2, 3, 4), (2, 3, 4, 2)]
DTYPES = ["f8", "f4", "i8", "i2", "?", "c16", "c8"]

ONE = {
    "angle": lambda m, a: m.angle(a),
    "isreal": lambda m, a: m.isreal(a),
    "iscomplex": lambda m, a: m.iscomplex(a),
    "real": lambda m, a: m.real(a),
    "imag": lambda m, a: m.imag(a),
    "norm": lambda m, a: m.linalg.norm(a),
    "matrix_norm": lambda m, a: m.linalg.matrix_norm(a),
    "vector_norm": lambda m, a: m.linalg.vector_norm(a),
    "linalg trace": lambda m, a: m.linalg.trace(a),
    "linalg diagonal": lambda m, a: m.linalg.diagonal(a),
    "matrix_transpose": lambda m, a: m.matrix_transpose(a),
    "linalg matrix_transpose": lambda m, a: m.linalg.matrix_transpose(a),
    "transpose": lambda m, a: m.transpose(a),
    "swapaxes": lambda m, a: m.swapaxes(a, 0, -1),
    "swapaxes out of bounds": lambda m, a: m.swapaxes(a, 0, 2),
    "moveaxis": lambda m, a: m.moveaxis(a, 0, -1),
    "moveaxis forward": lambda m, a: m.moveaxis(a, -1, 1),
    "atleast_1d": lambda m, a: m.atleast_1d(a),
    "atleast_2d": lambda m, a: m.atleast_2d(a),
    "atleast_3d": lambda m, a: m.atleast_3d(a),
    "atleast_2d of two": lambda m, a: m.atleast_2d(a, a)[1],
    "astype": lambda m, a: m.astype(a, "f4"),
    "dstack": lambda m, a: m.dstack((a, a, a)),
    "dstack of two dtypes": lambda m, a: m.dstack((a, m.ones(a.shape, "f8"))),
    "multi_dot of two": lambda m, a: m.linalg.multi_dot([a, m.swapaxes(a, 0, -1)]),
    "multi_dot": lambda m, a: m.linalg.multi_dot([a, m.swapaxes(a, 0, -1), a]),
    "multi_dot of four": lambda m, a: m.linalg.multi_dot([a, a, a, a]),
    "tensordot": lambda m, a: m.tensordot(a, m.transpose(a), 1),
    "tensordot over all": lambda m, a: m.tensordot(a, a, a.ndim),
    "tensordot over none": lambda m, a: m.tensordot(a, a, 0),
    "tensordot over two": lambda m, a: m.tensordot(a, m.moveaxis(m.moveaxis(a, -1, 0), -1, 0), 2),
    "tensordot of other lengths": lambda m, a: m.tensordot(a, m.ones((7, 7), a.dtype), 1),
    "einsum": lambda m, a: m.einsum("ij,ij->i", a, a),
    "vecdot": lambda m, a: m.linalg.vecdot(a, a),
    "outer": lambda m, a: m.linalg.outer(a, a),
}


def arrays(shape, dtype):
    """Arrays of a shape: contiguous, with steps, and with its axes reversed."""
    draw = numpy.random.default_rng([*shape, len(dtype)])
    values = draw.integers(-4, 5, shape)
    values = values + 1j * draw.integers(-2, 3, shape) if dtype[0] == "c" else values
    yield numpy.asarray(values).astype(dtype)
    wide = numpy.repeat(numpy.asarray(values).astype(dtype), 2, -1) if shape else None
    if shape:
        yield wide[..., ::2]
        yield numpy.asarray(values).astype(dtype).T.copy().T


def result(call, module, array):
    try:
        return call(module, array)
    except Exception as error:  # noqa: BLE001 - the kind of error is compared
        return type(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ONE)
def test_plain_calls_match_numpy(name, dtype):
    for shape in SHAPES:
        for array in arrays(shape, dtype):
            theirs, ours = result(ONE[name], numpy, array), result(ONE[name], np, np.asarray(array))
            if isinstance(theirs, type) or isinstance(ours, type):
                assert ours is theirs or issubclass(ours, theirs), (name, shape, ours, theirs)
                continue
            assert isinstance(theirs, numpy.ndarray) == (type(ours) is np.ndarray), (name, shape, type(ours))
            ours = numpy.asarray(ours)
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), (name, shape)
            close = dict(rtol=1e-6 if theirs.dtype.itemsize < 8 or dtype == "c8" else 1e-14, atol=0)
            numpy.testing.assert_allclose(ours, theirs, **close, err_msg=f"{name} {shape}")


def test_views_share_elements():
    x = np.arange(12.0).reshape(3, 4)
    for view in (np.swapaxes(x, 0, 1), np.transpose(x), np.matrix_transpose(x), np.moveaxis(x, 0, 1), np.atleast_3d(x)[:, :, 0].T):
        view[0, 0] += 1
    assert x[0, 0] == 5
    assert np.atleast_1d(x) is x and np.atleast_2d(x) is x
    row = np.arange(3.0)
    np.atleast_2d(row)[0, 1] = 7
    assert row[1] == 7


def test_parts_follow_the_whole_and_are_written_through():
    z = np.arange(3) + 1j
    real, imag = np.real(z), np.imag(z)
    z[0] = 5 + 6j
    assert real[0] == 5 and imag[0] == 6
    real[1] = 9
    imag[2] = -1
    assert z.tolist() == [5 + 6j, 9 + 1j, 2 - 1j]
    assert np.real(z).base is z
    z.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        np.real(z)[0] = 1


WRITES = {
    "copyto": lambda m, a: m.copyto(a, a * 2),
    "copyto of another dtype": lambda m, a: m.copyto(a, m.ones(a.shape, "i2")),
    "copyto of a number": lambda m, a: m.copyto(a, 3),
    "copyto of another shape": lambda m, a: m.copyto(a, m.ones(a.shape[-1:])),
    "copyto that does not fit": lambda m, a: m.copyto(a, m.ones(77)),
    "copyto, dst by name": lambda m, a: m.copyto(dst=a, src=a + 1),
    "put": lambda m, a: m.put(a, m.asarray([0, 1]), m.asarray([7, 8]).astype(a.dtype)),
    "putmask": lambda m, a: m.putmask(a, a > 0, a * 2),
    "place": lambda m, a: m.place(a, a > 0, a.ravel()[:1]),
    "fill_diagonal": lambda m, a: m.fill_diagonal(a, 2),
    "put_along_axis": lambda m, a: m.put_along_axis(a, m.zeros(a.shape, "i8")[..., :1], a[..., :1], -1),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRITES)
def test_plain_writes_match_numpy(name):
    for shape in [(5,), (3, 4), (4, 4), (2, 3, 4)]:
        for dtype in ["f8", "f4", "i8"]:
            for array in arrays(shape, dtype):
                theirs, ours = array.copy(), np.asarray(array).copy()
                kinds = [result(WRITES[name], numpy, theirs), result(WRITES[name], np, ours)]
                assert kinds[0] is kinds[1] or issubclass(kinds[1], kinds[0]), (name, shape, kinds)
                assert numpy.asarray(ours).tolist() == theirs.tolist(), (name, shape, dtype)
                # A view that may not be written.
                ours.flags.writeable = False
                assert isinstance(result(WRITES[name], np, ours), type), (name, shape)
