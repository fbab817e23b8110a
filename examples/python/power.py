"""The largest eigenvalue of a matrix, by power iteration.

    weft run --profile examples/python/power.py -n 2000
"""

import argparse
import importlib
import time


def largest(np, matrix, iterations):
    """The eigenvalue, and how far the vector is from an eigenvector."""
    vector = np.ones(len(matrix))
    for _ in range(iterations):
        product = matrix @ vector
        vector = product / np.sqrt(product @ product)
    product = matrix @ vector
    value = vector @ product
    return value, np.linalg.norm(product - value * vector)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=2000, help="rows and columns")
    parser.add_argument("-i", "--iterations", type=int, default=50)
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    # Symmetric, with one eigenvalue well above the others, and the same for every package.
    places = np.arange(args.n, dtype="float64")
    waves = np.cos((places[:, None] + places[None, :]) * 12.9898)
    matrix = waves / args.n + 3.0 * np.ones((args.n, args.n)) / args.n
    # The inputs are complete before the time is measured.
    float(matrix.sum())
    start = time.perf_counter()
    value, error = largest(np, matrix, args.iterations)
    print(f"eigenvalue {float(value):.8f}, error below 1e-6: {float(error) < 1e-6}, {1000 * (time.perf_counter() - start):.1f} ms")


if __name__ == "__main__":
    main()
