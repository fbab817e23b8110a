# Made by python/declare.py from python/declared/: change the tables there.
# mypy: disable-error-code="override, misc, overload-overlap"

from builtins import bool as _bool, dict as _dict, int as _int, list as _list, str as _str
from collections.abc import Sequence
from contextlib import ContextDecorator
from typing import Any
from weft._core import ndarray
from weft.tasks import TaskContext as TaskContext
from weft.tasks import Unbound as Unbound
from weft.tasks import foreign as foreign
from weft.tasks import task as task

__all__ = [
    "TaskContext",
    "Unbound",
    "annotate",
    "finish",
    "foreign",
    "load_ipython_extension",
    "offload_to",
    "pool_status",
    "rank",
    "ranks",
    "start",
    "stencil_hint",
    "task",
    "wait",
]

__version__: _str
class annotate(ContextDecorator):
    def __enter__(self) -> annotate: ...
    def __exit__(self, *_: Any) -> _bool: ...
    def __init__(self, name: _str | None = None, *, gpus: range | _int | None = None, cpus: _bool = False, priority: _int | None = None) -> None: ...
def finish() -> None: ...
def load_ipython_extension(ipython: Any) -> None: ...
def offload_to(array: ndarray, memory: _str) -> None: ...
def pool_status() -> _list[_dict[_str, Any]]: ...
def rank() -> _int: ...
def ranks() -> _int: ...
def start() -> None: ...
def stencil_hint(array: ndarray, low: Sequence[_int], high: Sequence[_int]) -> None: ...
def wait() -> None: ...
