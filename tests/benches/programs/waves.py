"""Seismology: acoustic waves in layered ground by finite differences of fourth order, with absorbing edges.

A source emits a Ricker wavelet; receivers at the surface record a seismogram, which is then analysed.
"""


def make_ground(np, depth, width):
    """Returns the speed of sound (depth, width) in metres per second, with layers, a fault and a salt body."""
    z, x = np.indices((depth, width))
    layer = z / depth + 0.06 * np.sin(5 * x / width) + np.where(x > width // 2, 0.08, 0.0)
    speed = np.select([layer < 0.25, layer < 0.45, layer < 0.7], [1500.0, 2100.0, 2700.0], 3400.0)
    salt = (z - 0.6 * depth) ** 2 / (0.12 * depth) ** 2 + (x - 0.35 * width) ** 2 / (0.15 * width) ** 2 < 1
    speed[salt] = 4200.0
    return speed


def make_sponge(np, depth, width, cells):
    """Returns factors that damp waves within `cells` of the sides and of the bottom."""
    z, x = np.indices((depth, width))
    distance = np.minimum(np.minimum(x, width - 1 - x), depth - 1 - z)
    inside = np.clip((cells - distance) / cells, 0.0, 1.0)
    return np.exp(-((0.25 * inside) ** 2))


def ricker(np, steps, dt, frequency):
    """Returns the wavelet of the source at each step."""
    argument = (np.pi * frequency * (np.arange(steps) * dt - 1.0 / frequency)) ** 2
    return (1 - 2 * argument) * np.exp(-argument)


def laplacian(np, p, out):
    """Writes the Laplacian of fourth order into `out`; two cells at each edge stay 0."""
    out[2:-2, 2:-2] = (
        -5.0 * p[2:-2, 2:-2]
        + (4.0 / 3.0) * (p[1:-3, 2:-2] + p[3:-1, 2:-2] + p[2:-2, 1:-3] + p[2:-2, 3:-1])
        - (1.0 / 12.0) * (p[:-4, 2:-2] + p[4:, 2:-2] + p[2:-2, :-4] + p[2:-2, 4:])
    )
    return out


def run(np, scale):
    """Returns the seismogram, the wave at the end, and arrival times at the receivers."""
    depth, width = max(40, int(260 * scale**0.5)), max(60, int(340 * scale**0.5))
    steps = max(40, int(320 * scale**0.5))
    dx, dt = 10.0, 0.001
    speed = make_ground(np, depth, width)
    factor = (speed * dt / dx) ** 2
    sponge = make_sponge(np, depth, width, max(6, depth // 10))
    source = ricker(np, steps, dt, 18.0)
    source_at = (4, width // 2)
    receivers = np.arange(4, width - 4, 4)

    before = np.zeros((depth, width))
    now = np.zeros((depth, width))
    curved = np.zeros((depth, width))
    seismogram = np.zeros((steps, len(receivers)))
    energy = []
    for step in range(steps):
        after = 2 * now - before + factor * laplacian(np, now, curved)
        after[source_at] += source[step]
        after *= sponge
        now *= sponge
        before, now = now, after
        seismogram[step] = now[3, receivers]
        if step % 20 == 0:
            velocity = (now - before) / dt
            energy.append(float((velocity**2 / speed**2).sum()))

    # First arrivals, and gain that grows with time as amplitudes fall.
    level = np.abs(seismogram).max(axis=0) * 0.05
    arrived = np.abs(seismogram) > level
    first = np.where(arrived.any(axis=0), arrived.argmax(axis=0), -1)
    gained = seismogram * (np.arange(steps) * dt)[:, None] ** 1.5
    trace_energy = np.sqrt((gained**2).mean(axis=0))
    balanced = gained / np.maximum(trace_energy, 1e-30)
    spectrum = np.abs(np.fft.rfft(seismogram, axis=0)).mean(axis=1)
    frequencies = np.fft.rfftfreq(steps, dt)
    stacked = balanced.mean(axis=1)
    return {
        "seismogram": seismogram,
        "wave": now,
        "energy": np.array(energy),
        "first": first,
        "balanced": balanced,
        "stacked": stacked,
        "peak_frequency": float(frequencies[spectrum.argmax()]),
        "layers": np.unique(speed),
    }
