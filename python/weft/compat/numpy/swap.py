"""Imports of NumPy by the user's own files give `weft.numpy`; those by installed packages and the standard library give NumPy."""

import builtins
import importlib
import os
import site
import sys
import sysconfig

_original = builtins.__import__
_original_import_module = importlib.import_module


def _folders():
    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple(os.path.join(os.path.abspath(path), "") for path in paths if path)


_INSTALLED = _folders()
_own = {}


def _is_own(names):
    """Whether the module with these globals is the user's: a script, a notebook's cell, or a module that is not installed."""
    if names is None:
        return False
    file = names.get("__file__")
    if file is None:
        # The prompt, `python -c` and notebooks have no file; neither have frozen modules and those written in C.
        return names.get("__name__") == "__main__"
    known = _own.get(file)
    if known is None:
        whole = os.path.abspath(file)
        parts = whole.split(os.sep)
        is_installed = whole.startswith(_INSTALLED) or "site-packages" in parts or "dist-packages" in parts
        known = _own[file] = not is_installed and not _is_weft(names)
    return known


def _is_weft(names):
    package = (names.get("__package__") or names.get("__name__") or "").split(".")[0]
    return package in ("weft", "weft_compat_numpy_swap", "sitecustomize")


def _counterpart(name):
    """Weft's counterpart of this module of NumPy; NumPy's module if there is none."""
    import weft.numpy

    found = weft.numpy
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
        if found is None:
            return sys.modules[name]
    return found


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    made = _original(name, globals, locals, fromlist, level)
    is_numpy = level == 0 and (name == "numpy" or name.startswith("numpy."))
    if not is_numpy or not _is_own(globals):
        return made
    # `import numpy.linalg` names the whole package, `from numpy.linalg import norm` the module.
    return _counterpart(name if fromlist else "numpy")


def _import_module(name, package=None):
    made = _original_import_module(name, package)
    if (name == "numpy" or name.startswith("numpy.")) and _is_own(sys._getframe(1).f_globals):
        return _counterpart(name)
    return made


def install():
    """Changes what `import` gives from here on."""
    builtins.__import__ = _import
    importlib.import_module = _import_module
