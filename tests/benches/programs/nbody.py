"""Astrophysics: gravity among the stars of a cluster, all pairs, with softening and leapfrog steps.

Energy, angular momentum, Lagrangian radii and the velocity dispersion are recorded.
"""


def make_cluster(np, count):
    """Returns masses (count,), positions and velocities (count, 3) of a Plummer sphere."""
    rng = np.random.default_rng(101)
    masses = rng.uniform(0.5, 2.0, count)
    masses /= masses.sum()
    radius = 1.0 / np.sqrt(rng.uniform(0.01, 0.95, count) ** (-2.0 / 3.0) - 1.0)
    direction = rng.standard_normal((count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    positions = radius[:, None] * direction
    speed = 0.5 * np.sqrt(2.0) * (1 + radius**2) ** -0.25
    heading = rng.standard_normal((count, 3))
    heading /= np.linalg.norm(heading, axis=1, keepdims=True)
    velocities = speed[:, None] * heading
    positions -= (masses[:, None] * positions).sum(axis=0)
    velocities -= (masses[:, None] * velocities).sum(axis=0)
    return masses, positions, velocities


def accelerations(np, masses, positions, softening):
    """Returns the accelerations (count, 3) and the potential energy."""
    x, y, z = positions.T
    dx = x[None, :] - x[:, None]
    dy = y[None, :] - y[:, None]
    dz = z[None, :] - z[:, None]
    square = dx**2 + dy**2 + dz**2 + softening**2
    inverse = square**-0.5
    weight = masses[None, :] * inverse**3
    acceleration = np.stack([(weight * dx).sum(axis=1), (weight * dy).sum(axis=1), (weight * dz).sum(axis=1)], axis=1)
    pairs = masses[:, None] * masses[None, :] * inverse
    np.fill_diagonal(pairs, 0.0)
    return acceleration, -0.5 * pairs.sum()


def lagrangian_radii(np, masses, positions, shares):
    """Returns the radii that hold the given shares of the mass."""
    centre = (masses[:, None] * positions).sum(axis=0)
    distance = np.sqrt(((positions - centre) ** 2).sum(axis=1))
    order = np.argsort(distance)
    inside = np.cumsum(masses[order])
    return distance[order][np.searchsorted(inside, shares)]


def run(np, scale):
    """Returns positions and velocities at the end and the conserved quantities of each step."""
    count = max(40, int(800 * scale**0.5))
    steps, dt, softening = 12, 0.01, 0.05
    masses, positions, velocities = make_cluster(np, count)
    acceleration, potential = accelerations(np, masses, positions, softening)
    energies, momenta, radii = [], [], []
    for number in range(steps):
        velocities = velocities + 0.5 * dt * acceleration
        positions = positions + dt * velocities
        acceleration, potential = accelerations(np, masses, positions, softening)
        velocities = velocities + 0.5 * dt * acceleration
        kinetic = 0.5 * (masses * (velocities**2).sum(axis=1)).sum()
        energies.append([float(kinetic), float(potential)])
        momenta.append((masses[:, None] * np.cross(positions, velocities)).sum(axis=0))
        if number % 3 == 0:
            radii.append(lagrangian_radii(np, masses, positions, np.array([0.1, 0.25, 0.5, 0.75, 0.9])))

    energies = np.array(energies)
    distance = np.linalg.norm(positions, axis=1)
    shells = np.digitize(distance, np.array([0.25, 0.5, 1.0, 2.0, 4.0]))
    dispersion = np.zeros(6)
    for shell in range(6):
        members = velocities[shells == shell]
        if len(members) > 1:
            dispersion[shell] = members.std(axis=0).mean()
    return {
        "positions": positions,
        "velocities": velocities,
        "energies": energies,
        "is_conserved": bool(np.abs(energies.sum(axis=1) / energies[0].sum() - 1).max() < 0.05),
        "momenta": np.array(momenta),
        "radii": np.array(radii),
        "virial_ratio": float(-2 * energies[-1, 0] / energies[-1, 1]),
        "dispersion": dispersion,
        "escaping": int((0.5 * (velocities**2).sum(axis=1) > 1.0 / np.sqrt(distance**2 + 0.01)).sum()),
    }
