"""Microscopy: cells in a picture are segmented by Otsu's threshold, morphology and labels of connected regions.

Labels spread over neighbours until nothing changes. Each region's area, centre and brightness are measured.
"""


def make_picture(np, size, cells):
    """Returns a picture (size, size) of bright round cells on an uneven background, from 0 to 255."""
    rng = np.random.default_rng(71)
    y, x = np.mgrid[0:size, 0:size].astype(float)
    picture = 40 + 25 * x / size + 10 * np.sin(y / size * 3)
    for cy, cx, radius, light in zip(
        rng.uniform(0, size, cells), rng.uniform(0, size, cells), rng.uniform(5, 11, cells), rng.uniform(60, 120, cells)
    ):
        top, left = max(int(cy - 16), 0), max(int(cx - 16), 0)
        part = (slice(top, int(cy + 16)), slice(left, int(cx + 16)))
        square = (y[part] - cy) ** 2 + (x[part] - cx) ** 2
        picture[part] += light / (1 + np.exp((np.sqrt(square) - radius) * 2))
    picture += 6 * rng.standard_normal((size, size))
    return np.clip(picture, 0, 255)


def otsu(np, picture):
    """Returns the threshold that separates two classes of brightness best."""
    counts, edges = np.histogram(picture, bins=256, range=(0, 256))
    share = counts / counts.sum()
    weight = np.cumsum(share)
    mean = np.cumsum(share * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mean[-1] * weight - mean) ** 2 / (weight * (1 - weight))
    return float(edges[np.nanargmax(between[:-1]) + 1])


def smooth(np, picture, radius):
    """Returns the mean over a square, by running sums of rows and columns."""
    width = 2 * radius + 1
    for axis in (0, 1):
        pads = [(radius + 1, radius) if a == axis else (0, 0) for a in (0, 1)]
        sums = np.cumsum(np.pad(picture, pads, mode="edge"), axis=axis)
        if axis == 0:
            picture = (sums[width:] - sums[:-width]) / width
        else:
            picture = (sums[:, width:] - sums[:, :-width]) / width
    return picture


def morph(np, mask, combine, times):
    """Erodes a mask with np.logical_and, and dilates it with np.logical_or."""
    for _ in range(times):
        padded = np.pad(mask, 1, mode="edge")
        columns = combine(padded[:-2, 1:-1], padded[2:, 1:-1])
        rows = combine(padded[1:-1, :-2], padded[1:-1, 2:])
        mask = combine(mask, combine(columns, rows))
    return mask


def label(np, mask):
    """Returns the number of each pixel's region, from 1 on in the order of first pixels; 0 is background."""
    far = mask.size
    labels = np.where(mask, np.arange(mask.size).reshape(mask.shape), far)
    while True:
        padded = np.pad(labels, 1, constant_values=far)
        columns = np.minimum(padded[:-2, 1:-1], padded[2:, 1:-1])
        rows = np.minimum(padded[1:-1, :-2], padded[1:-1, 2:])
        new = np.where(mask, np.minimum(labels, np.minimum(columns, rows)), far)
        if np.array_equal(new, labels):
            break
        labels = new
    found, numbers = np.unique(labels, return_inverse=True)
    numbers = numbers.reshape(mask.shape) + 1
    return np.where(mask, numbers, 0), int((found < far).sum())


def run(np, scale):
    """Returns the labels and the measures of each region."""
    size = max(48, int(900 * scale**0.5))
    picture = make_picture(np, size, max(4, size * size // 1500))
    flat = picture - smooth(np, picture, 20)
    flat = np.clip(smooth(np, flat, 1) + 60, 0, 255)
    threshold = otsu(np, flat)
    mask = flat > threshold
    mask = morph(np, mask, np.logical_and, 2)
    mask = morph(np, mask, np.logical_or, 2)
    labels, count = label(np, mask)

    areas = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    y, x = np.indices(labels.shape)
    sums = [np.bincount(labels.ravel(), weights=w.ravel(), minlength=count + 1)[1:] for w in (y, x, picture)]
    centre_y, centre_x, brightness = (s / np.maximum(areas, 1) for s in sums)
    keep = (areas > 20) & (centre_y > 5) & (centre_x > 5) & (centre_y < size - 5) & (centre_x < size - 5)
    outline = mask & ~morph(np, mask, np.logical_and, 1)
    return {
        "threshold": threshold,
        "labels": labels,
        "areas": areas,
        "centres": np.column_stack([centre_y, centre_x]),
        "brightness": brightness,
        "kept": np.flatnonzero(keep),
        "outline": int(outline.sum()),
        "median_area": float(np.median(areas[keep])) if keep.any() else 0.0,
    }
