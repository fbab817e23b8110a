"""Tasks."""

from weft.legate import (
    ADD, MAX, MIN, MUL, InputArray, InputStore, OutputArray, OutputStore, ReductionArray, ReductionStore, TaskContext, VariantOptions, align, bloat, broadcast,
    image, scale, task,
)  # fmt: skip

__all__ = (
    "ADD", "MAX", "MIN", "MUL", "InputArray", "InputStore", "OutputArray", "OutputStore", "ReductionArray", "ReductionStore", "TaskContext", "VariantOptions",
    "align", "bloat", "broadcast", "image", "scale", "task",
)  # fmt: skip
