"""Whether the runtime runs."""

from weft import _core

__all__ = ("runtime_has_started",)


def runtime_has_started():
    """Whether the runtime runs in this process."""
    return _core.has_started()
