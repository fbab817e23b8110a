"""Tasks of a user's own: functions of the parts of arrays, which Weft cuts, runs in parallel and records like operations of its own.

::

    import weft
    import weft.numpy as np
    from weft.tasks import In, Out, align

    @weft.task(align("x", "y"))
    def scaled(x: In, y: Out, a: float):
        y[:] = a * x

    x, y = np.ones(1_000_000), np.empty(1_000_000)
    scaled(x, y, 2.0)

A call returns at once. The body runs tile by tile on the runtime's threads, with arrays of NumPy over the memory of each tile. See
docs/tasks.md.
"""

import functools as _functools
import inspect as _inspect
import os as _os
import sys as _sys

from . import _annotations, _core, _foreign
from ._annotations import ADD, MAX, MIN, MUL, In, InOut, Out, Reduce
from ._constraints import Constraint, align, broadcast, halo, image, project, scale
from ._core import TaskContext
from ._foreign import foreign

__all__ = [
    "ADD",
    "Constraint",
    "In",
    "InOut",
    "MAX",
    "MIN",
    "MUL",
    "Out",
    "Reduce",
    "Task",
    "TaskContext",
    "align",
    "broadcast",
    "foreign",
    "halo",
    "image",
    "include",
    "project",
    "scale",
    "task",
]

#: Kinds of processors that a body can be meant for. All run on CPUs today, also in runs with GPUs.
_VARIANTS = ("cpu", "omp", "gpu")


class Task(_core.Task):
    """What `weft.task` makes of a function: a call of it is an operation, and returns at once."""

    def cpu_variant(self, function):
        """Has another function with the same parameters be the body on CPUs: a decorator."""
        self._replace(function)
        return self

    def omp_variant(self, function):
        """Takes a body for groups of threads. Weft does not use it: groups share the tiles of the body for CPUs."""
        return self

    def gpu_variant(self, function):
        """Takes a body for GPUs. Weft does not use it yet: the body for CPUs runs on the host, also in runs with GPUs."""
        return self


def include():
    """The folder of `weft_task.h`, which declares to C compilers what bodies are given."""
    return _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "include")


def _function_text(name, function):
    return name or getattr(function, "__name__", None) or type(function).__name__


def _checked_variants(variants):
    for variant in (variants,) if isinstance(variants, str) else variants or ():
        said = str(getattr(variant, "name", variant)).lower()
        if said not in _VARIANTS:
            raise ValueError(f"variants: {variant!r} is none; there are {', '.join(_VARIANTS)}")


def _listed(name, given, more):
    listed = [*given, *(more or ())]
    for one in listed:
        if not isinstance(one, Constraint):
            raise TypeError(f"task {name}: {one!r} is no constraint; weft.tasks has align, broadcast, halo, scale, image and project")
    return [told for one in listed for told in one.told()]


def _defined(function, given, names, *, constraints, variants, name, body, compiler, unordered, whole, work):
    if not callable(function):
        raise TypeError(f"weft.task makes a task of a function, not of {type(function).__name__}")
    from . import numpy as _numpy  # noqa: F401  What the runtime calls of the package is there.

    name = _function_text(name, function)
    _checked_variants(variants)
    told = _annotations.parameters(name, function, names)
    parameters = [one.told() for one in told if not one.is_context]
    takes, count = [], 0
    for one in told:
        takes.append(("context", 0) if one.is_context else ("numpy" if one.is_numpys else "given", count))
        count += not one.is_context
    if compiler is not None:
        if body is not None:
            raise TypeError(f"task {name}: a body and a compiler are given; one of them makes the body")
        if compiler != "numba":
            raise ValueError(f"task {name}: the compiler {compiler!r} is unknown; there is numba")
        from . import _numba

        body = _numba.compiled(name, function, told)
    address = None if body is None else _foreign.address(name, body)
    listed = _listed(name, given, constraints)
    made = Task(name, None if address else function, address, parameters, takes, listed, unordered=unordered, whole=whole, work=work)
    _functools.update_wrapper(made, function)
    return made


def task(*given, constraints=(), variants=None, name=None, body=None, compiler=None, unordered=False, whole=False, work=1):
    """Makes a task of a function: a decorator, with constraints in parentheses or in `constraints`, or without parentheses.

    Annotations tell the parameters: `In`, `Out`, `InOut` and `Reduce[ADD]` arrays, single values (`float`, `numpy.int32`), and
    `TaskContext` for what there is to know of the tile.

    - `body`: a function of C in the place of the Python function's own text: `weft.foreign`, a function of ctypes or cffi, or a cfunc of Numba;
    - `compiler`: ``"numba"`` compiles the function, which then runs without the interpreter;
    - `unordered`: contributions may be combined in any order, so that a reduction can be cut for the processors there are;
    - `whole`: it is never cut;
    - `work`: how many elements are touched for each index, which says how small a tile may be;
    - `variants`: the kinds of processors that the body is for: "cpu", "omp", "gpu". Today all bodies run on CPUs.
    """
    names = _sys._getframe(1).f_locals
    options = {
        "constraints": constraints, "variants": variants, "name": name, "body": body, "compiler": compiler,
        "unordered": unordered, "whole": whole, "work": work,
    }  # fmt: skip
    if len(given) == 1 and _inspect.isroutine(given[0]):
        return _defined(given[0], (), names, **options)
    return lambda function: _defined(function, given, names, **options)
