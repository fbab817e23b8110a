"""Random calls with `out=`, `where=`, `casting=`, `dtype=` and `initial=`, compared with NumPy: random_calls.py SEED COUNT runs many.

Operands have any dtype and memory layout, and may not fit the outputs or masks. Calls that raise an error in NumPy must raise one in Weft.
"""

import random
import sys
import warnings

import numpy
import weft.numpy as wnp
from edge_values import DTYPES, is_same_error

SHAPES = [(), (1,), (3,), (1, 3), (2, 3), (2, 1), (0, 3), (2, 3, 2)]
UNARY = ["negative", "absolute", "logical_not", "isfinite", "square", "rint", "positive", "sign", "floor"]
BINARY = [
    "add", "subtract", "multiply", "maximum", "minimum", "less", "equal", "logical_and", "bitwise_or", "true_divide", "floor_divide", "fmax", "left_shift",
]  # fmt: skip
REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "argmax", "cumsum", "cumprod"]
METHODS = ["add", "multiply", "maximum", "logical_or", "bitwise_and", "fmin"]
CASTINGS = ["no", "safe", "same_kind", "unsafe"]


class Calls:
    """Calls drawn from a seed. Each is text, with a function that calls it for a module and its arrays."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def shape(self, like=None):
        return like if like is not None and self.random.random() < 0.7 else self.random.choice(SHAPES)

    def array(self, shape=None, dtype=None):
        shape = self.shape() if shape is None else shape
        dtype = numpy.dtype(dtype or self.random.choice(DTYPES))
        count = int(numpy.prod(shape))
        start = self.random.randrange(5)
        made = ((numpy.arange(count) * 3 + start) % 7).astype(dtype).reshape(shape)
        if dtype.kind in "ifc" and self.random.random() < 0.5:
            made = -made
        order = self.random.randrange(4)
        if order == 1 and made.ndim > 1:
            made = numpy.asfortranarray(made)
        elif order == 2 and made.ndim:
            wide = numpy.zeros((*made.shape[:-1], made.shape[-1] * 2), dtype)
            wide[..., ::2] = made
            made = wide[..., ::2]
        elif order == 3 and made.ndim:
            made = made[::-1]
        return made

    def operand(self, shape):
        if self.random.random() < 0.25:
            return self.random.choice([0, 1, -1, 2.5, True, 300, 1j, numpy.float32(1.5), numpy.int8(3)])
        return self.array(self.shape(shape))

    def mask(self, shape):
        if self.random.random() < 0.1:
            return self.array(self.shape(shape))
        shape = self.shape(shape)
        return (numpy.arange(int(numpy.prod(shape))) * self.random.randrange(1, 4) % 3 != 0).reshape(shape)

    def draw(self):
        """The name of a function or method, and its arguments."""
        kind = self.random.random()
        if kind < 0.6:
            return self.elementwise()
        return self.reduction() if kind < 0.85 else self.method()

    def elementwise(self):
        name = self.random.choice(UNARY if self.random.random() < 0.3 else BINARY)
        first = self.array()
        given = [first] if name in UNARY else [first, self.operand(first.shape)]
        keywords = {}
        if self.random.random() < 0.75:
            shape = numpy.broadcast_shapes(*(numpy.shape(one) for one in given)) if self.fits(given) else first.shape
            keywords["out"] = self.array(self.shape(shape))
            if self.random.random() < 0.4:
                keywords["where"] = self.mask(shape)
        if self.random.random() < 0.3:
            keywords["casting"] = self.random.choice(CASTINGS)
        if self.random.random() < 0.2:
            keywords["dtype"] = numpy.dtype(self.random.choice(DTYPES))
        return name, given, keywords

    @staticmethod
    def fits(given):
        try:
            numpy.broadcast_shapes(*(numpy.shape(one) for one in given))
        except ValueError:
            return False
        return True

    def axis(self, array):
        options = [None, 0, -1, 1, (), tuple(range(array.ndim)), 5]
        return self.random.choice(options)

    def reduction(self):
        name, array, keywords = self.random.choice(REDUCTIONS), self.array(), {}
        is_running = name in ("cumsum", "cumprod")
        keywords["axis"] = self.axis(array)
        if not is_running and self.random.random() < 0.3:
            keywords["keepdims"] = True
        if name in ("sum", "prod", "max", "min") and self.random.random() < 0.3:
            keywords["initial"] = self.random.choice([0, 2, -1, 2.7, None, 300])
        if name not in ("argmax", "cumsum", "cumprod") and self.random.random() < 0.3:
            keywords["where"] = self.mask(array.shape)
        if name in ("sum", "prod", "mean", "cumsum", "cumprod") and self.random.random() < 0.3:
            keywords["dtype"] = numpy.dtype(self.random.choice(DTYPES))
        if self.random.random() < 0.4:
            keywords["out"] = self.array(self.result_shape(name, array, keywords))
        return name, [array], keywords

    def result_shape(self, name, array, keywords):
        """The shape of NumPy's result; sometimes another one. Running results of another number of axes crash NumPy 2.4."""
        try:
            with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                shape = numpy.shape(getattr(numpy, name)(array, **keywords))
        except Exception:  # noqa: BLE001 - any error: the call fails with every output
            return array.shape
        return shape if name in ("cumsum", "cumprod") else self.shape(shape)

    def method(self):
        name, array, keywords = self.random.choice(METHODS), self.array(), {}
        method = self.random.choice(["reduce", "reduce", "accumulate", "outer"])
        if method == "outer":
            return f"{name}.outer", [array, self.operand((2,))], keywords
        keywords["axis"] = self.random.choice([0, -1, 1])
        if method == "reduce":
            keywords["axis"] = self.axis(array)
            if self.random.random() < 0.3:
                keywords["initial"] = self.random.choice([0, 2, None])
            if self.random.random() < 0.3:
                keywords["where"] = self.mask(array.shape)
        if self.random.random() < 0.2:
            keywords["dtype"] = numpy.dtype(self.random.choice(DTYPES))
        return f"{name}.{method}", [array], keywords


