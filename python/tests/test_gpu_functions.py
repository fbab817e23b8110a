"""Functions with code for GPUs have NumPy's results there, and none of their work runs on the host. On emulated GPUs."""

import json
import pathlib

import emulated
import pytest

PROGRAM = """
import numpy
import weft.numpy as np

rng = numpy.random.default_rng({seed})
DTYPES = ["bool", "int16", "uint64", "float32", "float64"]


def drawn(dtype, shape):
    values = rng.integers(-40, 40, shape)
    if dtype.startswith("float"):
        values = values / 4
        values = numpy.where(rng.random(shape) < 0.05, numpy.nan, values)
        values = numpy.where(rng.random(shape) < 0.05, -0.0, values)
    return values.astype(dtype)


def same(name, got, wanted):
    got = [numpy.asarray(one) for one in got] if isinstance(got, tuple) else [numpy.asarray(got)]
    wanted = list(wanted) if isinstance(wanted, tuple) else [wanted]
    for one, other in zip(got, wanted, strict=True):
        numpy.testing.assert_array_equal(one, other, err_msg=name)
        assert one.dtype == numpy.asarray(other).dtype, name


for length in [0, 1, 700, 5000]:
    for dtype in DTYPES:
        x = drawn(dtype, length)
        a = np.asarray(x)
        what = f"{dtype} {length}"
        same("sort " + what, np.sort(a), numpy.sort(x))
        same("argsort " + what, np.argsort(a, stable=True), numpy.argsort(x, stable=True))
        same("unique " + what, np.unique(a), numpy.unique(x))
        parts = dict(return_index=True, return_inverse=True, return_counts=True)
        same("unique parts " + what, tuple(np.unique(a, **parts)), tuple(numpy.unique(x, **parts)))
        mask = x > 3 if dtype != "bool" else ~x
        same("mask " + what, a[np.asarray(mask)], x[mask])
        same("nonzero " + what, np.nonzero(a), numpy.nonzero(x))
        edges = numpy.sort(x[: length // 2])
        for side in ["left", "right"]:
            same("searchsorted " + what, np.searchsorted(np.asarray(edges), a, side), numpy.searchsorted(edges, x, side))
        y = x.copy()
        b = np.asarray(y.copy())
        b[np.asarray(mask)] = np.asarray(y[mask][::-1].copy())
        y[mask] = y[mask][::-1].copy()
        same("write by mask " + what, b, y)

for shape in [(30, 40), (3, 2500), (2, 3, 50)]:
    for dtype in ["int16", "float64"]:
        x = drawn(dtype, shape)
        a = np.asarray(x)
        for axis in range(len(shape)):
            what = f"{dtype} {shape} along {axis}"
            same("sort " + what, np.sort(a, axis), numpy.sort(x, axis))
            same("argsort " + what, np.argsort(a, axis, stable=True), numpy.argsort(x, axis, stable=True))
            same("transposed " + what, np.sort(a.T, axis), numpy.sort(x.T, axis))

numbers = rng.integers(0, 50, 3000)
same("bincount", np.bincount(np.asarray(numbers)), numpy.bincount(numbers))
weights = rng.normal(size=3000)
sums = np.bincount(np.asarray(numbers), np.asarray(weights)), numpy.bincount(numbers, weights)
numpy.testing.assert_allclose(*map(numpy.asarray, sums), rtol=1e-12)
values = rng.normal(size=4000)
a = np.asarray(values)
weighted = np.histogram(a, 30, (-3.0, 3.0), weights=np.asarray(values)), numpy.histogram(values, 30, (-3.0, 3.0), weights=values)
numpy.testing.assert_allclose(numpy.asarray(weighted[0][0]), weighted[1][0], rtol=1e-12)
same("histogram", np.histogram(a, 30, (-3.0, 3.0)), numpy.histogram(values, 30, (-3.0, 3.0)))
same("digitize", np.digitize(a, np.asarray([-1.0, 0.0, 1.0])), numpy.digitize(values, [-1.0, 0.0, 1.0]))
same("median", np.median(a), numpy.median(values))
same("percentile", np.percentile(a, [5, 50, 95]), numpy.percentile(values, [5, 50, 95]))
same("isin", np.isin(np.asarray(numbers), np.asarray([3, 7])), numpy.isin(numbers, [3, 7]))
same("intersect1d", np.intersect1d(np.asarray(numbers), np.asarray([3, 70])), numpy.intersect1d(numbers, [3, 70]))
same("ravel", np.ravel_multi_index((np.asarray([1, 2]), np.asarray([0, 3])), (4, 5)), numpy.ravel_multi_index(([1, 2], [0, 3]), (4, 5)))
same("flatnonzero", np.flatnonzero(np.asarray(numbers) > 25), numpy.flatnonzero(numbers > 25))
same("argwhere", np.argwhere(np.asarray(numbers) > 25), numpy.argwhere(numbers > 25))
print("all right")
"""


