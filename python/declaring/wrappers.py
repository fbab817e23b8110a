"""The public Python functions: exact signatures, documentation, and calls of NumPy for elements that Weft's arrays cannot hold."""

import textwrap

HEADER = '"""{doc}"""\n# Made by python/declare.py from python/declared/{file}.toml.\n'

#: Modules whose functions are generated, with the folder of each below `weft/numpy`.
NAMESPACES = {"weft.numpy.fft": "fft", "weft.numpy.linalg": "linalg", "weft.numpy.random": "random"}

#: Namespaces whose functions never fall back to NumPy's: their numbers come from a state of their
#: own.
UNGUARDED = {"weft.numpy.random"}


def parameters(row):
    """The parameters as written in a definition."""
    return row.listed(lambda one: "" if one.default is None else f"={one.default.replace('np.', '_np.')}")


def passed(row):
    """The parameters as written in a call."""
    parts = []
    for one in row.parameters():
        form = {"*": "{0}={0}", "*args": "*{0}", "**kwargs": "**{0}"}.get(one.kind, "{0}")
        parts.append(form.format(one.name))
    return ", ".join(parts)


def arrays(row):
    """Parameters that are arrays of any object, such as a text; `name=None` if `None` means a missing argument."""
    listed = ""
    for one in row.parameters():
        kind = one.type or ""
        is_array = ("ArrayLike" in kind or "Any" in kind.split(" | ")) and not {"str", "File"} & set(kind.split(" | "))
        if is_array and one.kind != "**kwargs":
            listed += f', "{one.name}=None"' if one.default == "None" else f', "{one.name}"'
    return listed


