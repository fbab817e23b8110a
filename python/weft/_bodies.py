"""The bodies of a task, by kind of processor."""

import dis as _dis
import inspect as _inspect
import os as _os

#: Kinds of processors that a body can be for. Groups of cores (`omp`) share the tiles of a body for CPUs.
_KINDS = ("cpu", "omp", "gpu")

#: The instructions of a function without statements.
_NOTHING = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "LOAD_COMMON_CONSTANT", "COPY_FREE_VARS", "CACHE"}


def kinds(variants):
    """The kinds in `variants`, which are strings or members of an enumeration; `None` if it is empty."""
    if variants is None:
        return None
    found = set()
    for variant in (variants,) if isinstance(variants, str) else variants:
        said = str(getattr(variant, "name", variant)).lower()
        if said not in _KINDS:
            raise ValueError(f"variants: {variant!r} is none; there are {', '.join(_KINDS)}")
        found.add(said)
    return found or None


def is_stub(function):
    """Whether a function has an empty body: `...`, `pass` or a docstring."""
    code = getattr(_inspect.unwrap(function), "__code__", None)
    return code is not None and all(one.opname in _NOTHING for one in _dis.get_instructions(code))


def _block(name, threads):
    try:
        listed = [threads] if isinstance(threads, int) else [int(one) for one in threads]
    except TypeError:
        raise TypeError(f"task {name}: cuda_block is a number of threads, or one for each of two or three axes, not {threads!r}") from None
    return listed


def cuda(name, function, given, threads):
    """The runtime's description of a body in CUDA C: its file, if any, its text, and the threads of a block."""
    block = [] if threads is None else _block(name, threads)
    if given is None:
        if block:
            raise ValueError(f"task {name}: cuda_block needs a body in CUDA C, by cuda=")
        return None
    if not isinstance(given, _os.PathLike):
        if not isinstance(given, str):
            raise TypeError(f"task {name}: cuda is a text in CUDA C, or the path of a file .cu, not {type(given).__name__}")
        if "\n" in given or not given.endswith(".cu"):
            return (None, given, block)
    path = _os.fspath(given)
    source = getattr(getattr(_inspect.unwrap(function), "__code__", None), "co_filename", "")
    if not _os.path.isabs(path) and _os.path.isfile(source):
        path = _os.path.join(_os.path.dirname(_os.path.abspath(source)), path)
    with open(path, encoding="utf-8") as file:
        return (path, file.read(), block)
