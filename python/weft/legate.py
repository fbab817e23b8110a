"""Legate's names for tasks: ``import weft.legate as lg`` in place of ``import legate.core as lg``.

With ``weft run --compat cupynumeric`` programs keep their own imports, of `legate.core` and `legate.core.task`. Unsupported features raise an
error when they are used.
"""

import enum as _enum
import functools as _functools
import warnings as _warnings
from importlib.util import find_spec as _find_spec

import numpy as _np

from . import _bodies as _variants
from . import _constraints, tasks as _tasks
from . import annotate as _annotate
from .tasks import ADD, MAX, MIN, MUL, TaskContext, align, broadcast, scale

__all__ = [
    "ADD",
    "ImageComputationHint",
    "InputArray",
    "InputStore",
    "MAX",
    "MIN",
    "MUL",
    "OutputArray",
    "OutputStore",
    "ReductionArray",
    "ReductionStore",
    "Scope",
    "TaskContext",
    "VariantCode",
    "VariantOptions",
    "align",
    "bloat",
    "bool_",
    "broadcast",
    "complex128",
    "complex64",
    "create_array",
    "create_store",
    "float16",
    "float32",
    "float64",
    "image",
    "int16",
    "int32",
    "int64",
    "int8",
    "scale",
    "task",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]

bool_ = _np.dtype("bool")
int8, int16, int32, int64 = map(_np.dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(_np.dtype, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(_np.dtype, ("float16", "float32", "float64"))
complex64, complex128 = map(_np.dtype, ("complex64", "complex128"))

InputStore = InputArray = _tasks.In
OutputStore = OutputArray = _tasks.Out
ReductionStore = ReductionArray = _tasks.Reduce


class VariantCode(_enum.IntEnum):
    """Kinds of processors for a body, as in `weft.task`."""

    NONE = 0
    CPU = 1
    GPU = 2
    OMP = 3


class ImageComputationHint(_enum.IntEnum):
    """The precision of an image. Without a hint, a tile's part contains the named indices, and the elements between them are undefined. With
    the other hints it contains all elements from the lowest to the highest named index."""

    NO_HINT = 0
    MIN_MAX = 1
    FIRST_LAST = 2


class VariantOptions:
    """Legate's options of a body. Weft needs none of them: every body may raise exceptions, allocate, and have effects."""

    def __init__(self, may_throw_exception=False, concurrent=False, has_allocations=False, communicators=None, elide_device_ctx_sync=False, has_side_effect=False):
        if concurrent or communicators:
            raise NotImplementedError("concurrent tasks and communicators are not supported under the names of Legate; weft.task has concurrent=True, with a weft.tasks.Communicator")
        self.may_throw_exception, self.has_allocations, self.has_side_effect = may_throw_exception, has_allocations, has_side_effect
        self.concurrent, self.communicators, self.elide_device_ctx_sync = False, (), elide_device_ctx_sync


def bloat(var_source, var_bloat, low_offsets, high_offsets):
    """A tile of `var_bloat` also gets neighbours below and above its part of `var_source`: `weft.tasks.halo`."""
    return _constraints.halo(var_bloat, low_offsets, high_offsets)


def image(var_function, var_range, hint=ImageComputationHint.NO_HINT, names="ranges"):
    """A tile gets the elements of `var_range` that its part of `var_function` names. Legate's dtypes tell ranges from points; here `names` does: "ranges", "offsets" or
    "coordinates"."""
    return _constraints.image(var_function, var_range, names, exact=hint == ImageComputationHint.NO_HINT)


def _kinds(variants):
    """The kinds of processors for a body. If neither CuPy nor torch is installed, a body for GPUs can only use NumPy, and runs on CPUs."""
    has_library = any(_find_spec(name) is not None for name in ("cupy", "torch"))
    kinds = _variants.kinds(variants) or {"cpu"}
    return kinds if has_library else kinds - {"gpu"} or {"cpu"}


def task(func=None, *, variants=(VariantCode.CPU,), constraints=None, options=None, throws_exception=False, has_side_effect=False, register=True):
    """Makes a task of a function, as `weft.task` does. If neither CuPy nor torch is installed, a body for GPUs runs on CPUs."""
    if isinstance(options, dict):
        options = VariantOptions(**options)
    # The function's own frame is the caller's: annotations may be texts.
    names = _tasks._sys._getframe(1).f_locals
    made = _functools.partial(
        _tasks._defined, given=(), names=names, constraints=constraints or (), variants=_kinds(variants), name=None, body=None, compiler=None,
        unordered=False, whole=False, work=1,
    )  # fmt: skip
    return (lambda function: made(function)) if func is None else made(func)


def create_array(dtype=None, shape=None, nullable=False, optimize_scalar=False, ndim=None):
    """An array whose values are not set yet."""
    if nullable:
        raise NotImplementedError("Weft's arrays have no missing elements: nullable arrays are not supported")
    if shape is None:
        raise NotImplementedError(
            'Weft\'s arrays have a shape when they are made: unbound arrays are not supported; a task has parameters weft.Unbound["f8"] for them, and returns the arrays'
        )
    from . import numpy as weft_numpy

    return weft_numpy.empty(shape, _np.float64 if dtype is None else dtype)


create_store = create_array


class Scope(_annotate):
    """A part of a program in which tasks are called: `provenance` is its name in outputs, `priority` orders the ready tasks. Weft has no
    machines and policies to choose.
    """

    def __init__(self, priority=None, exception_mode=None, provenance=None, machine=None, parallel_policy=None):
        given = {"exception_mode": exception_mode, "machine": machine, "parallel_policy": parallel_policy}
        ignored = [name for name, value in given.items() if value is not None]
        if ignored:
            _warnings.warn(f"legate.core.Scope: without effect in Weft: {', '.join(ignored)}", stacklevel=2)
        super().__init__(provenance or "scope", priority=priority)
        self._is_named = provenance is not None or priority is not None

    def _recreate_cm(self):
        return self

    def __enter__(self):
        return super().__enter__() if self._is_named else self

    def __exit__(self, *error):
        return super().__exit__(*error) if self._is_named else False
