"""Linear algebra runs on GPUs by cuSOLVER, with NumPy's results within rounding. On emulated GPUs."""

import emulated
import pytest

PROGRAM = """
import numpy
import weft
import weft.numpy as np

rng = numpy.random.default_rng({seed})
LA = np.linalg
la = numpy.linalg


def near(what, got, wanted, dtype, scale=1.0):
    got, wanted = numpy.asarray(got), numpy.asarray(wanted)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (what, got.dtype, got.shape, wanted.dtype, wanted.shape)
    limit = 2e3 * numpy.finfo(dtype).eps * scale
    numpy.testing.assert_allclose(got, wanted, rtol=limit, atol=limit, err_msg=what)


def raises(what, call):
    try:
        numpy.asarray(call())
    except la.LinAlgError as error:
        return str(error)
    raise AssertionError(what)


def drawn(dtype, *shape):
    values = rng.normal(size=shape)
    return (values + 1j * rng.normal(size=shape) if dtype[0] == "c" else values).astype(dtype)


def adjoint(x):
    return numpy.swapaxes(x, -1, -2).conj()


dtype = {dtype!r}
# Complex multiples of singular matrices are singular, and not Hermitian.
unit = 1j if dtype[0] == "c" else 1.0
singular = numpy.asarray([[1.0, 2.0], [2.0, 4.0]]) * unit
good = numpy.asarray([[2.0, 0.0], [0.0, 4.0]]) * unit

for stack in [(), (2, 3)]:
    for n in [1, 5]:
        what = f"{dtype} {stack} {n}"
        x = drawn(dtype, *stack, n, n) + numpy.eye(n, dtype=dtype) * n
        definite = x @ adjoint(x) / n + numpy.eye(n, dtype=dtype)
        vector, sides = drawn(dtype, n), drawn(dtype, *stack, n, 3)
        a, d = np.asarray(x), np.asarray(definite)
        near("cholesky " + what, LA.cholesky(d), la.cholesky(definite), dtype)
        near("upper " + what, LA.cholesky(d, upper=True), adjoint(la.cholesky(definite)), dtype)
        near("cholesky of a triangle " + what, LA.cholesky(np.asarray(numpy.tril(definite) + 1j * numpy.eye(n, dtype=dtype) if dtype[0] == "c" else numpy.tril(definite))), la.cholesky(definite), dtype)
        near("solve " + what, LA.solve(a, np.asarray(vector)), la.solve(x, vector), dtype)
        near("solve sides " + what, LA.solve(a, np.asarray(sides)), la.solve(x, sides), dtype)
        near("inv " + what, LA.inv(a), la.inv(x), dtype)
        near("det " + what, LA.det(a), la.det(x), dtype)
        for one, other in zip(LA.slogdet(a), la.slogdet(x)):
            near("slogdet " + what, one, other, dtype)
        near("power " + what, LA.matrix_power(a, -2), la.matrix_power(x, -2), dtype)
        for turned in [numpy.swapaxes(x, -1, -2), x[..., ::-1, :]]:
            near("strided " + what, LA.inv(np.asarray(x).mT if turned.strides[-1] != x.strides[-1] else a[..., ::-1, :]), la.inv(turned), dtype)
{more}

# Matrices without a result raise, and later calls succeed.
for stack in [singular, numpy.stack([good, singular, singular])]:
    a = np.asarray(stack)
    assert "ingular" in raises("inv", lambda: LA.inv(a))
    assert "ingular" in raises("solve", lambda: LA.solve(a, np.asarray([1.0, 2.0])))
    assert "positive definite" in raises("cholesky", lambda: LA.cholesky(-abs(a)))
    near("det of singular", LA.det(a), la.det(stack), "float64")
    signs, sizes = LA.slogdet(a)
    near("sign of singular", signs, la.slogdet(stack)[0], "float64")
    near("size of singular", sizes, la.slogdet(stack)[1], "float64")
    near("later", LA.inv(np.asarray(good)), la.inv(good), "float64")
large = numpy.eye(400) * 1e3 * unit
near("det beyond range", LA.slogdet(np.asarray(large))[1], la.slogdet(large)[1], "float64")
near("sign of a large one", LA.slogdet(np.asarray(large))[0], la.slogdet(large)[0], "float64")
assert abs(numpy.asarray(LA.det(np.asarray(large)))) == float("inf")
near("det near 0", LA.det(np.asarray(numpy.eye(300) * unit / 2)), la.det(numpy.eye(300) * unit / 2), "float64", 100)
integers = np.asarray([[3, 1], [1, 2]])
near("integers", LA.inv(integers), la.inv([[3, 1], [1, 2]]), "float64")
broken = numpy.asarray([[numpy.nan, 1.0], [1.0, 2.0]]) * unit
assert numpy.isnan(numpy.asarray(LA.det(np.asarray(broken))))
assert "positive definite" in raises("nan", lambda: LA.cholesky(np.asarray(broken)))
print("all right")
"""

