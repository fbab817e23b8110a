"""Distributions that have no closed inverse, made of uniform and normal numbers in whole-array steps.

If a method rejects candidates, they are drawn for all elements at once, and again for elements whose candidates were rejected. Discrete
distributions with single parameters are looked up in a table of their probabilities.
"""

import math as _math

import numpy as _np

from .. import _core
from . import _caller
from ._array import cast, float64, from_host, int64, make, ndarray, to_host
from ._math import nonzero
from ._products import matmul
from ._reduce import any as _any
from ._reduce import deliver
from ._reduce import max as _max
from ._reduce import sum as _sum
from ._shape import ravel, reshape, shape_of
from ._ufunc import get

#: The largest table of a discrete distribution.
_LARGEST = 1 << 20


def parameter(value):
    """A parameter of a distribution: a number, or an array of `float64`."""
    if isinstance(value, (int, float)):
        return float(value)
    value = make(value)
    if not isinstance(value, ndarray) or value.dtype.kind == "c":
        raise TypeError(f"Cannot cast array data from {value.dtype!r} to dtype('float64') according to the rule 'safe'")
    value = cast(value, float64)
    return float(value) if value.ndim == 0 else value


def whole(value, name):
    """A parameter that is a count."""
    host = value if isinstance(value, ndarray) else _np.asarray(value)
    if host.dtype.kind == "f" and host.ndim == 0:
        # NumPy truncates a single number to an integer.
        return parameter(float(int(host)))
    if host.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {host.dtype!r} to dtype('int64') according to the rule 'safe'")
    return parameter(value)


def check(value, is_wrong, text):
    """Raises an error if a parameter, or an element of it, is invalid."""
    if isinstance(value, float):
        wrong = bool(is_wrong(value))
    else:
        wrong = value.size and bool(_any(is_wrong(value)))
    if wrong:
        raise ValueError(text)


def not_negative(value, name):
    """Raises an error if a parameter is below 0, or -0."""
    check(value, lambda x: _math.copysign(1.0, x) < 0 and x == x if isinstance(x, float) else get("signbit")(x) & (x == x), f"{name} < 0")


def positive(value, name):
    """Raises an error if a parameter is not above 0."""
    check(value, lambda x: not x > 0 if isinstance(x, float) else ~(x > 0), f"{name} <= 0")


def probability(value, text="p < 0, p > 1 or p is NaN", above=False, below=False):
    """Raises an error if a parameter is not a probability. With `above`, 0 is an error, too; with `below`, so is 1."""

    def is_wrong(p):
        if isinstance(p, float):
            return not ((p > 0 if above else p >= 0) and (p < 1 if below else p <= 1))
        return ~((p > 0 if above else p >= 0) & (p < 1 if below else p <= 1))

    check(value, is_wrong, text)


def size_of(size, *parameters):
    """The shape of the result."""
    shapes = [one.shape if isinstance(one, ndarray) else () for one in parameters]
    together = _np.broadcast_shapes(*shapes) if shapes else ()
    if size is None:
        return together
    size = shape_of(size)
    if any(length < 0 for length in size):
        raise ValueError("negative dimensions are not allowed")
    if _np.broadcast_shapes(size, together) != size:
        raise ValueError(f"Output size {size} is not compatible with broadcast dimensions of inputs {together}.")
    return size


def filled(size, dtype, out):
    """The shape of the result, which is written to `out` if given."""
    if out is None:
        return size_of(size)
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}")
    if not out.flags.writeable or not (out.flags.c_contiguous or out.flags.f_contiguous):
        raise ValueError("Supplied output array is not contiguous, writable or aligned.")
    if size is not None and shape_of(size) != out.shape:
        raise ValueError("size must match out.shape when used together")
    return out.shape


def _wrapped(angle):
    """Angles from -pi to pi."""
    return (angle + _np.pi) % (2 * _np.pi) - _np.pi


def _spread(value, shape):
    """A parameter as a vector with one value for each element; numbers unchanged."""
    if isinstance(value, float):
        return value
    return ravel(_core.copy(_core.broadcast_to(value, shape)))


def _count(shape):
    count = 1
    for length in shape:
        count *= length
    return count


