"""Data mining: k-means with the k-means++ start, several restarts and silhouettes of a sample.

Clusters of customers with different sizes and spreads are searched for.
"""


def make_customers(np, count, features):
    """Returns points (count, features) in clusters of different density."""
    rng = np.random.default_rng(61)
    centres = rng.uniform(-10, 10, (8, features))
    share = np.array([0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04])
    member = np.searchsorted(np.cumsum(share), rng.random(count)).clip(0, 7)
    spread = np.linspace(0.5, 2.5, 8)
    return centres[member] + spread[member][:, None] * rng.standard_normal((count, features))


def squared_distances(points, centres):
    """Returns the squared distances (points, centres)."""
    return ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)


def first_centres(np, rng, points, k):
    """Returns k centres: each next one is drawn by its squared distance to those before."""
    centres = [points[int(rng.integers(len(points)))]]
    nearest = ((points - centres[0]) ** 2).sum(axis=1)
    for _ in range(k - 1):
        cumulative = np.cumsum(nearest)
        drawn = int(np.searchsorted(cumulative, rng.random() * cumulative[-1]))
        centres.append(points[drawn])
        nearest = np.minimum(nearest, ((points - centres[-1]) ** 2).sum(axis=1))
    return np.array(centres)


def lloyd(np, points, centres, iterations):
    """Returns the centres after some iterations, the clusters of points, and the inertia."""
    k = len(centres)
    for _ in range(iterations):
        member = squared_distances(points, centres).argmin(axis=1)
        counts = np.bincount(member, minlength=k)
        sums = np.stack([np.bincount(member, weights=column, minlength=k) for column in points.T], axis=1)
        moved = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        shift = np.abs(moved - centres).max()
        centres = moved
        if shift < 1e-6:
            break
    table = squared_distances(points, centres)
    return centres, table.argmin(axis=1), float(table.min(axis=1).sum())


def silhouettes(np, points, member, k):
    """Returns the silhouette of each point."""
    table = np.sqrt(squared_distances(points, points))
    means = np.full((len(points), k), np.inf)
    for c in range(k):
        if (member == c).any():
            means[:, c] = table[:, member == c].mean(axis=1)
    own = means[np.arange(len(points)), member]
    means[np.arange(len(points)), member] = np.inf
    other = means.min(axis=1)
    return (other - own) / np.maximum(own, other)


def run(np, scale):
    """Returns the best centres, sizes and spreads of clusters, and mean silhouettes."""
    count = max(300, int(20000 * scale))
    k, features = 8, 4
    points = make_customers(np, count, features)
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    rng = np.random.default_rng(62)
    best, inertias = None, []
    for _ in range(3):
        found = lloyd(np, points, first_centres(np, rng, points, k), 12)
        inertias.append(found[2])
        if best is None or found[2] < best[2]:
            best = found
    centres, member, inertia = best

    order = np.lexsort((centres[:, 1], centres[:, 0]))
    sizes = np.bincount(member, minlength=k)[order]
    spreads = np.array([points[member == c].std() for c in order])
    sample = np.linspace(0, count - 1, min(count, 600)).astype(int)
    silhouette = silhouettes(np, points[sample], member[sample], k)
    return {
        "centres": centres[order],
        "sizes": sizes,
        "spreads": spreads,
        "inertias": np.array(inertias),
        "inertia": inertia,
        "silhouette": silhouette,
        "doubtful": int((silhouette < 0).sum()),
    }
