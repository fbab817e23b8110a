"""Parameters of a task from the annotations of a function."""

import inspect as _inspect

import numpy as _np

from . import _core


class Reduction:
    """The way that contributions are combined."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name.upper()


ADD, MUL, MIN, MAX = map(Reduction, ("add", "mul", "min", "max"))


class _Asked:
    """An annotation with a dtype or a number of axes."""

    __slots__ = ("axes", "dtype", "kind")

    def __init__(self, kind, dtype=None, axes=None):
        self.kind, self.dtype, self.axes = kind, dtype, axes

    def __repr__(self):
        return f"<{self.kind} of {self.dtype or 'any dtype'}, {'any' if self.axes is None else self.axes} axes>"


def _asked(kind, key):
    """The contents of an annotation's brackets: a dtype, or a dtype and a number of axes; `...` for any."""
    dtype, axes = key if isinstance(key, tuple) and len(key) == 2 else (key, ...)
    return _Asked(kind, None if dtype is ... else _np.dtype(dtype), None if axes is ... else int(axes))


class In:
    """An array that the task reads. `In["f8"]` accepts only this dtype, `In["f8", 2]` only arrays of two axes; `...` stands for any."""

    _kind = "in"

    def __class_getitem__(cls, key):
        return _asked(cls._kind, key)


class Out:
    """An array of which the task writes every element. The previous contents are undefined."""

    _kind = "out"

    def __class_getitem__(cls, key):
        return _asked(cls._kind, key)


class InOut:
    """An array that the task reads and writes."""

    _kind = "inout"

    def __class_getitem__(cls, key):
        return _asked(cls._kind, key)


class Unbound:
    """Elements that the task finds, a number that is not known beforehand: `Unbound["f8"]`. A body gets a `Found`, which takes them by `append` and
    `extend`; the call gives those of all tiles, one after the other, as a new array."""

    def __class_getitem__(cls, key):
        return _Asked("unbound", _np.dtype(key), 1)


class Reduce:
    """An array that all tiles contribute to: `Reduce[ADD]`, `Reduce[MIN, "f8"]`, `Reduce[MAX, "f8", 1]`. A body gets all of it, filled with what changes
    nothing; contributions are combined with the array in the order of the tiles."""

    def __class_getitem__(cls, key):
        reduction, *rest = key if isinstance(key, tuple) else (key,)
        if not isinstance(reduction, Reduction):
            raise TypeError(f"Reduce[...] names ADD, MUL, MIN or MAX first, not {reduction!r}")
        return _asked(reduction.name, tuple(rest) if len(rest) == 2 else rest[0] if rest else ...)


#: The dtypes of Python's number types.
_NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


class Parameter:
    """A parameter of a function."""

    def __init__(self, name, kind, dtype=None, axes=None, default=None, is_numpys=False):
        self.name, self.kind, self.dtype, self.axes, self.default, self.is_numpys = name, kind, dtype, axes, default, is_numpys

    @property
    def is_context(self):
        """Whether the parameter receives the context of the tile instead of an argument."""
        return self.kind in ("context", "communicator")

    def told(self):
        """The parameter as arguments for the runtime."""
        return (self.name, self.kind, self.dtype, self.axes, self.default)


def _evaluated(name, parameter, function, names):
    """An annotation as an object; evaluates it if it is a string."""
    said = parameter.annotation
    if not isinstance(said, str):
        return said
    inside = _inspect.getclosurevars(function).nonlocals if _inspect.isfunction(function) else {}
    try:
        return eval(said, {**getattr(function, "__globals__", {}), **names, **inside})
    except Exception as error:
        raise TypeError(f"task {name}: the annotation {said!r} of {parameter.name} cannot be evaluated: {error}") from error


def _parameter(name, parameter, said):
    default = None if parameter.default is _inspect.Parameter.empty else (parameter.default,)
    if isinstance(said, type) and issubclass(said, (In, Out, InOut)):
        said = _Asked(said._kind)
    if isinstance(said, _Asked):
        if default is not None:
            raise TypeError(f"task {name}: {parameter.name} is an array, which has no default")
        return Parameter(parameter.name, said.kind, said.dtype, said.axes)
    if kind := _of_tile(said):
        return Parameter(parameter.name, kind)
    if said is Unbound:
        raise TypeError(f'task {name}: {parameter.name}: Unbound needs the dtype of the elements in brackets, such as Unbound["f8"]')
    if said is Reduce:
        raise TypeError(f"task {name}: {parameter.name}: Reduce needs a reduction in brackets, such as Reduce[ADD]")
    if said in _NUMBERS:
        return Parameter(parameter.name, "value", _np.dtype(_NUMBERS[said]), None, default)
    is_numpys = isinstance(said, _np.dtype) or (isinstance(said, type) and issubclass(said, _np.generic))
    if not is_numpys:
        raise TypeError(
            f"task {name}: the annotation of {parameter.name}, {said!r}, is none of In, Out, InOut, Reduce[...], Unbound[...], TaskContext, Communicator, and no type of "
            "single values (bool, int, float, complex, or one of NumPy)"
        )
    return Parameter(parameter.name, "value", _np.dtype(said), None, default, True)


def _of_tile(said):
    """The kind of a parameter that receives an object of the tile instead of an argument, if the annotation is one."""
    if not isinstance(said, type):
        return None
    if issubclass(said, _core.TaskContext):
        return "context"
    from ._communicator import Communicator

    return "communicator" if issubclass(said, Communicator) else None


def arguments(told):
    """The arguments of a body: a kind for each, and the number of the parameter."""
    takes, count = [], 0
    for one in told:
        takes.append((one.kind, 0) if one.is_context else ("numpy" if one.is_numpys else "given", count))
        count += not one.is_context
    return takes


def arguments_of(name, function, told, names):
    """The arguments of another body of a task with these parameters. It takes all of them by name, in any order, and optionally a TaskContext."""
    numbers = dict(zip((one.name for one in told if not one.is_context), (one for one in arguments(told) if one[0] not in ("context", "communicator"))))
    takes, missing = [], set(numbers)
    for parameter in _inspect.signature(function).parameters.values():
        if parameter.name in numbers:
            takes.append(numbers[parameter.name])
            missing.discard(parameter.name)
            continue
        said = _evaluated(name, parameter, function, names)
        kind = _of_tile(said) or next((one.kind for one in told if one.is_context and one.name == parameter.name), None)
        if kind is None:
            raise TypeError(f"task {name}: unknown parameter `{parameter.name}`; use one of {', '.join(numbers)}")
        takes.append((kind, 0))
    if missing:
        raise TypeError(f"task {name}: its body does not take {', '.join(one for one in numbers if one in missing)}")
    return takes


def parameters(name, function, names):
    """The parameters of a function. String annotations may use the function's own names and `names`."""
    found = []
    for parameter in _inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"task {name}: *{parameter.name} stands for any number of arguments; name each parameter")
        if parameter.kind is parameter.KEYWORD_ONLY:
            raise TypeError(f"task {name}: {parameter.name} can be given by its name alone, and bodies get their arguments in order; leave out the *")
        if parameter.annotation is parameter.empty:
            raise TypeError(
                f"task {name}: {parameter.name} has no annotation: use In, Out, InOut or Reduce[...] of an array, or the type of a single value, such as float"
            )
        found.append(_parameter(name, parameter, _evaluated(name, parameter, function, names)))
    return found
