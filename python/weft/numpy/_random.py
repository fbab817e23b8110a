"""Random numbers.

Uniform and normal numbers and integers come from Philox4x32-10, with a key from the bit generator for each call and a counter of the
position, so that they do not depend on the number of processors. Other distributions are derived from these. The numbers differ from
NumPy's for the same seed, but its bit generators' states, jumps and seeds mean the same.
"""

import functools as _functools
import inspect as _inspect
import math as _math
import operator as _operator

import numpy as _np

from .. import _core
from ._array import cast, float64, from_host, int64, is_held, make, ndarray, number, to_host
from ._distributions import Distributions, check, filled, not_negative, parameter, positive, size_of
from ._reduce import deliver
from ._seeds import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox, SeedSequence, legacy_state, restore, source
from ._shape import axis_of, reshape, shape_of, take
from ._ufunc import get
from ._whole import whole


def _plain_shape(size):
    """The shape that an integer or a tuple of integers gives; `None` for other sizes and very long ones."""
    if type(size) is int:
        size = (size,)
    elif type(size) is not tuple:
        return None
    is_plain = len(size) <= 8 and all(type(one) is int and one > 0 for one in size)
    return size if is_plain and _math.prod(size) < 1 << 40 else None


def _integer(value):
    """A bound of integers."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not _np.isfinite(value):
        raise OverflowError("cannot convert float infinity to integer")
    return int(value)


def _weibull(u, a):
    made = (-get("log1p")(-u)) ** (1.0 / a)
    return made if isinstance(a, float) else _core.select(a == 0, 0.0, made, float64)


def _crossed(is_single, endpoint):
    """The error for bounds without an integer between them."""
    if is_single:
        return "high < 0" if endpoint else "high <= 0"
    return "low > high" if endpoint else "low >= high"


class Generator(Distributions):
    """NumPy's interface to random numbers."""

    def __init__(self, bit_generator=None):
        self._bit_generator = bit_generator if isinstance(bit_generator, BitGenerator) else PCG64(bit_generator)

    @property
    def bit_generator(self):
        """The state that determines the next numbers."""
        return self._bit_generator

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"

    def __str__(self):
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"

    def __reduce__(self):
        return type(self), (self._bit_generator,)

    def spawn(self, n_children):
        """Independent generators derived from this one."""
        return [type(self)(one) for one in self._bit_generator.spawn(n_children)]

    def _uniform(self, shape, dtype=float64):
        drawn = source(self._bit_generator)
        if dtype is float64 and (made := drawn.plain(shape, False)) is not None:
            return made
        return drawn.uniform(list(shape), dtype)

    def _normal(self, shape, dtype=float64):
        drawn = source(self._bit_generator)
        if dtype is float64 and (made := drawn.plain(shape, True)) is not None:
            return made
        return drawn.normal(list(shape), dtype)

    def random(self, size=None, dtype=_np.float64, out=None):
        """Uniformly distributed numbers from 0 up to 1."""
        if dtype is _np.float64 and out is None and (shape := _plain_shape(size)):
            return self._uniform(shape)
        dtype = _np.dtype(dtype)
        if dtype not in (_np.float64, _np.float32):
            raise TypeError(f"Unsupported dtype {dtype!r} for random")
        return deliver(self._uniform(filled(size, dtype, out), dtype), out)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniformly distributed numbers from `low` up to `high`."""
        if type(low) in (int, float) and type(high) in (int, float) and 0 <= high - low < 1e300 and (shape := _plain_shape(size)):
            low, high = float(low), float(high)
            return self._uniform(shape) * (high - low) + low
        low, high = parameter(low), parameter(high)
        shape = size_of(size, low, high)
        if not isinstance(low, ndarray) and not isinstance(high, ndarray):
            if not _np.isfinite(high - low):
                raise OverflowError("high - low range exceeds valid bounds")
            if high < low:
                raise ValueError("high - low < 0")
        return self._uniform(shape) * (high - low) + low

    def standard_normal(self, size=None, dtype=_np.float64, out=None):
        """Samples from the standard normal distribution."""
        if dtype is _np.float64 and out is None and (shape := _plain_shape(size)):
            return self._normal(shape)
        dtype = _np.dtype(dtype)
        if dtype not in (_np.float64, _np.float32):
            raise TypeError(f"Unsupported dtype {dtype!r} for standard_normal")
        return deliver(self._normal(filled(size, dtype, out), dtype), out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Samples from the normal distribution."""
        if type(loc) in (int, float) and type(scale) in (int, float) and 0 < scale < 1e300 and (shape := _plain_shape(size)):
            return self._normal(shape) * float(scale) + float(loc)
        loc, scale = parameter(loc), parameter(scale)
        not_negative(scale, "scale")
        return self._normal(size_of(size, loc, scale)) * scale + loc

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Samples from the log-normal distribution."""
        not_negative(parameter(sigma), "sigma")
        return get("exp")(self.normal(mean, sigma, size))

    def _inverse(self, size, parameters, how):
        """Numbers of a distribution by its inverse."""
        parameters = [parameter(one) for one in parameters]
        return how(self._uniform(size_of(size, *parameters)), *parameters)

    def standard_exponential(self, size=None, dtype=_np.float64, method="zig", out=None):
        """Samples from the exponential distribution with mean 1."""
        dtype = _np.dtype(dtype)
        if dtype not in (_np.float64, _np.float32):
            raise TypeError(f"Unsupported dtype {dtype!r} for standard_exponential")
        return deliver(-get("log1p")(-self._uniform(filled(size, dtype, out), dtype)), out)

    def exponential(self, scale=1.0, size=None):
        """Samples from the exponential distribution."""
        not_negative(parameter(scale), "scale")
        return self._inverse(size, [scale], lambda u, scale: -get("log1p")(-u) * scale)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Samples from the Laplace distribution."""
        not_negative(parameter(scale), "scale")

        def how(u, loc, scale):
            low = loc + scale * get("log")(u + u)
            high = loc - scale * get("log")(2.0 - u - u)
            return _core.select(u >= 0.5, high, low, float64)

        return self._inverse(size, [loc, scale], how)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Samples from the logistic distribution."""
        not_negative(parameter(scale), "scale")
        return self._inverse(size, [loc, scale], lambda u, loc, scale: loc + scale * get("log")(u / (1.0 - u)))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Samples from the Gumbel distribution."""
        not_negative(parameter(scale), "scale")
        return self._inverse(size, [loc, scale], lambda u, loc, scale: loc - scale * get("log")(-get("log")(1.0 - u)))

    def rayleigh(self, scale=1.0, size=None):
        """Samples from the Rayleigh distribution."""
        not_negative(parameter(scale), "scale")
        return self._inverse(size, [scale], lambda u, scale: scale * get("sqrt")(-2.0 * get("log1p")(-u)))

    def weibull(self, a, size=None):
        """Samples from the Weibull distribution."""
        a = parameter(a)
        not_negative(a, "a")
        if isinstance(a, float) and a == 0:
            return _core.full(size_of(size), 0, float64)
        return self._inverse(size, [a], _weibull)

    def pareto(self, a, size=None):
        """Samples from the Pareto distribution."""
        positive(parameter(a), "a")
        return self._inverse(size, [a], lambda u, a: get("expm1")(-get("log1p")(-u) / a))

    def power(self, a, size=None):
        """Samples from a power distribution."""
        positive(parameter(a), "a")
        return self._inverse(size, [a], lambda u, a: (-get("expm1")(get("log1p")(-u))) ** (1.0 / a))

    def standard_cauchy(self, size=None):
        """Samples from the Cauchy distribution."""
        return self._inverse(size, [], lambda u: get("tan")(_np.pi * (u - 0.5)))

    def triangular(self, left, mode, right, size=None):
        """Samples from a triangular distribution."""
        left, mode, right = parameter(left), parameter(mode), parameter(right)
        check(make(left > mode), lambda wrong: wrong, "left > mode")
        check(make(mode > right), lambda wrong: wrong, "mode > right")
        check(make(left == right), lambda wrong: wrong, "left == right")

        def how(u, left, mode, right):
            base = right - left
            split = (mode - left) / base
            low = left + get("sqrt")(u * (base * (mode - left)))
            high = right - get("sqrt")((1.0 - u) * (base * (right - mode)))
            return _core.select(u <= split, low, high, float64)

        return self._inverse(size, [left, mode, right], how)

    def integers(self, low, high=None, size=None, dtype=_np.int64, endpoint=False):
        """Integers from `low` up to, not including, `high`."""
        is_single = high is None
        if is_single:
            low, high = 0, low
        dtype = _np.dtype(dtype)
        if not is_held(dtype) or dtype.kind not in "iub":
            raise TypeError(f"Unsupported dtype {dtype!r} for integers")
        low, high = (to_host(one) if isinstance(one, ndarray) else _np.asarray(one) for one in (low, high))
        info = (0, 1) if dtype.kind == "b" else (int(_np.iinfo(dtype).min), int(_np.iinfo(dtype).max))
        if low.ndim or high.ndim:
            return self._between(low, high, size, dtype, bool(endpoint), info, is_single)
        low, high = _integer(low), _integer(high) + bool(endpoint)
        if low < info[0]:
            raise ValueError(f"low is out of bounds for {dtype.name}")
        if high - 1 > info[1]:
            raise ValueError(f"high is out of bounds for {dtype.name}")
        if low >= high and 0 not in size_of(size):
            raise ValueError(_crossed(is_single, endpoint))
        if low >= high:
            return _core.as_result(_core.full(size_of(size), 0, dtype))
        made = source(self._bit_generator).integers(low, high, list(size_of(size)), _np.dtype("u1") if dtype.kind == "b" else dtype)
        return _core.as_result(cast(made, dtype))

    def _between(self, low, high, size, dtype, endpoint, info, is_single):
        """Integers between bounds that are arrays."""
        numbers = _np.frompyfunc(_integer, 1, 1)
        # Python's numbers have no bounds.
        low, high = _np.asarray(numbers(low), object), _np.asarray(numbers(high) + (not endpoint and -1), object)
        if _np.any(low < info[0]):
            raise ValueError(f"low is out of bounds for {dtype.name}")
        if _np.any(high > info[1]):
            raise ValueError(f"high is out of bounds for {dtype.name}")
        if _np.any(low > high):
            raise ValueError(_crossed(is_single, endpoint))
        together = _np.broadcast_shapes(low.shape, high.shape)
        shape = together if size is None else shape_of(size)
        if _np.broadcast_shapes(shape, together) != shape:
            raise ValueError(f"Output size {shape} is not compatible with broadcast dimensions of inputs {together}.")
        if low.size and high.size and low.min() == low.max() and high.min() == high.max():
            # The same numbers as between two single bounds.
            return self.integers(low.flat[0], high.flat[0], shape, dtype, endpoint=True)
        widths = _np.asarray(high - low, object)
        # A remainder of 64 bits: its bias is one part in 2**64 of the number of values.
        bits = source(self._bit_generator).integers(0, 1 << 64, list(shape), _np.dtype("u8"))
        steps = from_host(_np.asarray(_np.minimum(widths + 1, (1 << 64) - 1), object).astype(_np.uint64))
        start = from_host(_np.asarray(low % (1 << 64), object).astype(_np.uint64))
        return cast(bits % steps + start, dtype)

    def bytes(self, length):
        """A given number of random bytes."""
        return to_host(self.integers(0, 256, length, _np.uint8)).tobytes()

    def permutation(self, x, axis=0):
        """A randomly permuted copy, or a random permutation of the integers below `x`."""
        try:
            count = _operator.index(x)
        except TypeError:
            x = make(x)
            axis = axis_of(axis, x.ndim)
            return take(x, self._order(x.shape[axis]), axis)
        return self._order(count)

    def _order(self, count):
        return _core.argsort(self._uniform((count,)), 0)

    def shuffle(self, x, axis=0):
        """Shuffles an array."""
        if not isinstance(x, ndarray):
            order = to_host(self._order(len(x))).tolist()
            x[:] = x[_np.asarray(order)] if isinstance(x, _np.ndarray) else [x[at] for at in order]
            return
        axis = axis_of(axis, x.ndim)
        with whole(x):
            x[...] = take(x, self._order(x.shape[axis]), axis)

    def permuted(self, x, *, axis=None, out=None):
        """A copy, randomly permuted along an axis."""
        from ._select import take_along_axis

        x = make(x)
        if not isinstance(x, ndarray):
            # NumPy moves objects that Weft's arrays cannot hold, in orders drawn by this generator.
            if axis is None:
                return deliver(x.ravel()[to_host(self._order(x.size))].reshape(x.shape), out)
            return deliver(_np.take_along_axis(x, to_host(_core.argsort(self._uniform(x.shape), axis_of(axis, x.ndim))), axis), out)
        if axis is None:
            made = reshape(take(reshape(x, (-1,)), self._order(x.size)), x.shape)
        else:
            axis = axis_of(axis, x.ndim)
            made = take_along_axis(x, _core.argsort(self._uniform(x.shape), axis), axis)
        return deliver(made, out)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Some of the elements, at random."""
        try:
            count, values = _operator.index(a), None
        except TypeError:
            values = make(a)
            if values.ndim == 0:
                raise ValueError("a must be a sequence or an integer") from None
            count = values.shape[axis]
        shape = size_of(size)
        total = 1
        for length in shape:
            total *= length
        if count <= 0 and total:
            raise ValueError("a cannot be empty unless no samples are taken" if values is not None else "a must be a positive integer unless no samples are taken")
        if p is not None:
            p = _probabilities(p, count)
        if not replace and total > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if p is not None and replace:
            sums = _np.cumsum(p)
            at = reshape(_core.searchsorted(from_host(sums / sums[-1]), reshape(self._uniform(shape), (-1,)), True), shape)
        elif p is not None:
            if _np.count_nonzero(p > 0) < total:
                raise ValueError("Fewer non-zero entries in p than size")
            # The first of events that occur at these rates.
            with _np.errstate(divide="ignore"):
                times = -get("log1p")(-self._uniform((count,))) * from_host(1 / p)
            at = reshape(_core.argsort(_core.select(from_host(p > 0), times, float("inf"), float64), 0)[:total], shape)
        elif replace:
            at = self.integers(0, max(count, 1), shape)
        else:
            at = reshape(self._order(count)[:total], shape)
        if values is not None:
            return take(values, at, axis)
        made = _core.as_result(at)
        return made.item() if size is None and isinstance(made, (number, _np.generic)) else made


def _probabilities(p, count):
    p = to_host(p) if isinstance(p, ndarray) else _np.asarray(p)
    if p.dtype.kind == "c":
        raise TypeError("Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'")
    tolerance = max(_np.sqrt(_np.finfo(_np.float64).eps), _np.sqrt(_np.finfo(p.dtype).eps) if p.dtype.kind == "f" else 0)
    p = p.astype(float)
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if p.size != count:
        raise ValueError("a and p must have same size")
    if _np.isnan(p.sum()):
        raise ValueError("Probabilities contain NaN")
    if (p < 0).any():
        raise ValueError("Probabilities are not non-negative")
    if abs(p.sum() - 1) > tolerance:
        raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.")
    return p


class RandomState(Generator):
    """NumPy's older interface to random numbers."""

    def __init__(self, seed=None):
        if seed is None or isinstance(seed, BitGenerator):
            super().__init__(MT19937() if seed is None else seed)
        else:
            super().__init__(MT19937(0))
            self._bit_generator._legacy_seeding(seed)

    @property
    def bit_generator(self):
        """Not available, as in NumPy's older generators."""
        raise AttributeError("'RandomState' object has no attribute 'bit_generator'")

    def seed(self, seed=None):
        """Restarts the stream of numbers."""
        if not isinstance(self._bit_generator, _np.random.MT19937):
            raise TypeError("can only re-seed a MT19937 BitGenerator")
        self._bit_generator._legacy_seeding(seed)

    def rand(self, *shape):
        """Uniformly distributed numbers from 0 up to 1."""
        return self.random(shape if shape else None)

    def randn(self, *shape):
        """Samples from the standard normal distribution."""
        return self.standard_normal(shape if shape else None)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from `low` up to, not including, `high`."""
        made = self.integers(low, high, size, _np.dtype(dtype))
        if size is None and (dtype is int or dtype is bool) and isinstance(made, (number, _np.generic)):
            return made.item()
        return made

    def random_integers(self, low, high=None, size=None):
        """Random integers from `low` to `high`."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, int64, endpoint=True)

    def random_sample(self, size=None):
        """Uniformly distributed numbers from 0 up to 1."""
        return self.random(size)

    ranf = sample = random_sample

    def get_state(self, legacy=True):
        """The state that determines the next numbers."""
        return legacy_state(self._bit_generator, legacy)

    def set_state(self, state):
        """Restores a state from `get_state`."""
        restore(self._bit_generator, state)


