"""The type stubs, `*.pyi`."""

import re

#: Modules with stubs, and where these lie below `python/weft`.
MODULES = {
    "weft": "__init__.pyi",
    "weft._core": "_core.pyi",
    "weft.numpy": "numpy/__init__.pyi",
    "weft.numpy.fft": "numpy/fft/__init__.pyi",
    "weft.numpy.linalg": "numpy/linalg/__init__.pyi",
    "weft.numpy.random": "numpy/random/__init__.pyi",
}

HEADER = '''\
# Made by python/declare.py from python/declared/: change the tables there.
# mypy: disable-error-code="override, misc, overload-overlap"
'''

#: Abbreviations of types in the tables.
WORDS = {
    "File": "str | PathLike[str] | IO[Any]",
    "Axes": "int | Sequence[int] | None",
    "Out": "ndarray | tuple[ndarray, ...] | None",
    "Shape": "int | Sequence[int]",
}

#: The modules that types are imported from.
IMPORTS = {
    "Callable": "from collections.abc import Callable",
    "Iterable": "from collections.abc import Iterable",
    "Iterator": "from collections.abc import Iterator",
    "Sequence": "from collections.abc import Sequence",
    "Path": "from pathlib import Path",
    "PathLike": "from os import PathLike",
    "IO": "from typing import IO",
    "Any": "from typing import Any",
    "TypeAlias": "from typing import TypeAlias",
    "ArrayLike": "from numpy.typing import ArrayLike",
    "DTypeLike": "from numpy.typing import DTypeLike",
    "disjoint_base": "from typing_extensions import disjoint_base",
    "final": "from typing_extensions import final",
    "_NoValueType": "from numpy._globals import _NoValueType",
    "_dtype": "from numpy import dtype as _dtype",
    "ContextDecorator": "from contextlib import ContextDecorator",
}

_BUILTINS = "bool|bytes|complex|dict|float|int|list|slice|str|tuple|type"


def own(kind):
    """A type as written in the stubs, with an underscore before names that a module redefines, such as `bool`."""
    kind = re.sub(rf"\b({'|'.join(WORDS)})\b", r"_\1", kind)
    return re.sub(rf"(?<![\w.])({_BUILTINS}|dtype)\b", r"_\1", kind)


def default(one):
    """A default value in a stub: `...` unless it is a literal."""
    if one.default is None:
        return ""
    is_plain = re.fullmatch(r"None|True|False|-?[\d.]+(e-?\d+)?|'[^'\\]*'|\(-?\d+, -?\d+\)|\(None, None\)", one.default)
    return f" = {one.default}" if is_plain else " = ..."


def signature(row):
    """The parameters with their types."""

    def typed(one):
        kind = "" if one.type is None else f": {own(one.type)}"
        if one.default == "_NoValue" and one.type != "Any":
            kind += " | _NoValueType"
        return kind + default(one)

    return row.listed(typed)


def function(row, indent=""):
    """A function."""
    return f"{indent}def {row.short}({signature(row)}) -> {own(row.returned())}: ..."


def member(row):
    """The lines of a member of a class."""
    if row.source == "-":
        return []
    if row.type == "None":
        return [f"    {row.short}: None  # type: ignore[assignment]"]
    if row.is_function:
        return [function(row, "    ")]
    if row.property is None:
        return [f"    {row.short}: {own(row.type)}"]
    lines = [f"    @property\n    def {row.short}(self) -> {own(row.type)}: ..."]
    if row.property == "written":
        lines.append(f"    @{row.short}.setter\n    def {row.short}(self, value: Any) -> None: ...")
    return lines


def _has(row, one, rows):
    """Whether a class itself, not its base, has a member."""
    heir = next((heir for heir in rows if one.owner == heir.name and "own" in heir.keys), None)
    if heir is None or one.short in heir.keys["own"]:
        return one.owner == row.name
    return row.short in heir.bases


def class_(row, rows):
    """A class with its members."""
    bases = ", ".join(base.rpartition(".")[2] for base in row.bases or [])
    mark = {"final": ["@final"], "open": ["@disjoint_base"], "plain": []}[row.keys["class"]]
    lines = [line for one in rows if _has(row, one, rows) for line in member(one)]
    return [*mark, f"class {row.short}{f'({bases})' if bases else ''}:", *(lines or ["    ..."])]


def stub(module, rows):
    """The text of a module's stub."""
    found = sorted((row for row in rows.values() if row.module == module), key=lambda row: row.name)
    lines, imports = [], set()
    for row in found:
        if row.owner or row.source == "-":
            continue
        name = row.short
        if row.source == "module":
            imports.add(f"from {'numpy' if name == 'lib' else '.'} import {name} as {name}")
        elif row.type and row.type.startswith("weft."):
            imports.add(f"from {row.type} import {name} as {name}")
        elif row.type == "class":
            imports.add(f"from weft._core import {name} as {name}")
        elif row.type == "theirs" or (row.source == "same" and row.type in (None, "module", "late module")):
            imports.add(f"from {module.removeprefix('weft.')} import {name} as {name}")
        elif row.keys.get("class"):
            lines += class_(row, found)
        elif row.source == "ufunc":
            lines.append(f"{name}: ufunc")
        elif row.is_function:
            lines.append(function(row))
        else:
            lines.append(f"{name}: {own(row.type)}")
    version = ["__version__: _str"] if module in ("weft", "weft.numpy") else []
    version += ["__array_api_version__: _str"] if module == "weft.numpy" else []
    body = "\n".join([*version, *lines])
    words = [f"_{word}: TypeAlias = {own(kind)}" for word, kind in WORDS.items() if re.search(rf"\b_{word}\b", body)]
    every = "\n".join([*words, body])
    if re.search(r"\bndarray\b", every) and module not in ("weft._core", "weft.numpy"):
        imports.add("from weft._core import ndarray")
    imports |= {line for word, line in IMPORTS.items() if re.search(rf"(?<![\w.]){word}\b", every)}
    builtins = sorted(set(re.findall(rf"(?<!\w)_({_BUILTINS})\b", every)))
    if builtins:
        imports.add("from builtins import " + ", ".join(f"{name} as _{name}" for name in builtins))
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in exported(module, rows)) + "]\n\n"
    return f"{HEADER}\n" + "\n".join(sorted(imports)) + "\n\n" + ("\n".join(words) + "\n\n" if words else "") + listed + body + "\n"


def exported(module, rows):
    """The names of a module, without modules that are loaded on first use."""
    found = (row for row in rows.values() if row.module == module and not row.owner)
    return sorted(row.short for row in found if row.source != "-" and row.type != "late module")
