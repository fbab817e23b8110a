import ctypes
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, SupportsIndex, overload

import numpy as np
from typing_extensions import TypeAlias

from . import _core
from ._annotations import Reduction
from ._communicator import Communicator as Communicator
from ._constraints import Constraint as Constraint
from ._core import DeviceArray as DeviceArray
from ._core import TaskContext as TaskContext
from ._foreign import Foreign
from ._found import Found as Found

__all__ = [
    "ADD",
    "Communicator",
    "Constraint",
    "DeviceArray",
    "Found",
    "In",
    "InOut",
    "MAX",
    "MIN",
    "MUL",
    "Out",
    "Reduce",
    "Task",
    "TaskContext",
    "Unbound",
    "align",
    "broadcast",
    "foreign",
    "halo",
    "image",
    "include",
    "project",
    "scale",
    "task",
]

ADD: Reduction
MUL: Reduction
MIN: Reduction
MAX: Reduction

# To type checkers the parameters of a body are arrays of NumPy. Only Weft uses dtypes in brackets, as in In["f8", 2].
In: TypeAlias = np.ndarray[Any, Any]
Out: TypeAlias = np.ndarray[Any, Any]
InOut: TypeAlias = np.ndarray[Any, Any]

class Unbound(Found):
    def __class_getitem__(cls, key: Any) -> Any: ...

class Reduce(np.ndarray[Any, Any]):
    def __class_getitem__(cls, key: Any) -> Any: ...

class Task(_core.Task):
    def gpu(self, function: Callable[..., Any]) -> Task: ...
    def cpu_variant(self, function: Callable[..., Any]) -> Task: ...
    def omp_variant(self, function: Callable[..., Any]) -> Task: ...
    def gpu_variant(self, function: Callable[..., Any]) -> Task: ...

def align(*names: str) -> Constraint: ...
def broadcast(name: str, axes: SupportsIndex | Iterable[SupportsIndex] = ()) -> Constraint: ...
def halo(name: str, low: SupportsIndex | Iterable[SupportsIndex], high: SupportsIndex | Iterable[SupportsIndex] | None = None) -> Constraint: ...
def scale(factors: SupportsIndex | Iterable[SupportsIndex], small: str, large: str) -> Constraint: ...
def image(through: str, of: str, names: str = "ranges", exact: bool = False) -> Constraint: ...
def project(name: str, projection: str) -> Constraint: ...
def include() -> str: ...
def foreign(library: str | bytes | PathLike[str] | ctypes.CDLL | Any, name: str | None = None, *, user: Any = 0) -> Foreign: ...
@overload
def task(function: Callable[..., Any], /) -> Task: ...
@overload
def task(
    *given: Constraint,
    constraints: Iterable[Constraint] = (),
    variants: Iterable[Any] | str | None = None,
    name: str | None = None,
    body: Any = None,
    compiler: str | None = None,
    cuda: str | PathLike[str] | None = None,
    cuda_block: int | Iterable[int] | None = None,
    unordered: bool = False,
    whole: bool = False,
    nested: bool = False,
    concurrent: bool = False,
    work: int = 1,
    flops: int | None = None,
) -> Callable[[Callable[..., Any]], Task]: ...
