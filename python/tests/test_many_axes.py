"""Arrays of more than 8 axes are NumPy's: programs that make them go on, and a warning says who computes."""

import numpy
import pytest

import weft.numpy as wnp


def state(m):
    """Ten qubits, each rotated by a tensor product."""
    psi = m.zeros(2**10)
    psi[0] = 1
    psi = psi.reshape((2,) * 10)
    gate = m.array([[1.0, 1], [1, -1]]) / 2**0.5
    for qubit in range(10):
        psi = m.moveaxis(m.tensordot(gate, psi, axes=(1, qubit)), 0, qubit)
    return [float(m.linalg.norm(psi)), psi.ravel()[:3], float(m.abs(psi).sum()), m.reshape(psi, (32, 32)).sum(axis=0)]


def test_programs_match_numpy():
    with pytest.warns(UserWarning, match="tensordot has an argument with 10 axes, more than 8: NumPy computes it, after a copy of 32 bytes"):
        ours = state(wnp)
    for one, other in zip(state(numpy), ours, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(one), numpy.asarray(other), rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "call",
    [
        "m.zeros((1,) * 9)", "m.ones((2,) * 9, 'i4')", "m.full((1,) * 9, 2.5)", "m.arange(512).reshape((2,) * 9)[1]", "m.arange(512).reshape((2,) * 9) + m.ones(2)",
        "m.ones(2) * m.arange(512).reshape((2,) * 9)", "m.arange(512.).reshape((2,) * 9).sum(axis=(0, 8))", "m.sum(m.arange(512.).reshape((2,) * 9), axis=3)",
        "m.sqrt(m.arange(512.).reshape((2,) * 9))", "m.array(m.arange(512).reshape((2,) * 9).tolist())", "m.asarray(numpy.ones((1,) * 12))",
        "m.reshape(m.arange(512), (2,) * 9, order='F')", "m.zeros_like(m.zeros((1,) * 10))",
    ],
)  # fmt: skip
def test_calls_match_numpy(call):
    theirs, ours = (numpy.asarray(eval(call, {"m": m, "numpy": numpy})) for m in (numpy, wnp))
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype) and numpy.array_equal(ours, theirs)


def test_reshaped_arrays_are_views():
    x = wnp.arange(512.0)
    y = x.reshape((2,) * 9)
    y[0] = -1
    assert x[:3].tolist() == [-1, -1, -1] and x[256] == 256
