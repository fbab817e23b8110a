"""Writes the type stubs of the package from the signatures that it has: ``python python/stubs.py``, with the built package on PYTHONPATH.

With ``--check`` nothing is written, and the status is 1 where a stub is not as it would be written. What signatures do not say, the types,
stands in the tables below.
"""

import argparse
import importlib
import inspect
import pathlib
import re
import sys
import types

PACKAGE = pathlib.Path(__file__).resolve().parent / "weft"

MODULES = ("weft", "weft._core", "weft.numpy", "weft.numpy.fft", "weft.numpy.linalg", "weft.numpy.random")

#: Types of parameters, by their names.
PARAMETERS = {
    **dict.fromkeys(("a", "x", "b", "x1", "x2", "arr", "array", "m", "v", "ary", "y", "condition", "y_true"), "ArrayLike"),
    **dict.fromkeys(("axis", "axes"), "int | Sequence[int] | None"),
    **dict.fromkeys(("dtype",), "DTypeLike | None"),
    **dict.fromkeys(("shape", "size", "newshape"), "int | Sequence[int] | None"),
    **dict.fromkeys(("keepdims", "copy"), "bool | None"),
    **dict.fromkeys(("endpoint", "retstep", "sorted", "full_matrices", "compute_uv", "increasing", "density"), "bool"),
    **dict.fromkeys(("order", "casting", "mode", "norm", "device"), "str | None"),
    "out": "ndarray | tuple[ndarray, ...] | None",
    "where": "ArrayLike | None",
}

#: Functions whose parameters of these names are of other types.
ANY = {("norm", "ord"), ("quantile", "axis"), ("where", "x"), ("where", "y"), ("tensordot", "axes"), ("pad", "mode"), ("copy", "order")}

