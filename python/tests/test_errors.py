"""Floating-point errors within `errstate`, against those that NumPy reports."""

import threading
import warnings

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


X = numpy.array([1.0, 0.0, -2.0, numpy.inf, numpy.nan, 1e308, 1e-308])
# Whether the smallest number underflows in log1p and sin depends on the processor, so these functions get the first six numbers.
CALLS = {
    "divide": lambda m, x, n: x / (x - x[0]),
    "zero": lambda m, x, n: x[1:2] / 0,
    "remainder": lambda m, x, n: m.remainder(x, 0.0),
    "product": lambda m, x, n: x * 1e10,
    "small": lambda m, x, n: x[-1:] * 1e-200,
    "quotient": lambda m, x, n: x[:1] / 1e-320,
    "exp": lambda m, x, n: m.exp(x),
    "exp of small": lambda m, x, n: m.exp(x[:3] * 1000),
    "log": lambda m, x, n: m.log(x),
    "log1p": lambda m, x, n: m.log1p(-x[:6]),
    "sqrt": lambda m, x, n: m.sqrt(x),
    "sin": lambda m, x, n: m.sin(x[:6]),
    "arctanh": lambda m, x, n: m.arctanh(x[:2]),
    "power": lambda m, x, n: x ** -1.5,
    "reciprocal": lambda m, x, n: m.reciprocal(x),
    "sum": lambda m, x, n: x + x,
    "compared": lambda m, x, n: (x < 1) | m.isnan(x),
    "size": lambda m, x, n: m.maximum(abs(x), m.floor(x)),
    "quotients": lambda m, x, n: n // m.array([0, 1, -1, 2], n.dtype),
    "divmod": lambda m, x, n: divmod(n, m.array([1, 1, -1, 2], n.dtype)),
    "rest": lambda m, x, n: n % 0,
    "half": lambda m, x, n: x[:3].astype("f2") * m.array(3e4, "f2") * m.array(3, "f2"),
    "single": lambda m, x, n: x[:1].astype("f4") * m.array(1e-30, "f4") * m.array(1e-12, "f4"),
    "into": lambda m, x, n: m.multiply(x, 10.0, out=m.zeros(7), where=m.array([True] * 5 + [False] * 2)),
    "in place": lambda m, x, n: x.__imul__(1e200),
    "empty": lambda m, x, n: n[:0] // 0,
    "folded": lambda m, x, n: m.floor_divide.reduce(m.arange(-3, 3)),
    "folded over": lambda m, x, n: m.floor_divide.reduce(m.array([n[0], 1, -1], "i4")),
    "complex": lambda m, x, n: (x[:1] * (1 + 1j)) * 1e308 * 10.0,
}


def raised(module, how, kinds):
    x, n = module.array(X), module.array([numpy.iinfo("i4").min, 3, numpy.iinfo("i4").min, 7], "i4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            with module.errstate(**{"all": "ignore"} | kinds):
                how(module, x, n)
        except FloatingPointError as error:
            return str(error)
    return None


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["divide", "over", "under", "invalid"])
def test_errstate_raises_like_numpy(name, kind):
    assert raised(np, CALLS[name], {kind: "raise"}) == raised(numpy, CALLS[name], {kind: "raise"})


def test_errstate_calls_warns_and_logs():
    for module in (np, numpy):
        x, said = module.array([1.0, 0.0]), []
        with module.errstate(divide="call", call=lambda text, flag: said.append((text, flag))):
            1 / x
        with module.errstate(divide="warn"), pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
            1 / x
        log = type("Log", (), {"write": lambda self, text: said.append(text)})()
        with module.errstate(divide="log", call=log):
            1 / x
        assert said == [("divide by zero", 1), "Warning: divide by zero encountered in divide\n"]
        with pytest.raises(NameError), module.errstate(divide="call", call=None):
            1 / x


def test_errstate_prints_messages(capsys):
    with np.errstate(divide="print"):
        1 / np.zeros(1)
    assert "divide by zero encountered in divide" in capsys.readouterr().out


