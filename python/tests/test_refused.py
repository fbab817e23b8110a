"""Calls that NumPy rejects, with similar ones that it accepts: outputs, casts, masks, indices and views."""

import pytest
from compared import check

DTYPES = ["?", "i1", "i8", "u1", "f2", "f4", "f8", "c8", "c16"]

#: Calls with an array `x` of three elements of one dtype, and an output `o` of another one.
INTO = [
    "m.add(x, x, out=o)", "m.negative(x, out=o)", "m.sqrt(x, out=o)", "m.less(x, 1, out=o)", "m.divide(x, 2, out=o)", "m.multiply(x, 2, out=o, casting='unsafe')",
    "m.add(x, 1, out=o, casting='safe')", "m.logical_or(x, -1, out=o, casting='unsafe')", "m.logical_not(x, out=o)", "m.cumsum(x, out=o)", "m.clip(x, 1, 2, out=o)",
    "m.take(x, [0, 1, 2], out=o)", "m.compress([1, 1, 1], x, out=o)", "m.round(x, out=o)", "m.maximum(x, 1, out=o)", "m.concatenate([x], out=o)",
    "m.choose([0, 0, 0], [x], out=o)", "m.dot(m.eye(3, dtype=x.dtype), x, out=o)", "m.matmul(m.eye(3, dtype=x.dtype), x, out=o)", "m.einsum('i,i->i', x, x, out=o)",
    "m.isfinite(x, out=o)", "m.add.accumulate(x, out=o)", "m.maximum.accumulate(x, out=o)", "m.copyto(o, x)", "m.copyto(o, x, casting='safe')",
    "m.copyto(o, x, where=[1, 0, 1])", "m.putmask(o, [1, 0, 1], x)", "m.place(o, [1, 0, 1], x)", "m.put(o, [0, 1], x)", "m.floor(x, out=o)", "m.power(x, 2, out=o)",
    "m.sum(x, out=m.zeros((), o.dtype))", "m.max(x, out=m.zeros((), o.dtype))", "m.mean(x, out=m.zeros((), o.dtype))", "m.any(x, out=m.zeros((), o.dtype))",
    "m.argmax(x, out=m.zeros((), o.dtype))", "m.add.reduce(x, out=m.zeros((), o.dtype))", "m.add.reduceat(x, [0, 1], out=m.zeros(2, o.dtype))",
    "m.linalg.multi_dot([m.ones((3, 3), x.dtype)] * 3, out=m.zeros((3, 3), o.dtype))", "x.astype(o.dtype, casting='safe')", "x.astype(o.dtype, casting='same_kind')",
    "m.take(x, o)", "m.bincount(x, o)", "m.sum(x, where=o)", "m.add(x, 1, where=o, out=m.zeros_like(x))", "m.add(x, 1, dtype=o.dtype)", "m.intersect1d(x, o)",
    "m.ediff1d(x, to_end=o)", "m.histogram(x, bins=3, weights=o)[0]", "m.append(x, o)", "m.where(x > 1, x, o)", "m.add.at(o, [0, 1], x[:2])", "x[o]",
]  # fmt: skip

OUTPUTS = [
    "m.zeros(3)[::-1]", "m.zeros(6)[::2]", "m.zeros(4)", "m.zeros((1, 3))", "m.zeros((3, 1))", "m.zeros((3, 3)).T[0]", "m.broadcast_to(m.zeros(()), (3,))",
    "(lambda a: (a.setflags(write=False), a)[1])(m.zeros(3))", "m.zeros((2, 3)).T[:, 0]", "[0, 0, 0]", "m.zeros((3, 2))[:, 1]",
    "m.zeros(3, 'i4')", "m.zeros(3, complex)",
]  # fmt: skip