def _pick(value, places):
    return value if isinstance(value, float) else _core.take(value, places, 0)


def rejected(count, parameters, draw):
    """The first accepted candidate for each element: `draw(n, *parameters)` returns candidates, and whether each is accepted."""
    if count == 0:
        return _core.full((0,), 0, float64)
    made, accepted = draw(count, *parameters)
    (left,) = nonzero(~accepted)
    while left.size:
        again, accepted = draw(left.size, *(_pick(one, left) for one in parameters))
        (right,) = nonzero(accepted)
        if right.size:
            _core.put(made, _core.take(left, right, 0), _core.take(again, right, 0), 0)
        left = _core.take(left, nonzero(~accepted)[0], 0)
    return made


def log_gamma(x):
    """The logarithm of the gamma function of numbers of at least 1, by Stirling's series."""
    log = get("log")
    small = x < 7
    z = x + 7 * cast(small, float64)
    square = 1 / (z * z)
    series = (1 / z) * (
        1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * (691 / 360360)))))
    )
    made = (z - 0.5) * log(z) - z + 0.5 * _math.log(2 * _math.pi) + series
    product = x
    for step in range(1, 7):
        product = product * (x + step)
    return made - _core.select(small, log(product), 0.0, float64)


def _table(first, log_ratios):
    """The distribution function of a discrete distribution, from the logarithms of the ratios of neighbouring probabilities."""
    logs = _np.concatenate([[0.0], _np.cumsum(log_ratios)])
    weights = _np.exp(logs - logs.max())
    return first, _np.cumsum(weights) / weights.sum()


def _around(middle, deviation, low, high):
    """The range of values in a table: values outside have probabilities below the resolution of uniform numbers."""
    reach = 12 * deviation + 60
    return int(max(low, _math.floor(middle - reach))), int(min(high, _math.ceil(middle + reach)))