#: What functions return that does not return an array. `Any`: it depends on the arguments.
RETURNS = {
    **dict.fromkeys(
        ("allclose", "array_equal", "array_equiv", "can_cast", "iscomplexobj", "isrealobj", "isscalar", "isdtype", "issubdtype",
         "may_share_memory", "shares_memory", "has_started", "is_same_view", "shares_store"),
        "bool",
    ),
    **dict.fromkeys(
        ("array_split", "split", "hsplit", "vsplit", "dsplit", "meshgrid", "broadcast_arrays", "unstack"), "Sequence[ndarray]"
    ),
    **dict.fromkeys(
        ("nonzero", "ix_", "unravel_index", "diag_indices", "diag_indices_from", "tril_indices", "tril_indices_from", "triu_indices",
         "triu_indices_from", "histogram", "histogram2d"),
        "tuple[ndarray, ...]",
    ),
    **dict.fromkeys(("copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "save", "savez", "savez_compressed", "savetxt"), "None"),
    **dict.fromkeys(("start", "wait", "finish", "wait_all", "offload_to", "load_ipython_extension", "register", "register_dtypes", "register_package", "assign"), "None"),
    **dict.fromkeys(("array2string", "array_repr", "array_str"), "str"),
    **dict.fromkeys(("ndim",), "int"),
    "shape": "tuple[int, ...]",
    "result_type": "dtype[Any]",
    "pool_status": "list[dict[str, Any]]",
    "provenance": "tuple[str, int, str]",
    "processors": "tuple[int, int, int]",
    "profile_path": "Path | None",
    "legate_flags": "tuple[str, list[str]]",
    "to_buffer": "Any",
    "default_rng": "Generator",
    **dict.fromkeys(
        ("average", "linspace", "gradient", "unique", "unique_all", "unique_counts", "unique_inverse", "intersect1d", "size", "apply_along_axis",
         "einsum_path", "loadtxt", "genfromtxt", "load", "frompyfunc", "vectorize", "finfo", "iinfo", "min_scalar_type", "ndenumerate",
         "mintypecode", "atleast_1d", "atleast_2d", "atleast_3d", "apply", "select", "slogdet", "qr", "eigh",
         "svd", "lstsq", "eig", "item", "tolist", "histogramdd", "choice", "get_state", "set_state", "seed", "shuffle", "tobytes", "tofile",
         "dump", "fill", "setflags", "sort", "partition", "resize"),
        "Any",
    ),
}  # fmt: skip

#: Dunder methods that give no array.
DUNDERS = {
    "__len__": "int", "__bool__": "bool", "__int__": "int", "__float__": "float", "__complex__": "complex", "__index__": "int",
    "__repr__": "str", "__str__": "str", "__hash__": "int", "__contains__": "bool", "__setitem__": "None", "__getitem__": "Any",
    "__iter__": "Iterator[Any]", "__format__": "str", "__sizeof__": "int",
}  # fmt: skip

#: Dunders of every class, and those of the implementation.
PASSED = {
    "__new__", "__doc__", "__module__", "__dict__", "__weakref__", "__getattribute__", "__annotations__", "__slots__",
    "__static_attributes__", "__firstlineno__", "__abstractmethods__", "__match_args__", "__dataclass_fields__", "__orig_bases__",
    "__parameters__", "__class_getitem__", "__annotate_func__", "__annotations_cache__",
}  # fmt: skip

ATTRIBUTES = {
    "shape": "tuple[int, ...]", "strides": "tuple[int, ...]", "ndim": "int", "size": "int", "nbytes": "int", "itemsize": "int",
    "dtype": "dtype[Any]", "T": "ndarray", "mT": "ndarray", "real": "ndarray", "imag": "ndarray", "device": "str",
}  # fmt: skip

HEADER = '''\
# Made by python/stubs.py from the package's signatures: change those, or its tables.
# mypy: disable-error-code="override, misc, overload-overlap"
'''

IMPORTS = '''\
from builtins import bool as _bool, complex as _complex, dict as _dict, float as _float, int as _int, list as _list, str as _str, tuple as _tuple
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy import dtype as _dtype
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import disjoint_base, final
'''


def own(kind):
    """A type by the name that it has in the stubs, where names of NumPy such as `bool` stand for others."""
    return re.sub(r"\b(bool|complex|dict|dtype|float|int|list|str|tuple)\b", r"_\1", kind)


def signature(name, function, is_method=False):
    """The parameters of a function as text."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return "self, *args: Any, **kwargs: Any" if is_method else "*args: Any, **kwargs: Any"
    parts, seen_star, last = [], False, None
    for at, one in enumerate(parameters):
        if last is one.POSITIONAL_ONLY and one.kind is not one.POSITIONAL_ONLY:
            parts.append("/")
        if one.kind is one.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        if at == 0 and is_method:
            parts.append(one.name)
        else:
            known = "Any" if (name, one.name) in ANY else PARAMETERS.get(one.name, "Any")
            if one.default is None and "None" not in known and known != "Any":
                known += " | None"
            elif one.default is not one.empty and not isinstance(one.default, (bool, int, float, str, tuple, type(None))):
                known = "Any"  # A mark for "not given".
            star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
            seen_star |= star == "*"
            kind = "Any" if star else known
            parts.append(f"{star}{one.name}: {own(kind)}{'' if one.default is one.empty else ' = ...'}")
        last = one.kind
    if last is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return ", ".join(parts)


def function(name, value, indent="", is_method=False, returned=None):
    """A function's stub."""
    default = "Any" if getattr(value, "__weft_fallback__", False) else "ndarray"
    if getattr(value, "__module__", None) == "weft.numpy.random":
        # An array, or a number where no size is given.
        default = "Any"
    result = own(returned or RETURNS.get(name, default))
    return f"{indent}def {name}({signature(name, value, is_method)}) -> {result}: ..."


def members(name, of):
    """The lines of a class."""
    lines = []
    for member, value in sorted(vars(of).items()):
        if member in PASSED or (member.startswith("_") and not member.startswith("__")):
            continue
        if value is None:
            lines.append(f"    {member}: None  # type: ignore[assignment]")
        elif isinstance(value, (staticmethod, classmethod)):
            lines.append(f"    @{type(value).__name__}\n" + function(member, value.__func__, "    ", isinstance(value, classmethod)))
        elif isinstance(value, property) or type(value).__name__ in ("getset_descriptor", "member_descriptor"):
            lines.append(f"    @property\n    def {member}(self) -> {own(ATTRIBUTES.get(member, 'Any'))}: ...")
            if getattr(value, "fset", None) is not None:
                lines.append(f"    @{member}.setter\n    def {member}(self, value: Any) -> None: ...")
        elif callable(value):
            is_array = of.__name__ == "ndarray"
            returned = "None" if member == "__init__" else DUNDERS.get(member) or (None if is_array and not member.startswith("__") else "ndarray" if is_operator(member) else "Any")
            lines.append(function(member, value, "    ", True, returned))
        else:
            lines.append(f"    {member}: {own(type(value).__name__) if isinstance(value, (int, float, str)) else 'Any'}")
    if "__new__" in vars(of) and of.__module__ in ("weft._core", "weft.numpy"):
        lines.append(f"    def __new__(cls{', ' if signature('', of) else ''}{signature('', of)}) -> {of.__name__}: ...")
    return lines or ["    ..."]


def decorators(of):
    """What is said of classes that are not made in Python."""
    if getattr(importlib.import_module("weft._core"), of.__name__, None) is not of:
        return []
    can_have_heirs = of.__flags__ & 1 << 10
    return ["@disjoint_base"] if can_have_heirs else ["@final"]


def is_operator(name):
    """Whether a dunder is an operator that gives an array."""
    word = name.strip("_")
    return word in {
        "add", "radd", "iadd", "sub", "rsub", "isub", "mul", "rmul", "imul", "truediv", "rtruediv", "itruediv", "floordiv", "rfloordiv",
        "ifloordiv", "mod", "rmod", "imod", "pow", "rpow", "ipow", "matmul", "rmatmul", "imatmul", "and", "rand", "iand", "or", "ror", "ior",
        "xor", "rxor", "ixor", "lshift", "rlshift", "ilshift", "rshift", "rrshift", "irshift", "neg", "pos", "abs", "invert", "lt", "le",
        "gt", "ge", "eq", "ne",
    }  # fmt: skip


def is_from(value, module):
    """Whether an object is made in a module or below it."""
    home = getattr(value, "__module__", None) or ""
    return home == module or home.startswith(module + ".")


def names_of(module):
    """The public names of a module."""
    listed = getattr(module, "__all__", None)
    if listed is not None and module.__name__ != "weft._core":
        return sorted(listed)
    theirs = importlib.import_module(module.__name__.replace("weft.numpy", "numpy", 1)) if ".numpy." in module.__name__ else None
    names = []
    for name, value in vars(module).items():
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        if getattr(value, "__module__", None) == module.__name__ or hasattr(theirs, name) or module.__name__ == "weft._core":
            names.append(name)
    return sorted(names)


def stub(name):
    """The text of a module's stub."""
    module = importlib.import_module(name)
    lines, imports = [], []
    for each in names_of(module):
        value = getattr(module, each)
        home = getattr(value, "__module__", None) or ""
        if isinstance(value, types.ModuleType):
            imports.append(f"from {'.' if is_from_weft(value) else 'numpy'} import {each} as {each}")
        elif name != "weft._core" and each in ("ndarray", "ufunc"):
            continue
        elif isinstance(value, type) and name not in ("weft._core", home) and home.startswith("weft"):
            imports.append(f"from {home} import {value.__name__} as {each}")
        elif isinstance(value, type) and not home.startswith("weft"):
            source = home if home.startswith("numpy") and not home.startswith("numpy._") and "." in home else "numpy"
            imports.append(f"from {source} import {each} as {each}" if source != "builtins" else f"{each} = {value.__name__}")
        elif isinstance(value, type):
            bases = [base.__name__ for base in value.__bases__ if base is not object]
            for base in value.__bases__:
                if base.__module__ not in ("builtins", name):
                    imports.append(f"from {base.__module__} import {base.__name__} as {base.__name__}")
            lines += decorators(value)
            lines.append(f"class {each}{f'({bases[0]})' if bases else ''}:\n" + "\n".join(members(each, value)))
        elif type(value).__name__ == "ufunc":
            lines.append(f"{each}: ufunc")
        elif callable(value) and (inspect.isroutine(value)):
            if home.startswith("numpy") and not getattr(value, "__weft_fallback__", False) and not is_from(value, "weft"):
                imports.append(f"from numpy import {each} as {each}")
            else:
                lines.append(function(each, value))
        elif isinstance(value, (bool, int, float, str)) or value is None:
            lines.append(f"{each}: {own(type(value).__name__) if value is not None else 'None'}")
        else:
            lines.append(f"{each}: Any")
    arrays = "" if name == "weft._core" else "from weft._core import ndarray as ndarray, ufunc as ufunc\n" if name == "weft.numpy" else "from weft._core import ndarray\n"
    listed = getattr(module, "__all__", None)
    imports = sorted(set(imports))
    text = [HEADER, IMPORTS, arrays, "\n".join(imports), ""]
    if listed is not None:
        text.append("__all__ = [\n" + "".join(f"    {item!r},\n" for item in listed).replace("'", '"') + "]\n")
    if hasattr(module, "__version__"):
        text.append("__version__: _str")
    if hasattr(module, "__array_api_version__"):
        text.append("__array_api_version__: _str")
    return "\n".join([*text, *lines]) + "\n"


def is_from_weft(module):
    """Whether a module is one of this package."""
    return module.__name__.startswith("weft")


def path_of(name):
    """Where a module's stub lies."""
    folder = PACKAGE.parent.joinpath(*name.split("."))
    is_package = name in ("weft", "weft.numpy")
    return folder / "__init__.pyi" if is_package else folder.with_suffix(".pyi")


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    # The built package, not the sources beside this file.
    sys.path[:] = [path for path in sys.path if pathlib.Path(path).resolve() != PACKAGE.parent]
    importlib.import_module("weft.numpy")  # Attaches methods to the class of arrays.
    different = []
    for name in MODULES:
        path, text = path_of(name), stub(name)
        if not path.exists() or path.read_text() != text:
            different.append(path.name)
            if not options.check:
                path.write_text(text)
    if different and options.check:
        print("stubs are to be written anew: run python python/stubs.py with the built package on PYTHONPATH", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
