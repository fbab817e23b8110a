"""Network science: PageRank, hubs and authorities, and communities of a web of pages, as dense matrices.

Power iterations run until the change is small; a second eigenvector splits the pages in two groups.
"""


def make_web(np, count):
    """Returns the links (count, count) of pages: popular ones get more; some pages have no link."""
    rng = np.random.default_rng(121)
    popularity = 1.0 / np.arange(1, count + 1) ** 0.7
    group = np.arange(count) % 2
    chance = 6.0 * popularity / popularity.sum()
    chance = np.where(group[:, None] == group[None, :], 1.8, 0.2) * chance[None, :]
    links = rng.random((count, count)) < np.minimum(chance, 0.9)
    np.fill_diagonal(links, False)
    links[rng.random(count) < 0.05] = False
    return links.astype(float), group


def pagerank(np, links, damping, tolerance):
    """Returns the ranks and the change of each iteration."""
    count = len(links)
    degree = links.sum(axis=1)
    dangling = degree == 0
    transition = (links / np.where(dangling, 1.0, degree)[:, None]).T.copy()
    ranks = np.full(count, 1.0 / count)
    changes = []
    while True:
        spread = transition @ ranks + ranks[dangling].sum() / count
        new = (1 - damping) / count + damping * spread
        changes.append(float(np.abs(new - ranks).sum()))
        ranks = new
        if changes[-1] < tolerance or len(changes) == 100:
            return ranks / ranks.sum(), np.array(changes)


def hubs_and_authorities(np, links, iterations):
    """Returns the scores of Kleinberg's HITS."""
    hubs = np.ones(len(links))
    for _ in range(iterations):
        authorities = links.T @ hubs
        authorities /= np.linalg.norm(authorities)
        hubs = links @ authorities
        hubs /= np.linalg.norm(hubs)
    return hubs, authorities


def communities(np, links, iterations):
    """Returns the second eigenvector of the normalised symmetric links, by deflated power iterations."""
    both = np.maximum(links, links.T)
    degree = np.maximum(both.sum(axis=1), 1.0)
    root = np.sqrt(degree)
    normal = both / root[:, None] / root[None, :]
    first = root / np.linalg.norm(root)
    vector = np.cos(np.arange(len(links)) * np.pi) + 0.3 * np.cos(np.arange(len(links)) * 0.7)
    for _ in range(iterations):
        vector = normal @ vector + vector
        vector -= first * (first @ vector)
        vector /= np.linalg.norm(vector)
    return vector / root


def run(np, scale):
    """Returns ranks, scores, groups and the correlation between measures."""
    count = max(60, int(1000 * scale**0.5))
    links, group = make_web(np, count)
    ranks, changes = pagerank(np, links, 0.85, 1e-9)
    hubs, authorities = hubs_and_authorities(np, links, 40)
    vector = communities(np, links, 40)
    guess = (vector > 0).astype(int)
    agreement = float((guess == group).mean())

    indegree, outdegree = links.sum(axis=0), links.sum(axis=1)
    best = np.argsort(-ranks, kind="stable")[:20]
    mutual = links * links.T
    triangles = np.einsum("ij,ji->i", mutual @ mutual, mutual) / 2
    pairs = outdegree * (outdegree - 1) / 2
    clustering = np.where(pairs > 0, triangles / np.maximum(pairs, 1.0), 0.0)
    degrees, frequency = np.unique(indegree.astype(int), return_counts=True)
    return {
        "ranks": ranks,
        "changes": changes,
        "best": best,
        "hubs": hubs,
        "authorities": authorities,
        "agreement": max(agreement, 1 - agreement),
        "correlation": np.corrcoef(np.stack([ranks, authorities, indegree])),
        "clustering": clustering,
        "degrees": degrees,
        "frequency": frequency,
        "dangling": int((outdegree == 0).sum()),
    }
