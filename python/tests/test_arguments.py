"""Arguments of unusual types and sizes: results, their classes and the types of errors are NumPy's."""

import numpy
import pytest
import weft.numpy as wnp
from compared import check, is_same_error, outcome

AXES = ["True", "np.True_", "2**31", "2**63", "-2**63 - 1", "1.0", "[0]", "[]", "()", "(0,)", "(True,)", "'a'", "np.array(1)", "None", "..."]
A = "m.array([[3.0, 1], [2, 4]])"

#: Calls with `AXIS` in place of the axis.
ALONG = [
    f"m.{name}({A}, axis=AXIS)"
    for name in (
        "sum", "prod", "min", "max", "all", "any", "mean", "var", "std", "ptp", "argmax", "argmin", "cumsum", "cumulative_sum",
        "count_nonzero", "nansum", "nanmax", "nanargmax", "nanmean", "nanvar", "nanmedian", "average", "median", "sort", "argsort",
        "expand_dims", "squeeze", "flip", "diff", "size", "add.reduce", "add.accumulate", "subtract.reduce", "linalg.norm",
        "linalg.vector_norm",
    )
] + [
    f"m.quantile({A}, 0.5, AXIS)", f"m.partition({A}, 1, AXIS)", f"m.argpartition({A}, 1, AXIS)", f"m.take({A}, [0], AXIS)",
    f"m.repeat({A}, 2, AXIS)", f"m.concatenate(({A}, {A}), AXIS)", f"m.stack(({A}, {A}), AXIS)", f"m.append({A}, {A}, AXIS)",
    f"m.compress([True], {A}, AXIS)", f"m.swapaxes({A}, AXIS, 0)", f"m.moveaxis({A}, AXIS, 0)", f"m.roll({A}, 1, AXIS)",
    f"m.insert({A}, 0, 1, AXIS)", f"m.packbits({A} > 1, AXIS)", f"m.vecdot({A}, {A}, axis=AXIS)",
]  # fmt: skip

V, I = "m.array([3.0, 1, 2])", "m.array([1, 2])"
KEEPDIMS = ["None", "2**63", "1", "np.True_", "1.0", "'a'", "[]"]