#: Calls with an array `x` of three floats and an output `o` of some layout.
WRITES = [
    "m.add(x, 1, out=o)", "m.sum(m.stack([x, x]), axis=0, out=o)", "m.max(m.stack([x, x]), axis=0, out=o)", "m.mean(m.stack([x, x]), axis=0, out=o)",
    "m.any(m.stack([x, x]), axis=0, out=o)", "m.std(m.stack([x, x]), axis=0, out=o)", "m.cumsum(x, out=o)", "m.clip(x, 1, 2, out=o)",
    "m.take(x, [0, 1, 2], out=o)", "m.compress([1, 1, 1], x, out=o)", "m.concatenate([x], out=o)", "m.choose([0, 0, 0], [x], out=o)", "m.dot(m.eye(3), x, out=o)",
    "m.matmul(m.eye(3), x, out=o)", "m.einsum('i,i->i', x, x, out=o)", "m.outer(x, [1], out=o)", "m.add.reduce(m.stack([x, x]), out=o)", "m.fix(x, out=o)",
    "m.linalg.multi_dot([m.eye(3), m.eye(3), x], out=o)", "m.nansum(m.stack([x, x]), axis=0, out=o)", "m.copyto(o, x)", "m.putmask(o, [1, 1, 1], x)",
    "m.put(o, [0], x)", "x.round(out=o)", "x.dot(m.eye(3), out=o)", "m.frexp(x, out=o)", "m.median(m.stack([x, x]), axis=0, out=o)",
]  # fmt: skip

MASKS = [
    "True", "False", "[True]", "[True, False, True]", "[1, 0, 1]", "m.ones((4, 3), bool)", "m.ones((2, 1), bool)", "m.ones((1, 3), bool)", "m.ones(2, bool)",
    "m.ones(0, bool)", "m.ones(3, int)", "1", "np.True_", "m.array(True)", "m.ones((1, 1, 3), bool)", "np.array([1.0, 0, 1])",
]  # fmt: skip

#: Calls with an array `x` of shape (1, 3) and a mask `w`.
MASKED = [
    "m.sum(x, where=w)", "m.sum(x, axis=0, where=w)", "m.prod(x, axis=1, where=w)", "m.max(x, initial=0, where=w)", "m.max(x, where=w)", "m.mean(x, where=w)",
    "m.var(x, where=w)", "m.any(x, where=w)", "m.all(x, axis=0, where=w)", "m.add.reduce(x, where=w)", "m.hypot.reduce(x, where=w)",
    "m.bitwise_or.reduce(x.astype(int), where=w)", "m.add(x, 1, where=w, out=m.zeros((1, 3)))", "m.copyto(x, 5, where=w)", "m.nansum(x, where=w)",
    "m.nanmean(x, where=w)", "m.extract(w, x)", "m.where(w, x, 0)", "m.subtract.reduce(x, where=w, initial=2)", "m.place(x, w, [1])",
]  # fmt: skip

KEYS = [
    "[9]", "[9], slice(0, 0)", "slice(0, 0), [9]", "[], [9]", "[9], []", "[]", "[[]]", "m.array([9])", "m.array([9]), slice(0, 0)", "m.array([], int)",
    "m.array([], int), 9", "9", "-5", "9, slice(0, 0)", "slice(0, 0), 9", "[0, 9]", "[-5]", "[1], [9]", "[1], slice(0, 0)", "[True, False, True, False]",
    "[True] * 5", "m.array([True] * 5)", "m.zeros(4, bool)", "m.zeros(4, bool), [9]", "m.zeros((4, 3), bool)", "m.zeros((4, 4), bool)", "None, [9]", "..., [9]",
    "[0], ..., [9]", "1.0", "[1.0]", "'a'", "m.array([1.0])", "True", "False", "False, [9]", "0, 0, 0", "..., ...", "[0, 1], [0, 1, 2]", "np.array([9], 'u1')",
    "m.array(9), slice(0, 0)", "2**70", "[2**70]", "[4], slice(0, 0)", "m.array([4]), slice(0, 0)", "slice(0, 0), m.array([3])",
]  # fmt: skip
INDEXED = ["m.arange(12.0).reshape(4, 3)", "m.zeros((0, 3))", "m.zeros((4, 0))", "m.arange(4)"]

