"""Random numbers.

Uniform and normal numbers and integers come from Philox4x32-10, counted by call and position, so that they do not depend on the
number of processors; distributions with a closed inverse are made of uniform numbers. They are not the numbers that NumPy gives for
the same seed. All other distributions are NumPy's own, made on the host.
"""

import operator as _operator
import secrets as _secrets

import numpy as _np

from .. import _core
from . import _fallback
from ._array import cast, float64, from_host, int64, is_held, make, ndarray, to_host
from ._reduce import deliver
from ._shape import axis_of, reshape, shape_of, take
from ._ufunc import get

BitGenerator, SeedSequence = _np.random.BitGenerator, _np.random.SeedSequence
MT19937, PCG64, PCG64DXSM, Philox, SFC64 = (
    _np.random.MT19937, _np.random.PCG64, _np.random.PCG64DXSM, _np.random.Philox, _np.random.SFC64,
)  # fmt: skip


def _seed_of(seed):
    """64 bits of whatever NumPy takes for a seed."""
    if seed is None:
        return _secrets.randbits(64)
    if isinstance(seed, ndarray):
        seed = to_host(seed)
    if isinstance(seed, _np.random.SeedSequence):
        sequence = seed
    elif isinstance(seed, _np.random.BitGenerator):
        return int(seed.random_raw())
    else:
        sequence = _np.random.SeedSequence(seed)
    return int(sequence.generate_state(1, _np.uint64)[0])


def _size(size, *parameters):
    shapes = [one.shape if isinstance(one, ndarray) else _np.shape(one) for one in parameters]
    together = _np.broadcast_shapes(*shapes) if shapes else ()
    if size is None:
        return together, together == ()
    size = shape_of(size)
    if any(length < 0 for length in size):
        raise ValueError("negative dimensions are not allowed")
    if _np.broadcast_shapes(size, together) != size:
        raise ValueError(f"Output size {size} is not compatible with broadcast dimensions of inputs {together}.")
    return size, False


def _positive(name, *values):
    for value in values:
        if not isinstance(value, ndarray) and _np.any(_np.asarray(value) < 0):
            raise ValueError(f"{name} < 0")