def quoted(text):
    """Text as a literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def definition(row, call, namespace, is_guarded):
    """A function whose body is `call`."""
    text = row.doc.replace("\\", "\\\\")
    head = f'\n\ndef {row.short}({parameters(row)}):\n    """{text}"""\n'
    if not is_guarded:
        return f"{head}    return {call}\n"
    first = ""
    if any(one.name == "out" for one in row.parameters()):
        # Keeps other threads from writing to it between the computation and the result.
        first = f"        if out is not None:\n            with _whole(out):\n                return {call}\n"
    return (
        f"{head}    try:\n{first}        return {call}\n    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):\n        given = locals()\n"
        f"        if not _holds_foreign(given{arrays(row)}):\n            raise\n    return _elsewhere({row.short}, given{namespace})\n"
    )


def listed(lead, left, names, right):
    """Names, broken into lines."""
    line = lead + (", ".join(names) if left == "(" else f"{left}{', '.join(names)}{right}")
    if len(line) <= 140:
        return line + "\n"
    text = ", ".join(name.replace(" ", "\0") for name in names)
    lines = textwrap.wrap(text, 136, break_long_words=False, break_on_hyphens=False)
    return f"{lead}{left}\n" + "".join(f"    {one}\n" for one in lines).replace("\0", " ").rstrip("\n") + f",\n{right}\n"


class File:
    """A generated file of one table."""

    def __init__(self, module, name, doc):
        self.module, self.name, self.doc = module, name, doc
        self.imports, self.lines, self.names, self.same = {}, [], [], []

    def imported(self, module, name, local):
        """The local name of an object in a module of the package."""
        self.imports.setdefault(module, set()).add(f"{name} as {local}" if name != local else name)
        return local

    def add(self, row):
        """Adds the declarations of a row."""
        if row.source in ("-", "module") or row.type == "late module":
            return
        if row.source == "same":
            self.same.append(row.short)
            return
        self.names.append(row.short)
        if row.alias:
            self.lines.append(f"\n\n{row.short} = {row.alias}\n")
        elif row.source == "ufunc":
            get = self.imported("_ufunc", "get", "_get")
            self.lines.append(f'\n\n{row.short} = {get}("{row.short}")\n{row.short}.__doc__ = {quoted(row.doc)}\n')
        elif not row.is_function:
            module, _, name = row.source.partition(".")
            self.imported(module, name, row.short)
        else:
            self._function(row)

    def _function(self, row):
        short, is_guarded = row.short, self.module not in UNGUARDED
        if row.source == "borrowed":
            borrow = self.imported("_borrowed", "borrow", "_borrow")
            self.lines.append(f'\n\n_{short} = {borrow}("{short}")\n')
            call = f"_{short}({passed(row)})"
        elif row.source == "hosted":
            call = f"{self.imported('_array', 'from_host', '_from_host')}(_np.{short}({passed(row)}))"
            is_guarded = False
        elif row.source == "fallback":
            call = f"{self.imported('_fallback', 'on_copies', '_on_copies')}(_np.{short}, {passed(row)})"
            is_guarded = False
        else:
            module, _, path = row.source.partition(".")
            first, _, rest = path.partition(".")
            if rest:
                # A method of an object that is never replaced.
                owner = self.imported(module, first, first if first.startswith("_") else f"_{first}")
                self.lines.append(f"\n\n_{rest} = {owner}.{rest}\n")
                call = f"_{rest}({passed(row)})"
            else:
                call = f"{self.imported(module, first, f'{module}_{first}')}({passed(row)})"
        if is_guarded:
            self.imports.setdefault("_fallback", set()).update(("elsewhere as _elsewhere", "holds_foreign as _holds_foreign"))
            if any(one.name == "out" for one in row.parameters()):
                self.imports.setdefault("_whole", set()).add("whole as _whole")
        namespace = f', "{NAMESPACES[self.module]}"' if self.module in NAMESPACES else ""
        self.lines.append(definition(row, call, namespace, is_guarded))

    def text(self):
        """The file."""
        body = "".join(self.lines)
        out = HEADER.format(doc=self.doc, file=self.name)
        if "_np." in body or self.same:
            out += "\nimport numpy as _np\n"
        if "_NoValue" in body:
            out += "from numpy import _NoValue\n" if "import numpy" in out else "\nfrom numpy import _NoValue\n"
        out += "\n" if self.imports else ""
        for module in sorted(self.imports):
            out += listed(f"from ..{module} import ", "(", sorted(self.imports[module]), ")")
        out += "\n" + listed("__all__ = ", "[", [f'"{name}"' for name in sorted(self.names)], "]")
        if "\ndef " in body:
            out += f'\n# The module of a function is the public one.\n__name__ = "{self.module}"\n'
        out += body
        if self.same:
            theirs = self.module.replace("weft.numpy", "_np")
            out += "\n\n#: NumPy's own, where the installed NumPy has loaded them.\n"
            out += listed("_SAME = ", "[", [f'"{name}"' for name in sorted(self.same)], "]")
            out += f"_same = {{name: vars({theirs})[name] for name in _SAME if name in vars({theirs})}}\n"
            out += "globals().update(_same)\n__all__ += _same\n"
        return out


def documentation(path):
    """The first line of a table, a comment."""
    return path.read_text().splitlines()[0].removeprefix("#").strip()


def files(rows, folder):
    """The generated files with their texts, by path below `python/weft/numpy`."""
    made, tables = {}, []
    for path in sorted(folder.glob("*.toml")):
        own = [row for row in rows.values() if row.file == path.stem and not row.owner]
        module = own[0].module if own else ""
        if module != "weft.numpy" and module not in NAMESPACES:
            continue
        file = File(module, path.stem, documentation(path))
        for row in sorted(own, key=lambda row: (bool(row.alias), row.name)):
            file.add(row)
        if module in NAMESPACES:
            made[f"{NAMESPACES[module]}/__init__.py"] = file.text()
        else:
            made[f"_declared/{path.stem}.py"] = file.text()
            tables.append(path.stem)
    made["_declared/__init__.py"] = _package(tables)
    made["_declared/methods.py"] = _methods(rows)
    made["_declared/names.py"] = _names(rows)
    return made


def _package(tables):
    out = HEADER.format(doc="The functions of `weft.numpy`, as the tables declare them.", file="*") + "\nfrom . import methods\n"
    out += "".join(f"from .{name} import *\n" for name in tables)
    return out.replace("import *\n", "import *  # noqa: F403\n")


def _methods(rows):
    """Methods of arrays that are functions of the package; others are attached by `_methods`."""
    out = HEADER.format(doc="The methods of arrays that are functions too.", file="array")
    own = [row for row in rows.values() if row.owner == "ndarray" and not row.alias]
    found = [(row.short, row.source) for row in own if row.source.startswith("_") and not row.source.startswith("_methods.")]
    modules = sorted({source.partition(".")[0] for _, source in found})
    out += f"\nfrom .. import {', '.join(modules)}\nfrom .._array import ndarray\nfrom .._whole import with_out as _with_out\n\n"
    out += "".join(f"ndarray.{name} = {source}\n" for name, source in sorted(found))
    out += "\n# If the result has the size of the array, `out` may be the array itself.\n"
    listed_ = ", ".join(f'"{name}"' for name in ("clip", "conj", "conjugate", "cumprod", "cumsum", "round"))
    return out + f"for _name in [{listed_}]:\n    setattr(ndarray, _name, _with_out(getattr(ndarray, _name)))\n"


def _names(rows):
    out = HEADER.format(doc="The implementation of each name of NumPy.", file="*")
    out += "\n#: `weft`, `numpy` where NumPy computes it on copies, `same` for NumPy's own objects.\nSTATUS = {\n"
    for row in sorted(rows.values(), key=lambda row: (row.module.count("."), row.module, row.name)):
        if row.module.startswith("weft.numpy") and row.status != "missing" and not row.short.startswith("_"):
            lead = row.module.removeprefix("weft.numpy").lstrip(".")
            out += f'    "{lead + "." if lead else ""}{row.name}": "{row.status}",\n'
    out += "}\n\n#: The part of a function that has no code for GPUs: `all`, or a noun.\nHOST = {\n"
    for row in sorted(rows.values(), key=lambda row: (row.module.count("."), row.module, row.name)):
        if row.module.startswith("weft.numpy") and not row.owner and "host" in row.keys:
            lead = row.module.removeprefix("weft.numpy").lstrip(".")
            out += f'    "{lead + "." if lead else ""}{row.name}": "{row.keys["host"]}",\n'
    quiet = sorted(row.name for row in rows.values() if row.keys.get("errors") == "none" and not row.alias)
    out += "}\n\n#: Universal functions that report no floating-point errors.\n" + listed("QUIET = ", "{", [f'"{name}"' for name in quiet], "}") + "\n"
    late = ", ".join(f'"{row.name}"' for row in rows.values() if row.type == "late module" and row.source == "same")
    return out + "#: NumPy's own modules that are loaded on first use.\nLATE = {" + late + "}\n"