MORE = """
        s = (x + adjoint(x)) / 2
        b = np.asarray(s)
        values, vectors = LA.eigh(b)
        near("eigh values " + what, values, la.eigvalsh(s), dtype, n)
        near("eigvalsh " + what, LA.eigvalsh(b), la.eigvalsh(s), dtype, n)
        near("eigvalsh upper " + what, LA.eigvalsh(np.asarray(numpy.triu(s)), "U"), la.eigvalsh(s), dtype, n)
        vectors = numpy.asarray(vectors)
        near("eigh " + what, s @ vectors, vectors * numpy.asarray(values)[..., None, :], dtype, 5 * n)
        near("eigh orthogonal " + what, adjoint(vectors) @ vectors, vectors * 0 + numpy.eye(n, dtype=dtype), dtype)
        for order in [2, -2, "nuc"]:
            near(f"norm {order} " + what, LA.norm(a, order, axis=(-2, -1)), la.norm(x, order, axis=(-2, -1)), dtype, n)
        tensor = x.reshape(*stack, n, n)[(0,) * len(stack)].reshape(n, 1, 1, n)
        near("tensorinv " + what, LA.tensorinv(np.asarray(tensor), 2), la.tensorinv(tensor, 2), dtype)
        near("tensorsolve " + what, LA.tensorsolve(np.asarray(tensor[:, 0]), np.asarray(vector.reshape(n, 1)).T[0]), la.tensorsolve(tensor[:, 0], vector), dtype)
        near("cond " + what, LA.cond(a), la.cond(x), dtype, n)
        near("cond 1 " + what, LA.cond(a, 1), la.cond(x, 1), dtype, n)
    for m, n in [(4, 4), (9, 3), (3, 9)]:
        what = f"{dtype} {stack} {m} {n}"
        x = drawn(dtype, *stack, m, n)
        a, k = np.asarray(x), min(m, n)
        q, r = LA.qr(a)
        for got, wanted in zip((q, r), la.qr(x)):
            near("qr " + what, got, wanted, dtype, 10)
        q, r = (numpy.asarray(part) for part in LA.qr(a, "complete"))
        near("complete " + what, q @ r, x, dtype, 5)
        near("r " + what, LA.qr(a, "r"), la.qr(x, "r"), dtype, 10)
        near("svdvals " + what, LA.svdvals(a), la.svd(x, compute_uv=False), dtype, 5)
        for full in [False, True]:
            u, s, vh = (numpy.asarray(part) for part in LA.svd(a, full))
            assert [part.shape for part in (u, s, vh)] == [part.shape for part in la.svd(x, full)]
            near("svd " + what, (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, dtype, 5)
            near("svd u " + what, adjoint(u) @ u, numpy.zeros_like(u[..., :1, :]) + numpy.eye(u.shape[-1], dtype=dtype), dtype)
            near("svd vh " + what, vh @ adjoint(vh), numpy.zeros_like(vh[..., :1]) + numpy.eye(vh.shape[-2], dtype=dtype), dtype)
        near("pinv " + what, LA.pinv(a), la.pinv(x), dtype, 100)
        near("rank " + what, LA.matrix_rank(a), la.matrix_rank(x), dtype)
        sides = drawn(dtype, *stack, m, 2)
        found, rank, values = weft._core.lstsq(a, np.asarray(sides))
        near("lstsq of a stack " + what, found, la.pinv(x) @ sides, dtype, 100)
        near("values of lstsq " + what, values, la.svd(x, compute_uv=False), dtype, 5)
        assert (numpy.asarray(rank) == k).all(), what
        if not stack:
            for b in [drawn(dtype, m), drawn(dtype, m, 2)]:
                for got, wanted in zip(LA.lstsq(a, np.asarray(b)), la.lstsq(x, b)):
                    near("lstsq " + what, got, wanted, dtype, 100)

for call in [LA.svdvals, LA.eigvalsh, lambda a: LA.eigh(a)[1], lambda a: LA.svd(a)[0]]:
    for stack in [[[1.0, 2.0], [numpy.inf, 1.0]], [[[1.0, 2.0], [3.0, 4.0]], [[numpy.nan, 2.0], [2.0, 1.0]]]]:
        raises("not finite", lambda: call(np.asarray(stack).astype(dtype)))
        if dtype[0] == "c":
            raises("not finite", lambda: call(np.asarray(numpy.asarray(stack, dtype) * 1j)))
half = numpy.asarray([[1.0, numpy.nan], [2.0, 1.0]], dtype)
near("above the diagonal", LA.eigvalsh(np.asarray(half)), numpy.asarray([-1.0, 3.0], half.real.dtype), dtype)
if dtype[0] == "c":
    turned = numpy.asarray([[1.0 + 5j, 7.0], [2.0j, 1.0 - 3j]], dtype)
    near("imaginary diagonal", LA.eigvalsh(np.asarray(turned)), la.eigvalsh(turned), dtype)
    near("eigh of it", abs(numpy.asarray(LA.eigh(np.asarray(turned))[1])), abs(la.eigh(turned)[1]), dtype)
near("rank 1", LA.matrix_rank(np.asarray(singular)), la.matrix_rank(singular), "float64")
"""

