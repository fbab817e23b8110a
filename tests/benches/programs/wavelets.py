"""Signal processing: noise is removed from signals and a picture by thresholds on Daubechies wavelet coefficients.

Periodic transforms with four taps. Thresholds come from the median of the finest coefficients.
"""


def taps(np):
    """Returns the low and high pass filters of Daubechies' wavelet with two vanishing moments."""
    root = np.sqrt(3.0)
    low = np.array([1 + root, 3 + root, 3 - root, 1 - root]) / (4 * np.sqrt(2.0))
    high = low[::-1] * np.array([1.0, -1.0, 1.0, -1.0])
    return low, high


def split(np, signal):
    """Returns the coarse and fine halves of lines (..., n) for even n."""
    low, high = taps(np)
    shifted = np.stack([np.roll(signal, -k, axis=-1)[..., ::2] for k in range(4)], axis=-1)
    return shifted @ low, shifted @ high


def join(np, coarse, fine):
    """Returns the lines of which `split` made these halves."""
    low, high = taps(np)
    count = coarse.shape[-1]
    result = np.zeros(coarse.shape[:-1] + (2 * count,))
    for k in range(4):
        part = low[k] * coarse + high[k] * fine
        result[..., k % 2 :: 2] += np.roll(part, k // 2, axis=-1)
    return result


def soft(np, values, threshold):
    """Returns the values moved towards 0 by the threshold."""
    return np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)


def denoise_lines(np, lines, levels):
    """Returns lines without noise, and the share of coefficients that remain."""
    details, coarse = [], lines
    for _ in range(levels):
        coarse, fine = split(np, coarse)
        details.append(fine)
    sigma = np.median(np.abs(details[0]), axis=-1, keepdims=True) / 0.6745
    threshold = sigma * np.sqrt(2 * np.log(lines.shape[-1]))
    kept = 0
    for fine in reversed(details):
        shrunk = soft(np, fine, threshold)
        kept += int(np.count_nonzero(shrunk))
        coarse = join(np, coarse, shrunk)
    return coarse, kept / lines.size


def denoise_picture(np, picture, levels):
    """Returns the picture without noise, by transforms of rows and columns."""
    parts, coarse = [], picture
    for _ in range(levels):
        low, high = split(np, coarse)
        coarse, vertical = (half.swapaxes(0, 1) for half in split(np, low.swapaxes(0, 1)))
        horizontal, diagonal = (half.swapaxes(0, 1) for half in split(np, high.swapaxes(0, 1)))
        parts.append((vertical, horizontal, diagonal))
    sigma = float(np.median(np.abs(parts[0][2]))) / 0.6745
    for level, details in reversed(list(enumerate(parts))):
        vertical, horizontal, diagonal = (soft(np, part, 2.5 * sigma / (level + 1)) for part in details)
        low = join(np, coarse.swapaxes(0, 1), vertical.swapaxes(0, 1)).swapaxes(0, 1)
        high = join(np, horizontal.swapaxes(0, 1), diagonal.swapaxes(0, 1)).swapaxes(0, 1)
        coarse = join(np, low, high)
    return coarse


def run(np, scale):
    """Returns cleaned signals and pictures with the gain in signal-to-noise ratio."""
    rng = np.random.default_rng(161)
    length = 1 << max(8, int(np.log2(65536 * max(scale, 1e-3))))
    time = np.linspace(0, 1, length)
    number = np.arange(1, 25)[:, None]
    clean = np.sin(2 * np.pi * 12 * number * time**2) + 0.7 * (time > number / 30) - 0.4 * (time > 0.8)
    noisy = clean + 0.25 * rng.standard_normal(clean.shape)
    lines, kept = denoise_lines(np, noisy, 5)

    size = 1 << max(5, int(np.log2(1024 * max(scale, 1e-3) ** 0.5)))
    y, x = np.mgrid[0:size, 0:size] / size
    scene = 100.0 * (((x - 0.4) ** 2 + (y - 0.5) ** 2) < 0.06) + 60.0 * (np.abs(x + y - 1.3) < 0.1) + 20 * np.cos(8 * x)
    grainy = scene + 15.0 * rng.standard_normal((size, size))
    picture = denoise_picture(np, grainy, 3)

    def decibels(truth, found):
        return 10 * np.log10((truth**2).sum(axis=-1) / ((found - truth) ** 2).sum(axis=-1))

    return {
        "lines": lines[:, :: max(1, length // 512)],
        "kept": kept,
        "gain": decibels(clean, lines) - decibels(clean, noisy),
        "picture": picture,
        "picture_gain": float(decibels(scene.ravel(), picture.ravel()) - decibels(scene.ravel(), grainy.ravel())),
        "edges": int((np.abs(np.diff(picture, axis=1)) > 30).sum()),
        "restored": bool(np.abs(join(np, *split(np, clean)) - clean).max() < 1e-9),
    }
