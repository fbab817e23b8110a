"""Flow between two plates, driven by a force: the incompressible Navier-Stokes equations by finite differences.

The flow tends to a parabola across the channel, which the program compares with.

    weft run --profile examples/python/channel.py -n 200
"""

import argparse
import importlib
import time


def around(np, values):
    """The neighbours east, west, north and south; the channel's ends are joined."""
    east = np.roll(values, -1, axis=1)
    west = np.roll(values, 1, axis=1)
    return east[1:-1], west[1:-1], values[2:], values[:-2]


def pressure(np, p, u, v, density, step, dx, dy, sweeps):
    """The pressure that keeps the flow free of sources, by Jacobi's method."""
    ue, uw, un, us = around(np, u)
    ve, vw, vn, vs = around(np, v)
    ux, uy = (ue - uw) / (2 * dx), (un - us) / (2 * dy)
    vx, vy = (ve - vw) / (2 * dx), (vn - vs) / (2 * dy)
    source = density * ((ux + vy) / step - ux * ux - 2 * uy * vx - vy * vy)
    scale = 2 * (dx * dx + dy * dy)
    for _ in range(sweeps):
        east, west, north, south = around(np, p)
        following = np.empty_like(p)
        following[1:-1] = ((east + west) * dy * dy + (north + south) * dx * dx - source * (dx * dx * dy * dy)) / scale
        # No pressure drop across the plates.
        following[0], following[-1] = following[1], following[-2]
        p = following
    return p


def run(np, n, steps, sweeps=30, density=1.0, viscosity=0.1, force=1.0):
    """The velocity along the channel after some steps."""
    dx = dy = 2.0 / (n - 1)
    step = 0.2 * dx * dx / viscosity
    u, v, p = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for _ in range(steps):
        p = pressure(np, p, u, v, density, step, dx, dy, sweeps)
        changes = []
        pe, pw, pn, ps = around(np, p)
        for values, slope in ((u, (pe - pw) / (2 * dx)), (v, (pn - ps) / (2 * dy))):
            center = values[1:-1]
            east, west, north, south = around(np, values)
            moved = u[1:-1] * (center - west) / dx + v[1:-1] * (center - south) / dy
            spread = viscosity * ((east - 2 * center + west) / (dx * dx) + (north - 2 * center + south) / (dy * dy))
            changes.append(step * (spread - moved - slope / density))
        u, v = u.copy(), v.copy()
        u[1:-1] += changes[0] + step * force
        v[1:-1] += changes[1]
    return u


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=200, help="places along each axis")
    parser.add_argument("-i", "--iterations", type=int, default=20, help="steps of time")
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    start = time.perf_counter()
    u = run(np, args.n, args.iterations)
    middle, total = float(u[args.n // 2].mean()), float(u.sum())
    print(f"middle {middle:.8f}, sum {total:.6f}, {1000 * (time.perf_counter() - start):.1f} ms")


if __name__ == "__main__":
    main()
