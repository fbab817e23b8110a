# Made by python/stubs.py from the package's signatures: change those, or its tables.
# mypy: disable-error-code="override, misc, overload-overlap"

from builtins import bool as _bool, complex as _complex, dict as _dict, float as _float, int as _int, list as _list, str as _str, tuple as _tuple
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy import dtype as _dtype
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import disjoint_base, final

from weft._core import ndarray

from contextlib import ContextDecorator as ContextDecorator

__all__ = [
    "annotate",
    "finish",
    "load_ipython_extension",
    "offload_to",
    "pool_status",
    "rank",
    "ranks",
    "start",
    "stencil_hint",
    "wait",
]

__version__: _str
class annotate(ContextDecorator):
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def __init__(self, name: Any) -> None: ...
def finish() -> None: ...
def load_ipython_extension(ipython: Any) -> None: ...
def offload_to(array: ArrayLike, memory: Any) -> None: ...
def pool_status() -> _list[_dict[_str, Any]]: ...
def rank() -> ndarray: ...
def ranks() -> ndarray: ...
def start() -> None: ...
def stencil_hint(array: ArrayLike, low: Any, high: Any) -> ndarray: ...
def wait() -> None: ...
