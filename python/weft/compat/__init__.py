"""Other packages' names for Weft's arrays, so that programs run as they are.

``weft run --compat cupynumeric -- prog.py`` puts a folder of modules on PYTHONPATH. Without the command::

    PYTHONPATH=$(python -m weft.compat cupynumeric) python prog.py

``cupynumeric`` gives the packages `cupynumeric` and `legate`; ``numpy`` gives Weft's arrays to the files of the user that import NumPy, and
NumPy to everything else.
"""

import os
import sys

NAMES = ("cupynumeric", "numpy")


def path(name):
    """The folder with the replacement of a package, for PYTHONPATH."""
    if name not in NAMES:
        raise ValueError(f"compat {name!r}: it is {' or '.join(NAMES)}")
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def install(name):
    """Does the same in an interpreter that is already running, such as a notebook's."""
    folder = path(name)
    if name == "numpy":
        from .numpy import swap

        swap.install()
    elif folder not in sys.path:
        sys.path.insert(0, folder)
