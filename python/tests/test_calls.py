"""Calls of NumPy's functions on small arrays of each dtype: the same values, dtypes, shapes and kinds of errors, and nothing falls back."""

import numpy
import pytest
import weft.numpy

DTYPES = ["?", "i4", "i8", "u1", "f2", "f4", "f8", "c16"]

#: Expressions of `np`, the module, and arrays: see `arrays`.
CALLS = [
    "np.add(a,b)", "np.subtract(a,b)", "a*b", "a/b", "a//b", "a%b", "a**2", "np.power(a,b)", "np.divmod(a,b)", "np.maximum(a,b)",
    "np.minimum(a,b)", "np.fmax(a,b)", "np.fmin(a,b)", "np.hypot(a,b)", "np.arctan2(a,b)", "np.copysign(a,b)", "np.logaddexp(a,b)",
    "np.logaddexp2(a,b)", "np.gcd(a,b)", "np.lcm(a,b)", "np.ldexp(a,2)", "np.frexp(a)", "np.modf(a)", "np.heaviside(a,b)",
    "np.float_power(a,b)", "np.fmod(a,b)", "np.remainder(a,b)", "np.floor_divide(a,b)", "np.sin(a)", "np.cos(a)", "np.tan(a)",
    "np.arcsin(a)", "np.arccos(a)", "np.arctan(a)", "np.sinh(a)", "np.cosh(a)", "np.tanh(a)", "np.arcsinh(a)", "np.arccosh(a)",
    "np.arctanh(a)", "np.exp(a)", "np.exp2(a)", "np.expm1(a)", "np.log(a)", "np.log2(a)", "np.log10(a)", "np.log1p(a)", "np.sqrt(a)",
    "np.cbrt(a)", "np.square(a)", "np.reciprocal(a)", "np.sign(a)", "np.positive(a)", "np.negative(a)", "np.absolute(a)", "np.fabs(a)",
    "np.rint(a)", "np.floor(a)", "np.ceil(a)", "np.trunc(a)", "np.fix(a)", "np.round(a,1)", "np.round(a,-1)", "np.isnan(a)",
    "np.isinf(a)", "np.isfinite(a)", "np.signbit(a)", "np.conj(a)", "np.real(a)", "np.imag(a)", "np.angle(a)", "np.invert(a)",
    "np.logical_not(a)", "np.deg2rad(a)", "np.rad2deg(a)", "np.sinc(a)", "np.i0(a)", "np.nan_to_num(a)", "np.bitwise_count(a)",
    "np.spacing(a)", "np.nextafter(a,b)", "np.bitwise_and(a,b)", "np.bitwise_or(a,b)", "np.bitwise_xor(a,b)", "np.left_shift(a,b)",
    "np.right_shift(a,b)", "np.logical_and(a,b)", "np.logical_or(a,b)", "np.logical_xor(a,b)", "a<b", "a<=b", "a==b", "a!=b",
    "np.isclose(a,b)", "np.allclose(a,a)", "np.array_equal(a,b)", "np.array_equiv(a,a)", "np.sum(a)", "np.sum(a,axis=0)",
    "np.sum(t,axis=(0,2),keepdims=True)", "np.prod(a,axis=1)", "np.max(a,axis=0)", "np.min(a)", "np.argmax(a,axis=1)", "np.argmin(a)",
    "np.mean(a,axis=0)", "np.std(a)", "np.var(a,axis=1,ddof=1)", "np.median(a,axis=0)", "np.ptp(a,axis=0)", "np.all(a)",
    "np.any(a,axis=0)", "np.count_nonzero(a,axis=1)", "np.cumsum(a,axis=1)", "np.cumprod(a)", "np.nansum(a)", "np.nanprod(a,axis=0)",
    "np.nanmax(a)", "np.nanmin(a,axis=0)", "np.nanmean(a,axis=1)", "np.nanstd(a)", "np.nanvar(a,axis=0)", "np.nanmedian(a,axis=1)",
    "np.nanargmax(a,axis=1)", "np.nanargmin(a)", "np.nancumsum(a)", "np.nancumprod(a,axis=0)", "np.average(a,axis=0)",
    "np.average(a,axis=1,weights=np.array([1.,2,3,4]))", "np.quantile(a,.3,axis=0)", "np.percentile(a,[10,50],axis=1)",
    "np.nanquantile(a,.3)", "np.nanpercentile(a,30,axis=0)", "np.histogram(v,4)", "np.histogram(v,[0,1,3])", "np.bincount(abs(v))",
    "np.digitize(v,[0,1,3])", "np.histogram2d(v,u,3)", "np.histogramdd(np.stack([v,u],1),3)", "np.corrcoef(a)", "np.cov(a)",
    "np.cov(a,rowvar=False)", "np.convolve(v,u)", 'np.convolve(v,u,"same")', 'np.correlate(v,u,"full")', "np.diff(a)",
    "np.diff(a,2,axis=0)", "np.ediff1d(a)", "np.gradient(a)", "np.trapezoid(v)",
    "np.interp(np.array([.5,1.5]),np.array([0.,1,2]),v[:3])", "np.cumulative_sum(v)", "np.unwrap(v)", "np.dot(a,a.T)", "np.dot(v,u)",
    "np.vdot(v,u)", "np.inner(a,b)", "np.outer(v,u)", "a@b.T", "np.matmul(t,t.swapaxes(1,2))", "np.tensordot(a,b.T,1)",
    'np.einsum("ij,kj->ik",a,b)', 'np.einsum("ii",s)', 'np.einsum("ij->j",a)', 'np.einsum("ijk,ijk->i",t,t)',
    "np.einsum(a,[0,1],b,[2,1])", "np.kron(a,b)", "np.trace(s)", "np.cross(a[:,:3],b[:,:3])", "np.linalg.norm(a)",
    "np.linalg.norm(a,axis=1)", "np.linalg.norm(a,1)", "np.linalg.det(s)", "np.linalg.inv(s)", "np.linalg.solve(s,v[:4])",
    "np.linalg.matrix_power(s,3)", "np.linalg.matrix_rank(s)", "np.linalg.slogdet(s)", "np.linalg.svd(a)[1]",
    "np.linalg.qr(a)[1].shape", "np.linalg.pinv(a)", "np.linalg.lstsq(a.T,v[:4],rcond=None)[0]", "np.linalg.eigvalsh(s)",
    "np.linalg.multi_dot([a,b.T,a])", "np.linalg.eigvals(s).shape", "np.linalg.vector_norm(a)", "np.linalg.matrix_norm(a)",
    "np.linalg.tensorsolve(np.eye(4).reshape(2,2,2,2)+0*s[0,0],s[:2,:2])", "np.matvec(s,v[:4])", "np.vecmat(v[:4],s)",
    "np.vecdot(a,b)", "np.sort(a)", "np.sort(a,axis=0)", "np.sort(a,axis=None)", 'np.argsort(a,kind="stable")', "np.lexsort((v,u))",
    "np.partition(v,2)[2]", "np.argpartition(v,2).shape", "np.searchsorted(np.sort(v),u)", "np.unique(a)",
    "np.unique(a,return_counts=True)", "np.unique(a,return_inverse=True,return_index=True)", "np.unique(a,axis=0)", "np.isin(a,b)",
    "np.intersect1d(v,u)", "np.intersect1d(v,u,return_indices=True)", "np.union1d(v,u)", "np.setdiff1d(v,u)", "np.setxor1d(v,u)",
    "np.nonzero(a)", "np.flatnonzero(a)", "np.argwhere(a)", "np.where(a>0,a,b)", "np.where(a)", "np.extract(a>0,a)",
    "np.sort_complex(v)", "np.reshape(a,(4,3))", "np.ravel(a)", 'np.ravel(a,"F")', "np.transpose(t,(1,0,2))", "np.moveaxis(t,0,2)",
    "np.rollaxis(t,2)", "np.swapaxes(t,0,1)", "np.expand_dims(a,(0,2))", "np.squeeze(one)", "np.atleast_3d(a)",
    "np.broadcast_to(v,(2,6))", "np.concatenate([a,b])", "np.stack([a,b],1)", "np.vstack([a,b])", "np.hstack([a,b])",
    "np.dstack([a,b])", "np.column_stack([v,u])", "np.block([[a,b],[b,a]])", "np.append(a,b)", "np.append(a,b,axis=0)",
    "np.insert(v,2,7)", "np.insert(a,[1,2],1,axis=0)", "np.delete(v,[1,2])", "np.delete(a,1,axis=1)", "np.split(v,3)",
    "np.array_split(v,4)", "np.hsplit(a,2)", "np.vsplit(s,2)", "np.tile(a,(2,1))", "np.repeat(a,2,axis=1)",
    "np.repeat(v,[1,2,3,0,1,1])", "np.flip(a)", "np.fliplr(a)", "np.flipud(a)", "np.rot90(a)", "np.roll(a,1)",
    "np.roll(a,(1,2),(0,1))", "np.pad(a,1)", 'np.pad(a,2,"reflect")', "np.diag(v)", "np.diag(s)", "np.diagonal(t,0,0,1)",
    "np.diagflat(v)", "np.tri(3)", "np.tril(s)", "np.triu(a,1)", "np.vander(v)", "np.trim_zeros(v)", "np.resize(a,(5,2))",
    "np.ix_(pos,idx)", "np.meshgrid(v,u)", "np.take(a,idx,axis=0)", "np.take(a,idx)", "np.take_along_axis(a,np.argsort(a,1),1)",
    "np.choose(idx,[v[:3],u[:3],v[3:]])", "np.compress(mask,a,axis=0)", "np.select([a>1,a<0],[a,b],0)",
    "np.piecewise(a,[a>0,a<=0],[lambda x:x,lambda x:x*0])", "np.clip(a,0,2)", "np.clip(a,None,1)",
    "np.apply_along_axis(lambda x:x.sum(),1,a)", "np.apply_over_axes(np.sum,t,[0,2])", "np.unravel_index(idx,(2,3))",
    "np.ravel_multi_index((idx,idx),(3,4))", "np.diag_indices(3)", "np.tril_indices(3)", "np.triu_indices_from(s)",
    "np.mask_indices(3,np.triu)", "np.indices((2,3))", "np.fromfunction(lambda i,j:i+j,(2,3))", "np.array_split(a,2,axis=1)",
    "np.unstack(a)", "np.add.reduce(a)", "np.add.accumulate(a,axis=1)", "np.multiply.outer(v,u)", "np.maximum.reduce(a,axis=1)",
    "np.minimum.accumulate(a)", "np.add.reduceat(v,[0,2,4])", "np.logical_or.reduce(a)", "np.bitwise_or.reduce(a)",
    "np.subtract.reduce(a)", "np.divide.reduce(a)", "np.hypot.reduce(v)", "np.subtract.accumulate(v)", "np.power.reduce(v)",
    "np.logaddexp.reduce(v)", "np.add.reduce(a,where=a>0)", "np.multiply.reduce(a,initial=2)", "np.fmax.reduce(a,axis=0)",
    "np.logical_xor.reduce(a)", "np.equal.outer(v,u)", "np.left_shift.reduce(v)", "np.sum(e)", "np.prod(e,axis=0)",
    "np.mean(e,axis=1)", "np.any(e)", "np.sort(e)", "np.cumsum(e,axis=0)", "np.concatenate([e,e])", "np.unique(e)", "np.nonzero(e)",
    "np.median(a)", "e.T", "e@e.T", "np.sum(z)", "np.max(z)", "z+1", "np.cumsum(z)", "np.ravel(z)", "np.argmax(z)", "np.nonzero(one)",
    "a[1]", "a[:,1]", "a[mask]", "a[idx]", "a[idx,idx]", "a[...,None]", "a[::-1,::2]", "a[a>0]", "a[[0,1],:2]", "t[:,[0,2],1]",
    "t[0,idx]", "a[None,idx]", "big[1:3,idx]", "a.real", "a.imag", "a.T", "a.flat[3]", "a.tolist()", "a.astype(float)", "a.nbytes",
    "a.item(2)", "a.sum()", "a.mean(0)", "a.argsort()", "a.cumsum()", "a.dot(b.T)", "a.clip(0,1)", "a.repeat(2)", "a.round()",
    "a.copy()", "a.conj()", "a.tobytes()", "a.squeeze()", "a.std()", "a.trace()", "a.max(1)", "a.nonzero()", "a.diagonal()",
    "a.compress([True,False,True],0)", "a.take([1,2])", "a.swapaxes(0,1)", 'a.flatten("F")', "a.var(1)", "a.prod()", "a.all()",
    "a.any(1)", "a.byteswap()", "len(a)", "a.shape", "np.size(a,1)", "np.ndim(a)", "np.fft.fft(v)", "np.fft.ifft(v)", "np.fft.rfft(v)",
    "np.fft.irfft(v)", "np.fft.fft2(a)", "np.fft.fftn(t)", "np.fft.hfft(v)", "np.fft.ihfft(v)", "np.fft.fftshift(a)",
    "np.fft.fftfreq(5)", "np.fft.rfftn(t)", "np.fft.irfftn(t)", 'np.fft.fft(a,n=7,axis=0,norm="ortho")', "np.polyval(v,u)",
    "np.polyfit(np.arange(6.),v,2)", "np.poly(v)", "np.roots(v)", "np.polyadd(v,u)", "np.polymul(v,u)", "np.polyder(v)",
    "np.polyint(v)", "np.linspace(0,z,5)", "np.logspace(0,1,4)", "np.geomspace(1,8,4)", "np.arange(5)", "np.full((2,),z)",
    "np.full_like(a,2)", "np.zeros_like(a)", "np.eye(3)", "np.identity(2)", "np.hanning(5)", "np.hamming(5)", "np.blackman(5)",
    "np.bartlett(5)", "np.kaiser(5,2.)", "np.packbits(mask)", "np.iscomplex(a)", "np.isreal(a)", "np.isposinf(a)", "np.isneginf(a)",
    "np.real_if_close(a)", "np.broadcast_arrays(v,one)", "np.copyto(a.copy(),b)", "np.shares_memory(a,a[1:])",
    "np.may_share_memory(a,b)", "np.result_type(a,1.0)", "np.r_[v,u]", "np.c_[v,u]", "np.mgrid[0:2,0:3]", "np.ogrid[0:2,0:3]",
    "np.ndindex(2,2) and 1", "list(np.ndenumerate(v))[0]", 'np.nanmean(np.where(a>0,a,np.nan),axis=0) if a.dtype.kind=="f" else a',
    "np.isin(v,[1,2])", "np.trim_zeros(np.array([0,0,1,2,0]))", "np.permute_dims(a)", "np.matrix_transpose(a)", "np.astype(a,float)",
    "np.concat([a,b])", "np.pow(a,2)", "np.bitwise_invert(a)", "np.acos(a)", "np.unique_counts(v)",
    "np.linalg.cholesky(np.eye(3)*2+0*s[:3,:3].real)", "np.linalg.eigh(s+s.T)[0]", "np.linalg.svdvals(a)", "np.linalg.outer(v,u)",
    "np.linalg.cross(a[:,:3],b[:,:3])", "np.linalg.tensorinv(np.eye(4).reshape(2,2,2,2))", "np.linalg.trace(s)",
    "np.linalg.diagonal(t)", "np.cov(a,fweights=[1,2,0,3])", "np.cov(a,aweights=[1.,.5,0,3])",
    "np.cov(a,fweights=[1,2,0,3],aweights=[1.,.5,0,3],ddof=2)", "np.cov(a,y=b)", "np.cov(v)", "np.correlate(v[:3],u,'same')",
    "np.correlate(v[:4],u,'valid')", "np.convolve(v,u,'valid')", "np.einsum('ij,jk->ik',e,e.T)", "np.einsum(e.T,[0,1],e,[1,2])",
    "np.einsum(t,[Ellipsis,1],[1,Ellipsis])", "np.unique(t,axis=1,return_index=True,return_inverse=True,return_counts=True)",
    "np.unique(e,axis=0)", "np.intersect1d(pos,idx,True,True)", "np.max(a,axis=0,keepdims=True)", "np.min(t,axis=(0,2))",
    "np.sum(z,axis=0)", "np.unique(v,return_index=True)", "np.gradient(a,2.,np.array([0.,1,3,4]))", "np.gradient(v,edge_order=2)",
    "np.logspace(np.array([1,2]),3,4,base=np.array([2.,3.]))", "np.tri(3,5,-1)", "np.linspace(v[0],u[0],4,endpoint=False)",
]  # fmt: skip

