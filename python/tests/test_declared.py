"""The tables of names: generated files are up to date, and the declarations are correct."""

import importlib
import inspect
import math
import pathlib
import subprocess
import sys
import types
import warnings

import numpy
import pytest
import weft
import weft.numpy

PYTHON = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(PYTHON))

from declaring import table  # noqa: E402

ROWS = table.load()

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def rows_of(module, owner=None):
    """The rows of a module, or of a class in it."""
    return [row for row in ROWS.values() if row.module == module and row.owner == (owner or "")]


def test_generated_files_are_up_to_date():
    made = subprocess.run([sys.executable, str(PYTHON / "declare.py"), "--check"], capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr


def test_rejects_tables_with_mistakes(tmp_path):
    for text, said in (
        ("[sum]\nsignature = '(a -> ndarray'\ndoc = 'A.'", "sum"),
        ("[sum]\ncolour = 'red'\ndoc = 'A.'", "colour"),
        ("[sum]\nfrom = 'nowhere'\ndoc = 'A.'", "nowhere"),
        ("[sum]\nsignature = '(a) -> ndarray'", "doc"),
        ("[amax]\nas = 'max'", "max"),
    ):
        (tmp_path / "some.toml").write_text(f'module = "weft.numpy"\n{text}\n')
        with pytest.raises(table.Wrong, match=said):
            for row in table.load(tmp_path).values():
                row.parameters()


#: The names that defaults in the tables may use.
NAMES = {"np": numpy, "_NoValue": numpy._NoValue, "ceil": math.ceil, "floor": math.floor}

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "/", inspect.Parameter.POSITIONAL_OR_KEYWORD: "|", inspect.Parameter.KEYWORD_ONLY: "*",
    inspect.Parameter.VAR_POSITIONAL: "*args", inspect.Parameter.VAR_KEYWORD: "**kwargs",
}  # fmt: skip


def declared(row):
    """Parameters of a row: names, kinds and defaults."""
    return [(one.name, one.kind, inspect.Parameter.empty if one.default is None else eval(one.default, dict(NAMES))) for one in row.parameters()]


def actual_parameters(function):
    """The same of a function."""
    return [(one.name, KINDS[one.kind], one.default) for one in inspect.signature(function).parameters.values()]


def implementation(source):
    """What `_reduce.sum` names."""
    module, *names = source.split(".")
    value = importlib.import_module(f"weft.numpy.{module}")
    for name in names:
        value = getattr(value, name)
    return value


FUNCTIONS = [row for row in ROWS.values() if row.is_function and not row.owner and row.module.startswith("weft")]


def test_functions_and_implementations_have_declared_parameters():
    wrong = {}
    for row in FUNCTIONS:
        if row.source == "ufunc" and not hasattr(numpy.add, "__signature__"):
            continue  # Older releases of NumPy do not document theirs.
        public = getattr(importlib.import_module(row.module), row.short)
        each = [public] + ([implementation(row.source)] if row.source.startswith("_") else [])
        for function in each:
            if actual_parameters(function) != declared(row):
                wrong[row.name] = f"{declared(row)} is declared, {actual_parameters(function)} is so"
    assert not wrong
    assert len(FUNCTIONS) > 400


def test_methods_have_declared_parameters():
    wrong, count = {}, 0
    for row in ROWS.values():
        if not row.owner or not row.is_function or row.source == "-":
            continue
        of = getattr(importlib.import_module(row.module), row.owner)
        function = of if row.short == "__new__" and of is not weft.numpy.ndarray else inspect.getattr_static(of, row.short)
        function = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        if row.name == "ufunc.__new__":  # The class documents the parameters of its objects.
            continue
        is_so = actual_parameters(function)
        count += 1
        expected = declared(row)[1:] if function is of else declared(row)
        if is_so != expected:
            wrong[row.name] = f"{expected} is declared, {is_so} is so"
        if row.source.startswith("_") and row.short != "__new__":
            assert inspect.unwrap(function) is inspect.unwrap(implementation(row.source)), row.name
    assert not wrong
    assert count > 200


def test_borrowed_functions_have_numpy_parameters():
    """Functions that are NumPy's code, or that only take its result. Only of the NumPy that the tables were written for: others add some."""
    taken = [row for row in FUNCTIONS if row.source in ("borrowed", "hosted", "fallback") and not row.alias]
    for row in taken:
        try:
            theirs = [one.name for one in inspect.signature(getattr(numpy, row.name)).parameters.values()]
        except ValueError:
            continue
        names = [one.name for one in row.parameters()]
        assert names == theirs[: len(names)] or set(theirs) <= set(names), row.name
    assert len(taken) > 20


