"""Floating-point errors, if the program requests them by `errstate` or `seterr`.

Kernels report none, and results are not checked by default. Within `errstate(divide="raise")` and the like, each universal function
and operator that the program calls is waited for, and errors are determined from its inputs and results.
"""

import contextvars as _contextvars
import functools as _functools
import os as _os
import sys as _sys
import threading as _threading

import numpy as _np

from .. import _core
from . import _caller
from ._array import make, ndarray

_HERE = _os.path.dirname(__file__)
_TEXTS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}
_FLAGS = {"divide": 1, "over": 2, "under": 4, "invalid": 8}

_QUOTIENTS = {"divide", "floor_divide", "remainder", "fmod", "divmod"}
#: Conditions on the inputs at which functions are infinite.
_POLES = {
    **dict.fromkeys(_QUOTIENTS, lambda x, y: y == 0),
    **dict.fromkeys(("power", "float_power"), lambda x, y: x == 0),
    **dict.fromkeys(("log", "log2", "log10", "reciprocal"), lambda x: x == 0),
    "log1p": lambda x: x == -1,
    "arctanh": lambda x: abs(x) == 1,
}
#: Functions whose results may be too small for numbers with all digits.
_SHRINKING = {"divide", "exp", "exp2", "float_power", "ldexp", "multiply", "power", "reciprocal", "square"}


class _Watch:
    """The number of parts of the program that request errors."""

    def __init__(self):
        self._lock = _threading.Lock()
        self._states = 0
        self.is_set = False
        self.is_on = False

    def count(self, step):
        with self._lock:
            self._states += step
            self._show()

    def set(self, is_set):
        with self._lock:
            self.is_set = is_set
            self._show()

    def _show(self):
        self.is_on = self.is_set or self._states > 0
        _core.set_checked(self.is_on)


watch = _Watch()
#: Whether this thread, or coroutine, is within an `errstate` that requests errors.
_asks = _contextvars.ContextVar("asks", default=False)


class errstate(_np.errstate):
    __doc__ = _np.errstate.__doc__

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._given = kwargs
        self._asks = any(mode not in (None, "ignore") for name, mode in kwargs.items() if name != "call")

    def __enter__(self):
        made = super().__enter__()
        if self._asks:
            self._before = _asks.set(True)
            watch.count(1)
        return made

    def __exit__(self, *error):
        if self._asks:
            _asks.reset(self._before)
            watch.count(-1)
        return super().__exit__(*error)

    def __call__(self, function):
        @_functools.wraps(function)
        def inner(*args, **kwargs):
            with type(self)(**self._given):
                return function(*args, **kwargs)

        return inner


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets the handling of floating-point errors. Warnings, NumPy's default, are issued within `errstate` only."""
    before = _np.seterr(all, divide, over, under, invalid)
    watch.set(any(mode not in ("ignore", "warn") for mode in _np.geterr().values()))
    return before


def is_asked():
    """Whether a call by the program itself is to be checked: the caller of the universal function is one frame above."""
    if not (watch.is_set or _asks.get()):
        return False
    code = _sys._getframe(2).f_code
    own = code.co_filename.startswith(_HERE)
    return not own or (code.co_name.startswith("__") and code.co_filename.endswith("_methods.py"))


@_functools.cache
def _quiet():
    """The functions that report nothing. Their module is complete only after this one."""
    from ._declared.names import QUIET

    return QUIET


def check(name, inputs, results, where, shown=None):
    """Reports the errors of a call of a universal function in the way that the program requests."""
    if name in _quiet() or 0 in results[0].shape:
        return
    modes = {kind: mode for kind, mode in _np.geterr().items() if mode != "ignore"}
    if not modes:
        return
    found = _found(name, [make(one) for one in inputs], results, "under" in modes)
    found = {kind: flags for kind, flags in found.items() if kind in modes}
    if where is not True:
        found = {kind: flags & make(where) for kind, flags in found.items()}
    for kind in ("divide", "over", "under", "invalid"):
        if kind in found and bool(found[kind].any()):
            _report(kind, modes[kind], f"{_TEXTS[kind]} encountered in {shown or name}")


def check_steps(of, lines):
    """Reports the errors of successive quotients."""
    if of.__name__ in _QUOTIENTS:
        made = lines[0]
        for at in range(1, lines.shape[0]):
            before, made = made, of(made, lines[at])
            check(of.__name__, (before, lines[at]), (made,), True, "reduce")


def _found(name, inputs, results, small):
    """The places of errors, by kind."""
    results = [make(one) for one in results]
    if not all(isinstance(one, ndarray) for one in (*inputs, *results)):
        return {}
    dtype = results[0].dtype
    if dtype.kind in "iu" and name in _QUOTIENTS:
        x, y = inputs
        found = {"divide": y == 0}
        if dtype.kind == "i" and name in ("floor_divide", "divmod"):
            found["over"] = (x == int(_np.iinfo(dtype).min)) & (y == -1)
        return found
    if dtype.kind not in "fc":
        return {}
    missing, finite = None, None
    for one in inputs:
        nan, plain = _core.apply("isnan", (one,)), _core.apply("isfinite", (one,))
        missing, finite = (nan, plain) if missing is None else (missing | nan, finite & plain)
    invalid = infinite = None
    for one in results:
        nan, inf = ~missing & _core.apply("isnan", (one,)), finite & _core.apply("isinf", (one,))
        invalid, infinite = (nan, inf) if invalid is None else (invalid | nan, infinite | inf)
    found = {"invalid": invalid, "over": infinite}
    if name in _POLES:
        pole = _POLES[name](*inputs)
        found |= {"divide": infinite & pole, "over": infinite & ~pole}
    if small and name in _SHRINKING and dtype.kind == "f":
        found["under"] = finite & _too_small(name, inputs, results[0])
    return found


def _too_small(name, inputs, made):
    size = abs(made)
    if name in ("exp", "exp2", "power", "float_power", "ldexp"):
        tiny = size < float(_np.finfo(made.dtype).tiny)
        return tiny if name.startswith("exp") else tiny & (inputs[0] != 0)
    lost = made == 0
    for one in inputs[:1] if name == "divide" else inputs:
        lost = lost & (one != 0)
    # Subnormal results are not errors if they are exact, which a dtype with more digits shows, or
    # the inverse.
    first, last = inputs[0], inputs[-1]
    if made.dtype.itemsize < 8:
        first, last = (_core.cast(one, _np.dtype("f8")) for one in (first, last))
        exact = (first * last if name in ("multiply", "square") else (1.0 if name == "reciprocal" else first) / last) == made
    elif name in ("multiply", "square"):
        exact = made / last == first
    else:
        exact = made * last == (1.0 if name == "reciprocal" else first)
    return lost | ((size < float(_np.finfo(made.dtype).tiny)) & (made != 0) & ~exact)


def _report(kind, mode, text):
    if mode == "raise":
        raise FloatingPointError(text)
    if mode == "warn":
        _caller.warn(text, RuntimeWarning)
    elif mode == "print":
        print(f"Warning: {text}")
    elif mode == "call":
        call = _np.geterrcall()
        if call is None:
            raise NameError(f"python callback specified for {_TEXTS[kind]} (in {text.rsplit(' ', 1)[1]}) but no function found.")
        call(_TEXTS[kind], _FLAGS[kind])
    else:
        log = _np.geterrcall()
        if log is None:
            raise NameError(f"log specified for {_TEXTS[kind]} (in {text.rsplit(' ', 1)[1]}) but no object with write method found.")
        log.write(f"Warning: {text}\n")
