"""Counts, quantiles, interpolation, products of rows and polynomials by plain calls, and calls next to them, compared with NumPy."""

import numpy
import pytest

import weft.numpy as np

SEEDS = range(8)


def outcome(call, module, *operands):
    """The plain data of what a call returns, or the class of its error."""
    try:
        with numpy.errstate(all="ignore"):
            made = call(module, *operands)
            parts = made if isinstance(made, (tuple, list)) else [made]
            flat = [one for part in parts for one in (part if isinstance(part, list) else [part])]
            hosts = [numpy.asarray(one) for one in flat]
    except Exception as error:  # noqa: BLE001 - any error is compared
        return type(error).__name__
    return [(isinstance(one, (numpy.ndarray, np.ndarray)), host) for one, host in zip(flat, hosts, strict=True)]


def compare(call, *operands, exactly=True):
    expected = outcome(call, numpy, *operands)
    made = outcome(call, np, *map(ours, operands))
    if isinstance(expected, str) or isinstance(made, str):
        assert made == expected
        return
    assert [(is_array, host.dtype, host.shape) for is_array, host in made] == [(is_array, host.dtype, host.shape) for is_array, host in expected]
    for (_, host), (_, other) in zip(made, expected, strict=True):
        if exactly:
            numpy.testing.assert_array_equal(host, other)
        else:
            tolerance = 1e-4 if host.dtype in ("f4", "c8") else 1e-11
            numpy.testing.assert_allclose(host, other, rtol=tolerance, atol=tolerance)


def ours(operand):
    if isinstance(operand, numpy.ndarray):
        return np.array(operand)
    return type(operand)(map(ours, operand)) if isinstance(operand, (list, tuple)) else operand


def floats(draw, shape, special=False):
    """Numbers of which some are equal, and with `special` some NaN and infinite."""
    values = numpy.round(draw.normal(size=shape) * 3, int(draw.integers(0, 3)))
    if special:
        values[draw.random(shape) < 0.2] = draw.choice([numpy.nan, numpy.inf, -numpy.inf])
    return values


@pytest.mark.parametrize("seed", SEEDS)
def test_interpolation_matches_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for length in (1, 2, 3, 17, 100):
        x = numpy.sort(floats(draw, length))
        even = numpy.linspace(-3, 5, length)
        for count in (1, 5, 40, 300):
            at = floats(draw, count, special=seed % 2 == 1)
            for points in (x, even):
                y = floats(draw, length, special=seed % 3 == 2)
                compare(lambda m, *given: m.interp(*given), at, points, y)
                compare(lambda m, *given: m.interp(*given, left=-7, right=2.5), at, points, y)
                compare(lambda m, *given: m.interp(*given), numpy.sort(at), points, y)
                compare(lambda m, *given: m.interp(*given), at[::2].astype("f4"), points[::-1][::-1], y)
                compare(lambda m, x, y: m.interp(1.5, x, y), points, y)
        table, inside = numpy.stack([x, even], 1), floats(draw, (6, 8))
        compare(lambda m, at, table: m.interp(at[::2, 1:].T, table[:, 1], table[:, 1]), inside, table)
    compare(lambda m, x, y: m.interp(x, y, x[:2]), x, x)
    compare(lambda m, x: m.interp(x, x[:0], x[:0]), x)


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for count in (0, 1, 9, 100, 3000):
        numbers, weights = draw.integers(0, 40, count), floats(draw, count)
        for dtype in ("i8", "i4", "u1", "u8", "f8"):
            compare(lambda m, x: m.bincount(x), numbers.astype(dtype))
            compare(lambda m, x: m.bincount(x, minlength=55), numbers.astype(dtype))
        compare(lambda m, x, w: m.bincount(x, w), numbers, weights)
        compare(lambda m, x, w: m.bincount(x[::2], w[::2], 70), numbers, weights)
        compare(lambda m, x: m.bincount(x - 5), numbers)
        compare(lambda m, x, w: m.bincount(x, w[1:]), numbers, weights)