def default_rng(seed=None):
    """A generator with this seed."""
    if isinstance(seed, RandomState):
        return Generator(seed._bit_generator)
    return seed if isinstance(seed, Generator) else Generator(seed)


_state = RandomState()


def seed(seed=None):
    """Restarts the stream of this module's functions."""
    _state.seed(seed)


def get_state(legacy=True):
    """The state that determines the next numbers of this module's functions."""
    return _state.get_state(legacy)


def set_state(state):
    """Restores a state from `get_state`."""
    _state.set_state(state)


def get_bit_generator():
    """The bit generator of the functions of this module."""
    return _state._bit_generator


def set_bit_generator(bitgen):
    """Sets the bit generator of this module's functions."""
    if not isinstance(bitgen, BitGenerator):
        raise TypeError("a bit generator is wanted")
    _state._bit_generator = bitgen


#: Functions that return one number without a size: a Python number, as NumPy does.
_DRAWS = {
    Distributions: [
        "beta", "binomial", "chisquare", "f", "gamma", "geometric", "hypergeometric", "logseries", "negative_binomial",
        "noncentral_chisquare", "noncentral_f", "poisson", "standard_gamma", "standard_t", "vonmises", "wald", "zipf",
    ],
    Generator: [
        "exponential", "gumbel", "laplace", "logistic", "lognormal", "normal", "pareto", "power", "random", "rayleigh",
        "standard_cauchy", "standard_exponential", "standard_normal", "triangular", "uniform", "weibull",
    ],
}  # fmt: skip


def _drawn(method):
    """A method whose single draws are numbers of Python."""
    place = list(_inspect.signature(method).parameters).index("size") - 1

    @_functools.wraps(method)
    def draw(self, *args, **kwargs):
        made = method(self, *args, **kwargs)
        if not isinstance(made, (number, _np.generic)) and not (isinstance(made, ndarray) and made.ndim == 0):
            return made
        size = args[place] if len(args) > place else kwargs.get("size")
        return made.item() if size is None else _core.as_array(make(made))

    return draw


for _class, _names in _DRAWS.items():
    for _name in _names:
        setattr(_class, _name, _drawn(getattr(_class, _name)))


_LEGACY = [
    "beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma", "geometric", "gumbel",
    "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal",
    "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation", "poisson", "power",
    "rand", "randint", "randn", "random", "random_integers", "random_sample", "ranf", "rayleigh", "sample", "shuffle",
    "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform",
    "vonmises", "wald", "weibull", "zipf",
]  # fmt: skip


def __getattr__(name):
    if name in _LEGACY:
        return getattr(_state, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64", "SeedSequence", "default_rng",
    "get_bit_generator", "get_state", "seed", "set_bit_generator", "set_state", *_LEGACY,
]  # fmt: skip
