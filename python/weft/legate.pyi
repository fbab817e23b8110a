import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike

from . import annotate
from ._constraints import Constraint
from ._core import TaskContext as TaskContext, ndarray
from .tasks import (
    ADD as ADD,
    MAX as MAX,
    MIN as MIN,
    MUL as MUL,
    In as InputArray,
    Out as OutputArray,
    Reduce as ReductionArray,
    Task,
    align as align,
    broadcast as broadcast,
    scale as scale,
)

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

InputStore = InputArray
OutputStore = OutputArray
ReductionStore = ReductionArray

bool_: np.dtype[Any]
int8: np.dtype[Any]
int16: np.dtype[Any]
int32: np.dtype[Any]
int64: np.dtype[Any]
uint8: np.dtype[Any]
uint16: np.dtype[Any]
uint32: np.dtype[Any]
uint64: np.dtype[Any]
float16: np.dtype[Any]
float32: np.dtype[Any]
float64: np.dtype[Any]
complex64: np.dtype[Any]
complex128: np.dtype[Any]

class VariantCode(enum.IntEnum):
    NONE = 0
    CPU = 1
    GPU = 2
    OMP = 3

class ImageComputationHint(enum.IntEnum):
    NO_HINT = 0
    MIN_MAX = 1
    FIRST_LAST = 2

class VariantOptions:
    may_throw_exception: bool
    concurrent: bool
    has_allocations: bool
    communicators: tuple[str, ...]
    elide_device_ctx_sync: bool
    has_side_effect: bool
    def __init__(
        self,
        may_throw_exception: bool = False,
        concurrent: bool = False,
        has_allocations: bool = False,
        communicators: Sequence[str] | None = None,
        elide_device_ctx_sync: bool = False,
        has_side_effect: bool = False,
    ) -> None: ...

class Scope(annotate):
    def __init__(
        self, priority: int | None = None, exception_mode: Any = None, provenance: str | None = None, machine: Any = None, parallel_policy: Any = None
    ) -> None: ...

def bloat(var_source: str, var_bloat: str, low_offsets: Sequence[int], high_offsets: Sequence[int]) -> Constraint: ...
def image(var_function: str, var_range: str, hint: ImageComputationHint = ..., names: str = "ranges") -> Constraint: ...
@overload
def task(
    func: Callable[..., Any],
    *,
    variants: Iterable[Any] = ...,
    constraints: Iterable[Constraint] | None = None,
    options: Any = None,
    throws_exception: bool = False,
    has_side_effect: bool = False,
    register: bool = True,
) -> Task: ...
@overload
def task(
    func: None = None,
    *,
    variants: Iterable[Any] = ...,
    constraints: Iterable[Constraint] | None = None,
    options: Any = None,
    throws_exception: bool = False,
    has_side_effect: bool = False,
    register: bool = True,
) -> Callable[[Callable[..., Any]], Task]: ...
def create_array(
    dtype: DTypeLike | None = None, shape: int | Sequence[int] | None = None, nullable: bool = False, optimize_scalar: bool = False, ndim: int | None = None
) -> ndarray: ...
def create_store(
    dtype: DTypeLike | None = None, shape: int | Sequence[int] | None = None, nullable: bool = False, optimize_scalar: bool = False, ndim: int | None = None
) -> ndarray: ...
