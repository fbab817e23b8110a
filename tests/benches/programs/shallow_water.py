"""Oceanography: the rotating shallow-water equations on a periodic grid, with leapfrog steps and a time filter.

Derivatives are differences of arrays that np.roll shifts. Height, momentum and vorticity are watched.
"""


def ddx(np, field, dx):
    """Returns the central difference along columns."""
    return (np.roll(field, -1, axis=1) - np.roll(field, 1, axis=1)) / (2 * dx)


def ddy(np, field, dx):
    """Returns the central difference along rows."""
    return (np.roll(field, -1, axis=0) - np.roll(field, 1, axis=0)) / (2 * dx)


def laplacian(np, field, dx):
    """Returns the five-point Laplacian."""
    around = (
        np.roll(field, 1, axis=0) + np.roll(field, -1, axis=0) + np.roll(field, 1, axis=1) + np.roll(field, -1, axis=1)
    )
    return (around - 4 * field) / dx**2


def tendencies(np, height, u, v, bottom, dx, coriolis):
    """Returns the rates of change of height and of both velocities."""
    gravity, viscosity, drag = 9.81, 20.0, 1e-6
    depth = height - bottom
    height_rate = -(ddx(np, depth * u, dx) + ddy(np, depth * v, dx))
    u_rate = (
        -u * ddx(np, u, dx) - v * ddy(np, u, dx) + coriolis * v - gravity * ddx(np, height, dx)
        + viscosity * laplacian(np, u, dx) - drag * u
    )  # fmt: skip
    v_rate = (
        -u * ddx(np, v, dx) - v * ddy(np, v, dx) - coriolis * u - gravity * ddy(np, height, dx)
        + viscosity * laplacian(np, v, dx) - drag * v
    )  # fmt: skip
    return height_rate, u_rate, v_rate


def run(np, scale):
    """Returns the fields at the end and the mass, energy and enstrophy over time."""
    size = max(24, int(320 * scale**0.5))
    steps = max(6, int(50 * scale**0.5))
    dx, dt, coriolis = 5000.0, 20.0, 1e-4
    y, x = np.mgrid[0:size, 0:size] / size
    bottom = -1000.0 + 300.0 * np.exp(-((x - 0.6) ** 2 + (y - 0.5) ** 2) / 0.02)
    height = 5.0 * np.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) / 0.005)
    # Velocities in balance with the slope of the surface.
    u = -9.81 / coriolis * ddy(np, height, dx)
    v = 9.81 / coriolis * ddx(np, height, dx)

    rates = tendencies(np, height, u, v, bottom, dx, coriolis)
    old = [height, u, v]
    now = [field + dt * rate for field, rate in zip(old, rates)]
    history, speeds = [], []
    for number in range(steps):
        rates = tendencies(np, *now, bottom, dx, coriolis)
        new = [before + 2 * dt * rate for before, rate in zip(old, rates)]
        # The Robert-Asselin filter keeps odd and even steps together.
        old = [middle + 0.05 * (before - 2 * middle + after) for before, middle, after in zip(old, now, new)]
        now = new
        if number % 5 == 0:
            height, u, v = now
            depth = height - bottom
            vorticity = ddx(np, v, dx) - ddy(np, u, dx)
            kinetic = 0.5 * (depth * (u**2 + v**2)).sum()
            potential = 0.5 * 9.81 * (height**2).sum()
            history.append([float(depth.sum()), float(kinetic), float(potential), float((vorticity**2).sum())])
            speeds.append(float(np.sqrt(u**2 + v**2).max()))
    height, u, v = now
    return {
        "height": height,
        "u": u,
        "v": v,
        "history": np.array(history),
        "speeds": np.array(speeds),
        "highest": np.unravel_index(int(np.argmax(height)), height.shape),
    }