# Eigenvalues of any matrices, and what follows from them.
GENERAL = """
        mixed = drawn(dtype, *stack, n, n)
        for given, of in [(mixed, np.asarray(mixed)), (adjoint(mixed), np.asarray(mixed).mT.conj()), (mixed[..., ::-1, :], np.asarray(mixed)[..., ::-1, :])]:
            wanted = numpy.sort(la.eigvals(given).astype(complex), axis=-1)
            values, vectors = LA.eig(of)
            values, vectors = numpy.asarray(values), numpy.asarray(vectors)
            assert values.dtype == vectors.dtype == la.eig(given)[1].dtype, what
            assert np.linalg.eigvals(of).dtype == la.eigvals(given).dtype, what
            near("eigvals " + what, numpy.sort(numpy.asarray(LA.eigvals(of)).astype(complex), axis=-1), wanted, dtype, 5 * n)
            near("eig values " + what, numpy.sort(values.astype(complex), axis=-1), wanted, dtype, 5 * n)
            near("eig " + what, given @ vectors, (vectors * values[..., None, :]).astype((given @ vectors).dtype), dtype, 5 * n)
            near("eig lengths " + what, la.norm(vectors, axis=-2), numpy.ones_like(values.real), dtype)
            largest = numpy.take_along_axis(vectors, abs(vectors).argmax(-2)[..., None, :], -2)
            near("eig phases " + what, numpy.imag(largest), numpy.zeros_like(largest.real), dtype)
        # All eigenvalues are real, of some matrices repeated.
        for given in [s + adjoint(s) if (s := mixed).size else s, numpy.triu(mixed), mixed * 0, mixed * 0 + 3 * numpy.eye(n, dtype=dtype)]:
            values, vectors = (numpy.asarray(part) for part in LA.eig(np.asarray(given)))
            assert values.dtype == vectors.dtype == given.dtype, what
            wanted = numpy.sort(la.eigvals(given), axis=-1)
            near("real " + what, numpy.sort(values, axis=-1), wanted, dtype, 5 * n)
            near("real vectors " + what, given @ vectors, vectors * values[..., None, :], dtype, 10 * n)
            assert (la.matrix_rank(vectors) == n).all(), what

cycle = numpy.roll(numpy.eye(6, dtype=dtype), 1, axis=0)
near("cycle", numpy.sort_complex(numpy.round(numpy.asarray(LA.eigvals(np.asarray(cycle))), 4)), numpy.sort_complex(numpy.round(la.eigvals(cycle), 4)), "float32")
for broken in [[[1.0, 2.0], [numpy.inf, 1.0]], [[[1.0, 2.0], [3.0, 4.0]], [[numpy.nan, 2.0], [2.0, 1.0]]]]:
    a = np.asarray(broken).astype(dtype)
    assert "infs or NaNs" in raises("not finite", lambda: LA.eig(a)[0]) and "infs or NaNs" in raises("not finite", lambda: LA.eigvals(a))
    # Without that check the routine's own remains.
    for call in [weft._core.eigvals, lambda a: weft._core.eig(a)[1]]:
        raises("not finite", lambda: call(a))
coefficients = numpy.asarray([1.0, -3.0, 2.0, 5.0, -1.0], dtype) * unit
near("roots", numpy.sort_complex(numpy.asarray(np.roots(np.asarray(coefficients)))), numpy.sort_complex(numpy.roots(coefficients)), dtype, 10)
square = drawn(dtype, 4, 4)
near("poly", np.poly(np.asarray(square)), numpy.poly(square), dtype, 100)
places, heights = numpy.linspace(-1, 1, 20), drawn(dtype, 20)
near("polyfit", np.polyfit(np.asarray(places), np.asarray(heights), 3), numpy.polyfit(places, heights, 3), dtype, 100)
"""


