"""The black_scholes example as a NumPy user writes it: `black_scholes.py SIZE` prints the elapsed milliseconds."""

import sys
import time

import numpy as np

RATE, VOLATILITY = 0.02, 0.3
A1, A2, A3, A4, A5 = 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429
PEAK = 0.3989422804014327


def normal(d):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    powers = ((((A5 * k + A4) * k + A3) * k + A2) * k + A1) * k
    above = PEAK * np.exp(-0.5 * (d * d)) * powers
    return np.where(d > 0.0, 1.0 - above, above)


def price(share, strike, years):
    spread = VOLATILITY * np.sqrt(years)
    drift = RATE + 0.5 * VOLATILITY * VOLATILITY
    d1 = (np.log(share / strike) + drift * years) / spread
    d2 = d1 - spread
    n1, n2 = normal(d1), normal(d2)
    discounted = strike * np.exp(-RATE * years)
    call = share * n1 - discounted * n2
    put = discounted * (1.0 - n2) - share * (1.0 - n1)
    return call, put


def main(n):
    rng = np.random.default_rng(0)
    share, strike, years = (low + rng.random(n) * (high - low) for low, high in [(5, 30), (1, 100), (0.25, 10)])
    start = time.perf_counter()
    call, put = price(share, strike, years)
    call.sum(), put.sum()
    print(f"Elapsed Time: {(time.perf_counter() - start) * 1e3:.3f} ms")


main(int(sys.argv[1]))
