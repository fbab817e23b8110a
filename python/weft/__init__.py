"""Weft: arrays you can see through.

``import weft.numpy as np`` gives NumPy's interface on Weft's runtime. Work is done in the background, on every processor of the machine;
reading a value waits for it. ``weft run --profile -- python prog.py`` records which line asked for which kernel.
"""

import os as _os
import site as _site
import sysconfig as _sysconfig

from . import _core

__version__ = "0.1.0"

__all__ = ["finish", "pool_status", "start", "wait"]


def _passed_folders():
    """Folders of code that is not the user's, where WEFT_PROVENANCE=user asks to pass over it."""
    if _os.environ.get("WEFT_PROVENANCE", "call") != "user":
        return []
    folders = [*_site.getsitepackages(), _site.getusersitepackages(), _sysconfig.get_path("stdlib")]
    return [_os.path.join(folder, "") for folder in folders]


_core.register_package(_os.path.join(_os.path.dirname(__file__), ""), _passed_folders())

start = _core.start
wait = _core.wait_all
finish = _core.finish
pool_status = _core.pool_status
