"""User-defined tasks: functions of the parts of arrays, which Weft cuts, runs in parallel and records like its own operations.

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

from . import _annotations, _core, _foreign, _rebound
from . import _bodies as _variants
from ._annotations import ADD, MAX, MIN, MUL, In, InOut, Out, Reduce, Unbound
from ._constraints import Constraint, align, broadcast, halo, image, project, scale
from ._core import DeviceArray, TaskContext
from ._foreign import foreign
from ._communicator import Communicator
from ._found import Found

__all__ = [
    "ADD",
    "Communicator",
    "Constraint",
    "DeviceArray",
    "Found",
    "In",
    "InOut",
    "MAX",
    "MIN",
    "MUL",
    "Out",
    "Reduce",
    "Task",
    "TaskContext",
    "Unbound",
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

class Task(_core.Task):
    """The result of `weft.task`: a call of it is an operation, and returns at once."""

    def gpu(self, function):
        """Makes a function the body on GPUs: a decorator. It takes the task's parameters by name, and optionally a `TaskContext`.

        Arrays arrive as `DeviceArray`, which CuPy (`cupy.asarray`), torch (`torch.as_tensor`) and other libraries with DLPack or the CUDA array
        interface use without a copy. Work of the body goes into the stream `ctx.stream`, or into the GPU's default stream, and is not waited for.
        """
        if self._is_stub:
            raise TypeError(
                f'task {self.__name__}: its text is `...`, which is not a body for CPUs: use variants=("gpu",), and give the body for GPUs there, or write both'
            )
        self._set_gpu(function, self._arguments_of(function, _sys._getframe(1)))
        _rebound.warn(self.__name__, function, self._told)
        return self

    gpu_variant = gpu

    def cpu_variant(self, function):
        """Makes another function with the same parameters the body on CPUs: a decorator."""
        self._set_cpu(function, self._arguments_of(function, _sys._getframe(1)))
        _rebound.warn(self.__name__, function, self._told)
        self._is_stub = False
        return self

    def omp_variant(self, function):
        """Takes a body for groups of cores: the body on CPUs if the task has no other, since cores share its tiles. A decorator."""
        if not self._has_cpu():
            self._set_cpu(function, self._arguments_of(function, _sys._getframe(1)))
        return self

    def _arguments_of(self, function, caller):
        return _annotations.arguments_of(self.__name__, function, self._told, caller.f_locals)


def include():
    """The folder of `weft_task.h`, which declares the arguments of bodies for C compilers."""
    return _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "include")


def _function_text(name, function):
    return name or getattr(function, "__name__", None) or type(function).__name__


def _listed(name, given, more):
    listed = [*given, *(more or ())]
    for one in listed:
        if not isinstance(one, Constraint):
            raise TypeError(f"task {name}: {one!r} is not a constraint; use align, broadcast, halo, scale, image or project of weft.tasks")
    return [told for one in listed for told in one.told()]


def _bodies(name, function, told, variants, body, compiler, cuda):
    """The functions of a task's bodies: in Python on CPUs, in C on CPUs, and in Python on GPUs; `None` for those that are missing."""
    kinds = _variants.kinds(variants)
    if compiler is not None:
        if body is not None:
            raise TypeError(f"task {name}: a body and a compiler are given; one of them makes the body")
        if compiler != "numba":
            raise ValueError(f"task {name}: the compiler {compiler!r} is unknown; there is numba")
    replaced = "body=" if body is not None else "compiler=" if compiler is not None else None
    if kinds is not None:
        on_cpu, on_gpu = bool(kinds - {"gpu"}), "gpu" in kinds
        if replaced and not on_cpu:
            raise ValueError(f"task {name}: {replaced} makes a body for CPUs, and variants name none; use @{name}.gpu for a body on GPUs")
        if replaced and on_gpu and cuda is None:
            raise ValueError(f"task {name}: {replaced} makes a body for CPUs alone; use cuda=, or @{name}.gpu, for one on GPUs")
        if cuda is not None and not on_gpu:
            raise ValueError(f"task {name}: cuda= is a body for GPUs, and variants name none")
    else:
        # With CUDA C, a function without statements is not a body.
        on_cpu, on_gpu = replaced is not None or cuda is None or not _variants.is_stub(function), False
    if compiler is not None:
        if any(one.kind == "unbound" for one in told):
            raise TypeError(f"task {name}: a compiled body cannot fill a result of unknown length")
        from . import _numba

        body = _numba.compiled(name, function, told)
    address = None if body is None else _foreign.address(name, body)
    return (function if on_cpu and address is None else None), address, (function if on_gpu and cuda is None else None)


