"""Linear algebra runs on GPUs by cuSOLVER, with NumPy's results within rounding. On emulated GPUs."""

import emulated
import pytest

PROGRAM = """
import numpy
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


for dtype in ["float32", "float64"]:
    for stack in [(), (2, 3)]:
        for n in [1, 5]:
            what = f"{dtype} {stack} {n}"
            x = rng.normal(size=(*stack, n, n)).astype(dtype) + numpy.eye(n, dtype=dtype) * n
            definite = x @ numpy.swapaxes(x, -1, -2) / n + numpy.eye(n, dtype=dtype)
            vector, sides = rng.normal(size=n).astype(dtype), rng.normal(size=(*stack, n, 3)).astype(dtype)
            a, d = np.asarray(x), np.asarray(definite)
            near("cholesky " + what, LA.cholesky(d), la.cholesky(definite), dtype)
            near("upper " + what, LA.cholesky(d, upper=True), numpy.swapaxes(la.cholesky(definite), -1, -2), dtype)
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
singular = numpy.asarray([[1.0, 2.0], [2.0, 4.0]])
good = numpy.asarray([[2.0, 0.0], [0.0, 4.0]])
for stack in [singular, numpy.stack([good, singular, singular])]:
    a = np.asarray(stack)
    assert "ingular" in raises("inv", lambda: LA.inv(a))
    assert "ingular" in raises("solve", lambda: LA.solve(a, np.asarray([1.0, 2.0])))
    assert "positive definite" in raises("cholesky", lambda: LA.cholesky(-a))
    near("det of singular", LA.det(a), la.det(stack), "float64")
    signs, sizes = LA.slogdet(a)
    near("sign of singular", signs, la.slogdet(stack)[0], "float64")
    near("size of singular", sizes, la.slogdet(stack)[1], "float64")
    near("later", LA.inv(np.asarray(good)), la.inv(good), "float64")
large = numpy.eye(400) * 1e3
near("det beyond range", LA.slogdet(np.asarray(large))[1], la.slogdet(large)[1], "float64")
assert float(LA.det(np.asarray(large))) == float("inf")
near("det near 0", LA.det(np.asarray(numpy.eye(300) / 2)), la.det(numpy.eye(300) / 2), "float64")
integers = np.asarray([[3, 1], [1, 2]])
near("integers", LA.inv(integers), la.inv([[3, 1], [1, 2]]), "float64")
near("not finite", LA.det(np.asarray([[numpy.nan, 1.0], [1.0, 2.0]])), numpy.float64("nan"), "float64")
assert "positive definite" in raises("nan", lambda: LA.cholesky(np.asarray([[numpy.nan, 1.0], [1.0, 2.0]])))
print("all right")
"""

MORE = """
            s = (x + numpy.swapaxes(x, -1, -2)) / 2
            b = np.asarray(s)
            values, vectors = LA.eigh(b)
            near("eigh values " + what, values, la.eigvalsh(s), dtype, n)
            near("eigvalsh " + what, LA.eigvalsh(b), la.eigvalsh(s), dtype, n)
            near("eigvalsh upper " + what, LA.eigvalsh(np.asarray(numpy.triu(s)), "U"), la.eigvalsh(s), dtype, n)
            vectors = numpy.asarray(vectors)
            near("eigh " + what, s @ vectors, vectors * numpy.asarray(values)[..., None, :], dtype, 5 * n)
            near("eigh orthogonal " + what, numpy.swapaxes(vectors, -1, -2) @ vectors, vectors * 0 + numpy.eye(n, dtype=dtype), dtype)
            for order in [2, -2, "nuc"]:
                near(f"norm {order} " + what, LA.norm(a, order, axis=(-2, -1)), la.norm(x, order, axis=(-2, -1)), dtype, n)
            near("cond " + what, LA.cond(a), la.cond(x), dtype, n)
            near("cond 1 " + what, LA.cond(a, 1), la.cond(x, 1), dtype, n)
        for m, n in [(4, 4), (9, 3), (3, 9)]:
            what = f"{dtype} {stack} {m} {n}"
            x = rng.normal(size=(*stack, m, n)).astype(dtype)
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
                near("svd u " + what, numpy.swapaxes(u, -1, -2) @ u, numpy.zeros_like(u[..., :1, :]) + numpy.eye(u.shape[-1], dtype=dtype), dtype)
                near("svd vh " + what, vh @ numpy.swapaxes(vh, -1, -2), numpy.zeros_like(vh[..., :1]) + numpy.eye(vh.shape[-2], dtype=dtype), dtype)
            near("pinv " + what, LA.pinv(a), la.pinv(x), dtype, 100)
            near("rank " + what, LA.matrix_rank(a), la.matrix_rank(x), dtype)
            if not stack:
                for b in [rng.normal(size=m).astype(dtype), rng.normal(size=(m, 2)).astype(dtype)]:
                    for got, wanted in zip(LA.lstsq(a, np.asarray(b)), la.lstsq(x, b)):
                        near("lstsq " + what, got, wanted, dtype, 100)

for call in [LA.svdvals, LA.eigvalsh, lambda a: LA.eigh(a)[1], lambda a: LA.svd(a)[0]]:
    for stack in [[[1.0, 2.0], [numpy.inf, 1.0]], [[[1.0, 2.0], [3.0, 4.0]], [[numpy.nan, 2.0], [2.0, 1.0]]]]:
        raises("not finite", lambda: call(np.asarray(stack)))
near("above the diagonal", LA.eigvalsh(np.asarray([[1.0, numpy.nan], [2.0, 1.0]])), numpy.asarray([-1.0, 3.0]), "float64")
near("rank 1", LA.matrix_rank(np.asarray([[1.0, 2.0], [2.0, 4.0]])), la.matrix_rank([[1.0, 2.0], [2.0, 4.0]]), "float64")
"""


@pytest.mark.parametrize(
    ("gpus", "part"), emulated.cases([(gpus, part) for gpus in (1, 2) for part in ("triangles", "orthogonal")], [(1, "orthogonal")])
)
def test_factorizes_matrices_on_gpus(tmp_path, gpus, part):
    path = tmp_path / "prog.py"
    more = MORE if part == "orthogonal" else ""
    dtypes = emulated.cases('["float32", "float64"]', '["float64"]')
    program = PROGRAM.replace('["float32", "float64"]', dtypes, 1)
    path.write_text(program.replace("{seed}", str(gpus)).replace("{more}", more))
    # Each stream that multiplies has a workspace of cuBLAS's.
    environment = emulated.environment(tmp_path, gpus) | {"WEFT_HOST": "error", "WEFT_EMULATED_GPU_MIB": "2048"}
    assert emulated.run(path, tmp_path, environment) == "all right\n"


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