OTHER_DTYPES = """
import numpy
import weft.numpy as np

numpy.seterr(all="ignore")
rng = numpy.random.default_rng({seed})
# The allowed difference of a result, relative to its size.
NEAR = {"float16": 2e-3, "complex64": 1e-5, "complex128": 1e-12}


def drawn(dtype, shape, odd=0.05):
    def part():
        values = rng.integers(-40, 40, shape) / 4
        values = numpy.where(rng.random(shape) < odd, numpy.nan, values)
        values = numpy.where(rng.random(shape) < odd, numpy.inf, values)
        return numpy.where(rng.random(shape) < 0.05, -0.0, values)

    values = part()
    if dtype.startswith("complex"):
        values = values + 0j
        values.imag = part()
    return values.astype(dtype)


def same(name, got, wanted, near=None):
    got = [numpy.asarray(one) for one in got] if isinstance(got, tuple) else [numpy.asarray(got)]
    wanted = [numpy.asarray(one) for one in wanted] if isinstance(wanted, tuple) else [numpy.asarray(wanted)]
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype, f"{name}: {one.dtype}, not {other.dtype}"
        if near is None:
            numpy.testing.assert_array_equal(one, other, err_msg=name)
        else:
            numpy.testing.assert_allclose(one, other, rtol=near, atol=near, err_msg=name)


# The kernels' own tests have all functions.
ALL = ["negative", "sign", "isnan", "logical_not", "conjugate", "imag", "absolute"]
NEARLY = ["sqrt", "exp", "arctan", "angle"]
REAL = ["floor", "signbit"]
BINARY = ["add", "multiply", "divide", "equal", "logical_xor"]
REAL_BINARY = ["minimum", "floor_divide", "less"]

for dtype, near in [({dtype!r}, NEAR[{dtype!r}])]:
    is_complex = dtype.startswith("complex")
    for length in [700, 5000]:
        x, y, tame = drawn(dtype, length), drawn(dtype, length), drawn(dtype, length, 0)
        a, b, c = np.asarray(x), np.asarray(y), np.asarray(tame)
        for name in ALL + ([] if is_complex else REAL):
            exact = name not in ["sign", "absolute"] or not is_complex
            # NumPy's vector code and the C standard define products and directions of infinite
            # complex numbers differently.
            of, to = (a, x) if exact else (c, tame)
            same(f"{name} {dtype}", getattr(np, name)(of), getattr(numpy, name)(to), None if exact else near)
        for name in NEARLY:
            same(f"{name} {dtype}", getattr(np, name)(c), getattr(numpy, name)(tame), near)
        for name in BINARY + ([] if is_complex else REAL_BINARY):
            other = drawn(dtype, length, 0)
            of_other = np.asarray(other)
            exact = not is_complex or name not in ["multiply", "divide"]
            same(f"{name} {dtype}", getattr(np, name)(c, of_other), getattr(numpy, name)(tame, other), None if exact else near)
        same(f"chain {dtype}", (c + 2) * c - 3, (tame + numpy.asarray(2, dtype)) * tame - numpy.asarray(3, dtype), near)
        same(f"power {dtype}", c**2, tame**2, near)
        mask = rng.random(length) < 0.5
        m = np.asarray(mask)
        same(f"where {dtype}", np.where(m, a, b), numpy.where(mask, x, y))
        same(f"where one {dtype}", np.where(m, a, 1.5), numpy.where(mask, x, numpy.asarray(1.5, dtype)))
        same(f"mask {dtype}", a[m], x[mask])
        same(f"nonzero {dtype}", np.nonzero(c), numpy.nonzero(tame))
        for to in ["bool", "int32", "float16", "float64", "complex64"]:
            same(f"{dtype} to {to}", c.astype(to), tame.astype(to))
            back = numpy.arange(length).astype(to)
            same(f"{to} to {dtype}", np.asarray(back).astype(dtype), back.astype(dtype))
        same(f"sum {dtype}", np.sum(c), numpy.sum(tame, dtype="float32" if dtype == "float16" else None).astype(dtype), near * 5)
        same(f"mean {dtype}", np.mean(c), numpy.mean(tame), near * 5)
        few = numpy.where(rng.random(length) < 0.9, numpy.asarray(1, dtype), numpy.asarray(-1, dtype))
        same(f"prod {dtype}", np.prod(np.asarray(few)), numpy.prod(few), near)
        same(f"any {dtype}", np.any(a), numpy.any(x))
        same(f"all {dtype}", np.all(c), numpy.all(tame))
        same(f"count_nonzero {dtype}", np.count_nonzero(c), numpy.count_nonzero(tame))
        if not is_complex:
            same(f"max {dtype}", np.max(c), numpy.max(tame))
            same(f"argmin {dtype}", np.argmin(a), numpy.argmin(x))
        whole = numpy.where(rng.random(length) < 0.5, numpy.asarray(1, dtype), numpy.asarray(-1, dtype))
        same(f"cumsum {dtype}", np.cumsum(np.asarray(whole)), numpy.cumsum(whole), near)
        same(f"cumprod {dtype}", np.cumprod(np.asarray(few)), numpy.cumprod(few), near)
        same(f"sort {dtype}", np.sort(a), numpy.sort(x))
        same(f"argsort {dtype}", np.argsort(a, stable=True), numpy.argsort(x, stable=True))
        edges = numpy.sort(y)
        same(f"searchsorted {dtype}", np.searchsorted(np.asarray(edges), a), numpy.searchsorted(edges, x))
        same(f"unique {dtype}", np.unique(c), numpy.unique(tame))
        places = rng.integers(0, length, 50)
        same(f"take {dtype}", np.take(a, np.asarray(places)), numpy.take(x, places))
        z, d = x.copy(), np.asarray(x.copy())
        z[places] = 2.5
        d[np.asarray(places)] = 2.5
        z[mask] = y[mask]
        d[m] = np.asarray(y[mask].copy())
        same(f"put {dtype}", d, z)
        d.fill(1.25)
        z.fill(1.25)
        same(f"fill {dtype}", d, z)
        same(f"dot {dtype}", np.dot(c, c), numpy.dot(tame.astype("complex128" if is_complex else "float64"), tame).astype(dtype), near * 40)
    for shape in [(30, 40), (70, 3)]:
        x = drawn(dtype, shape, 0)
        a = np.asarray(x)
        for axis in range(2):
            same(f"sum along {dtype}", np.sum(a, axis), numpy.sum(x, axis, dtype="float32" if dtype == "float16" else None).astype(dtype), near * 5)
            same(f"sort along {dtype}", np.sort(a, axis), numpy.sort(x, axis))
            ones = numpy.sign(x.real).astype(dtype)
            same(f"cumsum along {dtype}", np.cumsum(np.asarray(ones), axis), numpy.cumsum(ones, axis), near)
        exact = x.astype("complex128" if is_complex else "float64")
        same(f"matmul {dtype}", a @ a.T, (exact @ exact.T).astype(dtype), near * 40)
        same(f"matvec {dtype}", a @ a[0], (exact @ exact[0]).astype(dtype), near * 40)
        same(f"transposed {dtype}", a.T[::-1] + 1, x.T[::-1] + numpy.asarray(1, dtype))
    same(f"eye {dtype}", np.eye(5, 7, 1, dtype), numpy.eye(5, 7, 1, dtype))
    same(f"linspace {dtype}", np.linspace(0, 3, 40, dtype=dtype), numpy.linspace(0, 3, 40, dtype=dtype), near)
same("arange float16", np.arange(0, 500, 0.5, "float16"), numpy.arange(0, 500, 0.5, "float16"), 2e-3)
print("all right")
"""


