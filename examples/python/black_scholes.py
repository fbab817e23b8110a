"""Prices of options by the formula of Black and Scholes.

    weft run --profile examples/python/black_scholes.py -n 1000000
"""

import argparse
import importlib
import time


def normal(np, x):
    """The cumulative normal distribution, by Abramowitz and Stegun 26.2.17."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    powers = ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k + 0.31938153) * k
    tail = 0.3989422804014327 * np.exp(-0.5 * (x * x)) * powers
    return np.where(x > 0, 1.0 - tail, tail)


def prices(np, spot, strike, years, rate=0.02, volatility=0.3):
    """The prices of options to buy and to sell."""
    spread = volatility * np.sqrt(years)
    first = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    second = first - spread
    below, within = normal(np, first), normal(np, second)
    discounted = strike * np.exp(-rate * years)
    buy = spot * below - discounted * within
    sell = discounted * (1.0 - within) - spot * (1.0 - below)
    return buy, sell


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1_000_000, help="options")
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    spot = np.linspace(5.0, 30.0, args.n)
    strike = np.linspace(1.0, 100.0, args.n)
    years = np.linspace(0.25, 10.0, args.n)
    # The inputs are complete before the time is measured.
    float(spot.sum() + strike.sum() + years.sum())
    start = time.perf_counter()
    buy, sell = prices(np, spot, strike, years)
    total = float(buy.sum()), float(sell.sum())
    print(f"buy {total[0]:.3f}, sell {total[1]:.3f}, {1000 * (time.perf_counter() - start):.1f} ms")


if __name__ == "__main__":
    main()