class Distributions:
    """Distributions of a generator that has `_uniform` and `_normal`."""

    def _looked_up(self, shape, table):
        first, sums = table
        found = _core.searchsorted(from_host(sums[:-1].copy()), ravel(self._uniform(shape)), True) if sums.size > 1 else None
        if found is None:
            return _core.full(shape, first, int64)
        return reshape(found, shape) + first

    # Continuous.

    def _gammas(self, k, shape):
        """Gamma numbers with parameters of at least 1."""
        d = k - 1 / 3
        c = 1 / get("sqrt")(9 * d) if isinstance(d, ndarray) else 1 / _math.sqrt(9 * d)

        def draw(count, d, c):
            x, u = self._normal((count,)), self._uniform((count,))
            v = 1 + c * x
            v = v * v * v
            is_positive = v > 0
            v = _core.select(is_positive, v, 1.0, float64)
            bound = 0.5 * x * x + d - d * v + d * get("log")(v)
            return d * v, is_positive & (get("log1p")(-u) < bound)

        return reshape(rejected(_count(shape), [_spread(d, shape), _spread(c, shape)], draw), shape)

    def _log_gammas(self, k, shape):
        """The logarithms of gamma numbers: they do not vanish for small parameters."""
        return get("log")(self._gammas(k + 1, shape)) + get("log1p")(-self._uniform(shape)) / k

    def standard_gamma(self, shape, size=None, dtype=_np.float64, out=None):
        """Samples from the gamma distribution with scale 1."""
        dtype = _np.dtype(dtype)
        if dtype not in (_np.float64, _np.float32):
            raise TypeError(f"Unsupported dtype {dtype!r} for standard_gamma")
        k = parameter(shape)
        not_negative(k, "shape")
        whole_shape = size_of(size if out is None else filled(size, dtype, out), k)
        if isinstance(k, float) and k == 0:
            made = _core.full(whole_shape, 0, float64)
        elif isinstance(k, float) and k >= 1:
            made = self._gammas(k, whole_shape)
        elif isinstance(k, float):
            made = get("exp")(self._log_gammas(k, whole_shape))
        else:
            small = k < 1
            lifted = self._gammas(_core.select(small, k + 1, k, float64), whole_shape)
            safe = _core.select(small & (k > 0), k, 1.0, float64)
            factor = get("exp")(get("log1p")(-self._uniform(whole_shape)) / safe)
            made = lifted * _core.select(_core.broadcast_to(small, whole_shape), factor, 1.0, float64)
            made = _core.select(_core.broadcast_to(k == 0, whole_shape), 0.0, made, float64)
        return deliver(cast(made, dtype), out)

    def gamma(self, shape, scale=1.0, size=None):
        """Samples from the gamma distribution."""
        k, scale = parameter(shape), parameter(scale)
        not_negative(k, "shape")
        not_negative(scale, "scale")
        return self.standard_gamma(k, size_of(size, k, scale)) * scale

    def chisquare(self, df, size=None):
        """Sums of squares of normal numbers."""
        df = parameter(df)
        positive(df, "df")
        return 2.0 * self.standard_gamma(df / 2, size_of(size, df))

    def noncentral_chisquare(self, df, nonc, size=None):
        """Sums of squares of normal numbers whose means are not 0."""
        df, nonc = parameter(df), parameter(nonc)
        positive(df, "df")
        not_negative(nonc, "nonc")
        shape = size_of(size, df, nonc)
        more = cast(self.poisson(nonc / 2, shape), float64)
        return 2.0 * self.standard_gamma(df / 2 + more, shape)

    def f(self, dfnum, dfden, size=None):
        """Samples from the F distribution."""
        dfnum, dfden = parameter(dfnum), parameter(dfden)
        positive(dfnum, "dfnum")
        positive(dfden, "dfden")
        shape = size_of(size, dfnum, dfden)
        return (self.chisquare(dfnum, shape) * dfden) / (self.chisquare(dfden, shape) * dfnum)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Samples from the noncentral F distribution."""
        dfnum, dfden, nonc = parameter(dfnum), parameter(dfden), parameter(nonc)
        positive(dfnum, "dfnum")
        positive(dfden, "dfden")
        not_negative(nonc, "nonc")
        shape = size_of(size, dfnum, dfden, nonc)
        return (self.noncentral_chisquare(dfnum, nonc, shape) * dfden) / (self.chisquare(dfden, shape) * dfnum)

    def standard_t(self, df, size=None):
        """Samples from Student's t distribution."""
        df = parameter(df)
        positive(df, "df")
        shape = size_of(size, df)
        return self._normal(shape) / get("sqrt")(self.standard_gamma(df / 2, shape) * (2 / df))

    def beta(self, a, b, size=None):
        """Samples from the beta distribution."""
        a, b = parameter(a), parameter(b)
        positive(a, "a")
        positive(b, "b")
        shape = size_of(size, a, b)
        return 1.0 / (1.0 + get("exp")(self._log_gammas(b, shape) - self._log_gammas(a, shape)))

    def dirichlet(self, alpha, size=None):
        """Samples from the Dirichlet distribution."""
        alpha = cast(make(alpha), float64)
        if alpha.ndim != 1:
            raise ValueError("alpha must be a one-dimensional sequence")
        check(alpha, lambda x: ~(x >= 0), "alpha < 0")
        shape = (*(() if size is None else shape_of(size)), alpha.size)
        none = alpha == 0
        logs = self._log_gammas(_core.select(none, 1.0, alpha, float64), shape)
        logs = _core.select(_core.broadcast_to(none, shape), float("-inf"), logs, float64)
        if 0 in shape:
            return logs
        weights = get("exp")(logs - _max(logs, axis=-1, keepdims=True))
        return weights / _sum(weights, axis=-1, keepdims=True)

    def wald(self, mean, scale, size=None):
        """Samples from the inverse Gaussian distribution."""
        mean, scale = parameter(mean), parameter(scale)
        positive(mean, "mean")
        positive(scale, "scale")
        shape = size_of(size, mean, scale)
        y = self._normal(shape)
        y = mean * y * y
        # Avoids the difference of nearly equal numbers.
        x = mean / (1 + (y + get("sqrt")(y * (4 * scale + y))) / (2 * scale))
        other = mean * mean / x
        return _core.select(self._uniform(shape) * (mean + x) <= mean, x, other, float64)

    def vonmises(self, mu, kappa, size=None):
        """Samples from the von Mises distribution."""
        mu, kappa = parameter(mu), parameter(kappa)
        not_negative(kappa, "kappa")
        shape = size_of(size, mu, kappa)
        # Above a million the distribution is a wrapped normal one; below 1e-5 the formula of `s`
        # loses its digits.
        if isinstance(kappa, float) and kappa > 1e6:
            return _wrapped(self._normal(shape) / _math.sqrt(kappa) + mu)
        k = max(kappa, 1e-8) if isinstance(kappa, float) else get("minimum")(get("maximum")(kappa, 1e-8), 1e6)
        root = _math.sqrt if isinstance(k, float) else get("sqrt")
        wide = max(k, 1e-5) if isinstance(k, float) else get("maximum")(k, 1e-5)
        r = 1 + root(1 + 4 * wide * wide)
        rho = (r - root(2 * r)) / (2 * wide)
        s = (1 + rho * rho) / (2 * rho)
        s = (s if k >= 1e-5 else 1 / k + k) if isinstance(k, float) else _core.select(k >= 1e-5, s, 1 / k + k, float64)

        def draw(count, s, k):
            z = get("cos")(_np.pi * self._uniform((count,)))
            v = 1 - self._uniform((count,))
            w = (1 + s * z) / (s + z)
            y = k * (s - w)
            return w, (y * (2 - y) - v >= 0) | (get("log")(y / v) + 1 - y >= 0)

        w = reshape(rejected(_count(shape), [_spread(s, shape), _spread(k, shape)], draw), shape)
        angle = get("arccos")(get("minimum")(get("maximum")(w, -1.0), 1.0))
        angle = _core.select(self._uniform(shape) < 0.5, -angle, angle, float64)
        if not isinstance(kappa, float):
            angle = _core.select(kappa > 1e6, self._normal(shape) / get("sqrt")(kappa), angle, float64)
        return _wrapped(angle + mu)

    # Discrete.

    def geometric(self, p, size=None):
        """The number of trials up to the first success."""
        p = parameter(p)
        probability(p, "p <= 0, p > 1 or p contains NaNs", above=True)
        shape = size_of(size, p)
        if isinstance(p, float) and p == 1:
            return _core.full(shape, 1, int64)
        base = _math.log1p(-p) if isinstance(p, float) else get("log1p")(-p)
        made = get("ceil")(get("log1p")(-self._uniform(shape)) / base)
        return cast(get("minimum")(get("maximum")(made, 1.0), 9.223372036854774e18), int64)

    def poisson(self, lam=1.0, size=None):
        """The number of events, given their mean number."""
        lam = parameter(lam)
        check(lam, lambda x: not x >= 0 if isinstance(x, float) else ~(x >= 0), "lam < 0 or lam is NaN")
        check(lam, lambda x: x > 9.223372006484771e18, "lam value too large")
        shape = size_of(size, lam)
        if isinstance(lam, float):
            if lam == 0:
                return _core.full(shape, 0, int64)
            low, high = _around(lam, _math.sqrt(lam), 0, 2**62)
            if high - low <= _LARGEST:
                return self._looked_up(shape, _table(low, _math.log(lam) - _np.log(_np.arange(low + 1, high + 1))))
            return cast(reshape(self._many(_count(shape), lam), shape), int64)
        if _count(shape) == 0:
            return _core.full(shape, 0, int64)
        small = self._few(_core.select(lam < 10, lam, 0.0, float64), shape)
        if not bool(_any(lam >= 10)):
            return cast(small, int64)
        large = reshape(self._many(_count(shape), _spread(_core.select(lam < 10, 10.0, lam, float64), shape)), shape)
        return cast(_core.select(_core.broadcast_to(lam < 10, shape), small, large, float64), int64)

    def _few(self, lam, shape):
        """Poisson's numbers with means below 10: by adding up probabilities."""
        u = self._uniform(shape)
        p = get("exp")(-lam)
        total, made = p, cast(u > p, float64)
        for step in range(1, 60):
            p = p * lam / step
            total = total + p
            made = made + cast(u > total, float64)
        return made

    def _many(self, count, lam):
        """Poisson's numbers with means of 10 and more, by Hoermann's transformed rejection."""

        def draw(count, lam):
            root = get("sqrt")(lam) if isinstance(lam, ndarray) else _math.sqrt(lam)
            log = get("log")(lam) if isinstance(lam, ndarray) else _math.log(lam)
            b = 0.931 + 2.53 * root
            a = -0.059 + 0.02483 * b
            inverse = 1.1239 + 1.1328 / (b - 3.4)
            v_r = 0.9277 - 3.6224 / (b - 2)
            u, v = self._uniform((count,)) - 0.5, 1 - self._uniform((count,))
            us = 0.5 - abs(u)
            k = get("floor")((2 * a / us + b) * u + lam + 0.43)
            at_once = (us >= 0.07) & (v <= v_r)
            possible = (k >= 0) & ~((us < 0.013) & (v > us))
            safe = get("maximum")(k, 0.0)
            left = get("log")(v) + get("log")(inverse) - get("log")(a / (us * us) + b)
            return safe, at_once | (possible & (left <= safe * log - lam - log_gamma(safe + 1)))

        return rejected(count, [lam], draw)

    def binomial(self, n, p, size=None):
        """The number of successes in `n` trials."""
        n, p = whole(n, "n"), parameter(p)
        not_negative(n, "n")
        probability(p)
        shape = size_of(size, n, p)
        if isinstance(n, float) and isinstance(p, float):
            if n == 0 or p in (0.0, 1.0):
                return _core.full(shape, int(n) if p == 1 else 0, int64)
            low, high = _around(n * p, _math.sqrt(n * p * (1 - p)), 0, int(n))
            if high - low <= _LARGEST:
                k = _np.arange(low, high, dtype=float)
                return self._looked_up(shape, _table(low, _np.log((n - k) / (k + 1)) + _math.log(p) - _math.log1p(-p)))
        if _count(shape) == 0:
            return _core.full(shape, 0, int64)
        n = _core.broadcast_to(make(n), shape)
        p = _core.broadcast_to(make(p), shape)
        is_swapped = p > 0.5
        q = _core.select(is_swapped, 1 - p, p, float64)
        few = n * q < 10
        made = self._few_successes(_core.select(few, n, 0.0, float64), q)
        if bool(_any(~few)):
            many = self._many_successes(
                ravel(_core.select(few, 100.0, n, float64)), ravel(_core.select(few, 0.5, q, float64))
            )
            made = _core.select(few, made, reshape(many, shape), float64)
        return cast(_core.select(is_swapped, n - made, made, float64), int64)

    def _few_successes(self, n, p):
        u = self._uniform(n.shape)
        odds = p / (1 - p)
        each = get("exp")(n * get("log1p")(-p))
        total, made = each, cast(u > each, float64)
        for step in range(1, 70):
            each = each * odds * get("maximum")(n - (step - 1), 0.0) / step
            total = total + each
            made = made + cast(u > total, float64)
        return get("minimum")(made, n)

    def _many_successes(self, n, p):
        """Successes of which 10 and more are expected, by Hoermann's transformed rejection."""

        def draw(count, n, p):
            q = 1 - p
            spread = get("sqrt")(n * p * q)
            b = 1.15 + 2.53 * spread
            a = -0.0873 + 0.0248 * b + 0.01 * p
            v_r = 0.92 - 4.2 / b
            alpha = (2.83 + 5.1 / b) * spread
            m = get("floor")((n + 1) * p)
            u, v = self._uniform((count,)) - 0.5, 1 - self._uniform((count,))
            us = 0.5 - abs(u)
            k = get("floor")((2 * a / us + b) * u + n * p + 0.5)
            possible = (k >= 0) & (k <= n)
            safe = get("minimum")(get("maximum")(k, 0.0), n)
            at_once = (us >= 0.07) & (v <= v_r)
            left = get("log")(v * alpha / (a / (us * us) + b))
            right = (
                log_gamma(m + 1) + log_gamma(n - m + 1) - log_gamma(safe + 1) - log_gamma(n - safe + 1)
                + (safe - m) * get("log")(p / q)
            )  # fmt: skip
            return safe, possible & (at_once | (left <= right))

        return rejected(n.size, [n, p], draw)

    def negative_binomial(self, n, p, size=None):
        """The number of failures before `n` successes."""
        n, p = parameter(n), parameter(p)
        positive(n, "n")
        probability(p, "p <= 0, p > 1 or p is NaN", above=True)
        shape = size_of(size, n, p)
        return self.poisson(_core.copy(self.standard_gamma(n, shape) * ((1 - p) / p)), shape)

    def logseries(self, p, size=None):
        """Samples from the logarithmic series distribution."""
        p = parameter(p)
        probability(p, "p < 0, p >= 1 or p is NaN", below=True)
        shape = size_of(size, p)
        r = _math.log1p(-p) if isinstance(p, float) else get("log1p")(-p)
        v = 1 - self._uniform(shape)
        q = -get("expm1")(r * (1 - self._uniform(shape)))
        long = get("floor")(1 + get("log")(v) / get("log")(q))
        made = _core.select(v <= q * q, get("maximum")(long, 1.0), _core.select(v >= q, 1.0, 2.0, float64), float64)
        return cast(_core.select(make(v >= p), 1.0, made, float64), int64)

    def zipf(self, a, size=None):
        """Samples from the Zipf distribution."""
        a = parameter(a)
        check(a, lambda x: not x > 1 if isinstance(x, float) else ~(x > 1), "a <= 1 or a is NaN")
        shape = size_of(size, a)
        if isinstance(a, float) and a >= 1025:
            return _core.full(shape, 1, int64)

        def draw(count, a):
            power = a - 1
            b = 2.0**power if isinstance(power, float) else get("exp2")(power)
            u, v = 1 - self._uniform((count,)), self._uniform((count,))
            x = get("floor")(u ** (-1.0 / power))
            possible = (x >= 1) & (x < 9.2e18)
            x = _core.select(possible, x, 1.0, float64)
            t = (1 + 1 / x) ** power
            return x, possible & (v * x * (t - 1) / (b - 1) <= t / b)

        return cast(reshape(rejected(_count(shape), [_spread(a, shape)], draw), shape), int64)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """The number of good elements in a sample."""
        good, bad, sample = whole(ngood, "ngood"), whole(nbad, "nbad"), whole(nsample, "nsample")
        not_negative(good, "ngood")
        not_negative(bad, "nbad")
        not_negative(sample, "nsample")
        shape = size_of(size, good, bad, sample)
        if all(isinstance(one, float) for one in (good, bad, sample)):
            if good + bad < sample:
                raise ValueError("ngood + nbad < nsample")
            if max(good, bad) >= 10**9:
                raise ValueError("both ngood and nbad must be less than 1000000000")
            total = max(good + bad, 1.0)
            spread = _math.sqrt(sample * good / total * bad / total * max(total - sample, 0) / max(total - 1, 1))
            low, high = _around(sample * good / total, spread, max(0, sample - bad), min(good, sample))
            if high - low <= _LARGEST:
                k = _np.arange(low, high, dtype=float)
                ratios = _np.log((good - k) * (sample - k)) - _np.log((k + 1) * (bad - sample + k + 1))
                return self._looked_up(shape, _table(low, ratios))
        good, bad, sample = (_core.broadcast_to(make(one), shape) for one in (good, bad, sample))
        check(good + bad - sample, lambda x: x < 0, "ngood + nbad < nsample")
        return cast(reshape(self._good_ones(*(ravel(_core.copy(one)) for one in (good, bad, sample))), shape), int64)

    def _good_ones(self, good, bad, sample):
        """Samples by the ratio of uniform numbers."""
        low, high = get("minimum"), get("maximum")

        def draw(count, good, bad, sample):
            total = good + bad
            fewer, more = low(good, bad), high(good, bad)
            m = low(sample, total - sample)
            d4 = fewer / high(total, 1.0)
            d6 = m * d4 + 0.5
            d7 = get("sqrt")((total - m) * sample * d4 * (1 - d4) / high(total - 1, 1.0) + 0.5)
            d8 = 1.7155277699214135 * d7 + 0.8989161620588988
            d9 = get("floor")((m + 1) * (fewer + 1) / (total + 2))

            def logs(z):
                return log_gamma(z + 1) + log_gamma(fewer - z + 1) + log_gamma(m - z + 1) + log_gamma(more - m + z + 1)

            end = low(low(m, fewer) + 1, get("floor")(d6 + 16 * d7))
            x, y = 1 - self._uniform((count,)), self._uniform((count,))
            w = d6 + d8 * (y - 0.5) / x
            possible = (w >= 0) & (w < end)
            z = get("floor")(_core.select(possible, w, d9, float64))
            accepted = possible & (2 * get("log")(x) <= logs(d9) - logs(z))
            z = _core.select(good > bad, m - z, z, float64)
            return _core.select(m < sample, good - z, z, float64), accepted

        return rejected(good.size, [good, bad, sample], draw)

    def multinomial(self, n, pvals, size=None):
        """The number of times that each outcome occurs in `n` trials."""
        pvals = cast(make(pvals), float64)
        if pvals.ndim == 0 or pvals.shape[-1] == 0:
            raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.")
        host = to_host(pvals)
        if (host < 0).any() or (host > 1).any() or _np.isnan(host).any():
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
        if (host[..., :-1].sum(-1) > 1.0 + 1e-12).any():
            raise ValueError("sum(pvals[:-1]) > 1.0")
        counts = whole(n, "n")
        not_negative(counts, "n")
        lead = _np.broadcast_shapes(() if isinstance(counts, float) else counts.shape, host.shape[:-1])
        if size is not None:
            size = shape_of(size)
            if _np.broadcast_shapes(size, lead) != size:
                raise ValueError(f"Output size {size} is not compatible with broadcast dimensions of inputs {lead}.")
            lead = size
        left = _core.copy(_core.broadcast_to(make(counts), lead)) if lead else make(counts)
        rest = _np.ones(host.shape[:-1])
        parts = []
        for at in range(host.shape[-1] - 1):
            share = _np.clip(_np.divide(host[..., at], rest, out=_np.zeros_like(rest), where=rest > 0), 0, 1)
            part = self.binomial(cast(left, int64), from_host(share) if share.ndim else float(share), lead)
            parts.append(part)
            left = left - part
            rest = rest - host[..., at]
        from ._join import stack

        return stack([*parts, cast(left, int64)], axis=-1)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """The number of elements of each kind in a sample."""
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        host = to_host(colors) if isinstance(colors, ndarray) else _np.asarray(colors)
        if host.ndim != 1 or (host.dtype.kind not in "iu" and host.size):
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers not exceeding 9223372036854775807.")
        if (host < 0).any():
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers not exceeding 9223372036854775807.")
        nsample = int(nsample)
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        total = int(host.sum())
        if nsample > total:
            raise ValueError("nsample > sum(colors)")
        if method == "marginals" and total >= 1000000000:
            raise ValueError("When method is 'marginals', sum(colors) must be less than 1000000000.")
        shape = () if size is None else shape_of(size)
        left, rest, parts = _core.full(shape, nsample, int64), total, []
        for count in host.tolist()[:-1]:
            rest -= count
            part = self.hypergeometric(count, rest, left, shape)
            parts.append(part)
            left = left - part
        from ._join import stack

        return stack([*parts, left], axis=-1) if host.size else _core.full((*shape, 0), 0, int64)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Samples from the multivariate normal distribution."""
        from . import linalg
        from ._math import allclose

        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        mean, cov = make(mean), make(cov)
        if mean.dtype.kind == "c" or cov.dtype.kind == "c":
            raise TypeError("mean and cov must not be complex")
        shape = () if size is None else shape_of(size)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        mean, cov = cast(mean, float64), cast(cov, float64)
        if method == "cholesky":
            factor = linalg.cholesky(cov).T
        else:
            if method == "eigh":
                s, u = linalg.eigh(cov)
                rows, s = u.T, get("maximum")(s, 0.0)
            else:
                _, s, rows = linalg.svd(cov)
            if check_valid != "ignore":
                is_valid = allclose(matmul(rows.T * s, rows), cov, rtol=tol, atol=tol)
                if not is_valid:
                    if check_valid == "raise":
                        raise ValueError("covariance is not symmetric positive-semidefinite.")

                    text = "covariance is not symmetric positive-semidefinite."
                    _caller.warn(text, RuntimeWarning)
            factor = get("sqrt")(s)[:, None] * rows
        return mean + matmul(self._normal((*shape, mean.shape[0])), factor)