def _defined(function, given, names, *, constraints, variants, name, body, compiler, unordered, whole, work, nested=False, concurrent=False, cuda=None, cuda_block=None, flops=None):
    if not callable(function):
        raise TypeError(f"weft.task makes a task of a function, not of {type(function).__name__}")
    from . import numpy as _numpy  # noqa: F401  What the runtime calls of the package is there.

    name = _function_text(name, function)
    told = _annotations.parameters(name, function, names)
    if exchange := next((one.name for one in told if one.kind == "communicator"), None):
        if not concurrent:
            raise TypeError(f"task {name}: {exchange} is a Communicator: tiles exchange values where they run at the same time; use concurrent=True")
        if body is not None or compiler is not None:
            raise TypeError(f"task {name}: {exchange} is a Communicator, which bodies of C and compiled ones do not get")
    if body is None:
        _rebound.warn(name, function, told)
    parameters = [one.told() for one in told if not one.is_context]
    code = _variants.cuda(name, function, cuda, cuda_block)
    on_cpu, address, on_gpu = _bodies(name, function, told, variants, body, compiler, code)
    listed = _listed(name, given, constraints)
    made = Task(
        name, on_cpu, address, on_gpu, code, parameters, _annotations.arguments(told), listed,
        unordered=unordered, whole=whole, nested=nested, concurrent=concurrent, work=work, flops=flops,
    )  # fmt: skip
    _functools.update_wrapper(made, function)
    made._told, made._is_stub = told, on_cpu is not None and _variants.is_stub(function)
    return made


def task(
    *given, constraints=(), variants=None, name=None, body=None, compiler=None, cuda=None, cuda_block=None, unordered=False, whole=False,
    nested=False, concurrent=False, work=1, flops=None,
):
    """Makes a task of a function: a decorator, with constraints in parentheses or in `constraints`, or without parentheses.

    Annotations declare the parameters: `In`, `Out`, `InOut` and `Reduce[ADD]` arrays, `Unbound["f8"]` results of unknown length, single values
    (`float`, `numpy.int32`), and `TaskContext` for the context of the tile.

    - `body`: a C function in place of the Python function: `weft.foreign`, a function of ctypes or cffi, or a cfunc of Numba;
    - `compiler`: ``"numba"`` compiles the function, which then runs without the interpreter;
    - `unordered`: contributions may be combined in any order, so that a reduction can be cut for the available processors;
    - `whole`: it is never cut;
    - `nested`: the body makes arrays of its parts, and calls functions of Weft and tasks on these;
    - `concurrent`: all tiles run at the same time, and exchange values by a parameter `Communicator`;
    - `work`: the number of elements touched for each index, which determines the smallest tile;
    - `flops`: the number of floating-point operations for each index, for ``weft stats --roofline``;
    - `cuda`: a body for GPUs in CUDA C: its text, or the path of a file `.cu`, relative to that of the function; `cuda_block`: threads of its blocks;
    - `variants`: the kinds of processors that the function is a body for: "cpu" (or "omp"), "gpu", or both; "cpu" by default.
      On GPUs it gets a `DeviceArray` of each array, as the body of `Task.gpu` does.
    """
    names = _sys._getframe(1).f_locals
    options = {
        "constraints": constraints, "variants": variants, "name": name, "body": body, "compiler": compiler,
        "unordered": unordered, "whole": whole, "nested": nested, "concurrent": concurrent, "work": work, "flops": flops, "cuda": cuda, "cuda_block": cuda_block,
    }  # fmt: skip
    if len(given) == 1 and _inspect.isroutine(given[0]):
        return _defined(given[0], (), names, **options)
    return lambda function: _defined(function, given, names, **options)
