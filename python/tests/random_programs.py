"""Random programs of array operations, run with NumPy and with Weft side by side: random_programs.py SEED COUNT runs many.

A program keeps a pool of arrays and numbers, each once in NumPy and once in Weft. A step makes a new array, a view or a number, or writes into
an array. Where NumPy raises an error, Weft must raise the same; where it gives a scalar, Weft must give a number. At the end all of the pool must
be equal, which also tells whether the same arrays share memory.
"""

import operator
import random
import sys
import traceback
import warnings

import numpy
import weft.numpy as wnp

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (0,), (1,), (5,), (7,), (2, 3), (3, 1), (1, 5), (3, 0), (4, 5), (2, 3, 4), (2, 1, 3)]
LARGE = [(3000,), (60, 70), (5, 40, 30)]
STEPS = [None, 1, 2, 3, -1, -2]
EXACT_UNARY = ["negative", "absolute", "positive", "square", "logical_not", "invert", "sign", "conjugate", "isnan", "isfinite", "rint", "floor", "signbit"]
EXACT_BINARY = [
    "add", "subtract", "multiply", "maximum", "minimum", "less", "less_equal", "equal", "not_equal", "greater", "logical_and", "logical_or",
    "bitwise_and", "bitwise_or", "bitwise_xor", "floor_divide", "remainder", "true_divide", "fmax", "copysign", "maximum", "minimum",
]  # fmt: skip
IN_PLACE = {
    "iadd": "add", "isub": "subtract", "imul": "multiply", "iand": "bitwise_and", "ior": "bitwise_or", "ixor": "bitwise_xor",
    "itruediv": "true_divide", "ifloordiv": "floor_divide", "imod": "remainder",
}  # fmt: skip
PROTOCOLS = [
    ("hash", hash), ("repr", repr), ("str", str), ("format", "{:>12}".format), ("bool", bool), ("float", float), ("int", int), ("complex", complex),
    ("index", operator.index), ("round", round), ("repeat", lambda x: [0] * x if x < 50 else None), ("item", lambda x: x.item()),
    ("key", lambda x: {x: 1}[x]), ("range", lambda x: list(range(x)) if abs(x) < 50 else None), ("len", len), ("iter", iter),
    ("is_integer", lambda x: x.is_integer()), ("bits", lambda x: x.bit_count()), ("dtype", lambda x: x.dtype), ("conjugate", lambda x: x.conjugate()),
    ("real", lambda x: x.real), ("imag", lambda x: x.imag), ("equal", lambda x: (x == x.item(), x != x.item(), x.item() == x)),
    ("astype", lambda x: x.astype("c16")), ("ratio", lambda x: x.as_integer_ratio()), ("tolist", lambda x: x.tolist()), ("sum", lambda x: x.sum()),
]  # fmt: skip
REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "cumsum", "count_nonzero", "ptp", "std"]


