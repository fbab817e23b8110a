"""Which results share memory with an argument: those that do in NumPy, and no others. New arrays are in row-major order."""

import warnings

import numpy
import pytest
import weft.numpy as wnp

ARRAYS = {
    "vector": lambda m: m.arange(4.0),
    "one": lambda m: m.array([2.5]),
    "matrix": lambda m: m.arange(6.0).reshape(2, 3),
    "row": lambda m: m.arange(3.0).reshape(1, 3),
    "column": lambda m: m.arange(3.0).reshape(3, 1),
    "integers": lambda m: m.arange(4),
    "unsigned": lambda m: m.arange(4).astype("u1"),
    "booleans": lambda m: m.array([True, False, True]),
    "complex": lambda m: m.array([[1 + 2j], [3]]),
    "empty": lambda m: m.zeros((0, 3)),
    "number": lambda m: m.array(3.5),
    "cube": lambda m: m.arange(24.0).reshape(2, 3, 4),
}
AXES = ["0", "-1", "None", "()", "(0,)", "1", "(0, 1)"]
REDUCTIONS = ["sum", "prod", "max", "min", "mean", "any", "all", "nanmax", "nanmin", "nansum", "ptp", "median", "std"]
ALONG = ["cumsum", "cumprod", "sort", "argsort", "flip", "squeeze", "expand_dims", "nancumsum"]
UFUNCS = [
    "add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "bitwise_or", "gcd", "lcm", "hypot", "logaddexp", "subtract", "divide", "power",
]  # fmt: skip

#: Calls in which a shortcut could return an argument.
CALLS = [
    *(f"m.{name}(x)" for name in (
        "positive", "absolute", "fabs", "conjugate", "rint", "floor", "trunc", "real", "imag", "real_if_close", "nan_to_num", "fix", "round", "angle", "ravel",
        "squeeze", "atleast_1d", "atleast_2d", "atleast_3d", "transpose", "copy", "asarray", "array", "ascontiguousarray", "asanyarray", "unique", "flip",
        "sort", "diff", "cumsum", "cumprod", "tril", "triu", "diag", "diagflat", "diagonal", "trim_zeros", "unstack", "i0", "unwrap", "sinc", "argwhere",
        "require", "block", "asarray_chkfinite", "sort_complex", "matrix_transpose")),
    *(f"m.{name}(x, {other})" for name in (
        "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "gcd", "lcm", "power", "bitwise_or", "bitwise_and", "logical_or", "hypot",
        "copysign", "fmod", "remainder", "heaviside", "nextafter", "ldexp", "float_power", "logaddexp", "left_shift", "floor_divide")
        for other in ("0", "1", "x", "m.zeros_like(x)")),
    *(f"m.{name}(x, axis={axis}{more})" for axis in AXES for name in REDUCTIONS for more in ("", ", keepdims=True")),
    *(f"m.{name}(x, axis={axis})" for axis in AXES for name in ALONG),
    *(f"m.{name}.{method}(x, axis={axis})" for axis in AXES for name in UFUNCS for method in ("reduce", "accumulate")),
    *(f"m.{name}.reduceat(x, {places}, axis={axis})" for axis in ("0", "-1", "1") for name in UFUNCS for places in ("[0]", "range(x.shape[0])")),
    "m.tile(x, 1)", "m.repeat(x, 1)", "m.roll(x, 0)", "m.roll(x, x.size)", "m.roll(x, 0, 0)", "m.roll(x, 0, ())", "m.rot90(x, 0)", "m.rot90(x, 4)",
    "m.take(x, m.arange(x.size))", "m.take(x, m.array(0), 0)", "m.take(x, m.array(0), -1)", "m.broadcast_to(x, x.shape)", "m.stack([x])", "m.concatenate([x])",
    "m.vstack([x])", "m.hstack([x])", "m.dstack([x])", "m.column_stack([x])", "m.pad(x, 0)", "m.resize(x, x.shape)", "m.split(x, 1)", "m.array_split(x, 1)",
    "m.append(x, [])", "m.insert(x, [], [])", "m.delete(x, [])", "m.union1d(x, [])", "m.setdiff1d(x, [])", "m.intersect1d(x, x)", "m.setxor1d(x, [])",
    "x[m.array(0)]", "x[m.array(1)]", "x[m.array([0])]", "x[m.array(0), ...]", "x[..., m.array(0)]", "x[:, m.array(0)]", "x[m.array(0), 0]", "x[np.array(0)]",
    "x[np.int64(0)]", "x[0]", "x[[0]]", "x[...]", "x[:]", "x[()]", "x[None]", "x[True]", "x[m.ones(x.shape, bool)]", "x[m.arange(len(x))]",
    "x.astype(x.dtype)", "x.astype(x.dtype, copy=False)", "x.copy()", "x.flatten()", "x.ravel()", "x.ravel('F')", "x.reshape(-1)", "x.reshape(x.shape)",
    "x.reshape(-1, order='F')", "x.T", "x.T.T", "x.T.ravel()", "x.T.flatten()", "x.T.reshape(-1)", "x.view()", "x.swapaxes(0, 0)", "x.conj()", "x.real",
    "x.round()", "x.clip(-100, 100)", "x.take([0])", "x.diagonal()", "x.sum(())", "x.max(())", "+x", "x + 0", "x * 1", "x ** 1", "abs(x)", "x // 1",
    "m.where(True, x, 0)", "m.where(m.ones(x.shape, bool), x, x)", "m.select([m.ones(x.shape, bool)], [x])", "m.choose(m.zeros(x.shape, int), [x])",
    "m.clip(x, None, 100)", "m.extract(m.ones(x.shape, bool), x)", "m.convolve(x, [1])", "m.correlate(x, [1])", "m.dot(x, 1)", "m.kron(x, [1])",
    "m.einsum('i->i', x)", "m.einsum('ij->ij', x)", "m.einsum('ij->ji', x)", "m.einsum('ij', x)", "m.einsum('ji', x)", "m.einsum('ii->i', x[:1, :1])",
    "m.einsum('...->...', x)", "m.einsum('i...->...i', x)", "m.einsum('ij->i', x)", "m.einsum('ijk->kij', x)", "m.einsum('ijk->kij', x, optimize=True)",
    "m.einsum(x, [0, 1], [1, 0])", "m.einsum('i,i->i', x, m.ones_like(x))", "m.linalg.multi_dot([x, m.eye(x.shape[-1])])", "m.linalg.matrix_power(x, 1)",
    "m.moveaxis(x, 0, 0)", "m.moveaxis(x, 0, -1)", "m.rollaxis(x, 0)", "m.swapaxes(x, 0, -1)", "m.meshgrid(x)", "m.meshgrid(x, copy=False)",
    "m.broadcast_arrays(x, x)", "m.diff(x, n=0)", "m.nan_to_num(x, copy=False)", "m.apply_along_axis(lambda v: v, 0, x)", "m.lexsort([x])", "m.partition(x, 0)",
    "m.array(x, copy=False)", "m.array(x, ndmin=3)", "m.asarray(x, x.dtype)", "m.split(x, [0])", "m.astype(x, x.dtype)", "m.astype(x, x.dtype, copy=False)",
    "m.minimum.accumulate(x, axis=1)", "m.add.reduceat(x, [0, 1], axis=1)", "m.sort(x, axis=0)", "m.fft.fft(x, axis=0)", "m.cumsum(x.T, 0)", "m.unique_values(x)",
    "m.asfortranarray(x)", "m.asfortranarray(x.T)", "m.ascontiguousarray(x.T)", "m.asarray(x, order='C')", "m.asarray(x, order='F')", "m.asarray(x.T, order='C')",
    "m.asarray(x[::-1], order='C')", "m.asarray(x[::-1], order='K')", "m.array(x.T, copy=None, order='F')", "m.require(x.T, requirements='W')",
    "m.require(x, requirements='C')", "m.require(x.T, requirements='C')", "m.require(x, requirements='F')", "m.require(x[:], requirements=['O'])",
    "m.asarray_chkfinite(x, order='F')", "m.asanyarray(x, order='F')",
    "m.maximum(x, x.min())", "m.quantile(x, [0.5], axis=0)", "m.linalg.norm(x, axis=0)", "m.linalg.norm(x, np.inf, axis=-1)", "m.average(x, axis=0)",
]  # fmt: skip


