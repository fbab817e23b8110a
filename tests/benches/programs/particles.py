"""Molecular dynamics: soft discs in a periodic box repel each other; neighbours are found by cell lists.

Particles are sorted by cell. Each cell holds a fixed number of slots, and each particle meets those of nine cells.
"""


def make_particles(np, count, density):
    """Returns positions and velocities (count, 2) and the side of the box."""
    rng = np.random.default_rng(7)
    box = np.sqrt(count / density)
    per_row = int(np.ceil(np.sqrt(count)))
    index = np.arange(count)
    grid = np.stack([index % per_row, index // per_row], axis=1) * (box / per_row)
    positions = (grid + 0.2 * rng.random((count, 2))) % box
    velocities = rng.normal(0.0, 1.0, (count, 2))
    velocities -= velocities.mean(axis=0)
    return positions, velocities, float(box)


def build_cells(np, positions, box, cells, slots):
    """Returns the particles of each cell (cells, cells, slots), -1 in empty slots, and the cells of particles."""
    cell = (positions / box * cells).astype(int) % cells
    number = cell[:, 1] * cells + cell[:, 0]
    order = np.argsort(number, kind="stable")
    counts = np.bincount(number, minlength=cells * cells)
    starts = np.cumsum(counts) - counts
    place = np.arange(len(order)) - starts[number[order]]
    table = np.full((cells * cells, slots), -1)
    fits = place < slots
    table[number[order][fits], place[fits]] = order[fits]
    return table.reshape(cells, cells, slots), cell


def forces_of(np, positions, box, table, cell):
    """Returns the forces (count, 2), the potential energy and the number of contacts."""
    count, cells = len(positions), table.shape[0]
    forces = np.zeros_like(positions)
    energy, contacts = 0.0, 0
    own = np.arange(count)[:, None]
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            other = table[(cell[:, 1] + dy) % cells, (cell[:, 0] + dx) % cells]
            apart = positions[:, None, :] - positions[other]
            apart -= box * np.round(apart / box)
            square = (apart**2).sum(axis=2)
            touches = (other >= 0) & (other != own) & (square < 1.0)
            distance = np.sqrt(np.where(touches, square, 1.0))
            overlap = np.where(touches, 1.0 - distance, 0.0)
            forces += ((40.0 * overlap / distance)[:, :, None] * apart).sum(axis=1)
            energy += 10.0 * (overlap**2).sum()
            contacts += np.count_nonzero(touches)
    return forces, energy, contacts


def run(np, scale):
    """Returns the positions at the end, energies and contacts of each step, and the speeds' histogram."""
    count = max(60, int(6000 * scale))
    steps = 12
    positions, velocities, box = make_particles(np, count, 0.8)
    cells = max(3, int(box / 1.0))
    table, cell = build_cells(np, positions, box, cells, 8)
    forces, _, _ = forces_of(np, positions, box, table, cell)
    dt = 0.005
    energies, contacts = [], []
    for _ in range(steps):
        velocities += 0.5 * dt * forces
        positions = (positions + dt * velocities) % box
        table, cell = build_cells(np, positions, box, cells, 8)
        forces, potential, touching = forces_of(np, positions, box, table, cell)
        velocities += 0.5 * dt * forces
        kinetic = 0.5 * (velocities**2).sum()
        energies.append([float(kinetic), float(potential)])
        contacts.append(int(touching))
    speeds = np.hypot(velocities[:, 0], velocities[:, 1])
    histogram, edges = np.histogram(speeds, bins=30, range=(0.0, 5.0))
    occupied = (table >= 0).sum(axis=2)
    return {
        "positions": positions,
        "energies": np.array(energies),
        "contacts": np.array(contacts),
        "histogram": histogram,
        "edges": edges,
        "fullest_cell": int(occupied.max()),
    }