@pytest.mark.parametrize(
    ("gpus", "dtype"),
    emulated.cases([(gpus, dtype) for gpus in (1, 2) for dtype in ("float16", "complex64", "complex128")], [(2, "float16"), (1, "complex128")]),
)
def test_halves_and_complex_numbers_run_on_gpus(tmp_path, gpus, dtype):
    path = tmp_path / "prog.py"
    path.write_text(OTHER_DTYPES.replace("{seed}", str(gpus)).replace("{dtype!r}", repr(dtype)))
    # cuBLAS, which multiplies halves as `float`, needs memory in addition to Weft's.
    environment = emulated.environment(tmp_path, gpus, flags="--fbmem 16") | {"WEFT_HOST": "error"}
    assert emulated.run(path, tmp_path, environment) == "all right\n"


@pytest.mark.parametrize("gpus", emulated.cases([1, 2], [2]))
def test_functions_run_on_gpus(tmp_path, gpus):
    path = tmp_path / "prog.py"
    path.write_text(PROGRAM.replace("{seed}", str(gpus)))
    environment = emulated.environment(tmp_path, gpus) | {"WEFT_HOST": "error"}
    assert emulated.run(path, tmp_path, environment) == "all right\n"


TRANSFORMS = """
import numpy
import weft.numpy as np

rng = numpy.random.default_rng({seed})


def near(name, got, wanted):
    got = numpy.asarray(got)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (name, got.dtype, got.shape)
    single = wanted.dtype in (numpy.complex64, numpy.float32)
    lines = max(wanted.size, 4) if name.split()[0].endswith(("n", "2")) else max(wanted.shape + (4,))
    bound = 10 * lines * numpy.finfo("f4" if single else "f8").eps * max(abs(wanted).max(initial=0) / lines**0.5, 1)
    assert (abs(got - wanted) <= bound).all(), (name, abs(got - wanted).max(), bound)


def drawn(dtype, shape):
    values = rng.uniform(-1, 1, shape)
    return (values + 1j * rng.uniform(-1, 1, shape) if dtype[0] == "c" else values).astype(dtype)


SHAPES = [(1,), (2,), (64,), (97,), (1000,), (12, 30), (700, 3), (3, 64, 20), (40, 6, 5), (2, 3, 4, 5)]
for shape in SHAPES:
    for dtype in ["float32", "float64", "complex64", "complex128"]:
        x = drawn(dtype, shape)
        a = np.asarray(x)
        names = ["fft", "ifft", "hfft"] + (["irfft"] if dtype[0] == "c" else ["rfft", "ihfft"])
        for axis in range(len(shape)):
            known = shape[axis]
            for name in names:
                n = [None, known + 5, max(known - 3, 1)][rng.integers(3)]
                norm = [None, "ortho", "forward"][rng.integers(3)]
                if n is None and known == 1 and name in ("irfft", "hfft"):
                    continue
                what = f"{name} of {dtype} {shape} along {axis}, {n}, {norm}"
                near(what, getattr(np.fft, name)(a, n, axis, norm), getattr(numpy.fft, name)(x, n, axis, norm))
        if len(shape) in (2, 3) and dtype in ("float32", "complex128"):
            names = ["fftn", "ifftn", "fft2", "ifft2"] + (["rfftn", "rfft2"] if dtype[0] == "f" else ["irfftn", "irfft2"])
            for name in names:
                norm = [None, "ortho", "forward"][rng.integers(3)]
                near(f"{name} of {dtype} {shape}", getattr(np.fft, name)(a, norm=norm), getattr(numpy.fft, name)(x, norm=norm))

# Views: backwards, with steps, transposed, broadcast, and those that begin between two complex numbers.
x = drawn("float64", (30, 41))
z = drawn("complex128", (30, 41))
for pick in [lambda v: v[::-1], lambda v: v[:, ::-1], lambda v: v[1::2, 3:], lambda v: v.T, lambda v: v[:, 1:], lambda v: v[:1].repeat(3, 0)]:
    for axis in [0, 1]:
        near("view", np.fft.rfft(pick(np.asarray(x)), axis=axis), numpy.fft.rfft(pick(x), axis=axis))
        near("view", np.fft.fft(np.asarray(pick(z)), axis=axis), numpy.fft.fft(pick(z), axis=axis))
near("broadcast", np.fft.fft(np.broadcast_to(np.asarray(x[0]), (4, 41))), numpy.fft.fft(numpy.broadcast_to(x[0], (4, 41))))
near("integers", np.fft.fft(np.arange(20)), numpy.fft.fft(numpy.arange(20)))
# Imaginary parts that the spectrum of a real line lacks are ignored, and the operand is unchanged.
for n in [80, 79]:
    near("irfft", np.fft.irfft(np.asarray(z), n), numpy.fft.irfft(z, n))
a = np.asarray(z)
kept = np.fft.irfft(a)
numpy.testing.assert_array_equal(numpy.asarray(a), z)
near("back", np.fft.irfft(np.fft.rfft(np.asarray(x)), 41), x)
print("all right")
"""