class Drawn:
    """Choices of a generator of random numbers. Tests by hypothesis have a class of the same form."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, low, high):
        return self.random.randint(low, high)

    def choice(self, options):
        return self.random.choice(options)


class Different(AssertionError):
    pass


def is_same_error(left, right):
    # An array that is written to one element is a ValueError or a TypeError, by NumPy's dtype.
    texts = ("only 0-dimensional arrays can be", "setting an array element")
    if all(any(text in str(error) for text in texts) for error in (left, right)):
        return True
    # A call may be wrong in two ways, of which NumPy reports the other first.
    if isinstance(left, OverflowError) or isinstance(right, OverflowError):
        return isinstance(left, TypeError) or isinstance(right, TypeError) or type(left) is type(right)
    return isinstance(left, type(right)) or isinstance(right, type(left))


def has_minus_zero(array):
    array = numpy.asarray(array)
    return bool(array.dtype.kind == "f" and (numpy.signbit(array) & (array == 0)).any())


class Program:
    def __init__(self, draw, shapes=SHAPES):
        self.draw, self.shapes = draw, shapes
        self.pool = []
        self.text = []
        for _ in range(3):
            self.create()

    # Arrays.

    def values(self, shape, dtype):
        count = int(numpy.prod(shape))
        base = self.draw.number(0, 1000)
        numbers = (numpy.arange(count) * (2 * base + 1) + base) % 23 - (0 if dtype.kind in "bu" else 11)
        made = numbers.astype(dtype)
        if dtype.kind == "c":
            made = made + dtype.type(1j) * ((numbers * 3) % 7).astype(dtype)
        if dtype.kind == "f":
            made = made / dtype.type(4)
            if base % 4 == 0:
                # Zeros of both signs.
                made = numpy.copysign(made * (numbers % 3 == 0), numbers).astype(dtype)
        if dtype.kind == "b":
            made = numbers % 2 == 0
        return made.reshape(shape)

    def create(self):
        dtype = numpy.dtype(self.draw.choice(DTYPES))
        host = self.values(self.draw.choice(self.shapes), dtype)
        self.keep(host, wnp.array(host), f"array of {dtype} {host.shape}")

    def keep(self, left, right, text):
        if self.text and self.text[-1] == text:
            self.text.pop()
        self.text.append(f"{text} -> #{len(self.pool)}")
        # A known truth value is one of NumPy's two objects, whose methods return NumPy's objects.
        if isinstance(right, numpy.ndarray) and any(isinstance(known, numpy.bool_) for _, known in self.pool):
            right = wnp.asarray(right)
        if type(right) is right.dtype.type and right.dtype.kind != "b":
            right = wnp.array([right])[0]
        if isinstance(left, numpy.generic) == isinstance(right, wnp.ndarray) or isinstance(right, numpy.ndarray):
            self.fail(f"{right!r} of {type(right)} for {left!r}")
        if left.shape != right.shape or left.dtype != right.dtype:
            self.fail(f"{right.dtype} {right.shape} for {left.dtype} {left.shape}")
        self.pool.append((left, right))
        if len(self.pool) > 8:
            self.compare(0)
            del self.pool[0]
            self.text.append("(the first is dropped, and numbers go down by one)")

    def fail(self, text):
        raise Different(text + " after\n" + "\n".join(self.text))

    def compare(self, number):
        left, right = self.pool[number]
        host = numpy.asarray(right)
        equal = left.shape == host.shape and left.dtype == host.dtype and numpy.array_equal(left, host, equal_nan=left.dtype.kind in "fc")
        if equal and left.dtype.kind == "f":
            # Zeros have signs.
            equal = numpy.array_equal(numpy.signbit(left)[left == 0], numpy.signbit(host)[left == 0])
        if not equal:
            self.fail(f"#{number} is\n{host!r}\nfor\n{left!r}")

    def pick(self):
        number = self.draw.number(0, len(self.pool) - 1)
        return number, *self.pool[number]

    def both(self, text, left, right):
        """Makes the same call with both; makes nothing if both raise the same error."""
        error = None
        with numpy.errstate(all="ignore"):
            try:
                made = left()
            except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError, AttributeError) as caught:
                error = caught
            self.text.append(text)
            try:
                mine = right()
            except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError, AttributeError) as caught:
                if error is None or not is_same_error(caught, error):
                    self.fail(f"Weft raises {caught!r}, NumPy {error!r}")
                self.text[-1] += f": {type(error).__name__}"
                return None
        if error is not None:
            self.fail(f"NumPy raises {error!r}, Weft does not")
        return made, mine

    def make(self, text, left, right):
        made = self.both(text, left, right)
        if made is None:
            return
        host, mine = made
        if isinstance(host, numpy.ndarray) and not any(numpy.may_share_memory(host, known) for known, _ in self.pool):
            # NumPy's results have the memory order of their inputs, Weft's are always in row-major order. From here on views of both are the same.
            host = host.copy(order="C")
        self.keep(host, mine, text)

    # Steps.

    def key(self, shape):
        """An index that NumPy treats as basic, for an array of this shape."""
        key = []
        for extent in shape:
            kind = self.draw.number(0, 5)
            if kind == 0 and extent:
                key.append(self.draw.number(-extent, extent - 1))
            elif kind == 1:
                key.append(slice(None))
            elif kind == 2 and self.draw.number(0, 2) == 0:
                key.append(None)
            else:
                bound = [None, *range(-extent - 1, extent + 2)] if extent < 8 else [None, 0, 1, extent // 3, extent // 2, -1, -3]
                key.append(slice(self.draw.choice(bound), self.draw.choice(bound), self.draw.choice(STEPS)))
        if self.draw.number(0, 6) == 0:
            key = [Ellipsis, *key[len(key) - 1 :]] if key else [Ellipsis]
        return tuple(key)

    def mask(self, shape):
        count = int(numpy.prod(shape))
        return (numpy.arange(count) * self.draw.number(1, 9) % self.draw.number(2, 5) == 0).reshape(shape)

    def view(self):
        number, left, right = self.pick()
        kind = self.draw.number(0, 7)
        if kind <= 2:
            key = self.key(left.shape)
            return self.make(f"#{number}[{key}]", lambda: left[key], lambda: right[key])
        if kind == 3:
            return self.make(f"#{number}.T", lambda: left.T, lambda: right.T)
        if kind == 4:
            shape = self.draw.choice([(-1,), (left.size,), (1, -1), (-1, 1), left.shape[::-1], (2, -1)])
            return self.make(f"#{number}.reshape({shape})", lambda: left.reshape(shape), lambda: right.reshape(shape))
        if kind == 5:
            return self.make(f"#{number}.ravel()", left.ravel, right.ravel)
        if kind == 6 and left.ndim >= 2:
            return self.make(f"swapaxes(#{number}, 0, -1)", lambda: left.swapaxes(0, -1), lambda: right.swapaxes(0, -1))
        return self.make(f"flip(#{number})", lambda: numpy.flip(left), lambda: wnp.flip(right))

    def unary(self):
        number, left, right = self.pick()
        name = self.draw.choice(EXACT_UNARY)
        if name in ("absolute", "sign", "square") and left.dtype.kind == "c":
            return
        if name == "signbit" and left.dtype.kind == "f" and numpy.isnan(left).any():
            # The sign of NaN is the processor's.
            return
        self.make(f"{name}(#{number})", lambda: getattr(numpy, name)(left), lambda: getattr(wnp, name)(right))

    def operand(self, dtype):
        """Another array of the pool, or a number."""
        if self.draw.number(0, 3) == 0:
            value = self.draw.choice([0, 1, -2, 3, 2.5, -0.5, 0.0, -0.0, True, 1j, 300, numpy.float32(1.5), numpy.int8(3), numpy.uint16(7)])
            return repr(value), value, value
        number, left, right = self.pick()
        return f"#{number}", left, right

    def binary(self):
        number, left, right = self.pick()
        name = self.draw.choice(EXACT_BINARY)
        other, a, b = self.operand(left.dtype)
        if not self.is_defined(name, left, a):
            return
        self.make(f"{name}(#{number}, {other})", lambda: getattr(numpy, name)(left, a), lambda: getattr(wnp, name)(right, b))

    def is_defined(self, name, left, right):
        """Whether NumPy's result is the same on every machine."""
        dtypes = [numpy.asarray(one).dtype for one in (left, right)]
        if any(dtype.kind == "c" for dtype in dtypes):
            # Complex divisions differ in the last bit, and products where values overflow.
            return name not in ("true_divide", "floor_divide", "remainder", "multiply")
        if name == "fmax" and numpy.result_type(left, right) in ("f4", "f8"):
            # Of zeros with different signs, NumPy's vector and scalar code choose different ones.
            return not any(has_minus_zero(one) for one in (left, right))
        if name == "copysign" and any(dtype.kind == "f" and numpy.isnan(one).any() for dtype, one in zip(dtypes, (left, right))):
            # The sign of NaN is the processor's.
            return False
        if name in ("floor_divide", "remainder") and any(dtype.kind == "f" for dtype in dtypes):
            return all(numpy.isfinite(numpy.asarray(one)).all() for one in (left, right))
        return True

    def in_place(self):
        number, left, right = self.pick()
        name, (other, a, b) = self.draw.choice(list(IN_PLACE)), self.operand(None)
        if not self.is_defined(IN_PLACE[name], left, a):
            return
        is_bound = isinstance(left, numpy.generic)
        made = self.both(f"{name}(#{number}, {other})", lambda: getattr(operator, name)(left, a), lambda: getattr(operator, name)(right, b))
        if made is None:
            return
        if is_bound:
            # The operator binds another number or array; the one before is unchanged.
            self.compare(number)
            return self.keep(*made, self.text.pop())
        if made[0] is not left or made[1] is not right:
            self.fail("an operator in place made another array")

    def out(self):
        number, left, right = self.pick()
        target, into, mine = self.pick()
        name = self.draw.choice(["add", "subtract", "maximum", "less", "bitwise_and"])
        other, a, b = self.operand(left.dtype)
        keywords = {}
        # If inputs overlap the output, NumPy casts the elements that it leaves out to the result's
        # dtype and back.
        # NumPy 2.4 crashes if a comparison with a number that does not fit has an output and a
        # mask.
        overlaps = type(a) is int or any(isinstance(one, numpy.ndarray) and numpy.may_share_memory(one, into) for one in (left, a))
        if self.draw.number(0, 2) == 0 and not overlaps:
            keywords["where"] = self.mask(into.shape)
        text = f"{name}(#{number}, {other}, out=#{target}{', where=...' if keywords else ''})"
        left_where = dict(keywords)
        right_where = {key: wnp.array(value) for key, value in keywords.items()}
        self.both(
            text,
            lambda: getattr(numpy, name)(left, a, out=into, **left_where),
            lambda: getattr(wnp, name)(right, b, out=mine, **right_where),
        )

    def fits(self, value, dtype):
        """Whether a cast to this dtype is defined."""
        value = numpy.asarray(value)
        if dtype.kind not in "iu" or value.dtype.kind not in "fc":
            return True
        return bool(numpy.isfinite(value).all() and (numpy.abs(value) < 100).all() and (dtype.kind == "i" or (value.real >= 0).all()))

    def write(self):
        number, left, right = self.pick()
        other, a, b = self.operand(left.dtype)
        if not self.fits(a, left.dtype) or (numpy.iscomplexobj(a) and left.dtype.kind != "c"):
            return
        kind = self.draw.number(0, 2)
        if kind == 0:
            key = mine = self.key(left.shape)
        elif kind == 1:
            key = self.mask(left.shape)
            mine = wnp.array(key)
            if numpy.ndim(a):
                return
        else:
            # If nothing is written, NumPy accepts values of any shape.
            if not left.ndim or not left.size:
                return
            # Each place once: NumPy does not define the order of writes to one place.
            chosen = numpy.arange(left.shape[0])[:: self.draw.choice([1, 2, -1])]
            key, mine = chosen, wnp.array(chosen)
        self.both(f"#{number}[{key}] = {other}", lambda: operator.setitem(left, key, a), lambda: operator.setitem(right, mine, b))

    def select(self):
        number, left, right = self.pick()
        kind = self.draw.number(0, 4)
        if kind == 0:
            key = self.mask(left.shape)
            return self.make(f"#{number}[mask]", lambda: left[key], lambda: right[wnp.array(key)])
        if kind == 1 and left.ndim and left.shape[0]:
            key = (numpy.arange(6).reshape(2, 3) * 5) % left.shape[0] - self.draw.choice([0, left.shape[0]])
            return self.make(f"#{number}[{key.tolist()}]", lambda: left[key], lambda: right[wnp.array(key)])
        if kind == 2:
            other, a, b = self.operand(left.dtype)
            if type(a) is int and a in (300, -2):
                # NumPy wraps values that do not fit; in Weft they are errors.
                return None
            mask = self.mask(left.shape)
            return self.make(f"where(mask, #{number}, {other})", lambda: numpy.where(mask, left, a), lambda: wnp.where(wnp.array(mask), right, b))
        if kind == 3:
            return self.make(f"nonzero(#{number})[0]", lambda: numpy.atleast_1d(left).nonzero()[0].copy(), lambda: wnp.atleast_1d(right).nonzero()[0])
        dtype = numpy.dtype(self.draw.choice(DTYPES))
        if not self.fits(left, dtype) or (left.dtype.kind == "c" and dtype.kind not in "cb"):
            return None
        return self.make(f"#{number}.astype({dtype})", lambda: left.astype(dtype), lambda: right.astype(dtype))

    def reduce(self):
        number, left, right = self.pick()
        name = self.draw.choice(REDUCTIONS)
        if left.dtype.kind == "c" and name in ("max", "min", "argmax", "argmin", "ptp", "prod", "std"):
            return
        if left.dtype.kind == "f" and left.dtype.itemsize == 2 and left.size > 100:
            # NumPy rounds each sum to half precision, Weft the last.
            return
        keywords = {}
        if left.ndim and self.draw.number(0, 2):
            keywords["axis"] = self.draw.number(-left.ndim, left.ndim - 1)
            if name not in ("argmax", "argmin", "cumsum", "ptp", "count_nonzero") and left.ndim > 1 and self.draw.number(0, 2) == 0:
                keywords["axis"] = (0, left.ndim - 1)
        if name not in ("cumsum",) and self.draw.number(0, 3) == 0:
            keywords["keepdims"] = True
        text = f"{name}(#{number}, {keywords})"
        made = self.both(text, lambda: getattr(numpy, name)(left, **keywords), lambda: getattr(wnp, name)(right, **keywords))
        if made is None:
            return
        result, mine = made
        if isinstance(result, numpy.generic) == isinstance(mine, wnp.ndarray):
            self.fail(f"{type(mine)} for {type(result)}")
        if result.dtype.kind == "f" and name in ("max", "min") and has_minus_zero(left):
            # NumPy's vector code chooses one of several zeros depending on the array's memory
            # layout.
            if not numpy.array_equal(result, numpy.asarray(mine), equal_nan=True):
                self.fail(f"{mine!r} for {result!r}")
            mine = self.number(result) if isinstance(result, numpy.generic) else wnp.array(result)
        elif result.dtype.kind in "fc" and name not in ("max", "min", "ptp"):
            # Sums of floating point depend on the order of terms: both continue with NumPy's.
            host = numpy.asarray(mine)
            if host.dtype != result.dtype or host.shape != result.shape:
                self.fail(f"{host.dtype} {host.shape} for {result.dtype} {result.shape}")
            with numpy.errstate(all="ignore"):
                terms = max(left.size, 1)
                scale = numpy.nanmax(numpy.abs(left.astype("c16")), initial=1.0) * terms
                slack = 8 * numpy.finfo(result.dtype).eps * scale if name != "prod" else numpy.abs(result) * numpy.finfo(result.dtype).eps * terms
                near = numpy.isclose(host, result, rtol=numpy.finfo(result.dtype).eps * 64, atol=slack if numpy.isscalar(slack) else 0, equal_nan=True)
                near |= ~numpy.isfinite(result) | (numpy.abs(result) > numpy.finfo(result.dtype).max / 4) | (name == "prod")
            if not near.all():
                self.fail(f"{host!r} for {result!r}")
            mine = self.number(result) if isinstance(result, numpy.generic) else wnp.array(result)
        self.keep(result.copy(), mine, text)

    def number(self, value):
        """A number of Weft with the value of one of NumPy: known, or computed later."""
        array = wnp.full(40_000 if self.draw.number(0, 2) == 0 else 1, value, value.dtype)
        return array[0] if value.dtype.kind == "c" else array.max()

    def element(self):
        """A number: an element, or a result computed from one."""
        number, left, right = self.pick()
        if not left.size:
            return None
        if self.draw.number(0, 2) == 0:
            return self.make(f"number like #{number}", lambda: left.reshape(-1)[0], lambda: self.number(left.reshape(-1)[0]))
        key = tuple(self.draw.number(-extent, extent - 1) for extent in left.shape)
        if self.draw.number(0, 4) == 0:
            key = (..., *key)
        return self.make(f"#{number}[{key}]", lambda: left[key], lambda: right[key])

    def protocol(self):
        """Python's protocols for numbers."""
        number, left, right = self.pick()
        name, ask = self.draw.choice(PROTOCOLS)
        # NumPy's arrays reject some of these, or accept them with a warning.
        if isinstance(left, numpy.ndarray):
            return
        if name == "hash" and left != left:
            # Python hashes NaN by the object.
            return
        made = self.both(f"{name}(#{number})", lambda: ask(left), lambda: ask(right))
        if made is not None and repr(made[0]) != repr(made[1]) and made[0] == made[0]:
            self.fail(f"{made[1]!r} for {made[0]!r}")

    def combine(self):
        number, left, right = self.pick()
        other, a, b = self.pick()
        kind = self.draw.number(0, 4)
        if kind == 0:
            return self.make(f"concatenate(#{number}, #{other})", lambda: numpy.concatenate((left, a)), lambda: wnp.concatenate((right, b)))
        if kind == 1:
            return self.make(f"stack(#{number}, #{number})", lambda: numpy.stack((left, left)), lambda: wnp.stack((right, right)))
        if kind == 2:
            times = self.draw.number(0, 3)
            return self.make(f"repeat(#{number}, {times})", lambda: numpy.repeat(left, times), lambda: wnp.repeat(right, times))
        if kind == 3:
            return self.make(f"roll(#{number}, 2)", lambda: numpy.roll(left, 2), lambda: wnp.roll(right, 2))
        if left.dtype.kind == "c" or not left.ndim or (left.dtype.kind == "f" and numpy.isnan(left).any()) or has_minus_zero(left):
            return None
        return self.make(f"sort(#{number})", lambda: numpy.sort(left), lambda: wnp.sort(right))

    STEPS = (
        create, view, view, view, unary, binary, binary, binary, in_place, in_place, out, out, write, write, select, select, reduce, reduce,
        combine, element, element, protocol,
    )  # fmt: skip

    def run(self, steps):
        for _ in range(steps):
            self.draw.choice(self.STEPS)(self)
        for number in range(len(self.pool)):
            self.compare(number)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    # Means of no elements and casts to reals cause warnings in both.
    warnings.simplefilter("ignore")
    different = 0
    for number in range(seed, seed + count):
        draw = Drawn(number)
        try:
            Program(draw, SHAPES + LARGE * 2 if number % 3 == 0 else SHAPES).run(25)
        except Different as difference:
            different += 1
            print(f"program {number}: {difference}\n", flush=True)
        except Exception:
            different += 1
            print(f"program {number}: {traceback.format_exc()}", flush=True)
    if different:
        sys.exit(f"{different} of {count} programs, from {seed} on, differ from NumPy")
    print(f"{count} programs, from {seed} on, give NumPy's values")


if __name__ == "__main__":
    main()
