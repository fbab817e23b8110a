"""Polynomials: NumPy's package ``numpy.polynomial``, which is written in Python, with Weft's arrays in the place of NumPy's."""

import ast as _ast
import importlib.util as _util
import os as _os
import sys as _sys
import types as _types

__path__ = []

_HERE = _os.path.join(_os.path.dirname(__file__), "polynomial", "")


class _Swap(_ast.NodeTransformer):
    """``import numpy as np`` as ``import weft.numpy as np``, modules of it too."""

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name in ("numpy", "numpy.linalg"):
                alias.name = "weft." + alias.name
        return node


def _load(name):
    spec = _util.find_spec("numpy.polynomial." + name)
    tree = _Swap().visit(_ast.parse(spec.loader.get_source(spec.name)))
    module = _types.ModuleType(f"{__name__}.{name}")
    module.__package__ = __name__
    # The file's name is in this package, so that its lines do not count as places of the user's
    # program.
    module.__file__ = _HERE + name + ".py"
    _sys.modules[module.__name__] = module
    exec(compile(tree, module.__file__, "exec"), vars(module))
    globals()[name] = module
    return module


for _name in ("polyutils", "_polybase", "polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e"):
    _load(_name)

Polynomial = _sys.modules[__name__ + ".polynomial"].Polynomial
Chebyshev = _sys.modules[__name__ + ".chebyshev"].Chebyshev
Legendre = _sys.modules[__name__ + ".legendre"].Legendre
Laguerre = _sys.modules[__name__ + ".laguerre"].Laguerre
Hermite = _sys.modules[__name__ + ".hermite"].Hermite
HermiteE = _sys.modules[__name__ + ".hermite_e"].HermiteE

__all__ = [
    "set_default_printstyle", "polynomial", "Polynomial", "chebyshev", "Chebyshev", "legendre", "Legendre", "hermite",
    "Hermite", "hermite_e", "HermiteE", "laguerre", "Laguerre",
]  # fmt: skip


def set_default_printstyle(style):
    """The style of printed polynomials: ``ascii`` or ``unicode``."""
    if style not in ("unicode", "ascii"):
        raise ValueError(f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'")
    _sys.modules[__name__ + "._polybase"].ABCPolyBase._use_unicode = style == "unicode"
