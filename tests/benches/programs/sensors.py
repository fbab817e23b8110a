"""Environmental monitoring: cleaning of sensor data with gaps, spikes, drift and stuck readings.

Masks, nan functions, percentiles, a rolling median, and averages by hour of the day.
"""


def make_readings(np, sensors, days, per_day):
    """Returns noisy readings (sensors, time) with faults, and the true values."""
    rng = np.random.default_rng(31)
    count = days * per_day
    time = np.arange(count) / per_day
    phase = rng.random((sensors, 1)) * 0.2
    truth = 15 + 8 * np.sin(2 * np.pi * (time - 0.3 + phase)) + 3 * np.sin(2 * np.pi * time / 17)
    readings = truth + 0.4 * rng.standard_normal((sensors, count))
    readings += np.linspace(0, 1, count) * rng.normal(0, 1.0, (sensors, 1))
    spikes = rng.random((sensors, count)) < 0.004
    readings[spikes] += rng.choice(np.array([-40.0, 40.0, 85.0]), int(spikes.sum()))
    readings[rng.random((sensors, count)) < 0.03] = np.nan
    for sensor in range(0, sensors, 3):
        start = int(rng.integers(0, count * 3 // 4))
        readings[sensor, start : start + count // 20] = readings[sensor, start]
    return readings, truth


def mark_stuck(np, values, length):
    """Returns a mask of readings that equal all of the `length` readings before them."""
    same = np.zeros(values.shape, dtype=int)
    same[:, 1:] = values[:, 1:] == values[:, :-1]
    runs = np.cumsum(same, axis=1)
    resets = np.where(same == 0, runs, 0)
    return runs - np.maximum.accumulate(resets, axis=1) >= length


def rolling_median(np, values, width):
    """Returns the median of the `width` readings around each one; gaps do not count."""
    half = width // 2
    padded = np.pad(values, ((0, 0), (half, half)), mode="edge")
    shifted = np.stack([padded[:, start : start + values.shape[1]] for start in range(width)])
    found = ~np.isnan(shifted).all(axis=0)
    result = np.full(values.shape, np.nan)
    result[found] = np.nanmedian(shifted[:, found], axis=0)
    return result


def fill_gaps(np, values):
    """Returns the readings with gaps filled by linear interpolation in time."""
    filled = values.copy()
    time = np.arange(values.shape[1])
    for row in filled:
        missing = np.isnan(row)
        row[missing] = np.interp(time[missing], time[~missing], row[~missing])
    return filled


def run(np, scale):
    """Returns cleaned readings, counts of faults, percentiles, and means by hour."""
    sensors, per_day = 12, 144
    days = max(4, int(250 * scale))
    readings, truth = make_readings(np, sensors, days, per_day)
    values = readings.copy()

    outside = (values < -30) | (values > 60)
    values[outside] = np.nan
    stuck = mark_stuck(np, values, 6)
    values[stuck] = np.nan
    middle = rolling_median(np, values, 7)
    residual = np.abs(values - middle)
    spread = 1.4826 * np.nanmedian(residual, axis=1, keepdims=True)
    spikes = residual > 6 * spread
    values[spikes] = np.nan

    hour = (np.arange(values.shape[1]) % per_day) // (per_day // 24)
    by_hour = np.array([np.nanmean(values[:, hour == h], axis=1) for h in range(24)])
    extremes = np.nanpercentile(values, [1, 25, 50, 75, 99], axis=1)
    filled = fill_gaps(np, values)
    filled = np.clip(filled, extremes[0][:, None], extremes[4][:, None])

    # Drift is the slope of daily means against days.
    daily = filled.reshape(sensors, days, per_day).mean(axis=2)
    day = np.arange(days) - (days - 1) / 2
    slope = (daily * day).sum(axis=1) / (day**2).sum()
    detrended = filled - slope[:, None] * np.repeat(day, per_day)[None, :]
    error = np.sqrt(np.mean((detrended - truth) ** 2, axis=1))
    return {
        "filled": filled,
        "faults": np.array([outside.sum(), stuck.sum(), spikes.sum(), np.isnan(readings).sum()]),
        "by_hour": by_hour,
        "extremes": extremes,
        "slope": slope,
        "error": error,
        "correlation": np.corrcoef(detrended),
        "worst": int(error.argmax()),
    }
