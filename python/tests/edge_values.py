"""Universal functions and their methods on the edge values of every dtype, compared with NumPy: edge_values.py SEED COUNT draws many calls.

Each call takes arrays of extreme values: the least and the greatest of integers, zeros of both signs, subnormal numbers, infinities, NaN,
and complex numbers of such parts. Results must have NumPy's dtype, shape and values; where NumPy raises an error, Weft must raise it too.
"""

import random
import sys
import warnings

import numpy
import weft.numpy as wnp

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]

#: Functions whose results are rounded by a library, with NumPy's last bits or others.
ROUNDED = {
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos", "cosh", "deg2rad", "degrees", "exp", "exp2", "expm1",
    "float_power", "hypot", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "pow", "power", "rad2deg", "radians", "sin", "sinh", "tan",
    "tanh",
}  # fmt: skip

#: Functions of complex numbers of which C leaves results at the edges to the library.
UNDEFINED_COMPLEX = ROUNDED | {"sqrt", "square", "reciprocal", "multiply", "divide", "sign", "absolute"}

#: Functions of integers whose results are floats.
FRACTIONS = ROUNDED | {"copysign", "divide", "heaviside", "ldexp", "nextafter"}

#: Functions that return either zero if both signs are given, depending on the machine's vector unit.
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin"}


def functions():
    """Names of NumPy's universal functions of elements that Weft has."""
    names = []
    for name in dir(numpy):
        theirs = getattr(numpy, name)
        if isinstance(theirs, numpy.ufunc) and theirs.signature is None and isinstance(getattr(wnp, name, None), wnp.ufunc):
            names.append(name)
    return names


def edges(dtype):
    """The values of a dtype at which functions go wrong."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return numpy.array([False, True])
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        near = [0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2, info.min, info.min + 1]
        return numpy.array([*near, *([-1, -2, -3, -7] if dtype.kind == "i" else [])], dtype)
    real = numpy.dtype({"c8": "f4", "c16": "f8"}.get(dtype.str[1:], dtype))
    info = numpy.finfo(real)
    sizes = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, info.max, info.tiny, info.smallest_subnormal, info.eps, numpy.inf]
    signed = numpy.array([*sizes, *(-one for one in sizes), numpy.nan], real)
    if dtype.kind == "f":
        return signed
    parts = numpy.array([0.0, -0.0, 1.0, -2.5, info.max, numpy.inf, -numpy.inf, numpy.nan], real)
    return _complex(parts, dtype)


def _complex(parts, dtype):
    made = numpy.empty((len(parts), len(parts)), dtype)
    made.real, made.imag = parts[:, None], parts[None, :]
    return made.ravel()


def outcome(call):
    """The result of a call, or its error."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = call()
            return [numpy.asarray(one) for one in (made if isinstance(made, tuple) else (made,))]
        except Exception as error:  # noqa: BLE001 - any error is compared
            return error


