"""k-means: points and the centres that they are nearest to.

    weft run --profile examples/python/kmeans.py -n 100000
"""

import argparse
import importlib
import time


def cluster(np, points, count, iterations):
    """The centres, and the number of the nearest one of each point."""
    centers = points[:count].copy()
    for _ in range(iterations):
        distances = (points * points).sum(axis=1)[:, None] - 2.0 * (points @ centers.T) + (centers * centers).sum(axis=1)
        nearest = distances.argmin(axis=1)
        members = (nearest[:, None] == np.arange(count)).astype(points.dtype)
        sizes = members.sum(axis=0)
        centers = np.where(sizes[:, None] > 0, (members.T @ points) / np.maximum(sizes, 1.0)[:, None], centers)
    return centers, nearest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=100_000, help="points")
    parser.add_argument("-d", type=int, default=10, help="numbers of a point")
    parser.add_argument("-c", type=int, default=10, help="centres")
    parser.add_argument("-i", "--iterations", type=int, default=10)
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    # The same points for every package.
    places = np.arange(args.n * args.d, dtype="float64").reshape(args.n, args.d)
    points = np.sin(places * 12.9898) * np.cos(places * 78.233)
    # The inputs are complete before the time is measured.
    float(points.sum())
    start = time.perf_counter()
    centers, nearest = cluster(np, points, args.c, args.iterations)
    print(f"{float(centers.sum()):.6f} {int(nearest.sum())}, {1000 * (time.perf_counter() - start):.1f} ms")


if __name__ == "__main__":
    main()