PARTS = {"triangles": "", "orthogonal": MORE, "general": GENERAL}
DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize(
    ("gpus", "part", "dtype"),
    emulated.cases(
        [(gpus, part, dtype) for gpus in (1, 2) for part in PARTS for dtype in DTYPES],
        [(1, "orthogonal", "float64"), (2, "general", "complex128")],
    ),
)
def test_factorizes_matrices_on_gpus(tmp_path, gpus, part, dtype):
    path = tmp_path / "prog.py"
    path.write_text(PROGRAM.replace("{seed}", str(gpus)).replace("{dtype!r}", repr(dtype)).replace("{more}", PARTS[part]))
    # Each stream that multiplies has a workspace of cuBLAS's.
    environment = emulated.environment(tmp_path, gpus) | {"WEFT_HOST": "error", "WEFT_EMULATED_GPU_MIB": "2048"}
    # If no kernel was compiled before, there are many.
    assert emulated.run(path, tmp_path, environment, timeout=600) == "all right\n"


LIBRARY = """
import weft.numpy as np

print(float(np.linalg.det(np.asarray([[2.0, 1.0], [1.0, 3.0]]))))
"""


def test_host_replaces_missing_cusolver_with_a_reason(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(LIBRARY)
    environment = emulated.environment(tmp_path) | {"WEFT_CUSOLVER": str(tmp_path / "nothing.so")}
    done = emulated.start(path, tmp_path, environment)
    assert done.returncode == 0, done.stderr
    assert abs(float(done.stdout) - 5) < 1e-12
    said = [line for line in done.stderr.splitlines() if "runs on the host" in line]
    assert len(said) == 1 and "det at" in said[0] and "cuSOLVER was not found" in said[0], done.stderr
    done = emulated.start(path, tmp_path, environment | {"WEFT_HOST": "error"})
    assert done.returncode == 1 and "cuSOLVER was not found" in done.stderr


OLD = """
import weft.numpy as np

a = np.asarray([[0.0, 1.0], [-1.0, 0.0]])
print(float(np.linalg.det(a)))
print(sorted(np.linalg.eigvals(a).tolist(), key=str))
"""


def test_host_finds_eigenvalues_without_the_routine(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(OLD)
    environment = emulated.environment(tmp_path)
    emulated.link_without_geev(tmp_path)
    done = emulated.start(path, tmp_path, environment)
    assert done.stdout == "1.0\n[(-0-1j), 1j]\n" or done.stdout == "1.0\n[-1j, 1j]\n", done.stdout + done.stderr
    said = [line for line in done.stderr.splitlines() if "runs on the host" in line]
    assert len(said) == 1 and "eigvals at" in said[0] and "cuSOLVER is too old: it has no cusolverDnXgeev" in said[0], done.stderr


FAILING = """
import weft.numpy as np

a = np.asarray([[2.0, 1.0], [1.0, 3.0]])
try:
    print(float(np.linalg.det(a)))
except Exception as error:
    print(error)
print(float(np.linalg.det(a)))
"""


@pytest.mark.parametrize("name", ["cusolverDnCreate", "cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf"])
def test_reports_failed_calls_and_recovers(tmp_path, name):
    path = tmp_path / "prog.py"
    path.write_text(FAILING)
    environment = emulated.environment(tmp_path) | {"WEFT_EMULATED_FAIL": f"{name}:1"}
    done = emulated.start(path, tmp_path, environment)
    first, last = done.stdout.splitlines()
    assert name in first and "CUSOLVER_STATUS_INTERNAL_ERROR" in first, done.stdout + done.stderr
    assert abs(float(last) - 5) < 1e-12


CROWDED = """
import numpy
import weft
import weft.numpy as np

held = np.arange(200000.0)
a = np.asarray([[2.0, 1.0], [1.0, 3.0]])
weft.wait()
print(abs(float(np.linalg.det(a)) - 5) < 1e-12)
lines = np.asarray(numpy.ones((4, 32)) + 0j)
print(float(np.fft.fft(lines).real[0, 0]))
print(float(np.fft.fft(lines[:, :16]).real[0, 0]))
print(float(held[-1]))
"""


# Status 2 means that memory is lacking. cuFFT's earlier plans make room for a later one; arrays leave the GPU only with --spill.
@pytest.mark.parametrize("order, flags", [("cusolverDnCreate:1=2", "--spill"), ("cufftMakePlanMany64:1=2", "--spill"), ("cufftMakePlanMany64:2=2", "")])
def test_arrays_make_room_for_what_libraries_allocate(tmp_path, order, flags):
    path = tmp_path / "prog.py"
    path.write_text(CROWDED)
    environment = emulated.environment(tmp_path, flags=flags) | {"WEFT_EMULATED_FAIL": order}
    done = emulated.start(path, tmp_path, environment)
    assert done.stdout.split() == ["True", "32.0", "16.0", "199999.0"], done.stdout + done.stderr
