"""Banded matrices on Weft: an example of a library with its own tasks.

A matrix of n rows has a few diagonals, each a row of an array of shape (diagonals, n): element (k, i) stands in row i and column i + offsets[k].
"""

from __future__ import annotations

from collections.abc import Sequence

import weft
import weft.numpy as np
from weft.tasks import ADD, In, InOut, Out, Reduce, align, halo, project

__all__ = ["Banded"]


def _product(offsets: Sequence[int]):
    """The task of the product: a tile of rows also reads as many neighbours of its part of the vector as the outermost diagonals reach."""
    low, high = max(0, -min(offsets)), max(0, max(offsets))

    @weft.task(align("y"), project("bands", "[*, i0, ..*]"), halo("x", low, high), name="banded_times")
    def times(bands: In["f8", 2], x: In["f8", 1], y: Out["f8", 1], ctx: weft.TaskContext):
        rows, known = ctx.ranges_of("y")[0], ctx.ranges_of("x")[0]
        y[:] = 0
        for band, offset in zip(bands, offsets):
            first = max(rows.start, known.start - offset)
            end = min(rows.stop, known.stop - offset)
            if first < end:
                own = slice(first - rows.start, end - rows.start)
                column = first + offset - known.start
                y[own] += band[own] * x[column : column + end - first]

    return times


@weft.task(align("x", "diagonal", "b", "product"))
def _relax(diagonal: In["f8", 1], b: In["f8", 1], product: In["f8", 1], x: InOut["f8", 1]):
    x += (b - product) / diagonal


@weft.task(align("b", "product"))
def _residual(b: In["f8", 1], product: In["f8", 1], left: Reduce[ADD, "f8", 0]):
    left += ((b - product) ** 2).sum()


class Banded:
    """A square matrix with few diagonals."""

    def __init__(self, offsets: Sequence[int], bands: np.ndarray) -> None:
        if bands.ndim != 2 or len(offsets) != bands.shape[0]:
            raise ValueError(f"bands of shape {bands.shape} have not a row for each of {len(offsets)} offsets")
        self.offsets = tuple(offsets)
        self.bands = bands
        self._product = _product(self.offsets)

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        """The product with a vector; returns at once."""
        y = np.empty(self.bands.shape[1])
        self._product(self.bands, x, y)
        return y

    def jacobi(self, b: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Solves a x = b by `steps` steps of Jacobi's iteration from 0. Also returns the sum of squares of the residual."""
        diagonal = self.bands[self.offsets.index(0)]
        x, left = np.zeros(len(b)), np.zeros(())
        for _ in range(steps):
            _relax(diagonal, b, self @ x, x)
        _residual(b, self @ x, left)
        return x, left
