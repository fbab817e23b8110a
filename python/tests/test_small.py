"""Operations on few elements, which run at once: the values of NumPy, for all views and kinds of operands."""

import os
import subprocess
import sys

import numpy
import pytest

import weft.numpy as np

RANDOM = numpy.random.default_rng(5)
MATRIX, VECTOR = RANDOM.random((6, 6)), RANDOM.random(6)


def syrk(c, a):
    for i in range(len(a)):
        c[i, : i + 1] *= numpy.float64(1.2)
        for k in range(a.shape[1]):
            c[i, : i + 1] += numpy.float64(1.5) * a[i, k] * a[: i + 1, k]
    return c


def shifted(c, a):
    c[1:] += c[:-1]
    c[:, :-1] -= c[:, 1:]
    c[::-1] *= a
    c[2, ::2] = c[2, 1::2]
    c[3] = c[3]
    c[4] += 1
    c[..., 1] = a[0, 0]
    return c


def mixed(c, a):
    c[a > 0.5] = 2.0
    return c // 1 + (a < c) + a[:, None, 0] * c[None, 1] + -a.T + abs(a.sum(0) - c.max(1))


PROGRAMS = {"syrk": syrk, "shifted": shifted, "mixed": mixed}


@pytest.mark.parametrize("name", PROGRAMS)
def test_views_match_numpy(name):
    ours = PROGRAMS[name](np.array(MATRIX), np.array(MATRIX.T.copy()))
    theirs = PROGRAMS[name](MATRIX.copy(), MATRIX.T.copy())
    numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-14)


class Knows:
    """An object that multiplies arrays by itself."""

    __array_ufunc__ = None

    def __matmul__(self, other):
        return "left"

    def __rmatmul__(self, other):
        return "right"


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i4", "?"])
def test_matmul_operator_accepts_all_operand_kinds(dtype):
    a, v = (MATRIX * 4).astype(dtype), (VECTOR * 4).astype(dtype)
    for left, right in [(a, a), (a, v), (v, a), (v, v), (a.T, a), (a[None], a), (a, a.astype("c16"))]:
        theirs = left @ right
        for ours in (np.array(left) @ np.array(right), left @ np.array(right), np.array(left) @ right):
            assert isinstance(ours, np.ndarray) == isinstance(theirs, numpy.ndarray)
            assert ours.dtype == theirs.dtype
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-5 if dtype == "f4" else 1e-13)
    numpy.testing.assert_allclose(numpy.asarray(np.array(a) @ v.tolist()), a @ v.tolist(), rtol=1e-5)
    numpy.testing.assert_allclose(numpy.asarray(v.tolist() @ np.array(a)), v.tolist() @ a, rtol=1e-5)


def test_matmul_operator_defers_to_or_rejects_other_objects():
    a = np.array(MATRIX)
    assert (a @ Knows(), Knows() @ a) == ("right", "left")
    for other in (object(), "text", None):
        with pytest.raises(TypeError):
            a @ other
        with pytest.raises(TypeError):
            other @ a
    with pytest.raises(ValueError, match="mismatch"):
        a @ np.array(VECTOR[:3])
    with pytest.raises(ValueError):
        a @ 2.0


def test_self_assignment_writes_nothing_but_checks():
    a = np.array(MATRIX)
    part = a[1:3]
    a[1:3] = part
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a[1:3] = part
    assert numpy.array_equal(numpy.asarray(a), MATRIX)
    with pytest.raises(IndexError):
        a[7, :2]
    with pytest.raises(IndexError):
        a[1, 2, 3:]


PRODUCTS = """
import weft.numpy as np

x, y = np.sin(np.arange(40_000.0)), np.cos(np.arange(40_000.0))
a = np.sin(np.arange(150.0 * 150)).reshape(150, 150)
for n in (8191, 8192, 8193, 20_000, 32_768, 32_769, 40_000):
    print(n, float(x[:n] @ y[:n]).hex(), float(np.dot(x[n - 1 :: -1], y[:n])).hex(), float(x[:n].sum()).hex(), int(x[:n].argmax()))
print(float((a @ x[:150]).sum()).hex(), float((a @ a[:, :9]).sum()).hex(), float(a.sum(1).max()).hex())
"""


def test_immediate_products_have_bits_of_operations():
    printed = set()
    for flags in ("", "--max-inline-chunk 0"):
        environment = dict(os.environ, WEFT_CONFIG=flags, WEFT_FALLBACK="error")
        done = subprocess.run([sys.executable, "-c", PRODUCTS], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.count("\n") == 8
        printed.add(done.stdout)
    assert len(printed) == 1, printed
