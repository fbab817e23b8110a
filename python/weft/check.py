"""Lists which names of a program Weft has NumPy compute, without running it: ``python -m weft.check prog.py``.

The program's text is parsed. Names that are reached through `getattr`, or through variables that hold a module, are not found.
"""

import argparse
import ast
import json
import sys

#: Modules whose names are looked up: NumPy's interface under its various names.
MODULES = ("numpy", "weft.numpy", "cupynumeric", "cunumeric", "cupy")


class _Names(ast.NodeVisitor):
    """The names of NumPy that a program uses, each with its lines."""

    def __init__(self):
        self.modules = {}
        self.functions = {}
        self.used = []

    def visit_Import(self, node):
        for alias in node.names:
            for module in MODULES:
                if alias.name == module or alias.name.startswith(module + "."):
                    rest = alias.name[len(module) + 1 :]
                    if alias.asname:
                        self.modules[alias.asname] = rest
                    elif "." not in module:
                        self.modules[alias.name.split(".")[0]] = ""
        self.generic_visit(node)

    def visit_ImportFrom(self, node):
        for module in MODULES:
            if node.level == 0 and node.module and (node.module == module or node.module.startswith(module + ".")):
                rest = node.module[len(module) + 1 :]
                for alias in node.names:
                    name = f"{rest}.{alias.name}" if rest else alias.name
                    self.functions[alias.asname or alias.name] = name
                    self.used.append((name, alias.lineno, alias.col_offset + 1))
            elif node.level == 0 and node.module == module.rpartition(".")[0] and node.module:
                for alias in node.names:
                    if alias.name == module.rpartition(".")[2]:
                        self.modules[alias.asname or alias.name] = ""
        self.generic_visit(node)

    def visit_Attribute(self, node):
        parts = []
        at = node
        while isinstance(at, ast.Attribute):
            parts.append(at.attr)
            at = at.value
        if isinstance(at, ast.Name):
            parts.reverse()
            if at.id in self.modules:
                lead = self.modules[at.id].split(".") if self.modules[at.id] else []
                self.used.append((".".join([*lead, *parts]), node.lineno, node.col_offset + 1))
                return
            if at.id in self.functions:
                self.used.append((".".join([self.functions[at.id], *parts]), node.lineno, node.col_offset + 1))
                return
        self.generic_visit(node)


#: NumPy's own modules and classes that compute on arrays.
_COMPUTING = {"busday_count", "busday_offset", "char", "is_busday", "ma", "matrix", "matrixlib", "nditer", "poly1d", "rec", "recarray", "strings"}


def status(name):
    """The support for a name: `weft`, `numpy` (by a fallback), `same` (NumPy's own object) or `missing`."""
    import numpy
    import weft.numpy

    known = weft.numpy.status.get(name)
    if known in (None, "same") and name.split(".")[0] in _COMPUTING:
        return "numpy"
    if known:
        return known
    own, theirs = weft.numpy, numpy
    for part in name.split("."):
        theirs = getattr(theirs, part, None)
        own = getattr(own, part, None)
    if own is None:
        return "numpy" if theirs is not None else "missing"
    return "same" if own is theirs else "weft"


def host(name):
    """The part of a function that runs on the host in runs with GPUs: `all`, a noun, or older versions; `None` if it has code for GPUs."""
    from weft.numpy._declared import names

    return names.HOST.get(name)


def check(text, filename="<string>"):
    """The names that a program uses, in the order of its lines: name, status, what of it runs on the host, line and column."""
    names = _Names()
    names.visit(ast.parse(text, filename))
    found = {}
    for name, line, column in names.used:
        found.setdefault((line, column), (name, line, column))
        if len(name) > len(found[line, column][0]):
            found[line, column] = (name, line, column)
    return [
        {"name": name, "status": status(name), "host": host(name), "line": line, "column": column}
        for name, line, column in sorted(found.values(), key=lambda use: use[1:])
    ]


def _reason(error):
    """The problems of a program, with their remedies."""
    if isinstance(error, IsADirectoryError):
        return "it is a folder; give the files in it"
    if isinstance(error, OSError):
        return f"{error.strerror}; check the path and its permissions"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8; give the text of a Python program"
    place = f" in line {error.lineno}" if error.lineno else ""
    return f"{error.msg}{place}; Python cannot run it either"


def main(arguments=None):
    """The command. Its status is 1 if NumPy, or with ``--gpu`` the host, computes something, and 2 if a program cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m weft.check", description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--all", action="store_true", help="all names of NumPy that are used, not only those that NumPy computes")
    parser.add_argument("--gpu", action="store_true", help="also the names that have no code for GPUs")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args(arguments)
    rows, result = [], 0
    for program in options.programs:
        try:
            with open(program, encoding="utf-8") as file:
                uses = check(file.read(), program)
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            print(f"weft.check: cannot read {program}: {_reason(error)}", file=sys.stderr)
            result = 2
            continue
        left = [use for use in uses if use["status"] in ("numpy", "missing") or (options.gpu and use["host"])]
        rows += [{"file": program, **use} for use in (uses if options.all else left)]
    if options.format == "json":
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            what = {"numpy": "computed by NumPy", "missing": "in neither", "weft": "Weft's", "same": "NumPy's own"}[row["status"]]
            if options.gpu and row["host"]:
                what += ", on the host in runs with GPUs" + ("" if row["host"] == "all" else f": {row['host']}")
            print(f"{row['file']}:{row['line']}:{row['column']}: {row['name']}: {what}")
        if not rows and not result:
            print(f"Weft has every name of NumPy that is used{', with code for GPUs' if options.gpu else ''}.")
    return result or int(any(row["status"] in ("numpy", "missing") or (options.gpu and row["host"]) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