#: Calls whose values are the same.
OTHERS = [
    *(f"m.{name}({A}, keepdims={given})" for name in ("sum", "mean", "var", "max", "all", "nansum", "nanmean", "add.reduce") for given in KEEPDIMS),
    *(f"m.{name}({A}, keepdims={given})" for name in ("count_nonzero", "argmax", "median") for given in KEEPDIMS),
    *(f"m.{name}({V}, where={given})" for name in ("sum", "nansum", "mean", "std", "max") for given in ("None", "0", "2", "[1, 0, 1]", "np.array([1, 0, 1])")),
    *(f"m.{name}({V}, initial={given})" for name in ("sum", "max", "add.reduce") for given in ("None", "[]", "[1]", "(1,)", "np.array(1)", "'a'")),
    *(f"m.add(1.0, 2, {key}={given})" for key in ("order", "subok", "signature", "sig", "casting") for given in ("None", "1", "True", "'C'", "b'C'", "'X'", "[]")),
    *(f"m.zeros(2, order={given})" for given in ("None", "1", "'F'", "'X'", "'K'")),
    *(f"m.{name}({V}, order={given})" for name in ("zeros_like", "copy", "asarray", "partition") for given in ("1", "'X'", "None") if (name, given) != ("partition", "None")),
    *(f"m.array([[1]], {key}={given})" for key in ("ndmin", "ndmax", "order") for given in ("None", "-1", "0", "1", "1.0", "True", "np.True_", "65", "2**31", "2**63")),
    *(f"m.repeat({V}, {given})" for given in ("1.0", "1.5", "[1.0, 2, 0]", "np.float64(1)", "np.array(1.0)", "np.array([1, 1, 1], 'u8')", "2**63", "None", "'a'", "[[1]]", "True")),
    *(f"m.tile({V}, {given})" for given in ("1.0", "2.0", "True", "(1, 1.0)", "2**63", "None", "'a'", "[]")),
    *(f"m.pad({I}, 1, constant_values={given})" for given in ("2**63", "2**70", "1.5", "nan", "1j", "None", "'a'")),
    "m.pad(m.array([1], 'i1'), 1, constant_values=300)", "m.pad(m.array([1], 'u1'), 1, constant_values=-1)",
    *(f"m.{name}({A}, {given})" for name in ("diag", "diagonal", "trace") for given in ("2**31", "2**40", "2**63", "1.0", "None", "True")),
    f"m.diag({I}, 2**40)", f"m.diag({I}, 1.0)", f"m.diag({I}, True)",
    *(f"m.arange({given})" for given in ("np.int8(1)", "np.float32(3)", "np.uint64(3)", "np.int8(1), np.int8(3), np.int8(1)", "3, step=None", "True", "0, 5, True")),
    "m.array_split(5, 2)", f"m.array_split({V}, 2.5)", f"m.array_split({V}, None)",
    f"m.argpartition({V}, [])", f"m.partition({V}, ())", f"m.argpartition({V}, 1, kind=None)", f"m.argpartition({V}, 1, kind='x')",
    *(f"m.take({V}, [5], mode={given})" for given in ("None", "0", "1", "2", "7", "True", "1.0", "2**63", "b'wrap'", "'x'")),
    *(f"m.searchsorted({V}, 1, side={given})" for given in ("None", "1", "'x'")),
    *(f"m.where([True], {given})" for given in ("None", "1, None", "None, None", "None, 1")),
    *(f"{I}[{given}]" for given in ("2**63", "-2**63 - 1", "2**64", "2**63:")),
    f"m.isin({I}, {I}, kind='x')", f"m.astype({I}, float, device='x')", f"m.nanvar({V}, mean=np.float64(5))", f"m.nanstd({V}, mean=5.0)",
    f"m.quantile({V}, np.longdouble(0.5))", f"m.outer({V}, {V}, out=...)", "m.fft.fftn(1.0)",
    *(f"m.fft.{name}(m.array([3.0, 1, 2, 4]), norm={given})" for name in ("fft", "fftn") for given in ("None", "1", "'x'", "'ortho'")),
    *(f"m.fft.{name}({V}, norm={given})" for name in ("irfft", "hfft") for given in ("1", "'x'")),
    "m.asfortranarray(1.0)",
    *(f"m.diff({V}, {given})" for given in ("2.5", "inf", "True", "np.int8(1)", "None")),
    *(f"m.tensordot({A}, {A}, {given})" for given in ("1.0", "-0.0", "True", "np.int8(1)", "0", "3", "None")),
    *(f"m.full(2, {given}, 'i1')" for given in ("200.0", "2.7", "-1.5", "300", "True", "1j")), f"m.full_like({I}, 2.7)",
    f"m.polyval({A}, 2)", f"m.polyval({A}, {I})", f"m.polyval({V}, {A})", "m.polyval(2, 3)",
    "m.arange(stop=3)", "m.arange(1, stop=3)", "m.arange(step=2, stop=5)", "m.arange()", "m.arange(None)", "m.arange(None, 3)", "m.arange(m.array([3]))",
    "m.arange(127, 130, dtype='i1')", "m.arange(1e30)", f"m.fft.fft({V}, True)", f"m.fft.fftshift({I}, (0, 0))", f"m.fft.ifftshift({A}, (0, 0, 1))",
    *(f"r = {left}; r @= {right}" for left in (V, A, "m.ones(0)", "m.array(2.0)") for right in (V, A, I, "2", "[1]", "m.eye(2, dtype=int)", "m.zeros((0, 2))")),
    f"r = m.eye(2, dtype=int); r @= {A}", f"r = {A}; r.sort(None)", f"r = {A}; r.sort(axis=0)",
    *(f"m.{name}({A}, keepdims='a')" for name in ("nanmedian", "linalg.vector_norm")),
    "m.eye(2, order='X')", "m.eye(2, order=1)",
    "m.histogram(m.arange(3), [])", "m.histogram(m.arange(3), [], density=True)", "m.histogram(m.arange(3), [], weights=m.ones(3))",
    "m.bincount(m.array([], float))", "m.bincount(m.array([], float), minlength=3)", "m.bincount([])",
    f"m.std({A}, axis=1, dtype='i4')", f"m.std({V}, dtype='u1', keepdims=True)",
]  # fmt: skip

