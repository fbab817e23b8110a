"""Protocols of other libraries: sharing memory, and their functions on Weft's arrays."""

import sys as _sys

import numpy as _np

from .. import _core
from . import _array, _fallback
from ._array import from_host, ndarray, to_host
from ._methods import array_method, attribute, method


def _elements(array):
    """The elements of a vector as NumPy's numbers, each read on access."""
    try:
        return iter(_np.asarray(memoryview(array)))
    except BufferError:
        return (to_host(array[at])[()] for at in range(array.size))


@array_method
def __iter__(self):
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return _elements(self) if self.ndim == 1 else (self[at] for at in range(self.shape[0]))


@array_method
def __reversed__(self):
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return iter(self[::-1])


@attribute
def data(self):
    """The memory of the elements, or a copy if it is not shared."""
    return _array.shared(self).data


@method
def to_numpy(self):
    """A NumPy array in the memory of this one, as labelled arrays of other libraries provide it; a copy if the memory is not shared."""
    return _array.shared(self)


@method
def __array__(self, dtype=None, copy=None):
    _core.raise_interrupted()
    if copy is False:
        try:
            made = _array.shared(self, copy)
        except BufferError as error:
            raise ValueError(f"Unable to avoid copy while creating an array as requested: {error}.") from None
        if dtype is not None and made.dtype != dtype:
            raise ValueError(f"Unable to avoid copy while creating an array of {_np.dtype(dtype)} from one of {made.dtype}.")
        return made
    made = to_host(self)
    # A caller that does not request a copy would write to this one, and expect the change in the
    # array.
    made.flags.writeable = bool(copy) or self._part_of is None
    return made if dtype is None or made.dtype == dtype else made.astype(dtype)


@method
def __array_wrap__(self, array, context=None, return_scalar=False):
    return _array.make(array)


@method
def __array_namespace__(self, *, api_version=None):
    import weft.numpy

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return weft.numpy


def array_ufunc(array, ufunc, method, inputs, kwargs):
    """The implementation of NumPy's universal functions for arrays of Weft, for any form of call."""
    import weft.numpy

    kwargs = kwargs or {}
    name = ufunc.__name__
    own = getattr(weft.numpy, name, None)
    if "out" in kwargs and not isinstance(kwargs["out"], tuple):
        # NumPy always passes a tuple, Numba passes the argument unchanged.
        kwargs["out"] = (kwargs["out"],)
    # Another library may give its function the name of one of NumPy's.
    is_numpys = getattr(_np, name, None) is ufunc or getattr(_np._core.umath, name, None) is ufunc
    # Labelled arrays, such as those of pandas, handle NumPy's arrays and not Weft's.
    if not is_numpys or any(_array.knows_ufuncs(one) for one in (*inputs, *kwargs.get("out", ()))):
        return _guest(getattr(ufunc, method), inputs, kwargs)
    if "out" in kwargs and len(kwargs["out"]) == 1:
        kwargs["out"] = kwargs["out"][0]
    if own is None or getattr(own, "__weft_fallback__", False):
        return _fallback.call(name, getattr(ufunc, method), inputs, kwargs)
    return own(*inputs, **kwargs) if method == "__call__" else getattr(own, method)(*inputs, **kwargs)


def _guest(function, inputs, kwargs):
    """Calls a universal function of another library on the arrays' own memory."""
    copies = []

    def lend(value):
        if not isinstance(value, ndarray):
            return value
        host = _array.shared(value)
        if not _np.may_share_memory(host, value):
            copies.append((value, host, host.copy()))
        return host

    outs = kwargs.pop("out", ())
    hosts = tuple(lend(out) for out in outs)
    kwargs = {name: lend(value) for name, value in kwargs.items()}
    result = function(*(lend(value) for value in inputs), **kwargs, **({"out": hosts} if outs else {}))
    for array, host, before in copies:
        if host.tobytes() != before.tobytes():
            _core.assign(array, from_host(host))

    def given_back(made):
        for host, out in zip(hosts, outs):
            if made is host and host is not None:
                return out
        return _fallback.back(made)

    return tuple(given_back(made) for made in result) if isinstance(result, tuple) else given_back(result)


@method
def __array_function__(self, function, types, args, kwargs):
    import weft.numpy

    if not all(issubclass(one, (ndarray, _np.ndarray)) for one in types):
        return NotImplemented
    own = weft.numpy
    for part in function.__module__.split(".")[1:]:
        own = getattr(own, part, own)
    own = getattr(own, function.__name__, None)
    if own is None or own is function:
        return _fallback.call(function.__name__, function._implementation, args, kwargs)
    return own(*args, **kwargs)


@method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if stream is not None:
        raise BufferError("arrays of Weft lie in main memory, which has no streams")
    if dl_device not in (None, (1, 0)):
        raise BufferError("arrays of Weft lie in main memory: dl_device=(1, 0)")
    if not copy and self.size and any(step < 0 for step in self.strides):
        # PyTorch crashes for negative strides.
        if copy is False:
            raise BufferError("memory in which elements lie backwards is not shared by DLPack")
        copy = True
    host = to_host(self) if copy else _array.shared(self, copy)
    return host.__dlpack__(max_version=max_version) if max_version is not None else host.__dlpack__()


@method
def __dlpack_device__(self):
    return (1, 0)


def _overlaps(host):
    """Whether elements of an array may share memory: writing them in parallel would be a race."""
    reach = 0
    for step, length in sorted((abs(step), length) for step, length in zip(host.strides, host.shape) if length > 1):
        if step <= reach:
            return True
        reach += step * (length - 1)
    return False


def _is_writeable(x, host):
    """Whether the memory of an array received by DLPack may be written."""
    torch = _sys.modules.get("torch")
    # DLPack before version 1 has no flag for read-only memory, and NumPy treats memory as
    # read-only. Tensors can be written.
    is_tensor = torch is not None and isinstance(x, torch.Tensor)
    return (host.flags.writeable or is_tensor) and not _overlaps(host)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array in the memory of another library's array; a copy if `copy` is true, or if the memory cannot be shared."""
    _array.check_device(device)
    if isinstance(x, ndarray):
        return _core.copy(x) if copy else x
    try:
        host = _np.from_dlpack(x)
    except RuntimeError as error:
        if not str(error).startswith("Unsupported"):
            raise
        what = f"{getattr(x, 'dtype', 'this type')} on {getattr(x, 'device', 'this device')}"
        raise BufferError(f"arrays of Weft cannot take elements of {what} by DLPack: {error}") from None
    return _array.borrowed(host, copy, is_writeable=_is_writeable(x, host))
