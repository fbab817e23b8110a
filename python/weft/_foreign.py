"""Bodies of tasks that are C functions: `runtime/core/include/weft_task.h` declares their arguments."""

import ctypes as _ctypes
import operator as _operator
import os as _os


class Foreign:
    """A C function as the body of a task, with the object that keeps it."""

    def __init__(self, address, user, owner):
        self.address, self.user, self._owner = address, user, owner

    def __repr__(self):
        return f"<function at {self.address:#x}>"


def _address_of(function):
    """The address of a C function, and the object that keeps it; `None` if the object is not a C function."""
    if isinstance(function, Foreign):
        return function.address
    # A cfunc of Numba.
    found = getattr(function, "address", None)
    if isinstance(found, int):
        return found
    if isinstance(function, _ctypes._CFuncPtr):
        return _ctypes.cast(function, _ctypes.c_void_p).value or 0
    if isinstance(function, _ctypes.c_void_p):
        return function.value or 0
    try:
        return _operator.index(function)
    except TypeError:
        return None


def foreign(library, name=None, *, user=0):
    """A C function as the body of a task, for `weft.task(..., body=...)`.

    `library` is a path of a shared library or a `ctypes.CDLL`, and `name` the function in it. Without a name, `library` is the function itself: of ctypes,
    a cfunc of Numba, or an address, such as ``int(ffi.cast("intptr_t", lib.function))`` of cffi. `user` is an address, or a pointer of ctypes, that the function finds in its task.
    """
    if isinstance(user, _ctypes.c_void_p) or hasattr(user, "contents"):
        kept, user = user, _ctypes.cast(user, _ctypes.c_void_p).value or 0
    else:
        kept, user = user, _operator.index(user)
    if name is None:
        address = _address_of(library)
        if not address:
            raise TypeError(f"{library!r} is not a C function: give a library with a name, a function of ctypes, a cfunc of Numba, or an address")
        return Foreign(address, user, (library, kept))
    if isinstance(library, (str, bytes, _os.PathLike)):
        library = _ctypes.CDLL(_os.fspath(library))
    try:
        function = getattr(library, name)
    except AttributeError as error:
        raise AttributeError(f"{name}: there is no such function in {library._name}") from error
    return Foreign(_address_of(function), user, (library, function, kept))


def address(name, body):
    """The body as arguments for the runtime."""
    try:
        given = body if isinstance(body, Foreign) else foreign(body)
    except TypeError as error:
        raise TypeError(f"task {name}: body: {error}") from None
    return (given.address, given.user, given)
