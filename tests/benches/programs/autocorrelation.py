"""Econometrics: autocorrelation of many time series, by FFT and by lags, with autoregressive fits and forecasts.

The Durbin-Levinson recursion computes partial autocorrelations of all series at once.
"""


def make_series(np, count, length):
    """Returns series (count, length) of autoregressive noise with a season and a trend."""
    rng = np.random.default_rng(81)
    noise = rng.standard_normal((length, count))
    first, second = rng.uniform(0.2, 0.6, count), rng.uniform(-0.3, 0.2, count)
    series = np.zeros((length, count))
    series[:2] = noise[:2]
    for t in range(2, length):
        series[t] = first * series[t - 1] + second * series[t - 2] + noise[t]
    time = np.arange(length)[:, None]
    season = np.sin(2 * np.pi * time / rng.integers(7, 60, count)) * rng.uniform(0, 2, count)
    return (series + season + time * rng.normal(0, 1e-3, count)).T.copy()


def detrend(np, series):
    """Returns the series without their means and linear trends."""
    time = np.arange(series.shape[1]) - (series.shape[1] - 1) / 2
    slope = series @ time / (time @ time)
    return series - series.mean(axis=1, keepdims=True) - slope[:, None] * time


def by_fft(np, series, lags):
    """Returns autocorrelations (count, lags) from the power spectrum of padded series."""
    length = series.shape[1]
    padded = 1 << int(np.ceil(np.log2(2 * length)))
    spectrum = np.fft.rfft(series, padded, axis=1)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), padded, axis=1)[:, :lags]
    return covariance / covariance[:, :1]


def by_lags(np, series, lags):
    """Returns autocorrelations (count, lags) from sums of products."""
    length = series.shape[1]
    covariance = np.empty((len(series), lags))
    for lag in range(lags):
        covariance[:, lag] = np.einsum("ij,ij->i", series[:, lag:], series[:, : length - lag])
    return covariance / covariance[:, :1]


def partial(np, correlation):
    """Returns partial autocorrelations and the coefficients of the largest model."""
    count, lags = correlation.shape
    result = np.ones((count, lags))
    phi = np.zeros((count, lags))
    error = np.ones(count)
    for k in range(1, lags):
        predicted = (phi[:, 1:k] * correlation[:, k - 1 : 0 : -1]).sum(axis=1)
        reflection = (correlation[:, k] - predicted) / error
        phi[:, 1:k] = phi[:, 1:k] - reflection[:, None] * phi[:, k - 1 : 0 : -1].copy()
        phi[:, k] = reflection
        error = error * (1 - reflection**2)
        result[:, k] = reflection
    return result, phi[:, 1:]


def run(np, scale):
    """Returns correlations, test statistics, forecasts and dominant periods."""
    count = max(6, int(170 * scale**0.5))
    length = max(200, int(6000 * scale**0.5))
    lags = 40
    series = make_series(np, count, length)
    clean = detrend(np, series)
    correlation = by_fft(np, clean, lags)
    check = by_lags(np, clean, lags)
    partials, coefficients = partial(np, correlation)

    weights = 1.0 / (length - np.arange(1, lags))
    ljung_box = length * (length + 2) * (correlation[:, 1:] ** 2 * weights).sum(axis=1)
    significant = (np.abs(partials[:, 1:]) > 1.96 / np.sqrt(length)).sum(axis=1)

    # Forecasts of the last 10 % of each series, one step ahead.
    start = length * 9 // 10
    windows = np.lib.stride_tricks.sliding_window_view(clean, lags - 1, axis=1)[:, start - lags + 1 : -1, ::-1]
    forecast = np.einsum("itk,ik->it", windows, coefficients)
    actual = clean[:, start:]
    error = np.sqrt(((forecast - actual) ** 2).mean(axis=1)) / actual.std(axis=1)

    power = np.abs(np.fft.rfft(clean * np.hanning(length), axis=1)) ** 2
    peak = power[:, 1:].argmax(axis=1) + 1
    return {
        "correlation": correlation,
        "methods_agree": bool(np.abs(correlation - check).max() < 1e-9),
        "partials": partials,
        "ljung_box": ljung_box,
        "significant": significant,
        "error": error,
        "period": length / peak,
        "mean_correlation": correlation.mean(axis=0),
    }
