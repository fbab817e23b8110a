"""The parts of Legate that programs use, including tasks, by Weft. Interfaces for writing libraries in C++ (stores, partitions, mappers) are not here."""

import os as _os
import warnings as _warnings

import weft as _weft
from weft import _core

#: The version of Legate whose programs run unmodified, and Weft's own version.
__version__ = f"25.3.0+weft.{_weft.__version__}"


def _take_flags():
    """Gives the flags of LEGATE_CONFIG to the runtime that has not started yet. `weft run` has done so itself."""
    text = _os.environ.get("LEGATE_CONFIG", "")
    if not text or "WEFT_COMPAT" in _os.environ:
        return
    flags, ignored = _core.legate_flags(text)
    own = _os.environ.get("WEFT_CONFIG", "")
    _os.environ["WEFT_CONFIG"] = f"{flags} {own}".strip()
    if ignored:
        _warnings.warn(f"in LEGATE_CONFIG, without effect in Weft: {', '.join(ignored)}", stacklevel=2)


_take_flags()
