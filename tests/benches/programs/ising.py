"""Statistical physics: the Ising model by Metropolis sweeps over checkerboard masks, at several temperatures.

Magnetisation, energy, specific heat, susceptibility and the spin correlation are measured.
"""


def neighbour_sum(np, spins):
    """Returns the sum of the four neighbours of each spin."""
    return np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)


def sweep(np, rng, spins, masks, beta, field):
    """Tries to flip each spin once: first all black ones, then all white ones."""
    flips = 0
    for mask in masks:
        cost = 2.0 * spins * (neighbour_sum(np, spins) + field)
        accepted = mask & (rng.random(spins.shape) < np.exp(-beta * np.clip(cost, 0.0, None)))
        spins[accepted] *= -1
        flips += int(np.count_nonzero(accepted))
    return flips


def energy_of(np, spins, field):
    """Returns the energy of each spin on average."""
    bonds = spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1))
    return float(-bonds.mean() - field * spins.mean())


def correlation(np, spins, longest):
    """Returns the mean product of spins at distances up to `longest` along rows."""
    centred = spins - spins.mean()
    spectrum = np.fft.rfft(centred, axis=1)
    lags = np.fft.irfft(np.abs(spectrum) ** 2, n=spins.shape[1], axis=1)[:, :longest]
    return lags.mean(axis=0) / spins.shape[1]


def count_domains(np, spins):
    """Returns the number of walls between domains in rows and in columns."""
    rows = (np.diff(spins, axis=1) != 0).sum()
    columns = (np.diff(spins, axis=0) != 0).sum()
    return int(rows), int(columns)


def run(np, scale):
    """Returns spins at the end and measures for each temperature."""
    size = max(16, int(180 * scale**0.5) // 2 * 2)
    warm, measured = max(4, int(30 * scale**0.25)), max(6, int(30 * scale**0.25))
    field = 0.01
    rng = np.random.default_rng(111)
    y, x = np.indices((size, size))
    black = (x + y) % 2 == 0
    masks = [black, ~black]
    spins = np.where(rng.random((size, size)) < 0.6, 1, -1)

    temperatures = np.array([3.5, 2.6, 2.27, 1.8])
    rows, correlations, flips = [], [], []
    for temperature in temperatures:
        beta = float(1.0 / temperature)
        for _ in range(warm):
            sweep(np, rng, spins, masks, beta, field)
        magnetisation, energy, accepted = [], [], 0
        for _ in range(measured):
            accepted += sweep(np, rng, spins, masks, beta, field)
            magnetisation.append(float(spins.mean()))
            energy.append(energy_of(np, spins, field))
        magnetisation, energy = np.array(magnetisation), np.array(energy)
        heat = energy.var() * spins.size / temperature**2
        susceptibility = magnetisation.var() * spins.size / temperature
        rows.append([np.abs(magnetisation).mean(), energy.mean(), heat, susceptibility])
        correlations.append(correlation(np, spins, 8))
        flips.append(accepted)

    blocks = spins[: size // 4 * 4, : size // 4 * 4].reshape(size // 4, 4, size // 4, 4).sum(axis=(1, 3))
    return {
        "spins": spins,
        "table": np.array(rows),
        "correlations": np.array(correlations),
        "flips": np.array(flips),
        "domains": np.array(count_domains(np, spins)),
        "blocks": np.sign(blocks),
        "coldest_is_ordered": bool(np.abs(rows[-1][0]) > 0.5),
    }