@pytest.mark.parametrize("seed", SEEDS)
def test_histograms_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for count in (1, 2, 50, 4000):
        x, y = floats(draw, count), draw.random(count)
        weights = draw.integers(-3, 9, count)
        edges = numpy.sort(floats(draw, 9))
        for bins in (1, 10, 50, edges):
            compare(lambda m, x, bins: m.histogram(x, bins), x, bins)
            compare(lambda m, x, bins: m.histogram(x, bins, density=True), x, bins)
            compare(lambda m, x, w, bins: m.histogram(x, bins, weights=w), x, weights, bins)
            compare(lambda m, x, bins: m.histogram(x.astype("i8"), bins), x, bins)
        compare(lambda m, x: m.histogram(x, 7, (-1, 1)), x)
        compare(lambda m, x, edges: m.histogram(x, edges[:1]), x, edges)
        x[draw.random(count) < 0.1] = numpy.nan
        compare(lambda m, x, edges: m.histogram(x, edges), x, edges)
        x = numpy.nan_to_num(x)
        for bins in (3, 10, [4, 7]):
            compare(lambda m, x, y, bins: m.histogram2d(x, y, bins), x, y, bins)
            compare(lambda m, x, y, bins: m.histogram2d(x, y, bins, range=[[-1, 1], [0, 1]]), x, y, bins)
            compare(lambda m, x, y, bins: m.histogram2d(x, y, bins, weights=x), x, y, bins, exactly=False)
            compare(lambda m, x, y, bins: m.histogram2d(x, y, bins, density=True), x, y, bins, exactly=False)
        compare(lambda m, x, y: m.histogramdd((x, y, x)), x, y)
        compare(lambda m, x: m.histogramdd(x, (2, 3)), numpy.stack([x, y], 1))
        compare(lambda m, x, y: m.histogram2d(x, y[1:]), x, y)
        compare(lambda m, x, y: m.histogram2d(x, y, 0), x, y)
        compare(lambda m, x, y: m.histogram2d(x, y, edges.tolist()), x, y)


@pytest.mark.parametrize("seed", SEEDS)
def test_places_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for length in (0, 1, 5, 40, 700):
        for dtype in ("f8", "f4", "i4", "u8", "?", "c16"):
            values = floats(draw, length, special=dtype[0] == "f" and seed % 2 == 1).astype(dtype)
            edges = numpy.sort(values)
            at = floats(draw, (3, 20), special=dtype == "f8").astype(dtype)
            for side in ("left", "right"):
                compare(lambda m, a, v: m.searchsorted(a, v, side), edges, at)
                compare(lambda m, a, v: m.searchsorted(a, numpy.sort(v.ravel()) if m is numpy else np.sort(v.ravel()), side), edges, at)
            for right in (False, True):
                compare(lambda m, x, bins: m.digitize(x, bins, right), at, edges[edges == edges])
                compare(lambda m, x, bins: m.digitize(x, bins[::-1], right), at, edges[edges == edges])
                compare(lambda m, x, bins: m.digitize(x, bins, right), at, values[values == values])
            keys = [draw.integers(0, 3, length), values]
            compare(lambda m, one, other: m.lexsort((one, other)), *keys)
            compare(lambda m, one, other: m.lexsort([other, one, one]), *keys)
    compare(lambda m, x: m.lexsort((x, x[1:])), values)


@pytest.mark.parametrize("seed", SEEDS)
def test_complex_numbers_are_sorted_like_numpys(seed):
    draw = numpy.random.default_rng(seed)
    for count in (0, 1, 7, 100, 3000):
        values = floats(draw, count, special=seed % 2 == 1) + 1j * floats(draw, count, special=seed % 3 == 1)
        for dtype in ("c16", "c8"):
            compare(lambda m, a: m.sort(a), values.astype(dtype))
            compare(lambda m, a: m.sort_complex(a), values.astype(dtype))
            compare(lambda m, a: m.argsort(a, kind="stable"), values.astype(dtype))
            compare(lambda m, a: m.sort(a.reshape(-1, 1), axis=0, kind="stable"), values.astype(dtype))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_quantiles_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    quantiles = [0.0, 0.3, 0.5, 1.0, [0.25, 0.5], (0.9,), [0.1, 1], 0, 1, 1.5, numpy.array([0.2, 0.8])]
    for shape in ((1,), (2,), (9,), (100,), (3, 8), (4, 1, 5)):
        for dtype in ("f8", "f4", "i4"):
            values = floats(draw, shape, special=dtype != "i4" and seed % 2 == 1).astype(dtype)
            for axis in (None, 0, -1):
                for name in ("median", "nanmedian"):
                    compare(lambda m, a: getattr(m, name)(a, axis=axis), values)
                    compare(lambda m, a: getattr(m, name)(a, axis=axis, keepdims=True), values)
                for q in quantiles:
                    is_exact = dtype == "f8"
                    compare(lambda m, a, q: m.quantile(a, q, axis=axis), values, q, exactly=is_exact)
                    compare(lambda m, a, q: m.nanquantile(a, q, axis=axis), values, q, exactly=is_exact)
                for q in (5, 50.0, [5, 50, 99.5], 100, 101):
                    compare(lambda m, a, q: m.percentile(a, q, axis=axis), values, q, exactly=dtype == "f8")
                    compare(lambda m, a, q: m.nanpercentile(a, q, axis=axis), values, q, exactly=dtype == "f8")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_bounds_without_nan_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in ((1,), (9,), (100,), (3, 8), (4, 1, 5)):
        for dtype in ("f8", "f4", "i4", "c16"):
            values = floats(draw, shape, special=dtype != "i4" and seed % 2 == 1).astype(dtype)
            if seed == 3 and dtype != "i4":
                values[0] = numpy.nan
            for axis in (None, 0, -1):
                for name in ("nanmin", "nanmax", "nanargmin", "nanargmax"):
                    compare(lambda m, a: getattr(m, name)(a, axis=axis), values)
                    compare(lambda m, a: getattr(m, name)(a, axis=axis, keepdims=True), values)