def is_same(name, left, right):
    """Whether two results of the function `name` are equal, apart from last bits if a library rounds."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind not in "fc":
        return numpy.array_equal(left, right)
    if left.dtype.kind == "c":
        return is_same(name, left.real, right.real) and is_same(name, left.imag, right.imag)
    missing = numpy.isnan(left)
    if not numpy.array_equal(missing, numpy.isnan(right)):
        return False
    left, right = left[~missing], right[~missing]
    with numpy.errstate(all="ignore"):
        if name not in ROUNDED:
            is_signed = name in EITHER_ZERO or numpy.array_equal(numpy.signbit(left), numpy.signbit(right))
            return numpy.array_equal(left, right) and is_signed
        info = numpy.finfo(left.dtype)
        near = numpy.abs(left - right) <= 8 * info.eps * numpy.abs(left) + 4 * info.smallest_subnormal
    return bool((near | (left == right)).all())


def is_same_error(left, right):
    """Whether code that catches NumPy's error catches Weft's."""
    if type(left).__name__.lstrip("_").startswith("UFunc"):
        left = TypeError()
    return isinstance(right, type(left))


class Calls:
    """Calls of universal functions, drawn at random."""

    def __init__(self, seed):
        self.random, self.names = random.Random(seed), functions()

    def array(self, dtype=None, count=None):
        values = edges(dtype or self.random.choice(DTYPES))
        count = count or self.random.choice([1, 2, 3, 5, 9])
        return numpy.array([values[self.random.randrange(len(values))] for _ in range(count)], values.dtype)

    def draw(self):
        """A description, the name of a function, and a call of it with arrays of a module."""
        name = self.random.choice(self.names)
        of = getattr(numpy, name)
        if of.nin == 2 and of.nout == 1 and self.random.random() < 0.4:
            return self.method(name)
        first = self.array()
        arrays = [first]
        if of.nin == 2:
            same = self.random.random() < 0.6
            arrays.append(self.array(first.dtype if same else None, len(first)))
        text = f"{name}({', '.join(f'{one.tolist()}:{one.dtype}' for one in arrays)})"
        return text, name, arrays, lambda module, *given: getattr(module, name)(*given)

    def method(self, name):
        """A call of a method of a function of two elements."""
        array = self.array()
        method = self.random.choice(["reduce", "accumulate", "reduceat", "outer", "at"])
        text = f"{name}.{method}({array.tolist()}:{array.dtype}"
        if method in ("reduce", "accumulate"):
            return f"{text})", name, [array], lambda module, one: getattr(getattr(module, name), method)(one)
        if method == "reduceat":
            places = [self.random.randrange(len(array)) for _ in range(3)]
            return f"{text}, {places})", name, [array], lambda module, one: getattr(module, name).reduceat(one, places)
        if method == "outer":
            other = self.array(array.dtype)
            text += f", {other.tolist()})"
            return text, name, [array, other], lambda module, one, two: getattr(module, name).outer(one, two)
        places = [self.random.randrange(len(array)) for _ in range(2)]
        other = self.array(array.dtype, 2)

        def at(module, one, two):
            one = one.copy()
            getattr(module, name).at(one, places, two)
            return one

        return f"{text}, {places}, {other.tolist()})", name, [array, other], at


def is_defined(name, arrays, text):
    """Whether NumPy's result is the same on every machine, and does not depend on the order of rounded steps."""
    kinds = {one.dtype.kind for one in arrays}
    if name == "reciprocal" and kinds & set("iu"):
        # The processor determines the result for 0.
        return all(one.all() for one in arrays)
    if name == "lcm" and "(" in text and "." in text.partition("(")[0]:
        # If a result does not fit, it depends on the order of steps.
        return False
    if ".at(" in text and kinds & set("iu") and name in FRACTIONS:
        # The processor determines the conversion of infinity to an integer.
        return False
    if "c" in kinds and name in UNDEFINED_COMPLEX:
        return False
    if name in ROUNDED and any(f".{method}(" in text for method in ("reduce", "accumulate", "reduceat", "at")):
        return False
    is_sum = name in ("add", "subtract", "multiply", "divide") and kinds & set("fc")
    return not (is_sum and ("reduce" in text or "accumulate" in text or ".at(" in text))


def difference(text, name, arrays, call):
    """The difference between NumPy's result and Weft's; `None` if there is none."""
    name = getattr(numpy, name).__name__
    wanted = outcome(lambda: call(numpy, *(one.copy() for one in arrays)))
    made = outcome(lambda: call(wnp, *(wnp.array(one) for one in arrays)))
    if isinstance(wanted, Exception) or isinstance(made, Exception):
        if name == "power" and isinstance(wanted, ValueError) and not isinstance(made, Exception):
            # A negative exponent among those of an array is an error in NumPy only.
            return None
        both = isinstance(wanted, Exception) and isinstance(made, Exception)
        return None if both and is_same_error(wanted, made) else f"{text}: NumPy {wanted!r}, Weft {made!r}"
    if not is_defined(name, arrays, text):
        same = all(left.dtype == right.dtype and left.shape == right.shape for left, right in zip(wanted, made))
    else:
        same = len(wanted) == len(made) and all(is_same(name, left, right) for left, right in zip(wanted, made))
    return None if same else f"{text}: NumPy {wanted!r}, Weft {made!r}"


def every():
    """Each function on all edge values of each dtype, and of all pairs of two values."""
    for name in functions():
        for dtype in DTYPES:
            values = edges(dtype)
            if getattr(numpy, name).nin == 1:
                yield f"{name}({dtype})", name, [values], lambda module, one, name=name: getattr(module, name)(one)
            else:
                pairs = [values[:, None], values[None, :]]
                yield f"{name}({dtype}, {dtype})", name, pairs, lambda module, *two, name=name: getattr(module, name)(*two)


def drawn(seed, count):
    """Differences in calls drawn at random."""
    calls = Calls(seed)
    found = (difference(*calls.draw()) for _ in range(count))
    return [one for one in found if one]


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    differences = [one for one in (difference(*call) for call in every()) if one] + drawn(seed, count)
    if differences:
        sys.exit(f"{len(differences)} calls differ:\n" + "\n".join(differences[:50]))
    print(f"{count} calls, drawn from {seed}, and all functions on all edge values give NumPy's results")


if __name__ == "__main__":
    main()
