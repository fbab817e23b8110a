"""Loads modules that import NumPy with Weft's in its place, for tests and kernels that were written for NumPy.

As a pytest plugin (SUITE_MODULE=weft.numpy) it does so for the test modules of NumPy's wheel. What checks (`numpy.testing`) is NumPy's,
on copies of arrays; what names errors (`numpy.exceptions`) and what is private stays NumPy's.
"""

import ast
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import types

import numpy

_SWAPPED = {"numpy", "numpy.fft", "numpy.linalg", "numpy.random"}
_TESTS = re.compile(r"(numpy(\.\w+)*\.tests\.)?test_\w+")
_PLACE = re.compile(r"/numpy/(\w+/)*tests/")


def _name(names, alias):
    return ast.Import(names=[ast.alias(name=names, asname=alias)])


class _Rewrite(ast.NodeTransformer):
    def __init__(self, module):
        self.module = module

    def _theirs(self, name):
        return self.module + name.removeprefix("numpy")

    def visit_Import(self, node):
        made = []
        for alias in node.names:
            if alias.name in _SWAPPED and (alias.asname or alias.name == "numpy"):
                made.append(_name(self._theirs(alias.name), alias.asname or "numpy"))
            else:
                made.append(ast.Import(names=[alias]))
        return [ast.copy_location(one, node) for one in made]

    def visit_ImportFrom(self, node):
        if node.module == "numpy.testing":
            node.module = _testing(self.module)
        if node.level or node.module not in _SWAPPED:
            return node
        own = importlib.import_module(self._theirs(node.module))
        has = [alias for alias in node.names if alias.name == "*" or hasattr(own, alias.name)]
        rest = [alias for alias in node.names if alias not in has]
        made = []
        if has:
            made.append(ast.ImportFrom(module=self._theirs(node.module), names=has, level=0))
        if rest:
            made.append(ast.ImportFrom(module=node.module, names=rest, level=0))
        return [ast.copy_location(one, node) for one in made]


def _testing(module):
    """The name of a module that has what `numpy.testing` has, on copies of the module's arrays."""
    name = f"testing_{module.replace('.', '_')}"
    if name not in sys.modules:
        own = importlib.import_module(module)

        def host(value):
            if isinstance(value, own.ndarray):
                return numpy.asarray(value)
            if type(value) in (list, tuple):
                return type(value)(map(host, value))
            return {key: host(one) for key, one in value.items()} if type(value) is dict else value

        def checked(check):
            @functools.wraps(check)
            def checked(*args, **kwargs):
                return check(*map(host, args), **{key: host(one) for key, one in kwargs.items()})

            return checked

        made = types.ModuleType(name)
        for key, value in vars(numpy.testing).items():
            is_check = key.startswith("assert_") and isinstance(value, types.FunctionType)
            setattr(made, key, checked(value) if is_check else value)
        sys.modules[name] = made
    return name


def compiled(path, module):
    """The code of a file, with `module` in place of NumPy."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    tree = ast.fix_missing_locations(_Rewrite(module).visit(tree))
    return compile(tree, path, "exec", dont_inherit=True)


def load(name, path, module):
    """The module of a file, with `module` in place of NumPy."""
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    exec(compiled(path, module), made.__dict__)
    return made


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        return compiled(self.path, os.environ["SUITE_MODULE"])


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if not _TESTS.fullmatch(fullname):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not _PLACE.search(spec.origin or ""):
            return None
        return importlib.util.spec_from_file_location(fullname, spec.origin, loader=_Loader(fullname, spec.origin))


def pytest_sessionstart(session):
    """Comes before pytest's own finder, which rewrites assertions and is not needed here."""
    sys.meta_path.insert(0, _Finder())