#: Intended differences and fallbacks, by expression: dtypes and the reason.
EXCEPTIONS = {
    "a**2": ("?", "NumPy squares with another function than its power"),
    "np.ediff1d(a)": ("?", "NumPy refuses to subtract booleans"),
    "np.power(a,b)": ("i4 i8", "NumPy looks whether an exponent is negative; the power is 0 or 1 here"),
    "np.power.reduce(v)": ("i4 i8", "the same"),
    "np.histogram(v,4)": ("c16", "complex numbers are not searched"),
    "np.histogram(v,[0,1,3])": ("c16", "the same"),
    "np.histogram2d(v,u,3)": ("c16", "the same"),
    "np.histogramdd(np.stack([v,u],1),3)": ("c16", "the same"),
    "np.searchsorted(np.sort(v),u)": ("c16", "the same"),
}


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def arrays(dtype, np):
    random = numpy.random.default_rng(3)

    def some(*shape):
        x = random.integers(-4, 5, shape)
        x = x > 0 if dtype == "?" else abs(x) if dtype[0] == "u" else x
        x = x.astype(dtype)
        if dtype[0] in "fc":
            x = x + numpy.asarray(0.25, dtype)
        if dtype[0] == "c":
            x = (x + 1j * random.integers(-3, 3, shape)).astype(dtype)
        return np.array(x)

    return {
        "np": np, "a": some(3, 4), "b": some(3, 4), "v": some(6), "u": some(6), "s": some(4, 4), "t": some(2, 3, 4), "z": some(),
        "e": some(0, 3), "one": some(1), "idx": np.array([2, 0, 1]), "pos": np.array([1, 2, 3]), "mask": np.array([True, False, True]),
        "big": some(5, 5, 2),
    }  # fmt: skip