def test_errstate_decorates_functions():
    zero = np.zeros(1)

    @np.errstate(divide="raise")
    def checked():
        return 1 / zero

    for _ in range(2):
        with pytest.raises(FloatingPointError):
            checked()
    assert numpy.isinf(numpy.asarray(1 / zero)).all()
    with np.errstate(all="raise"):
        with np.errstate(all="ignore"):
            1 / zero
        # Errors within functions of the package are handled there.
        np.nanmean(np.array([[1.0, numpy.nan], [2.0, 3.0]]), axis=1)
        np.logaddexp(np.array([-numpy.inf, 0.0]), -numpy.inf)
        other = []
        thread = threading.Thread(target=lambda: other.append(numpy.isinf(numpy.asarray(1 / zero)).all()))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            thread.start()
            thread.join()
        assert other == [True]
    before = np.seterr(divide="raise")
    try:
        with pytest.raises(FloatingPointError):
            1 / zero
    finally:
        np.seterr(**before)
    assert numpy.isinf(numpy.asarray(1 / zero)).all()


def _ended(folder, text, **environment):
    """The output of a program about errors that ended one of its lines."""
    import os
    import subprocess
    import sys

    program = folder / "prog.py"
    program.write_text(text)
    environment = {**os.environ, "WEFT_CONFIG": "--cpus 2 --gpus 0", **environment}
    done = subprocess.run([sys.executable, str(program)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return done.stderr


FAILING = ["np.dot(x, np.ones(4))", "x[7]", "np.linalg.inv(np.zeros((2, 2)))[0, 0].item()", "np.concatenate([])", "x.reshape(5)", "np.sum(x, axis=3)"]


@pytest.mark.parametrize("failing", FAILING)
def test_tracebacks_end_at_the_user_line(tmp_path, failing):
    text = f"import weft.numpy as np\nx = np.ones(3)\ndef own():\n    return {failing}\nown()\n"
    files = [line for line in _ended(tmp_path, text).splitlines() if line.startswith('  File "')]
    assert files and all("prog.py" in line for line in files) and "line 4" in files[-1], files
    files = [line for line in _ended(tmp_path, text, WEFT_TRACEBACK="full").splitlines() if line.startswith('  File "')]
    assert "prog.py" in files[0], files


WARNING = [
    "np.polyfit(np.ones(5), np.ones(5), 3)", "np.mean(np.ones(0))", "np.ones(2, complex).astype(float)",
    "np.cov(np.ones((1, 1)))", "np.linalg.lstsq(np.ones((2, 2)), np.ones(2))",
]  # fmt: skip


@pytest.mark.parametrize("warning", WARNING)
def test_warnings_name_the_user_line(tmp_path, warning):
    text = f"import warnings\nimport weft.numpy as np\nwarnings.simplefilter('always')\n{warning}\n"
    said = [line for line in _ended(tmp_path, text, WEFT_FALLBACK="quiet").splitlines() if "Warning" in line]
    assert all("prog.py:4:" in line for line in said), said
    assert said or "lstsq" in warning, said


def test_warnings_of_equal_code_name_their_own_files():
    for name in ["first_cell.py", "second_cell.py"]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile("np.array([]).mean()", name, "exec"), {"np": np})
        assert {one.filename for one in caught} == {name}


@pytest.mark.parametrize(
    "call",
    [
        "m.asarray(z, dtype=float)", "m.array(z, dtype='i4')", "m.zeros(2).__setitem__(slice(None), z)", "m.zeros(2).__setitem__(0, z[0])", "setattr(m.zeros(2), 'flat', z)",
        "m.full(2, 1j, dtype=float)", "m.full_like(m.zeros(2), z)", "m.sum(z, dtype=float)", "m.cumsum(z, dtype=float)", "m.add(z, 1, dtype='f8', casting='unsafe')",
        "m.copyto(m.zeros(2), z, casting='unsafe')", "z.astype(float)", "m.add(z, 1, out=m.zeros(2), casting='unsafe')", "m.sum(z, out=m.zeros(()))", "m.require(z, dtype=float)",
        "m.concatenate([z, z], dtype=float, casting='unsafe')", "m.fill_diagonal(m.zeros((2, 2)), z)", "m.put(m.zeros(2), [0], z)", "z.astype(bool)", "m.asarray(z, dtype=bool)", "z.real", "abs(z)",
        "m.linalg.norm(z)", "m.linalg.cond(m.array([[1j, 2], [3, 4]]))", "m.fft.irfft(z)", "m.var(z)", "m.corrcoef(z, z)", "m.roots([1, 0, 1])", "m.isclose(z, z)", "m.angle(z)",
    ],
)  # fmt: skip
def test_lost_imaginary_parts_are_warned_of_like_numpy(call):
    counts = []
    for m in (numpy, np):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            eval(call, {"m": m, "z": m.array([1j, 2])})
        counts.append(sum(one.category is numpy.exceptions.ComplexWarning for one in seen))
    assert bool(counts[1]) == bool(counts[0]), counts