#: Calls whose results are numbers or arrays, as NumPy's are.
CLASSES = [
    f"m.{call}"
    for call in (
        "add(1.0, 2, out=...)", "sqrt(4.0, out=...)", "clip(1.5, 0, 1, out=...)", "divmod(5, 3, out=...)", "add.outer(1.0, 2.0, out=...)",
        "take(m.array(3), 0, axis=0)", "take(m.array(3), [0], axis=-1)", "take(m.array(3), 0, axis=1)", "compress([True], m.array(3), axis=-1)",
        "squeeze(m.array(3), axis=0)", "squeeze(m.array(3), axis=-1)", "squeeze(m.array(3), axis=(0,))", "flip(m.array(3), ())",
        "matmul(m.zeros(0), m.zeros(0))", "matmul(m.zeros(0, bool), m.zeros(0, bool))", "dot(m.zeros(0), m.zeros(0))", "matmul(m.zeros((3, 0)), m.zeros(0))",
        "lexsort((m.array(3), m.array(4)))", "lexsort(m.array([3, 1]))", "std(m.array([1, 2, 4]), dtype=int)", "std(m.array([1.5, 2]), dtype='i4')",
        "add(1.0, 2, out=(...,))", "add(1.0, 2, ...)", "around(5)", "around(5, -1)", "round(True)", "isposinf(2)", "add(1.0, 2, where=[1])",
    )
] + [f"m.{name}({V}, out=...)" for name in ("add.reduce", "subtract.reduce", "add.accumulate", "sum", "nanmax", "fix", "cumsum")]  # fmt: skip


@pytest.mark.parametrize("call", ALONG)
def test_axis_arguments_match_numpy(call):
    check(call.replace("AXIS", axis) for axis in AXES)


def test_other_arguments_match_numpy():
    check(OTHERS)


def classes(module, code):
    """Whether each result is an array; the error, if any."""
    made = outcome(module, code)
    if isinstance(made, Exception):
        return made
    made = eval(code, {"m": module})
    return [isinstance(one, (numpy.ndarray, wnp.ndarray)) for one in (made if isinstance(made, tuple) else (made,))]


@pytest.mark.parametrize("code", CLASSES)
def test_result_classes_match_numpy(code):
    check([code])
    theirs, ours = classes(numpy, code), classes(wnp, code)
    assert is_same_error(theirs, ours) if isinstance(theirs, Exception) else theirs == ours