def test_functions_match_their_declarations():
    for row in FUNCTIONS:
        if row.module.startswith("weft.numpy") and row.source != "-":
            value = getattr(importlib.import_module(row.module), row.short)
            assert value.__doc__ == row.doc, row.name
            if isinstance(value, types.FunctionType):
                assert value.__module__ == row.module, row.name
                assert value.__name__ == (row.alias or row.name)
            if row.alias:
                assert value is getattr(importlib.import_module(row.module), row.alias)


def public(thing):
    """The public names of a module or a class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name for name in dir(thing) if not name.startswith("_") and hasattr(thing, name)}


PLACES = {
    "": (numpy, "weft.numpy", None), "linalg": (numpy.linalg, "weft.numpy.linalg", None), "fft": (numpy.fft, "weft.numpy.fft", None),
    "random": (numpy.random, "weft.numpy.random", None), "Generator": (numpy.random.Generator, "weft.numpy.random", "Generator"),
    "RandomState": (numpy.random.RandomState, "weft.numpy.random", "RandomState"), "ndarray": (numpy.ndarray, "weft._core", "ndarray"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_declares_every_numpy_name(place):
    thing, module, owner = PLACES[place]
    known = {row.short for row in rows_of(module, owner)}
    if owner == "RandomState":
        known |= {row.short for row in rows_of(module, "Generator")}
    # Modules of NumPy that only its own code uses, and which it does not list.
    theirs = {name for name in public(thing) if not isinstance(getattr(thing, name), types.ModuleType) or name in getattr(thing, "__all__", ())}
    if newer := sorted(theirs - known):
        text = f"NumPy {numpy.__version__} has names that the tables have not, newer ones or such as have gone since: {', '.join(newer)}"
        print(text)
        warnings.warn(text)
        # What the installed NumPy adds, it computes.
        assert all(hasattr(getattr(weft.numpy, place) if place in ("linalg", "fft", "random") else weft.numpy, name) for name in newer if not owner and not place)
    assert len(theirs & known) > len(theirs) // 2


@pytest.mark.skipif(numpy.__version__.split(".")[:2] != ["2", "4"], reason="the tables were written for NumPy 2.4")
def test_tables_contain_every_name_of_numpy_2_4():
    for thing, module, owner in PLACES.values():
        known = {row.short for row in rows_of(module, owner)} | ({row.short for row in rows_of(module, "Generator")} if owner == "RandomState" else set())
        left = {name for name in public(thing) - known if not isinstance(getattr(thing, name), types.ModuleType) or name in getattr(thing, "__all__", ())}
        assert not left, module


def test_names_have_the_declared_source():
    for row in rows_of("weft.numpy"):
        if row.type == "late module" or not hasattr(numpy, row.name):
            continue
        value = getattr(weft.numpy, row.name)
        assert weft.numpy.status[row.name] == row.status
        assert (value is getattr(numpy, row.name)) == (row.source == "same"), row.name
        assert isinstance(value, weft.numpy.ufunc) == (row.source == "ufunc"), row.name
    for module in ("weft.numpy", "weft.numpy.linalg", "weft.numpy.fft", "weft.numpy.random"):
        for row in rows_of(module):
            if row.source == "-":
                assert not hasattr(importlib.import_module(module), row.name), row.name
    for row in rows_of("weft._core", "ndarray"):
        assert hasattr(weft.numpy.ndarray, row.short) == (row.source != "-"), row.name


def test_numpy_computes_functions_added_later(monkeypatch):
    program = (
        "import numpy\nnumpy.brand_new = lambda a, by=1: a + by\nimport weft.numpy as np\n"
        "assert np.status['brand_new'] == 'numpy'\nmade = np.brand_new(np.arange(3), by=2)\n"
        "assert type(made) is np.ndarray and made.tolist() == [2, 3, 4]\n"
    )
    monkeypatch.setenv("WEFT_FALLBACK", "quiet")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_numpy_computes_unsupported_arrays(monkeypatch):
    np = weft.numpy
    monkeypatch.setenv("WEFT_FALLBACK", "error")
    texts = numpy.array(["b", "a", "b"])
    assert np.unique(texts).tolist() == ["a", "b"]
    assert np.concatenate([texts, ["c"]]).tolist() == ["b", "a", "b", "c"]
    assert np.isin("b", texts).tolist() is True
    assert np.zeros(2, dtype="O").tolist() == [0, 0]
    assert np.sum(numpy.array([1, 2], object), keepdims=True).tolist() == [3]
    assert np.linalg.norm(numpy.array([3, 4], object)) == 5
    # An option given as a word is not an array of strings, so Weft raises the error.
    with pytest.raises(TypeError):
        np.take(np.arange(3), np.ones(2), mode="wrap")


# What functions take, by dtype.

#: Arguments of functions that are not called with an array for each of theirs: `a` (3, 4), `v` (6,), `s` (4, 4), `m` a mask of `v`,
#: `i` numbers of places, `d` the dtype.
CALLS = {
    "apply_along_axis": "lambda x: x.ravel(), 1, a", "apply_over_axes": "np.max, a, [0]", "arange": "6, dtype=d", "argpartition": "v, 2",
    "array": "a", "array_split": "v, 4", "asanyarray": "a", "asarray": "a", "astype": "a, float", "bincount": "v", "block": "[[a, a]]",
    "broadcast_to": "v, (2, 6)", "choose": "i, [a[0, :3], a[1, :3], a[2, :3]]", "clip": "a, a[0, 0], a[0, 1]",
    "compress": "[True, False, True], a, 0", "convolve": "v, v", "copyto": "a.copy(), a", "correlate": "v, v",
    "cross": "a[:, :3], a[:, :3]", "cumulative_prod": "v", "cumulative_sum": "v", "delete": "v, [1, 2]", "diag_indices_from": "s",
    "diff": "a", "digitize": "v, np.arange(3.0)", "dot": "a, a.T", "dsplit": "a.reshape(1, 3, 4), 2", "einsum": '"ij,kj->ik", a, a',
    "empty_like": "a", "expand_dims": "a, 0", "extract": "a > 1, a", "fill_diagonal": "a.copy(), a[0, 0]",
    "fromfunction": "lambda i, j: i, (2, 3), dtype=d", "full": "(3, 4), 1, d", "full_like": "a, 1", "gcd": "a, a",
    "geomspace": "1, 8, 4, dtype=d", "gradient": "a", "histogram2d": "v, v, 3", "histogramdd": "np.stack([v, v], 1), 3", "hsplit": "a, 2",
    "indices": "(2, 3), d", "insert": "v, 1, v[0]", "interp": "np.arange(6.0), np.arange(3.0), v[:3]", "isin": "a, v", "ix_": "v, v", "kron": "a, a",
    "lcm": "a, a", "ldexp": "a, 2", "lexsort": "(v, v)", "linalg.cholesky": "s", "linalg.cross": "a[:, :3], a[:, :3]", "linalg.det": "s",
    "linalg.eig": "s", "linalg.eigh": "s", "linalg.eigvals": "s", "linalg.eigvalsh": "s", "linalg.inv": "s", "linalg.matmul": "a, a.T",
    "linalg.matrix_power": "s, 3", "linalg.multi_dot": "[a, a.T, a]", "linalg.outer": "v, v", "linalg.slogdet": "s",
    "linalg.solve": "s, s[0]", "linalg.tensordot": "a, a", "linalg.tensorinv": "s.reshape(2, 2, 2, 2)",
    "linalg.tensorsolve": "s.reshape(2, 2, 2, 2), s[:2, :2]", "linalg.trace": "s", "linspace": "0, 8, 4, dtype=d",
    "logspace": "0, 1, 4, dtype=d", "matmul": "a, a.T", "matvec": "a, a[0]", "median": "a", "meshgrid": "v, v", "moveaxis": "a, 0, 1",
    "nanpercentile": "a, 30", "nanquantile": "a, 0.3", "ndarray.__bool__": "a[0, 0, ...]", "ndarray.__complex__": "a[0, 0, ...]",
    "ndarray.__contains__": "a, 2", "ndarray.__deepcopy__": "a, {}", "ndarray.__float__": "a[0, 0, ...]", "ndarray.__format__": "a, ''",
    "ndarray.__getitem__": "a, 1", "ndarray.__imatmul__": "s, s", "ndarray.__index__": "a[0, 0, ...]", "ndarray.__int__": "a[0, 0, ...]", "ndarray.__trunc__": "a[0, 0, ...]",
    "ndarray.__matmul__": "a, a.T", "ndarray.__rmatmul__": "a, a.T", "ndarray.__setitem__": "a, 1, a[0]", "ndarray.astype": "a, float",
    "ndarray.choose": "i, [a[0, :3], a[1, :3], a[2, :3]]", "ndarray.clip": "a, a[0, 0], a[0, 1]",
    "ndarray.compress": "a, [True, False, True], 0", "ndarray.fill": "a, a[0, 0]", "ndarray.item": "a, 2", "ndarray.partition": "v, 2",
    "ndarray.reshape": "a, 4, 3", "ndarray.resize": "v, 3, 2", "packbits": "a", "pad": "a, 1", "partition": "v, 2", "percentile": "a, 30",
    "piecewise": "v, [m], [v[0], v[1]]", "place": "a.copy(), a > 1, v", "poly": "v", "polyadd": "v, v", "polyder": "v",
    "polydiv": "v, v[:2]", "polyfit": "np.arange(6.0), v, 2", "polyint": "v", "polymul": "v, v", "polysub": "v, v", "polyval": "v, v",
    "put": "a.copy(), i, a[0, 0]", "put_along_axis": "v.copy(), i, v[:3], 0", "putmask": "a.copy(), a > 1, v", "quantile": "a, 0.3",
    "ravel_multi_index": "(v, v), (9, 9)", "repeat": "a, 2", "reshape": "a, (4, 3)", "resize": "a, (5, 2)", "roll": "a, 1",
    "rollaxis": "a, 1", "roots": "v", "rot90": "a", "searchsorted": "np.sort(v), v", "select": "[m], [v], v[0]", "split": "v, 3",
    "squeeze": "a", "swapaxes": "a, 0, 1", "take": "a, i", "take_along_axis": "a, np.zeros((1, 4), int), 0", "tensordot": "a, a",
    "tile": "a, 2", "trace": "s", "trapezoid": "v", "tril_indices_from": "s", "trim_zeros": "v", "triu_indices_from": "s",
    "unpackbits": "a", "unravel_index": "a, (9, 9)", "unwrap": "v", "vander": "v", "vecmat": "a[0], a.T", "vsplit": "s, 2",
    "where": "a > 1, a, a",
}  # fmt: skip


def arrays(dtype):
    """Small arrays of a dtype for calls."""
    np, d = weft.numpy, numpy.dtype(dtype)
    a = numpy.arange(1, 13).reshape(3, 4) % 5
    v = numpy.array([3, 1, 2, 3, 1, 2])
    s = numpy.eye(4) if d.kind == "b" else 3 * numpy.eye(4) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = {name: np.array(value.astype(d)) for name, value in {"a": a, "v": v, "s": s}.items()}
    return {**made, "np": np, "d": d, "m": np.array(v > 1), "i": np.array([2, 0, 1])}


def arguments(row):
    """The arguments of a call, as a string; `None` if unknown."""
    module = row.module.removeprefix("weft.numpy").removeprefix("weft._core").lstrip(".")
    name = f"{module}.{row.name}".lstrip(".")
    if name in CALLS:
        return CALLS[name]
    parts, has_array = ["a"] * bool(row.owner), bool(row.owner)
    for one in row.parameters()[bool(row.owner) :]:
        if one.kind == "*args" and one.type == "ArrayLike":
            parts, has_array = ["a", "a"], True
        if one.default is not None or one.kind not in ("/", "|"):
            continue
        given = {"ArrayLike": "a", "Sequence[ArrayLike]": "[a, a]", "Shape": "(3, 4)", "int": "1"}.get(one.type)
        if given is None:
            return None
        has_array |= "a" in given
        parts.append(given)
    if not has_array:
        if not any(one.name == "dtype" for one in row.parameters()):
            return None
        parts.append("dtype=d")
    return ", ".join(parts)


def parts_of(value):
    """All arrays of a result."""
    if isinstance(value, (tuple, list)):
        return [part for one in value for part in parts_of(one)]
    return [value]


def takes(row, dtype, text):
    """Whether a function computes with arrays of a dtype, without NumPy."""
    function = getattr(weft.numpy.ndarray if row.owner else importlib.import_module(row.module), row.short)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for part in parts_of(eval(f"function({text})", {"function": function, **arrays(dtype)})):
                numpy.asarray(part)
        except Exception:  # noqa: BLE001 - functions may raise any error for unsupported arguments
            return False
    return True


def notation(dtypes):
    """Dtypes as the tables have them: `biuf -f2` is all of these kinds but `float16`."""
    kinds = "".join(kind for kind in "biufc" if any(numpy.dtype(one).kind == kind for one in dtypes))
    return " ".join([kinds, *(f"-{one}" for one in DTYPES if numpy.dtype(one).kind in kinds and one not in dtypes)])


#: Methods that are functions too are called as these.
CALLED = [row for row in ROWS.values() if row.dtypes and row.is_function and not row.alias and row.owner in ("", "ndarray")]
CALLED = [row for row in CALLED if not row.owner or row.source.startswith("_methods.") or row.source == "core"]


@pytest.mark.parametrize("row", CALLED, ids=lambda row: f"{row.module}.{row.name}")
def test_dtypes_match_the_declaration(row, monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")
    text = arguments(row)
    assert text is not None, "CALLS has no arguments for it"
    assert notation([dtype for dtype in DTYPES if takes(row, dtype, text)]) == row.dtypes