@pytest.mark.parametrize("seed", SEEDS)
def test_products_of_rows_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in ((1,), (9,), (3, 8), (4, 1, 5), (2, 0), (70, 40)):
        for dtype in ("f8", "i4", "c16", "?"):
            x, y = floats(draw, shape).astype(dtype), floats(draw, shape).astype(dtype)
            compare(lambda m, x, y: m.vecdot(x, y), x, y, exactly=False)
            compare(lambda m, x, y: m.vecdot(x.T, y.T), x, y, exactly=False)
            compare(lambda m, x, y: m.vecdot(x, y[..., :1]), x, y, exactly=False)
            compare(lambda m, x, y: m.linalg.vecdot(x, y), x, y, exactly=False)
            compare(lambda m, x, y: m.einsum("...i,...i->...", x, y), x, y, exactly=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_convolutions_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for n, m in ((1, 1), (1, 5), (7, 2), (8, 8), (100, 9), (9, 100), (300, 12), (0, 3)):
        for dtype in ("f8", "f4", "i4", "u1", "c16", "?"):
            x, y = floats(draw, n).astype(dtype), floats(draw, m, special=dtype == "f8" and seed == 3).astype(dtype)
            for mode in ("full", "same", "valid", 0, "other"):
                compare(lambda m, x, y: m.convolve(x, y, mode), x, y, exactly=dtype[0] in "iu?")
                compare(lambda m, x, y: m.correlate(x, y, mode), x, y, exactly=dtype[0] in "iu?")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_polynomials_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for dtype in ("f8", "f4", "i8", "c16"):
        for n, m in ((1, 1), (3, 1), (4, 4), (9, 3), (3, 9), (30, 2), (30, 20)):
            p, q = floats(draw, n).astype(dtype), floats(draw, m).astype(dtype)
            x = floats(draw, (4, 5), special=dtype == "f8" and seed == 3).astype(dtype)
            for name in ("polyadd", "polysub", "polymul", "polydiv"):
                compare(lambda m, p, q: getattr(m, name)(p, q), p, q, exactly=False)
            compare(lambda m, p: m.polyder(p), p)
            compare(lambda m, p: m.polyder(p, 2), p)
            compare(lambda m, p: m.polyint(p), p)
            compare(lambda m, p: m.polyint(p, k=3), p)
            compare(lambda m, p, x: m.polyval(p, x), p, x)
            compare(lambda m, p: m.polyval(p, 2.5), p)
            compare(lambda m, p: m.poly(p), p[:9], exactly=False)
            compare(lambda m, p: m.vander(p, 4), p)
            compare(lambda m, p: m.vander(p, 3, increasing=True), p)
            compare(lambda m, p: m.vander(p, 1), p)


@pytest.mark.parametrize("seed", SEEDS)
def test_covariances_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in ((1, 2), (3, 9), (5, 2), (20,), (4, 1), (0, 3)):
        for dtype in ("f8", "f4", "i4"):
            x = floats(draw, shape).astype(dtype)
            with numpy.testing.suppress_warnings() as quiet:
                quiet.filter(RuntimeWarning)
                compare(lambda m, x: m.cov(x), x, exactly=False)
                compare(lambda m, x: m.cov(x, rowvar=False), x, exactly=False)
                compare(lambda m, x: m.cov(x, ddof=0), x, exactly=False)
                compare(lambda m, x: m.corrcoef(x), x, exactly=False)


PARTS = [(1,), (2,), (7,), (100,), (0,), (3, 8), (4, 1, 5), (2, 0)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_orders_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in PARTS:
        for dtype in ("f8", "f4", "f2", "i8", "i1", "u8", "?", "c16", "c8"):
            values = floats(draw, shape, special=dtype[0] == "f" and seed % 2 == 1).astype(dtype)
            compare(lambda m, a: m.sort_complex(a), values)
            compare(lambda m, a: m.sort_complex(a[::-1]), values)
            for axis in (-1, 0, None, 1, 9, True, numpy.int64(0)):
                compare(lambda m, a: m.sort(a, axis), values)
                compare(lambda m, a: m.sort(a.T, axis=axis), values)
                compare(lambda m, a: m.take_along_axis(a, m.argsort(a, axis), axis), values)
                for place in (0, -1, 1, 99, -99, True, [0], 1.0) if values.size else ():
                    compare(lambda m, a: m.take(m.partition(a, place, axis), place, axis), values)
                    compare(lambda m, a: m.take(m.take_along_axis(a, m.argpartition(a, place, axis), axis), place, axis), values)


@pytest.mark.parametrize("seed", SEEDS)
def test_places_of_nonzero_elements_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in (*PARTS, ()):
        for dtype in ("f8", "f2", "i8", "u1", "?", "c16"):
            values = numpy.asarray(floats(draw, shape or (1,), special=dtype[0] == "f").reshape(shape).astype(dtype))
            for name in ("nonzero", "flatnonzero", "argwhere", "where"):
                compare(lambda m, a: getattr(m, name)(a), values)
                compare(lambda m, a: getattr(m, name)(a.T), values)
    for number in (0, 5, 59, 60, -1, True, 2.0, numpy.int64(7), numpy.argmax(values)):
        for dims in ((3, 4, 5), [60], 60, (), (0, 3), (60, -1), (2**40, 2**40)):
            compare(lambda m, a: m.unravel_index(number, dims), values)
    compare(lambda m, a: m.unravel_index(m.argmax(a), a.shape), floats(draw, (4, 5)))
    assert type(np.unravel_index(5, (3, 4))[0]) is type(np.argmax(np.ones(3)))


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for n, m in ((1, 1), (2, 1), (7, 9), (100, 100), (100, 3), (0, 3), (3, 0), (2000, 1500)):
        for dtype in ("f8", "f4", "i8", "u1", "?", "c16", "f2"):
            special = dtype[0] == "f" and seed % 2 == 1
            x, y = floats(draw, n, special).astype(dtype), floats(draw, m, special).astype(dtype)
            for name in ("union1d", "intersect1d", "setxor1d", "setdiff1d"):
                compare(lambda m, x, y: getattr(m, name)(x, y), x, y)
                compare(lambda m, x, y: getattr(m, name)(x[::2], y[::-1]), x, y)
                compare(lambda m, x, y: getattr(m, name)(x, y.astype("i4")), x.real, numpy.nan_to_num(y.real, posinf=1, neginf=2))
            compare(lambda m, x: m.unique(x), x)
            compare(lambda m, x: m.unique(x.reshape(-1, 1)), x)
    compare(lambda m, x: m.union1d(x.reshape(2, 3), x), numpy.arange(6.0))
    compare(lambda m, x: m.setxor1d(x, [1.0, 9.0]), numpy.arange(6.0))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_averages_and_roundings_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in PARTS:
        for dtype in ("f8", "f4", "i4", "?", "c16"):
            values = floats(draw, shape, special=dtype == "f8" and seed % 2 == 1).astype(dtype)
            weights = draw.random(shape)
            for axis in (None, 0, -1, (0,)):
                compare(lambda m, a: m.average(a, axis), values, exactly=False)
                compare(lambda m, a, w: m.average(a, axis, w), values, weights, exactly=False)
                compare(lambda m, a, w: m.average(a, axis, w.astype(a.dtype)), values, weights, exactly=dtype == "?")
                compare(lambda m, a, w: m.average(a.T, weights=w.T, axis=axis), values, weights, exactly=False)
                compare(lambda m, a, w: m.average(a, axis, w * 0), values, weights)
                compare(lambda m, a, w: m.average(a, axis, w, True), values, weights, exactly=False)
            compare(lambda m, a, w: m.average(a, None, w[:1]), values, weights, exactly=False)
            for decimals in (0, 1, 2, -1, 22, True, 1.5):
                compare(lambda m, a: m.round(a / 3, decimals), values)
                compare(lambda m, a: m.round(a * 37, decimals), values)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_unwrapped_angles_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for shape in PARTS:
        for dtype in ("f8", "f4", "i4"):
            values = (floats(draw, shape, special=dtype == "f8" and seed == 3) * 2).astype(dtype)
            for axis in (-1, 0, 5):
                compare(lambda m, a: m.unwrap(a, axis=axis), values)
                compare(lambda m, a: m.unwrap(a.T, None, axis), values)
            compare(lambda m, a: m.unwrap(a, 4.0), values)
            compare(lambda m, a: m.unwrap(a, period=4), values)
    halves = numpy.pi * draw.integers(-3, 4, 50)
    compare(lambda m, a: m.unwrap(a), halves)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_fits_and_roots_match_numpy(seed):
    draw = numpy.random.default_rng(seed)
    for count in (1, 2, 3, 9, 100):
        x, y = draw.normal(size=count), draw.normal(size=count)
        for dtype in ("f8", "f4", "i4"):
            for degree in (0, 1, 2, 3, -1, 1.0):
                if degree < count:
                    given = ((10 * x).astype(dtype), (10 * y).astype(dtype))
                    compare(lambda m, x, y: m.polyfit(x, y, degree), *given, exactly=False)
        compare(lambda m, x, y: m.polyfit(x, y[1:], 1), x, y)
        compare(lambda m, x, y: m.polyfit(x, m.stack([y, y], 1), 1), x, y, exactly=False)
    compare(lambda m, x, y: m.polyfit(x * 0, y, 1), x, y, exactly=False)
    for count in (1, 2, 3, 5, 8):
        for zeros in (slice(0), slice(1), slice(-1, None), slice(1, 2), slice(None)):
            p = draw.normal(size=count)
            p[zeros] = 0
            compare(lambda m, p: m.sort_complex(m.roots(p)), p, exactly=False)
            compare(lambda m, p: m.iscomplexobj(m.roots(p)), p)
            compare(lambda m, p: m.polymul(p, p[::-1]), p, exactly=False)
            compare(lambda m, p: m.polymul(p, [1.0, 2.0]), p, exactly=False)
    compare(lambda m, p: m.roots(p), numpy.array([1.0, numpy.nan, 2.0]))
    compare(lambda m, p: m.roots(p), numpy.array([1e-300, 1e300]))
    with pytest.warns(np.exceptions.RankWarning):
        np.polyfit(np.ones(5), np.arange(5.0), 1)


def test_powers_match_numpy_bit_for_bit():
    for dtype in ("f8", "f4", "i8", "i1", "u8", "?", "f2"):
        x = numpy.arange(-6, 7).astype(dtype)
        for count in (None, 0, 1, 2, 5, -1, 2.0):
            for increasing in (False, True, 0, 1):
                compare(lambda m, x: m.vander(x, count, increasing), x)
                compare(lambda m, x: m.vander(x[::-2], N=count), x)


def test_shared_and_read_only_views_match_numpy():
    for shape in (*PARTS, ()):
        values = numpy.asarray(numpy.arange(numpy.prod(shape)).reshape(shape))
        for dims in ((100,), (3, 7), (5, 100), [2, 3, 8], 100, (4, 6, 5), (), (0,), (-1,), (2, 0), (3, True)):
            compare(lambda m, a: m.broadcast_to(a, dims), values)
            compare(lambda m, a: m.broadcast_to(a, dims).flags.writeable, values)
        compare(lambda m, a: m.unstack(a), values)
        compare(lambda m, a: m.unstack(a.T), values)
        compare(lambda m, a: m.unstack(a, axis=-1), values)
        compare(lambda m, a: m.shares_memory(m.unstack(a)[0], a), values)
        for other in (values, values + 1, values[:1] if shape else values, values.astype("f8")):
            compare(lambda m, a, b: m.array_equiv(a, b), values, other)
            compare(lambda m, a, b: m.array_equiv(a, b), other, numpy.stack([values, values]))
    compare(lambda m, a: m.array_equiv(a, a), numpy.array([1.0, numpy.nan]))
