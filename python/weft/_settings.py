"""Environment variables of the package, checked when it is imported."""

import os as _os


def choice(name, default, *values):
    """The value of a variable that has one of a few words."""
    value = _os.environ.get(name) or default
    if value not in (default, *values):
        raise ValueError(f"{name}={value}: it is {', '.join((default, *values[:-1]))} or {values[-1]}")
    return value


def size(name, default):
    """The value of a variable that is a number of bytes."""
    value = _os.environ.get(name)
    if not value:
        return default
    try:
        count = int(value)
    except ValueError:
        count = -1
    if count < 0:
        raise ValueError(f"{name}={value}: it is a number of bytes, such as {default}")
    return count