def flat(value):
    if isinstance(value, (tuple, list)):
        return [part for one in value for part in flat(one)]
    return [value]


def evaluated(call, dtype, np):
    """The values of an expression, read; or the error."""
    try:
        with numpy.errstate(all="ignore"):
            return [numpy.asarray(one) for one in flat(eval(call, arrays(dtype, np)))], None
    except Exception as error:  # noqa: BLE001 - errors are compared
        return None, error


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_call_matches_numpy(call):
    for dtype in DTYPES:
        if dtype in EXCEPTIONS.get(call, ("", ""))[0].split():
            continue
        expected, their_error = evaluated(call, dtype, numpy)
        made, error = evaluated(call, dtype, weft.numpy)
        if their_error is not None or error is not None:
            assert error is not None, f"{dtype}: NumPy says {their_error!r}"
            assert their_error is not None, f"{dtype}: {error!r}"
            assert isinstance(error, type(their_error)) or isinstance(their_error, type(error)), f"{dtype}: {error!r}, {their_error!r}"
            continue
        assert [(one.dtype, one.shape) for one in made] == [(one.dtype, one.shape) for one in expected], dtype
        for one, other in zip(made, expected):
            if other.dtype.kind in "fc":
                bound = 2e-2 if dtype == "f2" or other.dtype == numpy.float16 else 1e-3 if dtype == "f4" else 1e-6
                numpy.testing.assert_allclose(one, other, rtol=bound, atol=bound, err_msg=dtype)
            else:
                numpy.testing.assert_array_equal(one, other, err_msg=dtype)


def test_aliases_are_the_same_object():
    np = weft.numpy
    for one, other in (("concat", "concatenate"), ("permute_dims", "transpose"), ("acos", "arccos"), ("pow", "power"), ("amax", "max")):
        assert getattr(np, one) is getattr(np, other)
