"""Terrain analysis: rays are cast over a height map for shadows, a panorama and the visible area of a viewpoint.

The terrain is a sum of noise octaves. All rays advance together; heights are interpolated bilinearly.
"""


def make_terrain(np, size):
    """Returns heights (size, size) in metres, from smooth noise of several wavelengths."""
    rng = np.random.default_rng(171)
    terrain = np.zeros((size, size))
    cells, amplitude = 4, 400.0
    axis = np.arange(size) / size
    while cells <= 32:
        grid = rng.standard_normal((cells + 1, cells + 1))
        place = axis * cells
        low = place.astype(int)
        part = place - low
        part = part * part * (3 - 2 * part)
        rows = grid[low] * (1 - part)[:, None] + grid[low + 1] * part[:, None]
        terrain += amplitude * (rows[:, low] * (1 - part) + rows[:, low + 1] * part)
        cells, amplitude = cells * 2, amplitude * 0.45
    return np.maximum(terrain, -150.0)


def height_at(np, terrain, x, y):
    """Returns interpolated heights at positions in cells; positions outside are moved to the edge."""
    size = terrain.shape[0]
    x, y = np.clip(x, 0, size - 1.001), np.clip(y, 0, size - 1.001)
    column, row = x.astype(int), y.astype(int)
    fx, fy = x - column, y - row
    top = terrain[row, column] * (1 - fx) + terrain[row, column + 1] * fx
    bottom = terrain[row + 1, column] * (1 - fx) + terrain[row + 1, column + 1] * fx
    return top * (1 - fy) + bottom * fy


def shadows(np, terrain, azimuth, elevation, steps):
    """Returns a mask of cells that the sun does not reach."""
    size = terrain.shape[0]
    y, x = np.mgrid[0:size, 0:size].astype(float)
    dark = np.zeros(terrain.shape, dtype=bool)
    rise = np.tan(elevation) * 30.0
    for step in range(1, steps):
        px, py = x + step * np.cos(azimuth), y + step * np.sin(azimuth)
        inside = (px >= 0) & (px <= size - 1) & (py >= 0) & (py <= size - 1)
        dark |= inside & (height_at(np, terrain, px, py) > terrain + step * rise)
    return dark


def horizon(np, terrain, eye, rays, steps):
    """Returns the highest angle in each direction, its distance, and the share of points in sight."""
    angles = np.linspace(0, 2 * np.pi, rays, endpoint=False)
    distance = np.arange(1, steps + 1) * 0.7
    x = eye[0] + np.cos(angles)[:, None] * distance
    y = eye[1] + np.sin(angles)[:, None] * distance
    size = terrain.shape[0]
    outside = (x < 0) | (x > size - 1) | (y < 0) | (y > size - 1)
    slope = (height_at(np, terrain, x, y) - eye[2]) / (distance * 30.0)
    slope[outside] = -np.inf
    above = np.maximum.accumulate(slope, axis=1)
    visible = (slope >= above) & ~outside
    farthest = np.where(visible, distance, 0.0).max(axis=1)
    return np.degrees(np.arctan(slope.max(axis=1))), farthest, visible.sum() / (~outside).sum()


def run(np, scale):
    """Returns shadows, shading, the panorama and the share of terrain in sight."""
    size = max(40, int(360 * scale**0.5))
    steps = max(12, int(36 * scale**0.25))
    terrain = make_terrain(np, size)
    dy, dx = np.gradient(terrain, 30.0)
    slope = np.degrees(np.arctan(np.hypot(dx, dy)))
    normal = np.stack([-dx, -dy, np.ones_like(dx)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    sun = np.array([np.cos(0.7) * np.cos(0.5), np.sin(0.7) * np.cos(0.5), np.sin(0.5)])
    shade = np.clip(normal @ sun, 0.0, 1.0)
    dark = [shadows(np, terrain, azimuth, 0.25, steps) for azimuth in (0.7, 2.3)]
    shade[dark[0]] *= 0.3

    row, column = np.unravel_index(int(terrain.argmax()), terrain.shape)
    eye = (float(column), float(row), float(terrain.max()) + 2.0)
    angle, farthest, share = horizon(np, terrain, eye, max(60, int(720 * scale**0.5)), size)
    water = terrain <= -150.0
    classes = np.digitize(slope, np.array([5.0, 15.0, 30.0]))
    return {
        "shade": shade,
        "dark_shares": np.array([float(mask.mean()) for mask in dark]),
        "always_dark": int((dark[0] & dark[1]).sum()),
        "angle": angle,
        "farthest": farthest,
        "share": float(share),
        "peak": np.array([row, column]),
        "water": int(water.sum()),
        "slope_classes": np.bincount(classes.ravel(), minlength=4),
        "mean_height": np.array([terrain[classes == c].mean() if (classes == c).any() else 0.0 for c in range(4)]),
    }
