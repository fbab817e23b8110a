"""Tasks, the machine, the runtime and the placement of data, as programs ask for them."""

import enum as _enum
import functools as _functools

import weft as _weft
from weft import _core, legate as _legate
from weft.legate import *  # noqa: F403

from . import types

__all__ = (
    *_legate.__all__, "Machine", "StoreTarget", "TaskTarget", "get_legate_runtime", "get_machine", "offload_to", "track_provenance", "types",
)  # fmt: skip


class StoreTarget(_enum.IntEnum):
    """Memories."""

    SYSMEM = 1
    FBMEM = 2
    ZCMEM = 3
    SOCKETMEM = 4


class TaskTarget(_enum.IntEnum):
    """Kinds of processors."""

    GPU = 1
    OMP = 2
    CPU = 3


class ProcessorRange:
    """The processors of one kind of a process."""

    def __init__(self, low, high, per_node_count):
        self.low, self.high, self.per_node_count = low, high, per_node_count

    @property
    def count(self):
        """The number of processors."""
        return self.high - self.low

    def get_node_range(self):
        """The first node, and the one after the last."""
        return (0, 1)

    def __len__(self):
        return self.count

    def __repr__(self):
        return f"ProcessorRange({self.low}, {self.high}, {self.per_node_count})"


class Machine:
    """The processors of this process."""

    def __init__(self):
        cpus, omps, gpus = _core.processors()
        self._counts = {TaskTarget.GPU: gpus, TaskTarget.OMP: omps, TaskTarget.CPU: cpus}

    @property
    def preferred_target(self):
        """The kind that work goes to."""
        return next(target for target in (*self._counts, TaskTarget.CPU) if self._counts[target] or target is TaskTarget.CPU)

    @property
    def valid_targets(self):
        """The kinds that there are."""
        return tuple(target for target, count in self._counts.items() if count)

    def count(self, target=None):
        """The number of processors of a kind; of the preferred kind if none is given."""
        return self._counts[self.preferred_target if target is None else target]

    def get_processor_range(self, target=None):
        """The processors of a kind."""
        count = self.count(target)
        return ProcessorRange(0, count, count)

    def get_node_range(self, target=None):
        """The first node, and the one after the last."""
        return (0, 1)

    @property
    def empty(self):
        """Whether there is no processor."""
        return not self.valid_targets

    def __len__(self):
        return self.count()


class Runtime:
    """Weft's runtime, by the names of Legate's."""

    node_id = 0
    node_count = 1

    @property
    def machine(self):
        """The processors of this process."""
        return Machine()

    def get_machine(self):
        """The processors of this process."""
        return Machine()

    def issue_execution_fence(self, block=False):
        """Later work waits for earlier work in any case; with `block` so does the program."""
        if block:
            _weft.wait()

    def issue_mapping_fence(self):
        """Does nothing: work is mapped in the order of the program."""

    def create_array(self, dtype, shape=None, **options):
        """An array without values yet."""
        return _legate.create_array(dtype, shape, **options)

    create_store = create_array

    def create_auto_task(self, *_):
        """Not supported by Weft."""
        raise NotImplementedError("Weft's tasks are made by the decorator legate.core.task.task, and called")

    create_manual_task = create_auto_task

    def finish(self):
        """Ends the run: waits for all operations and completes the profile."""
        _weft.finish()


_runtime = Runtime()


def get_legate_runtime():
    """The runtime, which starts here if it is not running yet."""
    _weft.start()
    return _runtime


def get_machine():
    """The processors of this process."""
    return Machine()


def offload_to(array, target):
    """Moves the data of an array to a memory, and frees it elsewhere."""
    _core.offload_to(array, StoreTarget(target).name)


def track_provenance(function=None, nested=False):
    """A decorator of Legate's libraries. Weft knows the calling line of every operation without it."""
    if callable(function):
        return function
    return lambda function: _functools.wraps(function)(function)
