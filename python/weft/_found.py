"""The object to which a body adds the elements of a result of unknown length."""

import numpy as _np

#: Ranks of the kinds of dtypes. Converting a value to a kind of a lower rank can lose information.
_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


class Found:
    """Elements found by a tile: a parameter `Unbound["f8"]` of a body. The call returns those of all tiles, one after the other, as a new array."""

    __slots__ = ("_is_closed", "_name", "_pieces", "dtype")

    def __init__(self, name, dtype):
        self._name, self.dtype, self._pieces, self._is_closed = name, dtype, [], False

    def append(self, value):
        """Adds one element."""
        one = _np.asarray(value)
        if one.ndim:
            raise ValueError(f"{self._name}: append takes one element, not an array of shape {one.shape}; extend takes all of its elements")
        self._add(one.reshape(1))

    def extend(self, values):
        """Adds the elements of an array, or of a sequence, in row-major order: a copy of them."""
        self._add(_np.asarray(values).ravel())

    def _add(self, values):
        if self._is_closed:
            raise RuntimeError(f"{self._name}: its body has ended, so added values are lost; add them while the body runs")
        if not len(values):
            return
        rank = _RANKS.get(values.dtype.kind)
        if rank is None or rank > _RANKS[self.dtype.kind]:
            raise TypeError(f"{self._name} is of {self.dtype}, and elements of {values.dtype} were added; cast them")
        piece = values.astype(self.dtype)
        if rank == 1 == _RANKS[self.dtype.kind] and (piece != values).any():
            raise OverflowError(f"{self._name}: an integer is out of bounds for {self.dtype}")
        self._pieces.append(piece)

    def __len__(self):
        return sum(map(len, self._pieces))

    def __repr__(self):
        return f"<{len(self)} elements of {self.dtype} for {self._name}>"

    def _close(self):
        """Ends the collection: no more elements can be added."""
        self._is_closed = True

    def _bytes(self):
        self._close()
        return b"".join([piece.tobytes() for piece in self._pieces])
