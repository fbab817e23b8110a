"""The tables of names, `python/declared/*.toml`: the meaning of each key, and checks."""

import ast
import dataclasses
import pathlib
import re
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "declared"

#: The declarations of elementwise functions in Rust, with the parameters of the functions that each file has.
ELEMENTWISE = FOLDER.parent.parent / "runtime/kernels/src/elementwise"
OPERANDS = {"unary": "x: ArrayLike", "binary": "x1: ArrayLike, x2: ArrayLike"}

#: The keys of a row.
KEYS = {
    "as",  # another name of the same module: this one is the same object
    "signature",  # parameters with types and defaults, and what is returned; `**ufunc` stands for what universal functions take; that of a `ufunc` follows from its declaration in Rust
    "type",  # of a constant or an attribute; `class`, or `theirs` for a subclass of NumPy's class; `weft.tasks` for the same name there; `module`, or `late module` for one that is loaded on first use
    "property",  # an attribute that is only `read`, or also `written`
    "class",  # a class: `plain` of Python; of Rust `final`, or `open` to subclasses
    "bases",  # of a class
    "own",  # of a class, its members that its base does not have: the others are the base's
    "from",  # what does it: see `Row.source`
    "dtypes",  # the kinds of elements that it takes, b i u f c, and after a minus the dtypes of these that it does not take
    "host",  # the part without code for GPUs: `all`, a noun, or older versions
    "doc",  # one sentence
    "errors",  # `none` if a universal function reports no floating-point errors
    "rust",  # the equivalent in Rust: paths in the crate `weft`; that of a `ufunc` follows from its declaration in Rust
    "remark",  # on the Rust names
}

#: The parameters of every universal function after its operands.
UFUNC = (
    "out: {out} = None, *, where: ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: DTypeLike | None = None, "
    "subok: bool = True, signature: Any = None"
)

#: Sources other than a function of the package.
SPECIAL = {
    "ufunc",  # a universal function of Weft
    "same",  # NumPy's own object, which needs no arrays
    "borrowed",  # NumPy's Python code, with Weft's functions in the place of NumPy's
    "hosted",  # NumPy's function, whose result becomes an array of Weft
    "fallback",  # NumPy computes, on copies
    "core",  # Rust
    "module",  # a module of the package
    "refused",  # only an error with the reason why it is missing
    "-",  # nothing: there is no such name in Weft
}


class Wrong(Exception):
    """A table that cannot be read."""


@dataclasses.dataclass
class Parameter:
    """A parameter: its kind is one of `/` (by position), `|`, `*` (by name), `*args` and `**kwargs`."""

    name: str
    kind: str
    type: str | None
    default: str | None


@dataclasses.dataclass
class Row:
    """A name with its row of the tables."""

    name: str
    module: str
    file: str
    keys: dict

    @property
    def source(self):
        """The implementation: one of `SPECIAL`, or a function, a class or an object of the package such as `_reduce.sum`."""
        return self.keys.get("from", "")

    @property
    def owner(self):
        """The class of a method; empty for a name in a module."""
        return self.name.rpartition(".")[0]

    @property
    def short(self):
        """The name without its class."""
        return self.name.rpartition(".")[2]

    @property
    def status(self):
        """`weft`, `numpy` if NumPy computes it on copies, `same` for NumPy's own objects, `missing`."""
        return {"same": "same", "fallback": "numpy", "refused": "missing", "-": "missing"}.get(self.source, "weft")

    @property
    def is_function(self):
        """Whether it is callable."""
        return "signature" in self.keys

    def __getattr__(self, key):
        if key in KEYS or key == "alias":
            return self.keys.get("as" if key == "alias" else key)
        raise AttributeError(key)

    def listed(self, behind):
        """The parameters as in Python's syntax, each name with the result of `behind` for it."""
        parts, last, starred = [], None, False
        for one in self.parameters():
            if last == "/" and one.kind != "/":
                parts.append("/")
            if one.kind == "*" and not starred:
                parts.append("*")
            starred |= one.kind in ("*", "*args")
            star = {"*args": "*", "**kwargs": "**"}.get(one.kind, "")
            parts.append(f"{star}{one.name}{behind(one)}")
            last = one.kind
        return ", ".join(parts + ["/"] * (last == "/"))

    def parameters(self):
        """The parameters."""
        return _parsed(self)[0]

    def returned(self):
        """The type of the result."""
        return _parsed(self)[1]


