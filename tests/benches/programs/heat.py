"""Engineering, explicit finite differences: heat spreads in a metal plate with cooled holes and a heated edge.

The plate consists of two metals. Masks mark the holes, the metals and the cells that are hotter than a limit.
"""


def make_plate(np, size):
    """Returns the diffusivity of each cell and the mask of the holes, both (size, size)."""
    y, x = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size), indexing="ij")
    diffusivity = np.where(x + 0.3 * np.sin(4 * np.pi * y) < 0.5, 1.0, 0.35)
    holes = np.zeros((size, size), dtype=bool)
    for cx, cy, radius in [(0.3, 0.3, 0.08), (0.7, 0.25, 0.1), (0.5, 0.65, 0.12), (0.2, 0.8, 0.05)]:
        holes |= (x - cx) ** 2 + (y - cy) ** 2 < radius**2
    return diffusivity, holes


def step(np, temperature, diffusivity, rate):
    """Returns the temperature one time step later; the edges do not change."""
    new = temperature.copy()
    centre = temperature[1:-1, 1:-1]
    laplacian = (
        temperature[2:, 1:-1] + temperature[:-2, 1:-1] + temperature[1:-1, 2:] + temperature[1:-1, :-2] - 4 * centre
    )
    new[1:-1, 1:-1] = centre + rate * diffusivity[1:-1, 1:-1] * laplacian
    return new


def apply_boundaries(temperature, holes, coolant):
    """Heats the left edge, cools the holes, and insulates the other edges."""
    temperature[:, 0] = 100.0
    temperature[:, -1] = temperature[:, -2]
    temperature[0, :] = temperature[1, :]
    temperature[-1, :] = temperature[-2, :]
    temperature[holes] = coolant


def run(np, scale):
    """Returns the temperatures at the end and a history of summary values."""
    size = max(24, int(420 * scale**0.5))
    steps = max(10, int(300 * scale**0.5))
    diffusivity, holes = make_plate(np, size)
    metal = ~holes
    left = metal & (diffusivity > 0.5)
    right = metal & (diffusivity <= 0.5)
    temperature = np.full((size, size), 20.0)
    apply_boundaries(temperature, holes, 10.0)

    means, changes, hot_cells = [], [], []
    for number in range(steps):
        new = step(np, temperature, diffusivity, 0.24)
        apply_boundaries(new, holes, 10.0)
        # The heater is switched off in cells that became too hot.
        too_hot = new > 95.0
        too_hot[:, 0] = False
        new[too_hot] = 95.0
        if number % 10 == 0:
            changes.append(np.abs(new - temperature).max())
            means.append([new[left].mean(), new[right].mean()])
            hot_cells.append(np.count_nonzero(too_hot))
        temperature = new

    flux = -diffusivity[1:-1, 1:-1] * (temperature[1:-1, 2:] - temperature[1:-1, :-2]) / 2
    flux[holes[1:-1, 1:-1]] = 0.0
    return {
        "temperature": temperature,
        "means": np.array(means),
        "changes": np.array(changes),
        "hot_cells": np.array(hot_cells),
        "flux": flux.sum(axis=0),
        "hottest_row": int(temperature.mean(axis=1).argmax()),
    }
