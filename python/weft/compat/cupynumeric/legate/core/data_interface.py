"""The placement of data."""

from . import offload_to

__all__ = ("offload_to",)