def outcome(module, name, given, keywords):
    """The results of a call and the contents of its output afterwards, or its error."""
    move = (lambda one: one.copy("K")) if module is numpy else wnp.array

    def moved(one):
        return move(one) if isinstance(one, numpy.ndarray) else one

    function = module
    for part in name.split("."):
        function = getattr(function, part)
    given, keywords = [moved(one) for one in given], {key: moved(one) for key, one in keywords.items()}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = function(*given, **keywords)
            held = [numpy.asarray(made), *([numpy.asarray(keywords["out"])] if "out" in keywords else [])]
        except Exception as error:  # noqa: BLE001 - any error is compared
            return error
    return held


def is_defined(name, given, keywords):
    """Whether NumPy's result is the same on every machine."""
    arrays = [one for one in given if isinstance(one, numpy.ndarray)]
    kinds = {numpy.asarray(one).dtype.kind for one in given}
    if "out" in keywords:
        kinds.add("o" + keywords["out"].dtype.kind)
    is_division = name in ("true_divide", "floor_divide", "mean")
    # The processor determines the conversion of infinities and NaN to integers. Elements without a
    # value are undefined, too.
    dtypes = [one.dtype for one in given if isinstance(one, (numpy.ndarray, numpy.generic))]
    dtypes += [keywords["dtype"]] if keywords.get("dtype") is not None else []
    is_lossy = kinds & {"oi", "ou"} and (is_division or kinds & {"f", "c"} or numpy.result_type(*dtypes).kind in "fc")
    # Steps of a reduction go through an output that cannot hold them.
    is_lossy = is_lossy or (name in REDUCTIONS and (kinds >= {"ou", "i"} or "ob" in kinds))
    is_lossy = is_lossy or (name == "mean" and any(dtype.kind in "iu" for dtype in dtypes) and arrays[0].size == 0)
    is_unset = "where" in keywords and "out" not in keywords and "." not in name and name in (*UNARY, *BINARY)
    to_integer = keywords.get("dtype") is not None and keywords["dtype"].kind in "iu" and kinds & {"f", "c"}
    return not (is_lossy or is_unset or to_integer) and bool(arrays)


def is_near(left, right):
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind in "fc":
        with numpy.errstate(all="ignore"):
            return bool(numpy.isclose(left, right, rtol=2e-2 if left.dtype == "f2" else 1e-4, atol=1e-3, equal_nan=True).all())
    return numpy.array_equal(left, right)


def difference(name, given, keywords):
    """The difference between NumPy's result and Weft's; `None` if there is none."""
    if name == "left_shift" and any(isinstance(one, int) and not 0 <= one < 8 for one in given):
        return None
    if any(type(one) in (int, float, complex) for one in given) and {"casting", "where", "dtype"} & keywords.keys():
        # NumPy 2.4 crashes for some Python numbers that it cannot cast.
        return None
    wanted, made = outcome(numpy, name, given, keywords), outcome(wnp, name, given, keywords)
    text = f"{name}({', '.join(map(described, given))}, {', '.join(f'{key}={described(one)}' for key, one in keywords.items())})"
    if isinstance(wanted, Exception) or isinstance(made, Exception):
        both = isinstance(wanted, Exception) and isinstance(made, Exception)
        if both and (is_same_error(wanted, made) or are_both_wrong(wanted, made)):
            return None
        return f"{text}: NumPy {wanted!r}, Weft {made!r}"
    if is_defined(name, given, keywords):
        same = all(is_near(left, right) for left, right in zip(wanted, made))
    else:
        same = all(left.dtype == right.dtype and left.shape == right.shape for left, right in zip(wanted, made))
    return None if same else f"{text}: NumPy {wanted!r}, Weft {made!r}"


def are_both_wrong(wanted, made):
    """Whether a call is wrong in two ways, of which NumPy reports the other first."""
    return isinstance(wanted, (TypeError, ValueError, OverflowError)) and isinstance(made, (TypeError, ValueError, OverflowError))


def described(one):
    return f"{one.tolist()}:{one.dtype}:{one.strides}" if isinstance(one, numpy.ndarray) else repr(one)


def drawn(seed, count):
    """Differences in calls drawn at random."""
    calls = Calls(seed)
    found = (difference(*calls.draw()) for _ in range(count))
    return [one for one in found if one]


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    if differences := drawn(seed, count):
        sys.exit(f"{len(differences)} calls differ:\n" + "\n".join(differences[:50]))
    print(f"{count} calls, drawn from {seed}, give NumPy's results")


if __name__ == "__main__":
    main()