def _parsed(row):
    text = row.signature
    pairs = text.endswith("-> tuple[ndarray, ndarray]")
    out = "tuple[ndarray | None, ndarray | None]" if pairs else "Out"
    text = text.replace("**ufunc", UFUNC.format(out=out).replace("= None", "= (None, None)", 1) if pairs else UFUNC.format(out=out))
    try:
        made = ast.parse(f"def function{text}: ...").body[0]
    except SyntaxError as error:
        raise Wrong(f"{row.file}: {row.name}: {error}") from None
    given = made.args
    plain = [*((one, "/") for one in given.posonlyargs), *((one, "|") for one in given.args)]
    defaults = [None] * (len(plain) - len(given.defaults)) + [ast.unparse(one) for one in given.defaults]
    found = [_parameter(one, kind, default) for (one, kind), default in zip(plain, defaults)]
    if given.vararg:
        found.append(_parameter(given.vararg, "*args", None))
    for one, default in zip(given.kwonlyargs, given.kw_defaults):
        found.append(_parameter(one, "*", None if default is None else ast.unparse(default)))
    if given.kwarg:
        found.append(_parameter(given.kwarg, "**kwargs", None))
    return found, ast.unparse(made.returns)


def _parameter(one, kind, default):
    return Parameter(one.arg, kind, None if one.annotation is None else ast.unparse(one.annotation), default)


def _checked(row):
    if unknown := set(row.keys) - KEYS:
        raise Wrong(f"{row.file}: {row.name}: there is no key {', '.join(sorted(unknown))}")
    if "as" not in row.keys and not row.doc:
        raise Wrong(f"{row.file}: {row.name} has no `doc`")
    if row.source == "ufunc" and not row.signature:
        raise Wrong(f"{row.file}: {row.name} has no `signature`, and no declaration in {ELEMENTWISE}")
    if row.source and "." not in row.source and row.source not in SPECIAL:
        raise Wrong(f"{row.file}: {row.name}: `from` is {row.source}")
    return row


def _operations():
    """The keys of universal functions that follow from rows such as `Hypot = "hypot" as hypot, try_hypot(Float)` in Rust, by name."""
    found = {}
    for file, operands in OPERANDS.items():
        text = (ELEMENTWISE / f"{file}.rs").read_text()
        for name, method in re.findall(r'^    [A-Z]\w+ = "(\w+)"(?: as (\w+))?.*: \w+ \{', text, re.MULTILINE):
            found[name] = {"signature": f"({operands}, /, **ufunc) -> ndarray", **({"rust": [f"Array::{method}"]} if method else {})}
    return found


def load(folder=FOLDER):
    """All rows, by module and name. A row with `as` takes missing keys from the other row; a method takes those of its function."""
    rows = {}
    operations = _operations()
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text())
        module = table.pop("module")
        for name, keys in table.items():
            if keys.get("from") == "ufunc":
                keys = {**operations.get(name, {}), **keys}
            row = _checked(Row(name, module, path.stem, keys))
            if (module, name) in rows:
                raise Wrong(f"{path.name}: {name} has two rows")
            rows[module, name] = row
    for row in rows.values():
        if row.alias:
            other = rows.get((row.module, row.alias))
            if other is None or other.alias or other.file != row.file:
                raise Wrong(f"{row.file}: {row.name}: there is no {row.alias} in this table")
            row.keys = {**other.keys, **row.keys}
    functions = {row.source: row for row in rows.values() if row.dtypes}
    for row in rows.values():
        if row.owner == "ndarray" and row.source in functions and "." in row.source:
            row.keys = {"dtypes": functions[row.source].dtypes, **row.keys}
    return rows