def facts(module, call, name):
    """The shapes, dtypes, sharing and layouts of the results of a call; nothing for numbers, or the kind of error."""
    array = ARRAYS[name](module)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = eval(call, {"m": module, "np": numpy, "x": array})
        except Exception:  # noqa: BLE001 - other tests compare errors
            return None
    found = []
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if not isinstance(one, module.ndarray) or one.ndim == 0 or one.size == 0:
            found.append(None)
            continue
        is_shared = bool(module.shares_memory(one, array))
        found.append((one.shape, str(one.dtype), is_shared, one is array, one.flags.c_contiguous, one.flags.writeable))
    return found


def is_as_wanted(theirs, ours):
    # Weft's new arrays are always in row-major order.
    return theirs[:4] == ours[:4] and theirs[5] == ours[5] and (ours[4] or not theirs[4])


@pytest.mark.parametrize("name", ARRAYS)
def test_results_share_memory_like_numpy(name):
    wrong = []
    for call in dict.fromkeys(CALLS):
        theirs, ours = facts(numpy, call, name), facts(wnp, call, name)
        if theirs is None or ours is None:
            continue
        for left, right in zip(theirs, ours):
            if left is not None and right is not None and not is_as_wanted(left, right):
                wrong.append(f"{call}: NumPy {left}, Weft {right}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", [
    "minimum.accumulate(a, axis=1)", "maximum.accumulate(a, axis=1)", "add.reduceat(a, [0, 1], axis=1)", "add.accumulate(a, axis=1)", "take(a, m.array(0), 1)",
    "subtract.accumulate(a, axis=1)", "cumsum(a, axis=1)", "sort(a, axis=0)",
])  # fmt: skip
def test_new_arrays_are_written_through_flat_views(call):
    made = eval(f"m.{call}", {"m": wnp, "a": wnp.arange(6.0).reshape(2, 3)})
    made.reshape(-1)[:] = 7
    assert (made == 7).all()


@pytest.mark.parametrize("subscripts", ["ii->i", "ij->ji", "ij", "ji", "...i->i...", "i...->...i"])
def test_single_operand_einsum_is_a_view(subscripts):
    array = wnp.arange(9.0).reshape(3, 3)
    wnp.einsum(subscripts, array)[:] = -1
    host = numpy.arange(9.0).reshape(3, 3)
    numpy.einsum(subscripts, host)[:] = -1
    assert array.tolist() == host.tolist()
