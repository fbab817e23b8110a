"""The environment of a program, for records of measurements."""

import importlib.metadata as _metadata
import os as _os
import platform as _platform
import sys as _sys

__all__ = ("info", "machine_info", "package_versions", "system_info")


def system_info():
    """The system."""
    return {"Python": _sys.version.splitlines()[0], "Platform": _platform.platform()}


def package_versions():
    """The versions of packages that count."""
    import numpy
    import weft

    versions = {"weft": weft.__version__, "numpy": numpy.__version__}
    for name in ("scipy", "numba"):
        try:
            versions[name] = _metadata.version(name)
        except _metadata.PackageNotFoundError:
            versions[name] = "(failed to detect)"
    return versions


def machine_info():
    """The processors that the runtime uses."""
    from legate.core import TaskTarget, get_machine

    machine = get_machine()
    ranges = {target.name: str(machine.get_processor_range(target)) for target in TaskTarget}
    return {"Preferred target": machine.preferred_target.name, **ranges}


def info(start_runtime=True):
    """All of it."""
    from .has_started import runtime_has_started

    made = {
        "Program": " ".join(_sys.argv),
        "Legate runtime configuration": _os.environ.get("LEGATE_CONFIG", "None"),
        "Weft configuration": _os.environ.get("WEFT_CONFIG", "None"),
    }
    if start_runtime or runtime_has_started():
        made["Machine"] = machine_info()
    return {**made, "System info": system_info(), "Package versions": package_versions()}


def lines(entries, indent=0):
    """A dictionary of dictionaries as lines."""
    width = max(map(len, entries), default=0) + 1
    for key, value in entries.items():
        if isinstance(value, dict):
            yield f"{' ' * indent}{key:<{width}}:"
            yield from lines(value, indent + 2)
        else:
            yield f"{' ' * indent}{key:<{width}}:  {value}"
