"""Finance, Monte Carlo: prices of European, Asian and barrier options with antithetic and control variates.

Paths follow geometric Brownian motion. Greeks are differences with common random numbers.
"""


def make_paths(np, noise, spot, rate, volatility, years):
    """Returns prices (paths, steps) for standard normal noise (paths, steps)."""
    steps = noise.shape[1]
    dt = years / steps
    drift = (rate - 0.5 * volatility**2) * dt
    return spot * np.exp(np.cumsum(drift + volatility * np.sqrt(dt) * noise, axis=1))


def normal_cdf(np, x):
    """Returns the normal distribution function by the formula 26.2.17 of Abramowitz and Stegun."""
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi) * poly
    return np.where(x >= 0, 1 - tail, tail)


def black_scholes(np, spot, strikes, rate, volatility, years):
    """Returns the exact prices of European calls."""
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strikes) + (rate + 0.5 * volatility**2) * years) / root
    return spot * normal_cdf(np, d1) - strikes * np.exp(-rate * years) * normal_cdf(np, d1 - root)


def estimate(np, payoff, discount):
    """Returns the price and its standard error; the second half of the paths is antithetic."""
    half = len(payoff) // 2
    pairs = discount * 0.5 * (payoff[:half] + payoff[half:])
    return float(pairs.mean()), float(pairs.std(ddof=1) / np.sqrt(half))


def run(np, scale):
    """Returns prices with errors, greeks, and the distribution of final prices."""
    pairs = max(500, int(40000 * scale))
    steps = 52
    spot, rate, volatility, years = 100.0, 0.03, 0.25, 1.0
    discount = float(np.exp(-rate * years))
    rng = np.random.default_rng(2024)
    half = rng.standard_normal((pairs, steps))
    noise = np.concatenate([half, -half])
    paths = make_paths(np, noise, spot, rate, volatility, years)
    final = paths[:, -1]

    strikes = np.linspace(80.0, 120.0, 9)
    european = [estimate(np, np.maximum(final - strike, 0.0), discount) for strike in strikes]
    exact = black_scholes(np, spot, strikes, rate, volatility, years)

    # The geometric mean is the control variate of the arithmetic one.
    arithmetic = np.maximum(paths.mean(axis=1) - 100.0, 0.0)
    geometric = np.maximum(np.exp(np.log(paths).mean(axis=1)) - 100.0, 0.0)
    covariance = np.cov(arithmetic, geometric)
    beta = covariance[0, 1] / covariance[1, 1]
    asian = estimate(np, arithmetic - beta * (geometric - geometric.mean()), discount)

    low, high = paths.min(axis=1), paths.max(axis=1)
    alive = (low > 80.0) & (high < 140.0)
    barrier = estimate(np, np.where(alive, np.maximum(final - 100.0, 0.0), 0.0), discount)
    lookback = estimate(np, high - final, discount)

    bump = 0.5
    up = np.maximum(final * (spot + bump) / spot - 100.0, 0.0).mean()
    down = np.maximum(final * (spot - bump) / spot - 100.0, 0.0).mean()
    middle = np.maximum(final - 100.0, 0.0).mean()
    delta = discount * (up - down) / (2 * bump)
    gamma = discount * (up - 2 * middle + down) / bump**2
    wilder = make_paths(np, noise, spot, rate, volatility + 0.01, years)[:, -1]
    vega = discount * (np.maximum(wilder - 100.0, 0.0).mean() - middle) / 0.01

    counts, edges = np.histogram(final, bins=40)
    return {
        "european": np.array(european),
        "exact": exact,
        "asian": np.array(asian),
        "barrier": np.array(barrier),
        "lookback": np.array(lookback),
        "greeks": np.array([delta, gamma, vega]),
        "quantiles": np.percentile(final, [1, 5, 50, 95, 99]),
        "counts": counts,
        "edges": edges,
        "share_alive": float(alive.mean()),
    }
