"""Found on PYTHONPATH when Python starts: `import numpy` in the user's own files then gives Weft's arrays."""

import importlib.machinery as _machinery
import importlib.util as _util
import os as _os
import sys as _sys

_here = _os.path.dirname(_os.path.abspath(__file__))


def _others():
    """Runs the next sitecustomize of the path, which this one hides."""
    folders = [folder for folder in _sys.path if folder and _os.path.abspath(folder) != _here]
    spec = _machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(_util.module_from_spec(spec))


def _install():
    # Loads the module by its file, because importing the package would load the runtime in every process.
    spec = _util.spec_from_file_location("weft_compat_numpy_swap", _os.path.join(_here, "swap.py"))
    module = _util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install()


_install()
_others()
