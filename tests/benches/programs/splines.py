"""Measurement, interpolation: natural cubic splines through many curves, compared with linear interpolation, with derivatives.

The tridiagonal systems of all curves are solved at once by the Thomas algorithm.
"""


def make_measurements(np, curves, knots):
    """Returns increasing times (knots,) and values (curves, knots) with noise."""
    rng = np.random.default_rng(91)
    times = np.cumsum(rng.uniform(0.5, 1.5, knots))
    times = (times - times[0]) / (times[-1] - times[0])
    frequency = rng.uniform(1, 6, (curves, 1))
    values = np.sin(2 * np.pi * frequency * times) * np.exp(-times) + 0.01 * rng.standard_normal((curves, knots))
    return times, values


def second_derivatives(np, times, values):
    """Returns the second derivatives (curves, knots) of natural splines at the knots."""
    step = np.diff(times)
    slope = np.diff(values, axis=1) / step
    right = 6 * np.diff(slope, axis=1)
    diagonal = 2 * (step[1:] + step[:-1])
    count = len(diagonal)
    factor = np.zeros(count)
    reduced = np.zeros_like(right)
    factor[0] = step[1] / diagonal[0]
    reduced[:, 0] = right[:, 0] / diagonal[0]
    for i in range(1, count):
        pivot = diagonal[i] - step[i] * factor[i - 1]
        factor[i] = step[i + 1] / pivot
        reduced[:, i] = (right[:, i] - step[i] * reduced[:, i - 1]) / pivot
    result = np.zeros_like(values)
    for i in range(count - 1, -1, -1):
        result[:, i + 1] = reduced[:, i] - factor[i] * result[:, i + 2]
    return result


def evaluate(np, times, values, curvature, at):
    """Returns the splines and their first derivatives at the times `at`, both (curves, at)."""
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    h = times[left + 1] - times[left]
    a = (times[left + 1] - at) / h
    b = 1 - a
    y0, y1 = values[:, left], values[:, left + 1]
    m0, m1 = curvature[:, left], curvature[:, left + 1]
    spline = a * y0 + b * y1 + ((a**3 - a) * m0 + (b**3 - b) * m1) * h**2 / 6
    slope = (y1 - y0) / h + ((3 * b**2 - 1) * m1 - (3 * a**2 - 1) * m0) * h / 6
    return spline, slope


def run(np, scale):
    """Returns interpolated curves, their lengths, extremes and differences between both methods."""
    curves = max(4, int(90 * scale**0.5))
    knots = max(30, int(400 * scale**0.5))
    points = max(200, int(30000 * scale**0.5))
    times, values = make_measurements(np, curves, knots)
    at = np.linspace(0.0, 1.0, points)

    curvature = second_derivatives(np, times, values)
    spline, slope = evaluate(np, times, values, curvature, at)
    linear = np.stack([np.interp(at, times, row) for row in values])

    difference = np.abs(spline - linear)
    lengths = np.trapezoid(np.sqrt(1 + slope**2), at, axis=1)
    areas = np.trapezoid(spline, at, axis=1)
    crossings = (np.diff(np.signbit(spline), axis=1) != 0).sum(axis=1)
    turning = np.flatnonzero(np.diff(np.sign(slope[0])) != 0)
    top = spline.argmax(axis=1)

    # Resampling by quantiles of the arc length of the first curve.
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(at), np.diff(spline[0])))])
    even = np.interp(np.linspace(0, arc[-1], 500), arc, at)
    resampled, _ = evaluate(np, times, values, curvature, even)
    at_knots, _ = evaluate(np, times, values, curvature, times)
    return {
        "spline": spline[:, :: max(1, points // 1000)],
        "lengths": lengths,
        "areas": areas,
        "crossings": crossings,
        "turning": turning,
        "top": top,
        "largest_difference": difference.max(axis=1),
        "rms_difference": np.sqrt((difference**2).mean(axis=1)),
        "passes_knots": bool(np.abs(at_knots - values).max() < 1e-9),
        "resampled": resampled,
    }
