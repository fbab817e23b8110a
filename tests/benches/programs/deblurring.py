"""Astronomy, Richardson-Lucy: a telescope's picture of a star field is deblurred by iterated FFT convolutions.

The picture has noise and a background; a total-variation term damps the growth of noise.
"""


def make_sky(np, size):
    """Returns a picture (size, size) of stars and two nebulae without blur."""
    rng = np.random.default_rng(11)
    sky = np.full((size, size), 2.0)
    stars = max(10, size * size // 2000)
    rows, columns = rng.integers(0, size, stars), rng.integers(0, size, stars)
    np.add.at(sky, (rows, columns), rng.exponential(400.0, stars))
    y, x = np.mgrid[0:size, 0:size] / size
    sky += 40.0 * np.exp(-((x - 0.3) ** 2 + (y - 0.6) ** 2) / 0.02)
    sky += 25.0 * np.exp(-((x - 0.7) ** 2 / 0.03 + (y - 0.3) ** 2 / 0.004))
    return sky


def make_kernel(np, size, width):
    """Returns the point spread function with its centre in element [0, 0]; its sum is 1."""
    distance = np.fft.fftfreq(size) * size
    square = distance[:, None] ** 2 + distance[None, :] ** 2
    core = np.exp(-square / (2 * width**2))
    wings = (1 + square / (4 * width**2)) ** -2.5
    kernel = core + 0.1 * wings
    return kernel / kernel.sum()


def convolve(np, picture, spectrum):
    """Returns the cyclic convolution with a kernel that is given by its spectrum."""
    return np.fft.irfft2(np.fft.rfft2(picture) * spectrum, s=picture.shape)


def curvature(np, picture):
    """Returns the divergence of the normalised gradient, which total variation subtracts."""
    dy, dx = np.gradient(picture)
    length = np.sqrt(dx**2 + dy**2 + 1e-2)
    return np.gradient(dy / length, axis=0) + np.gradient(dx / length, axis=1)


def run(np, scale):
    """Returns the deblurred picture and the errors before, during and after the iteration."""
    size = max(32, int(384 * scale**0.5) // 2 * 2)
    iterations = 15
    sky = make_sky(np, size)
    kernel = make_kernel(np, size, 2.2)
    spectrum = np.fft.rfft2(kernel)
    adjoint = np.conj(spectrum)
    rng = np.random.default_rng(12)
    blurred = np.maximum(convolve(np, sky, spectrum), 0.0)
    seen = np.maximum(blurred + np.sqrt(blurred) * rng.standard_normal(sky.shape), 0.1)

    estimate = np.full_like(seen, seen.mean())
    errors, changes = [], []
    for _ in range(iterations):
        expected = np.maximum(convolve(np, estimate, spectrum), 1e-6)
        ratio = seen / expected
        correction = convolve(np, ratio, adjoint)
        damping = 1.0 - 0.002 * curvature(np, estimate)
        updated = np.clip(estimate * correction / damping, 1e-6, None)
        changes.append(np.linalg.norm(updated - estimate) / np.linalg.norm(estimate))
        errors.append(np.sqrt(np.mean((updated - sky) ** 2)))
        estimate = updated

    bright = estimate > np.percentile(estimate, 99.5)
    peaks = bright.copy()
    for axis in (0, 1):
        for shift in (-1, 1):
            peaks &= estimate >= np.roll(estimate, shift, axis=axis)
    return {
        "estimate": estimate,
        "errors": np.array(errors),
        "changes": np.array(changes),
        "stars": int(peaks.sum()),
        "flux": float(estimate[bright].sum()),
    }