class Generator:
    """NumPy's interface to random numbers."""

    def __init__(self, bit_generator=None):
        seed = bit_generator
        self._seed = _seed_of(seed)
        self._random = _core.Random(self._seed)
        self._host = None
        self.bit_generator = bit_generator if isinstance(bit_generator, _np.random.BitGenerator) else None

    def __repr__(self):
        return f"Generator(Philox4x32-10) at 0x{id(self):X}"

    def __reduce__(self):
        return _restored, (type(self), self._seed, self._random.calls)

    def spawn(self, n_children):
        """Generators of their own."""
        return [type(self)(_np.random.SeedSequence([self._seed, at])) for at in range(n_children)]

    def _numpy(self, name, args, kwargs):
        if self._host is None:
            self._host = _np.random.Generator(_np.random.PCG64(self._seed))
        return _fallback.call(f"random.{name}", getattr(self._host, name), args, kwargs)

    def _uniform(self, shape, dtype=float64):
        return self._random.uniform(list(shape), dtype)

    def _normal(self, shape, dtype=float64):
        return self._random.normal(list(shape), dtype)

    def random(self, size=None, dtype=_np.float64, out=None):
        """Numbers from 0 up to 1."""
        dtype = _np.dtype(dtype)
        if dtype not in (_np.float64, _np.float32):
            raise TypeError(f"Unsupported dtype {dtype!r} for random")
        if out is not None:
            size = out.shape
        return deliver(self._uniform(_size(size)[0], dtype), out)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Numbers from `low` up to `high`."""
        low, high = _parameter(low), _parameter(high)
        shape, _ = _size(size, low, high)
        if not isinstance(low, ndarray) and not isinstance(high, ndarray):
            if not _np.isfinite(high - low):
                raise OverflowError("high - low range exceeds valid bounds")
            if high < low:
                raise ValueError("high - low < 0")
        return self._uniform(shape) * (high - low) + low

    def standard_normal(self, size=None, dtype=_np.float64, out=None):
        """Normal numbers with mean 0 and variance 1."""
        dtype = _np.dtype(dtype)
        if dtype not in (_np.float64, _np.float32):
            raise TypeError(f"Unsupported dtype {dtype!r} for standard_normal")
        if out is not None:
            size = out.shape
        return deliver(self._normal(_size(size)[0], dtype), out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal numbers."""
        _positive("scale", scale)
        loc, scale = _parameter(loc), _parameter(scale)
        return self._normal(_size(size, loc, scale)[0]) * scale + loc

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Numbers whose logarithms are normal."""
        _positive("sigma", sigma)
        return get("exp")(self.normal(mean, sigma, size))

    def _inverse(self, size, parameters, how):
        """Numbers of a distribution by its inverse."""
        parameters = [_parameter(one) for one in parameters]
        return how(self._uniform(_size(size, *parameters)[0]), *parameters)

    def standard_exponential(self, size=None, dtype=_np.float64, method="zig", out=None):
        """Exponential numbers with mean 1."""
        if out is not None:
            size = out.shape
        return deliver(-get("log1p")(-self._uniform(_size(size)[0], _np.dtype(dtype))), out)

    def exponential(self, scale=1.0, size=None):
        """Exponential numbers."""
        _positive("scale", scale)
        return self._inverse(size, [scale], lambda u, scale: -get("log1p")(-u) * scale)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Numbers of Laplace's distribution."""
        _positive("scale", scale)

        def how(u, loc, scale):
            low = loc + scale * get("log")(u + u)
            high = loc - scale * get("log")(2.0 - u - u)
            return _core.select(u >= 0.5, high, low, float64)

        return self._inverse(size, [loc, scale], how)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the logistic distribution."""
        _positive("scale", scale)
        return self._inverse(size, [loc, scale], lambda u, loc, scale: loc + scale * get("log")(u / (1.0 - u)))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Numbers of Gumbel's distribution."""
        _positive("scale", scale)
        return self._inverse(size, [loc, scale], lambda u, loc, scale: loc - scale * get("log")(-get("log")(1.0 - u)))

    def rayleigh(self, scale=1.0, size=None):
        """Numbers of Rayleigh's distribution."""
        _positive("scale", scale)
        return self._inverse(size, [scale], lambda u, scale: scale * get("sqrt")(-2.0 * get("log1p")(-u)))

    def weibull(self, a, size=None):
        """Numbers of Weibull's distribution."""
        _positive("a", a)
        return self._inverse(size, [a], lambda u, a: (-get("log1p")(-u)) ** (1.0 / a))

    def pareto(self, a, size=None):
        """Numbers of Pareto's distribution."""
        return self._inverse(size, [a], lambda u, a: get("expm1")(-get("log1p")(-u) / a))

    def power(self, a, size=None):
        """Numbers of a power distribution."""
        return self._inverse(size, [a], lambda u, a: (-get("expm1")(get("log1p")(-u))) ** (1.0 / a))

    def standard_cauchy(self, size=None):
        """Numbers of Cauchy's distribution."""
        return self._inverse(size, [], lambda u: get("tan")(_np.pi * (u - 0.5)))

    def triangular(self, left, mode, right, size=None):
        """Numbers of a triangular distribution."""
        if not any(isinstance(one, ndarray) for one in (left, mode, right)):
            if _np.any(_np.asarray(left) > mode):
                raise ValueError("left > mode")
            if _np.any(_np.asarray(mode) > right):
                raise ValueError("mode > right")
            if _np.any(_np.asarray(left) == right):
                raise ValueError("left == right")

        def how(u, left, mode, right):
            base = right - left
            split = (mode - left) / base
            low = left + get("sqrt")(u * (base * (mode - left)))
            high = right - get("sqrt")((1.0 - u) * (base * (right - mode)))
            return _core.select(u <= split, low, high, float64)

        return self._inverse(size, [left, mode, right], how)

    def integers(self, low, high=None, size=None, dtype=_np.int64, endpoint=False):
        """Integers from `low` up to, not including, `high`."""
        if high is None:
            low, high = 0, low
        dtype = _np.dtype(dtype)
        if not is_held(dtype) or dtype.kind not in "iub":
            raise TypeError(f"Unsupported dtype {dtype!r} for integers")
        low, high = (to_host(one) if isinstance(one, ndarray) else one for one in (low, high))
        if _np.ndim(low) or _np.ndim(high):
            return self._numpy("integers", (low, high, size, dtype, endpoint), {})
        low, high = int(low), int(high) + bool(endpoint)
        info = (0, 1) if dtype.kind == "b" else (int(_np.iinfo(dtype).min), int(_np.iinfo(dtype).max))
        if low < info[0]:
            raise ValueError(f"low is out of bounds for {dtype.name}")
        if high - 1 > info[1]:
            raise ValueError(f"high is out of bounds for {dtype.name}")
        if low >= high:
            raise ValueError("low >= high" if not endpoint else "low > high")
        made = self._random.integers(low, high, list(_size(size)[0]), _np.dtype("u1") if dtype.kind == "b" else dtype)
        return cast(made, dtype)

    def bytes(self, length):
        """So many random bytes."""
        return to_host(self.integers(0, 256, length, _np.uint8)).tobytes()

    def permutation(self, x, axis=0):
        """A copy in random order, or the numbers up to `x` in random order."""
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
        """Brings an array into random order."""
        if not isinstance(x, ndarray):
            order = to_host(self._order(len(x))).tolist()
            x[:] = x[_np.asarray(order)] if isinstance(x, _np.ndarray) else [x[at] for at in order]
            return
        axis = axis_of(axis, x.ndim)
        x[...] = take(x, self._order(x.shape[axis]), axis)

    def permuted(self, x, *, axis=None, out=None):
        """A copy whose lines along an axis are in random orders."""
        from ._math import take_along_axis

        x = make(x)
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
        shape, is_single = _size(size)
        total = 1
        for length in shape:
            total *= length
        if count <= 0 and total:
            raise ValueError("a cannot be empty unless no samples are taken" if values is not None else "a must be a positive integer unless no samples are taken")
        if p is not None:
            host = to_host(p) if isinstance(p, ndarray) else p
            at = from_host(_np.asarray(self._choose(count, shape, replace, host)))
        elif replace:
            at = self.integers(0, max(count, 1), shape)
        else:
            if total > count:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            at = reshape(self._order(count)[:total], shape)
        if values is None:
            return at
        return take(values, at, axis)

    def _choose(self, count, shape, replace, p):
        return self._numpy("choice", (count, shape, replace, p), {})

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(_np.random.Generator, name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

        def distribution(*args, **kwargs):
            return self._numpy(name, args, kwargs)

        distribution.__name__ = name
        return distribution


def _restored(of, seed, calls):
    made = of.__new__(of)
    made._seed = seed
    made._random = _core.Random(seed, calls)
    made._host = made.bit_generator = None
    return made


def _parameter(value):
    """A parameter of a distribution: a number, or an array of `float64`."""
    if isinstance(value, (int, float)):
        return float(value)
    value = cast(make(value), float64)
    return float(value) if value.ndim == 0 else value


class RandomState(Generator):
    """NumPy's older interface to random numbers."""

    def __init__(self, seed=None):
        super().__init__(seed)

    def seed(self, seed=None):
        """Begins anew."""
        self.__init__(seed)

    def rand(self, *shape):
        """Numbers from 0 up to 1."""
        return self.random(shape if shape else None)

    def randn(self, *shape):
        """Normal numbers with mean 0 and variance 1."""
        return self.standard_normal(shape if shape else None)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from `low` up to, not including, `high`."""
        return self.integers(low, high, size, _np.dtype(dtype))

    def random_integers(self, low, high=None, size=None):
        """Integers from `low` to `high`."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, int64, endpoint=True)

    def random_sample(self, size=None):
        """Numbers from 0 up to 1."""
        return self.random(size)

    ranf = sample = random_sample

    def get_state(self, legacy=True):
        """The seed and how many arrays have been made."""
        return {"bit_generator": "Philox4x32-10", "seed": self._seed, "calls": self._random.calls}

    def set_state(self, state):
        """Goes on as from a state of `get_state`."""
        self._seed = state["seed"]
        self._random = _core.Random(state["seed"], state["calls"])
        self._host = None


def default_rng(seed=None):
    """A generator with this seed."""
    return seed if isinstance(seed, Generator) else Generator(seed)


_state = RandomState()


def seed(seed=None):
    """Begins the functions of this module anew."""
    _state.seed(seed)


def get_state(legacy=True):
    """The state of the functions of this module."""
    return _state.get_state()


def set_state(state):
    """Goes on as from a state of `get_state`."""
    _state.set_state(state)


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


__all__ = ["BitGenerator", "Generator", "RandomState", "SeedSequence", "default_rng", "get_state", "seed", "set_state", *_LEGACY]
