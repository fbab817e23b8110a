"""Numbers: the results of NumPy's functions without axes.

A number with a known value is an object of a class derived from NumPy's scalar of its dtype. One that is computed later is a `number`. It
waits when its value is read, and takes missing attributes from NumPy's scalar.
"""

import functools as _functools
import json as _json
import math as _mathematics

import numpy as _np

from .. import _core
from . import _math, _protocols, _shape
from ._array import from_host, is_held, make, number


def known(value):
    """Waits for the value of a number and returns NumPy's scalar."""
    return _core.known_number(value) if isinstance(value, number) else value


def _attach(name, of):
    setattr(number, name, of)


def _getattr(self, name):
    # Attributes that are looked up on every object, and are missing, must not wait for the value.
    if name.startswith("__") or not hasattr(self.dtype.type, name):
        raise AttributeError(f"'{self.dtype.type.__module__}.{self.dtype.type.__name__}' object has no attribute '{name}'")
    return getattr(known(self), name)


def _scalars(name):
    """A method of the scalar."""

    def method(self, *args, **kwargs):
        return getattr(known(self), name)(*map(known, args), **kwargs)

    method.__name__ = name
    return method


def _getitem(self, key):
    return self if isinstance(key, tuple) and not key else _core.as_array(self)[key]


def _hash(self):
    value = known(self)
    # Values that are not equal to themselves hash as objects; this number's scalar is a new one
    # each time.
    return hash(value) if value == value else object.__hash__(self)


def _reshape(self, *shape, order="C", copy=None):
    shape = shape[0] if len(shape) == 1 else shape
    return self if shape == () else _shape.reshape(_core.as_array(self), shape, order, copy=copy)


def _unchanged(self, *_):
    return self


def _part(part_of):
    def get(self):
        made = _core.as_result(part_of(self)) if self.dtype.kind == "c" else None
        if made is not None:
            return made
        return self if part_of is _math.real_of else self.dtype.type(0)

    return property(get)



_attach("__getattr__", _getattr)
_attach("__iter__", None)
_attach("__getitem__", _getitem)
for _name in ("__copy__", "__deepcopy__"):
    _attach(_name, _unchanged)
_attach("copy", lambda self, order="C": self)
_attach("real", _part(_math.real_of))
_attach("imag", _part(_math.imag_of))
_attach("conj", lambda self: known(self).conj() if self.dtype.kind == "c" else self)
_attach("conjugate", lambda self: known(self).conj() if self.dtype.kind == "c" else self)
_attach("reshape", _reshape)
_attach("T", property(_unchanged))
_attach("__hash__", _hash)
_attach("__repr__", lambda self: repr(known(self)))
_attach("__str__", lambda self: str(known(self)))
_attach("__format__", lambda self, spec: format(known(self), spec))
_attach("__round__", lambda self, *ndigits: round(known(self), *ndigits))
_attach("__reduce__", lambda self: known(self).__reduce__())
_attach("__reduce_ex__", lambda self, protocol: known(self).__reduce__())
for _function in (_mathematics.floor, _mathematics.ceil, _mathematics.trunc):
    # Python calls the scalar's method, or takes its value as a float.
    _attach(f"__{_function.__name__}__", lambda self, _function=_function: _function(known(self)))
_attach("__dir__", lambda self: dir(self.dtype.type))
_attach("__array_wrap__", lambda self, array, context=None, return_scalar=False: make(array))
_attach("item", _scalars("item"))
_attach("tolist", _scalars("item"))
for _name in ("tobytes", "dumps", "dump", "tofile", "byteswap", "view", "put", "resize", "__getnewargs__"):
    _attach(_name, _scalars(_name))
for _name in ("__matmul__", "__rmatmul__"):
    # Numbers have no matrix product. With an array as the other operand, the array raises the
    # error.
    _attach(_name, lambda self, other: NotImplemented)
_attach("__array_priority__", _np.float64(0).__array_priority__)


def _new(cls, value=0.0):
    """A number with a known value."""
    return _core.as_result(make((_np.float64 if cls is number else cls.dtype.type)(value)))


number.__new__ = staticmethod(_new)
for _dtype, _class in _core.number_classes():
    # NumPy finds the dtype of the class here.
    _class.dtype = _dtype
    _class.__new__ = staticmethod(_new)
    _class.__doc__ = _dtype.type.__doc__


def _missing(self):
    raise AttributeError


def hide_array_methods():
    """Hides the methods of arrays that NumPy's scalars do not have, when all are attached."""
    for name in dir(_core.Deferred):
        if not name.startswith("_") and not hasattr(_np.generic, name):
            _attach(name, property(_missing))


def _own(made):
    """The result of a NumPy scalar, as an array or a number of Weft."""
    if type(made) is _np.ndarray:
        return from_host(made)
    return _core.as_result(make(made)) if isinstance(made, _np.generic) and is_held(made.dtype) else made


def _given(method):
    """A method of NumPy's scalars that returns Weft's objects."""

    @_functools.wraps(method)
    def given(self, *args, **kwargs):
        return _own(method(self, *map(known, args), **kwargs))

    return given


def _given_part(name, of):
    return property(lambda self: _own(of.__get__(self)), doc=f"The {name} part.")


for _class in _core.known_classes():
    for _name in ("__getitem__", *dir(_np.generic)):
        _of = getattr(_class, _name)
        if callable(_of) and (_name == "__getitem__" or not _name.startswith("_")):
            setattr(_class, _name, _given(_of))
    for _name in ("real", "imag"):
        setattr(_class, _name, _given_part(_name, getattr(_class, _name)))
    # With `__getitem__` Python would iterate over it as over a sequence.
    _class.__iter__ = None
    _class.__array_namespace__ = _protocols.__array_namespace__


# JSON.

_WRITTEN = frozenset((*(of for _, of in _core.number_classes()), *_core.known_classes()))


def _default(plain):
    @_functools.wraps(plain)
    def default(self, o):
        return o.item() if type(o) in _WRITTEN and o.dtype.kind != "c" else plain(self, o)

    return default


def _made_iterencode(plain):
    """Python's encoder in Python, which is used with an indent, writes floats by a method of `float`."""

    @_functools.wraps(plain)
    def make_iterencode(markers, default, encoder, indent, floatstr, *args, **kwargs):
        return plain(markers, default, encoder, indent, lambda o: floatstr(float(o) if isinstance(o, number) else o), *args, **kwargs)

    return make_iterencode


_json.JSONEncoder.default = _default(_json.JSONEncoder.default)
if hasattr(_json.encoder, "_make_iterencode"):
    _json.encoder._make_iterencode = _made_iterencode(_json.encoder._make_iterencode)