VIEWED = [
    "m.arange(4).astype(d)", "m.arange(4).astype(d)[::-1]", "m.arange(8).astype(d)[::2]", "m.zeros((2, 4), d).T", "m.zeros((2, 4), d)[:, ::2]",
    "m.zeros((2, 4), d)[:, 1:3]", "m.array(1, d)", "m.zeros(0, d)", "m.zeros((4, 1), d)[::2]", "m.broadcast_to(m.array(1, d), (4,))", "m.zeros(3, d)",
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_outputs_of_other_dtypes_match_numpy(dtype):
    check(f"x = m.array([3, 1, 2], '{dtype}'); o = m.zeros(3, '{other}'); q = {call}; r = (q, o, x)" for other in DTYPES for call in INTO)


#: NumPy 2.4 crashes, or reads its own output, for such outputs of these calls.
CRASHES = {("m.cumsum(x, out=o)", "m.zeros(())")}


def test_outputs_of_other_layouts_match_numpy():
    check(f"x = m.array([3.0, 1, 2]); o = {out}; q = {call}; r = (q, o)" for out in OUTPUTS for call in WRITES if (call, out) not in CRASHES)


def test_masks_of_other_shapes_match_numpy():
    check(f"x = m.array([[1.0, 2, 3]]); w = {mask}; q = {call}; r = (q, x)" for mask in MASKS for call in MASKED)


@pytest.mark.parametrize("array", INDEXED)
def test_out_of_bounds_keys_match_numpy(array):
    steps = ["r = x[k]", "x[k] = 1; r = x", "x[k] = [1, 2]; r = x", "x[k] = m.zeros(7); r = x", "x[k] += 1; r = x", "x[k] = m.zeros(0); r = x"]
    check(f"x = {array}; k = ({key},)[0] if not isinstance(({key},), tuple) or len(({key},)) == 1 else ({key}); {step}" for key in KEYS for step in steps)


def test_views_as_other_dtypes_match_numpy():
    dtypes = ["?", "i1", "u2", "f2", "i4", "f8", "c8", "c16"]
    check(f"d = '{dtype}'; r = {array}.view('{other}')" for dtype in dtypes for other in ["?", "i1", "u2", "i4", "f8", "c16"] for array in VIEWED)


REFUSED = [
    "m.arange(12.0).reshape(4, 3)[[9], 0:0]", "m.dot(m.eye(3), m.ones(3), out=m.zeros(6)[::2])", "m.zeros(3, 'u2')[::-1].view('u1')",
    "m.linalg.multi_dot([m.ones((2, 2))] * 3, out=m.zeros((2, 2), 'f4'))", "m.sum(m.ones((1, 3)), where=m.ones((4, 3), bool))",
    "m.copyto(m.zeros(2, 'i1'), 300)", "m.copyto(m.zeros(2, 'i1'), 2.7)", "m.take(m.arange(3), [0], mode='x')", "m.zeros(2)[[0]].choose(0)",
    "x = m.zeros((2, 3)); x[0, 0] = [1.0]; r = x", "x = m.zeros(2, int); x[0] = [1]; r = x", "m.max(m.array([1], 'u1'), initial=-1)",
]  # fmt: skip


#: Values that are written to `r`, of a dtype and shape: sequences to elements, nested lists that have too many axes, and numbers that do not fit.
ELEMENTS = [
    (made, key, value)
    for made, keys, values in (
        ("m.zeros(3, T)", ("0", "np.int64(0)", "m.array(0)", "0, ..."), ("m.array([1])", "m.array([[1]])", "np.array([1])", "[1]", "(1,)", "m.array([1, 2])", "m.array([])", "m.array(1)", "np.array(1)", "memoryview(np.ones(1))")),
        ("m.zeros((), T)", ("()", "..."), ("m.array([1])", "np.array([1])", "[1]", "[[1]]", "m.array(2)")),
        ("m.zeros(3, T)", (":", "...", "0:1", "[0]", "[True, False, False]"), ("[[1]]", "[[[1]]]", "m.array([[1]])", "[[1, 2, 3]]", "[m.array([1, 2, 3])]", "[m.array(1), 2, 3]")),
        ("m.zeros((2, 3), T)", ("0", "0, ...", "0, 1", ":, 0"), ("[[1, 2, 3]]", "[[[1, 2, 3]]]", "m.array([[1, 2, 3]])", "m.array([1])", "[1]", "[1, 2]")),
        ("m.zeros(3, T)", ("0", ":", "...", "[0, 1]", "[True, False, True]"), ("200.0", "-129.0", "-1.0", "2.0**63", "2.0**64", "1e300", "2.7", "300", "[300, 1]", "F(200)")),
    )
    for key in keys
    for value in values
]  # fmt: skip

#: Values written to `r.flat`, a vector of a dtype.
FLAT = [
    (key, value)
    for key in ("0", ":", "[0, 1]", "...")
    for value in ("np.int64(200)", "200", "m.array([200, 1])[0]", "m.full(20000, 200).max()", "np.float64(7)", "7.5", "-1", "np.array(5)", "np.array([5])", "[]", "[5, 200]", "1j", "None", "m.array(5)", "m.array([5])", "'a'")
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8", "f4", "c8"])
def test_element_writes_match_numpy(dtype):
    # The processor determines the conversion of a float that does not fit, if places are selected
    # by an array.
    drawn = (one for one in ELEMENTS if not (dtype in "i1u1i8u8" and "[" in one[1] and ("." in one[2] or "e" in one[2])))
    check(f"r = {made.replace('T', repr(dtype))}; r[{key}] = {value}" for made, key, value in drawn)
    check(f"r = m.zeros(3, {dtype!r}); r.flat[{key}] = {value}" for key, value in FLAT)
    check(f"r = m.zeros(3, {dtype!r}); r.fill({value})" for value in ("m.array([1])", "np.array([1])", "[1]", "m.array(1)", "200", "200.0", "1j", "None"))


def test_rejects_calls_that_numpy_rejects():
    check(REFUSED)


def test_ellipsis_outputs_and_integers_beyond_64_bits_match_numpy():
    check(f"r = m.{name}({args}, out=...)" for name, args in (("matmul", "m.eye(2), m.eye(2)"), ("matvec", "m.eye(2), m.ones(2)"), ("vecmat", "m.ones(2), m.eye(2)")))
    check(f"r = m.ones((2, 2)).item({key})" for key in ("2**63", "-2**63 - 1", "True", "2**63, 0", "(2**63, 0)", "1", "1, 1", "7"))


#: Calls with arguments of wrong kinds, lengths and depths, and similar calls that are valid.
WRONG = [
    "m.asarray_chkfinite([1,2], order=1)", "m.asarray_chkfinite([1,2], order='Z')", "m.asarray_chkfinite(m.array(1.))",
    "m.array([1,5]).clip(2,3,out=(m.zeros(2,int),))", "m.round(m.array([1,5]), out=m.zeros((2,2),int))",
    "m.round(m.array([1.5,5]), out=m.zeros((2,2)))", "m.round(1.5, out=m.zeros(3))", "m.array(3).round(1,out=m.zeros((2,2)))",
    "m.nan_to_num([1.,2], copy=False)", "m.nan_to_num(m.array(3.), copy=False)", "m.nan_to_num(m.array(3), copy=False)",
    "m.nan_to_num(m.array([m.nan]), copy=False)", "m.nan_to_num(3.0, copy=False)", "m.nan_to_num(np.float64(3.0), copy=False)",
    "m.nan_to_num(m.nan)", "m.nan_to_num(1j)", "m.nan_to_num(m.array([1j,2]), copy=False)", "m.vstack(m.ones(3) for i in range(2))",
    "m.hstack(x for x in [m.ones(3)])", "m.stack(iter([m.ones(3)]))", "m.dstack(map(m.ones,[3]))", "m.column_stack(map(m.ones,[3]))",
    "m.concatenate(map(m.ones,[3]))", "m.concatenate({1:2}.values())", "m.vstack(m.ones((2,3)))", "m.vstack(3)",
    "m.hstack(np.ones((2,3)))", "m.block((m.ones(2),m.ones(3)))", "m.block([m.ones((3,3)),[1,2,3]])",
    "m.block([[m.ones((2,2)),m.zeros((2,1))]])", "m.block([[m.ones((2,2)),(1,2)]])", "m.block([])", "m.block(3)", "m.block([1,2,3])",
    "m.split(m.ones(4),[0.5])", "m.split(m.ones(4),m.array([0.5]))", "m.split(m.ones(4),m.array([1,3]))", "m.split(m.ones(4),[True])",
    "m.split(m.ones(4),[None])", "m.hsplit(m.ones((4,4)),m.array([True,False]))", "m.array_split(m.ones(4),m.array([1],'u1'))",
    "m.array_split(m.ones(4),m.array(3))", "m.array_split(m.ones(4),3.5)", "m.require(m.ones((2,3)), requirements='bad')",
    "m.require(m.ones((2,3)), requirements=['C','F'])", "m.require(3.0, requirements='W')",
    "m.require(m.ones((2,3)), requirements=['C','W','O'])", "m.require(m.ones((2,3)), requirements=['FORTRAN','E'])",
    "m.require(m.ones((2,3)), None, ['A'])", "m.linalg.matrix_rank(m.ones(3), tol=1, rtol=1)",
    "m.linalg.multi_dot(iter([m.ones((2,2)),m.ones((2,2))]))", "m.linalg.multi_dot([m.ones((2,2,2)),m.ones((2,2)),m.ones((2,2))])",
    "m.linalg.multi_dot([m.ones(2),m.ones((2,2)),m.ones(2)])", "m.histogram(m.ones(4), weights=m.ones((2,2)))",
    "m.histogram(m.ones((2,2)), weights=m.ones((2,2)))", "m.histogram_bin_edges(m.ones(4), weights=m.ones(3))",
    "m.histogram_bin_edges(m.ones((2,2)), 'auto', weights=m.ones((2,2)))", "m.isin(m.ones(3), m.ones(2), kind='table')",
    "m.isin([1,2,3],[2],kind='table')", "m.left_shift(m.array([[-3,-2,4]]), 1, out=np.zeros(3,int))",
    "m.sinh(m.ones((1,3)), out=np.zeros(3))", "m.sinh(m.ones(3), out=np.zeros((2,3)))",
]  # fmt: skip


def test_rejects_arguments_of_wrong_kinds():
    check(WRONG)


def test_at_without_indices_rejects_dtypes():
    calls = ["subtract.at(r, {}, True)", "gcd.at(r, {}, 1)", "logaddexp.at(r, {}, -1)", "add.at(r, {}, 1)", "maximum.at(r, {}, 1j)", "left_shift.at(r, {}, 1.5)"]
    arrays, keys = ["m.ones(3)", "m.ones(3, bool)", "m.ones(3, 'c8')", "m.zeros((2, 0), bool)"], ["[]", "slice(0, 0)", "m.array([], int)"]
    check(f"r = {made}; m.{call.format(key)}" for made in arrays for call in calls for key in keys)


#: An ellipsis that stands for no axis also separates arrays of indices.
PARTED = [
    "1:, 0, ..., [0, 0]", "0, ..., [0, 0], [1, 1]", "[0, 1], ..., [0, 1]", "[0, 1], ..., [0, 1], [0, 1]", "[0, 1], [0, 1], ...", "0, ..., 0, [0, 1]",
    "[0, 1], None, [0, 1]", ":, [0, 1], ..., [0, 1]", ":, 0, ..., [0, 1]", ":, 0, ..., m.array([True, False, True])", ":, 0, ..., True",
]  # fmt: skip


@pytest.mark.parametrize("statement", ["r = x[{}]", "r = x; r[{}] = x[{}] * 2 + 1", "r = x; r[{}] += x[{}]", "r = x[::-1]; r[{}] = 7"])
def test_ellipsis_between_index_arrays_matches_numpy(statement):
    check(f"x = m.arange(18).reshape(3, 2, 3); {statement.format(key, key)}" for key in PARTED)


EMPTY_MASKS = ["m.zeros(0, bool)", "m.zeros((0, 3), bool)", "m.zeros((2, 0), bool)", "np.zeros(0, bool)", "(slice(None), m.zeros(0, bool))", "m.zeros(1, bool)",
    "(0, m.zeros(0, bool))", "([0, 1], m.zeros(0, bool))"]  # fmt: skip


@pytest.mark.parametrize("made", ["m.ones((1, 0))", "m.ones(3)", "m.ones((2, 3))", "m.ones((0, 3))", "m.ones(0)"])
def test_masks_without_elements_match_numpy(made):
    statements = ["r = x[{}]", "r = x; r[{}] = 5", "r = x; r[{}] = []", "r = x; r[{}] += 1"]
    check(f"x = {made}; {statement.format(key)}" for key in EMPTY_MASKS for statement in statements)
