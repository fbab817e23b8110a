"""Conjugate gradients on a Poisson equation with a dense matrix.

    weft run --profile examples/python/cg.py -n 30
"""

import argparse
import importlib
import time


def poisson(np, n):
    """The five-point matrix of a grid of n by n places."""
    matrix = np.zeros((n * n, n * n))
    places = np.arange(n * n)
    matrix[places, places] = 4.0
    matrix[places[:-n], places[n:]] = -1.0
    matrix[places[n:], places[:-n]] = -1.0
    inside = places[places % n != n - 1]
    matrix[inside, inside + 1] = -1.0
    matrix[inside + 1, inside] = -1.0
    return matrix


def solve(np, matrix, right, tolerance=1e-10):
    """The solution, and the number of iterations."""
    x = np.zeros_like(right)
    residual = right - matrix @ x
    direction = residual.copy()
    size = residual @ residual
    for iteration in range(1, len(right) + 1):
        product = matrix @ direction
        step = size / (direction @ product)
        x += step * direction
        residual -= step * product
        following = residual @ residual
        if iteration % 5 == 0 and float(following) < tolerance:
            break
        direction = residual + (following / size) * direction
        size = following
    return x, iteration


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=30, help="places along each axis of the grid")
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    matrix = poisson(np, args.n)
    right = np.ones(args.n * args.n)
    # The inputs are complete before the time is measured.
    float(matrix.sum() + right.sum())
    start = time.perf_counter()
    x, iterations = solve(np, matrix, right)
    error = float(np.abs(matrix @ x - right).max())
    print(f"{iterations} iterations, error {error:.2e}, {1000 * (time.perf_counter() - start):.1f} ms")


if __name__ == "__main__":
    main()
