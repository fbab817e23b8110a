"""The signs of zeros that `minimum`, `maximum` and functions based on them return, compared with NumPy's.

NumPy's x86 code takes the second of equal zeros of `float32` and `float64`, and the first of `float16`. Where its own code paths differ
(`fmin` and `fmax` of `float32` and `float64`, reductions over neighbouring elements), there is nothing to compare with.
"""

import platform

import numpy
import pytest

import weft.numpy as wnp
from compared import check

CALLS = {
    "maximum": lambda np, a, b: np.maximum(a, b),
    "minimum": lambda np, a, b: np.minimum(a, b),
    "number on the right": lambda np, a, b: np.maximum(a, float(b[0])),
    "number on the left": lambda np, a, b: np.minimum(float(b[0]), a),
    "elements": lambda np, a, b: np.maximum(a[0], b[0]),
    "strided": lambda np, a, b: np.maximum(np.concatenate([a, b])[::2], b),
    "fused": lambda np, a, b: np.minimum(a * 1, b * 1) * 1,
    "outer": lambda np, a, b: np.maximum.outer(a[:3], b[:3]),
    "out": lambda np, a, b: np.maximum(a, b, out=a),
    "accumulate": lambda np, a, b: np.maximum.accumulate(np.concatenate([a, b, a])),
    "along rows": lambda np, a, b: np.stack([a, b]).max(axis=0),
    "initial": lambda np, a, b: np.max(a, initial=float(b[0])),
    "clip between numbers": lambda np, a, b: np.clip(a, float(b[0]), 5),
    "clip between other numbers": lambda np, a, b: np.clip(a, -5, float(b[0])),
    "clip from above": lambda np, a, b: np.clip(a, None, float(b[0])),
    "clip between arrays": lambda np, a, b: np.clip(a, b, b + 1),
    "clip of a method": lambda np, a, b: a.clip(float(b[0]), 5),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="NumPy's vector code of this machine may take the other zero")
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("name", CALLS)
def test_zero_signs_match_numpy(name, dtype):
    for count in (1, 5, 1000, 30_000):
        for zero in (0.0, -0.0):
            arrays = numpy.full(count, zero, dtype), numpy.full(count, -zero, dtype)
            expected = CALLS[name](numpy, *(array.copy() for array in arrays))
            found = CALLS[name](wnp, *(wnp.array(array) for array in arrays))
            assert numpy.signbit(numpy.asarray(found)).tolist() == numpy.signbit(expected).tolist(), (count, zero)


def test_fmin_of_half_precision_returns_the_first_zero():
    for zero in (0.0, -0.0):
        one, other = numpy.full(100, zero, "f2"), numpy.full(100, -zero, "f2")
        for name in ("fmin", "fmax"):
            expected = getattr(numpy, name)(one, other)
            found = getattr(wnp, name)(wnp.array(one), wnp.array(other))
            assert numpy.signbit(numpy.asarray(found)).tolist() == numpy.signbit(expected).tolist()


def test_medians_of_zeros_have_no_sign():
    check([
        "m.median(m.array(-0.0))", "m.median(m.array([-1,-0.0,1]))", "m.median(m.array([[-1,-0.0,1,-0.0]],'f2'),axis=1)",
        "m.median(m.array([-0.0-0.0j]))", "m.median(m.array([1,2,4]))", "m.median(m.array([True,False]))",
        "m.nanmedian(m.array([-0.0,m.nan]))", "m.nanmedian(m.array([[-0.0,m.nan],[-0.0,-0.0]]),axis=1)", "m.median(-0.0)",
        "m.median(m.full(4,-0.0))", "m.median(m.full(3,-0.0))", "m.median(m.array([-0.0,-0.0,-0.0,-0.0],'f4'))",
        "m.median(m.array([[-0.0,-0.0],[-0.0,-0.0]]),axis=0)", "m.nanmedian(m.full(4,-0.0))",
    ])  # fmt: skip