@pytest.mark.parametrize("gpus", emulated.cases([1, 2], [2]))
def test_fourier_transforms_run_on_gpus(tmp_path, gpus):
    path = tmp_path / "prog.py"
    path.write_text(TRANSFORMS.replace("{seed}", str(gpus)))
    environment = emulated.environment(tmp_path, gpus) | {"WEFT_HOST": "error"}
    assert emulated.run(path, tmp_path, environment) == "all right\n"


WITHOUT = """
import weft.numpy as np

a = np.asarray([1.0, 2.0, 3.0, 4.0])
print(np.fft.irfft(np.fft.rfft(a)).tolist())
"""


def test_transforms_run_on_the_host_without_cufft(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(WITHOUT)
    environment = emulated.environment(tmp_path, 1) | {"WEFT_CUFFT": "/nowhere/libcufft.so"}
    done = emulated.start(path, tmp_path, environment)
    assert done.stdout == "[1.0, 2.0, 3.0, 4.0]\n"
    assert "rfft at" in done.stderr and "cuFFT was not found: install the CUDA toolkit" in done.stderr, done.stderr


SWEEP = """
import json
import warnings
import numpy
import weft.numpy as np

warnings.simplefilter("ignore")
rng = numpy.random.default_rng(1)
floats = np.asarray(rng.random((4, 4)) + 3 * numpy.eye(4))
integers = np.asarray(numpy.arange(1, 17).reshape(4, 4))
vector = np.asarray(rng.random(6))
spectrum = floats + 1j * floats
halves = floats.astype("float16")
if {others}:
    calls = [(spectrum,), (halves,)]
else:
    calls = [(floats,), (vector,), (floats, floats), (integers,), (vector, vector), (floats, vector[:4]), (vector, vector, vector), (vector, 2)]
on_host, on_gpus = set(), set()
for name in json.loads({names!r}):
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    for operands in calls:
        try:
            results = function(*operands)
            for result in results if isinstance(results, (tuple, list)) else [results]:
                numpy.asarray(result)
            on_gpus.add(name)
        except NotImplementedError as error:
            if "WEFT_HOST" in str(error):
                on_host.add(name)
        except Exception:
            # Not every function takes these operands.
            pass
print(json.dumps([sorted(on_host), sorted(on_gpus)]))
"""


def documented():
    """The functions in the tables of docs/numpy.md, with their column GPU."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/numpy.md"
    found, lead = {}, None
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            lead = {"Functions": "", "Linear": "linalg.", "Fourier": "fft."}.get(line.split()[1])
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if lead is not None and line.startswith("| `") and row[3]:
            found[lead + row[0].strip("`")] = row[3]
    return found


@pytest.mark.parametrize("others", emulated.cases([False, True], [False]))
def test_documented_functions_run_as_documented(tmp_path, others):
    page = documented()
    assert len(page) > 250
    path = tmp_path / "prog.py"
    names = emulated.cases(list(page), [name for name in page if page[name] != "yes"] + list(page)[::4])
    is_whole = len(names) == len(page)
    path.write_text(SWEEP.replace("{names!r}", repr(json.dumps(names))).replace("{others}", str(others)))
    # Calls that do not fit fail, so that the status is 1.
    environment = emulated.environment(tmp_path, 1) | {"WEFT_HOST": "error"}
    # If no kernel was compiled before, there are hundreds.
    done = emulated.start(path, tmp_path, environment, timeout=600)
    on_host, on_gpus = map(set, json.loads(done.stdout))
    assert not {name for name in on_host if page[name] == "yes" or page[name].startswith("before")}
    # Halves and complex numbers are the others.
    assert len(on_gpus) > (120 if others else 200 if is_whole else 60)
    if emulated.IS_REAL:
        return
    # With an older cuSOLVER the column's exceptions are on the host.
    older = [name for name in page if page[name] == "before CUDA 12.6: host"]
    path.write_text(SWEEP.replace("{names!r}", repr(json.dumps(older))).replace("{others}", str(others)))
    emulated.link_without_geev(tmp_path)
    on_host, _ = map(set, json.loads(emulated.start(path, tmp_path, environment).stdout))
    assert on_host == set(older) - ({"roots"} if others else set())


HOST = """
import weft.numpy as np

a = np.asarray([1.0, 2.0, 3.0, 4.0])
for n in range(3):
    x = np.fft.rfft(a)
print(abs(x[0]))
"""


@pytest.mark.parametrize("choice", [None, "warn", "quiet"])
def test_reports_host_work_once_per_line(tmp_path, choice):
    path = tmp_path / "prog.py"
    path.write_text(HOST)
    environment = emulated.environment(tmp_path, 1) | {"WEFT_CUFFT": "/nowhere/libcufft.so"}
    if choice:
        environment["WEFT_HOST"] = choice
    done = emulated.start(path, tmp_path, environment)
    said = [line for line in done.stderr.splitlines() if "runs on the host" in line]
    expected = [] if choice == "quiet" else ["rfft at"]
    assert [" ".join(line.split()[1:3]) for line in said] == expected, done.stderr
    assert done.stdout == "10.0\n"


@pytest.mark.parametrize(
    ("choice", "words"),
    [("error", ["NotImplementedError", "WEFT_HOST=error"]), ("never", ["WEFT_HOST", "warn, error or quiet"])],
)
def test_forbidden_host_work_and_invalid_settings_end_the_program(tmp_path, choice, words):
    path = tmp_path / "prog.py"
    path.write_text(HOST)
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path, 1) | {"WEFT_HOST": choice, "WEFT_CUFFT": "/nowhere/libcufft.so"})
    assert done.returncode == 1
    assert all(word in done.stderr for word in words), done.stderr
