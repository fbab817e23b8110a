"""Photography: histogram equalisation of a colour picture, global and by tiles, with sharpening and colour balance.

Brightness is mapped by tables of 256 entries; tables of neighbouring tiles are blended.
"""


def make_photo(np, height, width):
    """Returns a picture (height, width, 3) of bytes with dark and bright parts."""
    rng = np.random.default_rng(141)
    y, x = np.mgrid[0:height, 0:width]
    y, x = y / height, x / width
    light = 0.15 + 0.3 * x**2 + 0.2 * np.exp(-((x - 0.7) ** 2 + (y - 0.3) ** 2) / 0.01)
    texture = 0.06 * np.sin(60 * x + 8 * np.sin(9 * y)) * np.cos(50 * y)
    base = (light + texture)[:, :, None] * np.array([1.0, 0.85, 0.6])
    base += 0.02 * rng.standard_normal((height, width, 3))
    return (np.clip(base, 0, 1) * 255).astype(np.uint8)


def brightness(np, photo):
    """Returns the luma of each pixel as bytes, by integer weights so that ties are exact."""
    return ((photo @ np.array([299, 587, 114]) + 500) // 1000).astype(np.uint8)


def table_of(np, values, limit):
    """Returns the table that equalises the values; counts above `limit` times the mean are clipped."""
    counts = np.bincount(values.ravel(), minlength=256).astype(float)
    ceiling = limit * values.size / 256
    excess = np.maximum(counts - ceiling, 0).sum()
    counts = np.minimum(counts, ceiling) + excess / 256
    total = np.cumsum(counts)
    return (total - total[0]) * (255.0 / (total[-1] - total[0]))


def by_tiles(np, luma, tiles, limit):
    """Returns the brightness equalised by the tables of tiles, with bilinear weights."""
    height, width = luma.shape
    tables = np.empty((tiles, tiles, 256))
    for row in range(tiles):
        for column in range(tiles):
            top, bottom = row * height // tiles, (row + 1) * height // tiles
            left, right = column * width // tiles, (column + 1) * width // tiles
            tables[row, column] = table_of(np, luma[top:bottom, left:right], limit)
    y = np.clip((np.arange(height) + 0.5) * tiles / height - 0.5, 0, tiles - 1)
    x = np.clip((np.arange(width) + 0.5) * tiles / width - 0.5, 0, tiles - 1)
    top, left = y.astype(int), x.astype(int)
    bottom, right = np.minimum(top + 1, tiles - 1), np.minimum(left + 1, tiles - 1)
    fy, fx = (y - top)[:, None], (x - left)[None, :]
    top, bottom, left, right = top[:, None], bottom[:, None], left[None, :], right[None, :]
    upper = (1 - fx) * tables[top, left, luma] + fx * tables[top, right, luma]
    lower = (1 - fx) * tables[bottom, left, luma] + fx * tables[bottom, right, luma]
    return (1 - fy) * upper + fy * lower


def sharpen(np, values, amount):
    """Returns the values with the difference from a 3 by 3 binomial blur added."""
    padded = np.pad(values, 1, mode="reflect")
    rows = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    blurred = (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 16
    return np.clip(values + amount * (values - blurred), 0, 255)


def entropy(np, values):
    """Returns the entropy of bytes in bits."""
    counts, _ = np.histogram(values, bins=256, range=(0, 256))
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def run(np, scale):
    """Returns the finished picture and measures of contrast before and after."""
    height, width = max(32, int(640 * scale**0.5)), max(48, int(960 * scale**0.5))
    photo = make_photo(np, height, width)
    luma = brightness(np, photo)
    globally = table_of(np, luma, 1e9)[luma]
    locally = sharpen(np, by_tiles(np, luma, 8, 3.0), 0.6)
    gain = (0.5 * globally + 0.5 * locally) / np.maximum(luma, 1)
    coloured = np.clip(photo * np.minimum(gain, 6.0)[:, :, None], 0, 255)

    # Colour balance: the 1st and 99th percentiles of each channel become black and white.
    flat = coloured.reshape(-1, 3)
    black, white = np.percentile(flat, [1, 99], axis=0)
    balanced = np.clip((coloured - black) / (white - black), 0, 1) ** 0.9
    finished = np.rint(balanced * 255).astype(np.uint8)
    after = brightness(np, finished)
    local_contrast = []
    for picture in (luma, after):
        blocks = picture[: height // 8 * 8, : width // 8 * 8].reshape(height // 8, 8, width // 8, 8)
        local_contrast.append(float(blocks.std(axis=(1, 3)).mean()))
    return {
        "balanced": balanced,
        "global": globally,
        "entropy": np.array([entropy(np, luma), entropy(np, globally), entropy(np, locally)]),
        "local_contrast": np.array(local_contrast),
        "limits": np.stack([black, white]),
        "clipped": float((finished == 255).mean()),
        "colour": finished.reshape(-1, 3).mean(axis=0),
    }