#: Calls of functions with arguments of more axes, other dtypes or fewer elements than is usual.
UNUSUAL = [
    "m.trapezoid(m.array([0.5,2.0]), x=m.arange(8.).reshape(2,2,2))", "m.trapezoid(m.ones((2,3)), x=m.array([1.,2.,4.]))",
    "m.trapezoid(m.ones((2,3)), x=m.array([1.,2.]), axis=0)",
    "m.select(m.array([[True,False],[False,True]]), [m.array([1,2]),m.array([3,4])])", "m.select(m.ones((2,0))>0, [m.ones(0),2])",
    "m.piecewise(m.array([[1,2],[3,4]]), m.array([[True,False],[False,True]]), [5,6])",
    "m.piecewise(m.array([1,2,3]), [m.array([True,False,True])], [5,7])",
    "m.piecewise(m.array([1,2,3]), (m.array([True,False,True]),), [5,7])", "m.piecewise(m.array([1.,2,3]), m.array([1.5,0]), [5,7])",
    "m.piecewise(m.array(3.), [True], [5])", "m.piecewise(m.array(3.), [False], [5, lambda x: -x])",
    "m.piecewise(3., [False, True], [5, lambda x: -x])",
    "m.piecewise(m.array([1.,-2]), [m.array([1.,-2])<0, m.array([1.,-2])>=0], [lambda x: -x, lambda x: x])",
    "m.polyval(m.array([]), m.arange(3))", "m.polyval([1,2,3], m.array([1.5],'f4'))", "m.polyval(m.array([1,2]), 3)",
    "m.polyval([True],m.array([True,False]))", "m.clip(m.array([1,5]), 2, 3, out=(m.zeros(2,int),))", "m.ascontiguousarray(3)",
    "m.asfortranarray(3).shape", "m.linspace(0,1,1,retstep=True)", "m.linspace((0,1),2,1,retstep=True)",
    "m.linspace(0,1,1,endpoint=False,retstep=True)", "m.zeros(2,'U3')", "m.zeros_like([1,2],dtype='U3')", "m.zeros(2,dtype='S2')",
    "m.zeros(2,dtype=[('a','f4'),('b','i4')])", "m.zeros(2,dtype=object)", "m.zeros(2,dtype='m8[s]')", "m.cov(2, bias=None)",
    "m.einsum('->', m.array(3.0))", "m.einsum('...->...', 3.0)", "m.einsum('...', m.array(2))",
    "m.linalg.qr(m.ones((3,2)), mode='full')[1].shape", "m.linalg.lstsq(m.array([[1.,2],[3,4],[5,6]]), m.array([1.,2,3]), rcond=1)[2]",
    "m.linalg.pinv(m.zeros((0,2),int))", "m.linalg.pinv(m.zeros((2,0,2),'f4'))", "m.unravel_index([1,0], m.array([2,3]))",
    "m.unravel_index(m.array([1,0]), np.array([2,3]))", "m.unravel_index(m.array([True,False]), (1,2,3))",
    "m.unravel_index([True,False], (1,2,3))", "m.unravel_index(True, (2,3))", "m.unravel_index(3, 6)", "m.unravel_index(3, m.array(6))",
    "m.quantile(m.array([1,2,4],'u1'), m.float32(0.25))", "m.quantile(m.array([1.,2,4]), m.float32(0.3))",
    "m.percentile(m.array([1,2,4],'u1'), np.float32(30))", "m.percentile(m.array([1,2,4],'i8'), m.array([30],'f4'))",
    "m.percentile(m.array([1.,2,4]), m.array([30],'f2'))", "m.asarray([[1,2],[3,4]],order='F')",
    "m.roll(m.arange(4), m.array([1,2]))", "m.roll(m.arange(4), m.array(1))", "m.roll(m.arange(4), [1,2])", "m.roll(m.arange(4), (1,2))",
    "m.roll(m.arange(6).reshape(2,3), m.array([1,1]), (0,1))", "m.roll(m.arange(6).reshape(2,3), m.array([1,1]), np.array([0,1]))",
    "m.roll(m.arange(6).reshape(2,3), 1, m.array(1))", "m.roll(m.arange(6).reshape(2,3), m.ones((1,2),int))",
    "m.roll(m.arange(6).reshape(2,3), [], [])", "m.roll(m.arange(6), 2.7)", "m.roll(m.arange(6), m.array([1.5]))",
    "m.roll(m.arange(6), m.int8(2))", "m.roll(m.arange(6), m.arange(3)[2])", "m.roll(m.array(3), 1)",
    "m.roll(m.arange(6).reshape(2,3), 1, (0,0))", "type(m.meshgrid(m.arange(2), m.arange(3), copy=False, sparse=True)).__name__",
    "type(m.meshgrid(m.arange(2), m.arange(3), copy=False)).__name__", "type(m.meshgrid(m.arange(2), m.arange(3))).__name__",
    "type(m.meshgrid()).__name__", "m.zeros(2, dtype=m.ones(2))", "m.ones(2).astype(m.ones(2))", "m.zeros(2, m.float32(1))",
    "m.reshape(m.arange(4), (2,2), copy='a')", "r = m.arange(4); m.reshape(r, (2,2), copy=1)[...] = 7",
    "r = m.arange(4); m.reshape(r, (2,2), copy=0)[...] = 7", "r = m.arange(4); m.reshape(r, (2,2), copy=np.True_)[...] = 7",
    "m.array([1,2],dtype=m.array(1))", "m.arange(3, dtype=m.array(1))",
    "m.arange(5,0,-1,dtype='u1')", "m.arange(5,0,-0.5,dtype='u1')", "m.arange(5,0,-0.5,dtype='u8')", "m.arange(5.5,0,-1.5,dtype='u4')",
    "m.arange(200,300,30,dtype='u1')", "m.arange(5,-3,-1,dtype='u1')", "m.arange(0,1000,100,dtype='i1')", "m.arange(0,5,0.5,dtype='i4')",
    "m.roll(m.arange(4), (1,2), axis=())", "m.roll(m.arange(4), (), axis=())", "m.roll(m.arange(4), 1, axis=())",
    "m.roll(m.arange(4), [], axis=0)", "m.roll(m.arange(4), (1,2), axis=(0,))", "m.roll(m.ones((2,2)), (1,2,3), axis=(0,1))",
    "m.apply_along_axis(len, -1, m.zeros((3,1,0)))", "m.apply_along_axis(lambda v: v.sum(), -1, m.zeros(0,'i1'))",
    "m.apply_along_axis(lambda v: v.sum(), 0, m.zeros((2,0)))", "m.apply_along_axis(lambda v: v, 0, m.zeros((0,2)))",
    "m.apply_along_axis(m.mean, 0, m.zeros((0,2)))", "r = m.zeros(3); m.put(r, m.array([],'u1'), [1,2], mode='clip')",
    "r = m.zeros(0); m.put(r, m.array([],'u1'), [1,2], mode='clip')", "r = m.zeros(0); m.put(r, [0], [1,2], mode='clip')",
    "r = m.zeros(3); m.put(r, m.array([1,250],'u1'), [1,2], mode='clip')",
    "r = m.zeros(300); m.put(r, m.array([1,250],'u1'), [1,2], mode='clip'); r = r[250]",
    "r = m.zeros(300); m.put(r, m.array([1,250],'u1'), [1,2], mode='wrap'); r = r[250]",
    "m.take(m.arange(300), m.array([1,250],'u1'), mode='clip')", "m.take(m.arange(300), m.array([1,-3],'i1'), mode='wrap')",
    "m.take(m.arange(300), m.array([1,-3],'i1'), mode='clip')", "m.take(m.zeros((0,2,0)), [0,0], axis=0, mode='clip')",
    "m.take(m.zeros((0,2,0)), [0,0], axis=0)", "m.take(m.zeros((0,2)), [0,0], axis=0)", "m.take(m.zeros((0,2)), [], axis=0)",
    "m.choose(m.array([1,0],'u1'), [[1,2],[3,4]], mode='clip')", "m.choose(m.array([200,0],'u1'), [[1,2],[3,4]], mode='clip')",
    "m.nanquantile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f4'), 0.5, axis=0)",
    "m.nanquantile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f4'), 0.3, axis=1)",
    "m.nanquantile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f2'), 0.3, axis=1)",
    "m.nanquantile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f4'), m.array(0.3), axis=1)",
    "m.nanquantile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f4'), [0.3], axis=1)",
    "m.nanquantile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f4'), 0.3, axis=1, method='weibull')",
    "m.nanpercentile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f4'), 30, axis=1, keepdims=True)",
    "m.nanpercentile(m.array([[0.5,m.nan,0.5],[0.75,2.0,3.25]],'f8'), 30, axis=1, keepdims=True)",
    "r = m.arange(18).reshape(3,2,3); m.add.at(r, (slice(1,None),0,...,[0,0]), m.arange(4).reshape(2,2))",
    "r = m.arange(18).reshape(3,2,3); m.add.at(r, (slice(0,2),[0,1],...,[0,1]), m.arange(4).reshape(2,2))",
    "m.linalg.multi_dot([m.ones((2,3),'c8'),m.ones((3,4),'u2'),m.ones((4,2),'i2')])",
    "m.linalg.multi_dot([m.ones((2,3),'c8'),m.ones((3,4),'u2'),m.ones((4,20),'i2')])",
    "m.linalg.multi_dot([m.ones((2,3),'f4'),m.ones((3,4),'u2'),m.ones((4,20),'i2'),m.ones((20,1),'i4')])",
    "m.linalg.multi_dot([m.ones((5,3),'f4'),m.ones((3,4),'u1'),m.ones((4,2),'i2'),m.ones((2,1),'i4'),m.ones(1,'c8')])",
    "m.linalg.multi_dot([m.ones(3,'f4'),m.ones((3,4),'u1'),m.ones(4,'i2')])",
    "m.linalg.multi_dot([m.ones(3,'f4'),m.ones((3,4),'u1'),m.ones((4,2))], out=m.zeros((1,2)))",
    "m.linalg.multi_dot([m.ones((2,3)),m.ones((3,4)),m.ones((4,2))], out=m.zeros((2,2)))",
    "m.linalg.multi_dot([m.ones((2,3)),m.ones((5,4)),m.ones((4,2))])", "m.linalg.multi_dot([m.ones((2,3)),m.ones((3,4)),m.ones((5,2))])",
    "m.linalg.multi_dot([m.ones((2,0)),m.ones((0,4)),m.ones((4,2))])", "m.take(m.zeros((0,2,0)), [0,0], axis=0)",
    "m.take(m.zeros((0,2,0)), [0,0], axis=0, mode='clip')", "m.take(m.zeros((3,2,0)), [7], axis=0)",
    "m.take(m.zeros((3,2,0)), [7], axis=0, mode='wrap')", "m.linalg.multi_dot([m.ones((2,3)),m.ones((3,4))])",
    "m.vdot(m.array([0.5-1j]), F(1,2))", "m.vdot(m.array([0.5-1j]), m.array([2j]))", "m.vdot(np.array([1,2],object), m.array([2j,1]))",
    "m.ravel_multi_index(m.array([True,False]), (2,2))", "m.ravel_multi_index([m.array([True,False]),[1,0]], (2,2))",
    "m.quantile(m.array([6],'u1'), 0, method='weibull')", "m.quantile(m.array([3,-3,-3],'i1'), 1, method='averaged_inverted_cdf')",
    "m.quantile(m.array([5,1]), 1, method='interpolated_inverted_cdf')", "m.quantile(m.array([5,1,7],'u1'), 0, method='hazen')",
    "m.nanquantile(m.array([5,1,7],'i4'), 1, method='weibull')", "m.quantile(m.array([5,1,7],'f4'), 1, method='median_unbiased')",
    "r = m.ones((1,3)); r.resize(3)", "r = m.arange(6); r.resize(2,3)", "r = m.arange(6); r.resize((3,2))",
    "r = m.arange(6); r.resize([3,2])", "r = m.arange(6); r.resize()", "r = m.arange(6); r.resize(None)", "r = m.arange(6); r.resize(-1)",
    "r = m.arange(6); r.resize(2,-3)", "r = m.arange(6); r.resize('a')", "r = m.arange(6); r.resize(2.0)", "r = m.array(3); r.resize(1)",
    "r = m.array([3]); r.resize(())", "r = m.zeros((0,3)); r.resize(0)", "r = m.arange(6).reshape(2,3).T; r.resize(4)",
]  # fmt: skip


def test_unusual_arguments_match_numpy():
    check(UNUSUAL)


def test_powers_of_booleans_and_empty_arrays_match_numpy():
    check(f"{made} ** {power}" for made in ("m.array([True, False])", "m.array(True)", "m.array([True])[0]") for power in ("2", "3", "m.int8(2)"))
    # The shapes are wrong, not the exponents.
    for made in ("m.ones((1, 1), int)", "m.arange(3)"):
        check(f"r = {made}; r **= m.zeros({shape}, int)" for shape in ("0", "(1, 0)", "(0, 1)"))
