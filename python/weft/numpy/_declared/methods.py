"""The methods of arrays that are functions too."""
# Made by python/declare.py from python/declared/array.toml.

from .. import _join, _math, _products, _protocols, _reduce, _shape, _sort, _write
from .._array import ndarray
from .._whole import with_out as _with_out

ndarray.__array__ = _protocols.__array__
ndarray.__array_function__ = _protocols.__array_function__
ndarray.__array_namespace__ = _protocols.__array_namespace__
ndarray.__array_wrap__ = _protocols.__array_wrap__
ndarray.__dlpack__ = _protocols.__dlpack__
ndarray.__dlpack_device__ = _protocols.__dlpack_device__
ndarray.__iter__ = _protocols.__iter__
ndarray.__reversed__ = _protocols.__reversed__
ndarray.all = _reduce.all
ndarray.any = _reduce.any
ndarray.argmax = _reduce.argmax
ndarray.argmin = _reduce.argmin
ndarray.argpartition = _sort.argpartition
ndarray.argsort = _sort.argsort
ndarray.cumprod = _reduce.cumprod
ndarray.cumsum = _reduce.cumsum
ndarray.diagonal = _shape.diagonal
ndarray.dot = _products.dot
ndarray.max = _reduce.max
ndarray.mean = _reduce.mean
ndarray.min = _reduce.min
ndarray.nonzero = _math.nonzero
ndarray.prod = _reduce.prod
ndarray.ptp = _reduce.ptp
ndarray.put = _write.put
ndarray.repeat = _join.repeat
ndarray.round = _math.round
ndarray.searchsorted = _sort.searchsorted
ndarray.squeeze = _shape.squeeze
ndarray.std = _reduce.std
ndarray.sum = _reduce.sum
ndarray.swapaxes = _shape.swapaxes
ndarray.take = _shape.take
ndarray.to_numpy = _protocols.to_numpy
ndarray.trace = _products.trace
ndarray.var = _reduce.var

# If the result has the size of the array, `out` may be the array itself.
for _name in ["clip", "conj", "conjugate", "cumprod", "cumsum", "round"]:
    setattr(ndarray, _name, _with_out(getattr(ndarray, _name)))
