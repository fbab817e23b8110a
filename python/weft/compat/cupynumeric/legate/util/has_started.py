"""Whether the runtime is running."""

from weft import _core

__all__ = ("runtime_has_started",)


def runtime_has_started():
    """Whether the runtime is running in this process."""
    return _core.has_started()
