"""Exchanges between the tiles of a concurrent task."""

import functools as _functools
import pickle as _pickle

import numpy as _np

from ._annotations import ADD, Reduction

_UFUNCS = {"add": _np.add, "mul": _np.multiply, "min": _np.minimum, "max": _np.maximum}


class Communicator:
    """The communicator of a tile of a concurrent task: all tiles of the call, on all ranks, make the same calls in the same order.

    If a tile ends before it makes a call that others wait in, they get a `RuntimeError`.
    """

    __slots__ = ("_exchange",)

    def __init__(self, exchange):
        self._exchange = exchange

    @property
    def tile(self):
        """The number of this tile."""
        return self._exchange.tile

    @property
    def tiles(self):
        """The number of tiles."""
        return self._exchange.tiles

    def _all(self, call, values):
        parts = [_pickle.dumps(value, protocol=5) for value in values]
        return [_pickle.loads(part) for part in self._exchange.exchange(call, parts)]

    def barrier(self):
        """Waits until all tiles are here."""
        self._exchange.exchange("barrier", [b""])

    def all_gather(self, value):
        """The values of all tiles, by their numbers: arrays, which may differ in shape, or anything that can be pickled."""
        return self._all("all_gather", [value])

    def all_to_all(self, values):
        """Sends each tile one of the values, and returns those that the tiles sent to this one."""
        values = list(values)
        if len(values) != self.tiles:
            raise ValueError(f"all_to_all gives one value to each tile: {len(values)} values for {self.tiles} tiles")
        return self._all("all_to_all", values)

    def all_reduce(self, value, reduction=ADD):
        """Combines the values of all tiles, element by element, in the order of the tiles: every tile gets the same bits."""
        if not isinstance(reduction, Reduction):
            raise TypeError(f"all_reduce: {reduction!r} is not a reduction; use ADD, MUL, MIN or MAX")
        own = _np.asarray(value)
        every = self._all(f"all_reduce of {own.shape} {own.dtype} by {reduction.name}", [own])
        reduced = _functools.reduce(_UFUNCS[reduction.name], every)
        return reduced if own.ndim else reduced[()]

    def __repr__(self):
        return f"<tile {self.tile} of {self.tiles}>"
