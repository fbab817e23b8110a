"""Machine learning: classification by the k nearest neighbours, weighted by distance, with k chosen by validation.

Distances of a chunk of queries are one matrix; np.argpartition selects the neighbours.
"""


def make_points(np, count, features, classes):
    """Returns standardised points (count, features) of overlapping clusters and their classes."""
    rng = np.random.default_rng(21)
    centres = rng.normal(0.0, 2.0, (classes, features))
    labels = rng.integers(0, classes, count)
    points = centres[labels] + rng.normal(0.0, 1.6, (count, features))
    points[:, 0] *= 10.0
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    return points, labels


def nearest(np, queries, points, k):
    """Returns squared distances and indices (queries, k) of the nearest points, nearest first."""
    squares = (points**2).sum(axis=1)
    distances, indices = [], []
    chunk = 200
    for start in range(0, len(queries), chunk):
        part = queries[start : start + chunk]
        table = (part**2).sum(axis=1)[:, None] - 2.0 * part @ points.T + squares[None, :]
        np.maximum(table, 0.0, out=table)
        found = np.argpartition(table, k, axis=1)[:, :k]
        values = np.take_along_axis(table, found, axis=1)
        order = np.argsort(values, axis=1)
        distances.append(np.take_along_axis(values, order, axis=1))
        indices.append(np.take_along_axis(found, order, axis=1))
    return np.concatenate(distances), np.concatenate(indices)


def vote(np, distances, labels, classes):
    """Returns the class with the largest sum of weights for each query, and its share."""
    weights = 1.0 / (np.sqrt(distances) + 1e-3)
    scores = np.zeros((len(labels), classes))
    for label in range(classes):
        scores[:, label] = np.where(labels == label, weights, 0.0).sum(axis=1)
    winner = scores.argmax(axis=1)
    return winner, scores.max(axis=1) / scores.sum(axis=1)


def run(np, scale):
    """Returns predicted classes, the best k, a confusion matrix and neighbours' distances."""
    count = max(200, int(7000 * scale**0.5))
    classes, features, largest = 6, 12, 25
    points, labels = make_points(np, count, features, classes)
    train = count * 7 // 10
    validate = count * 85 // 100
    known, known_labels = points[:train], labels[:train]

    distances, indices = nearest(np, points[train:validate], known, largest)
    accuracies = []
    for k in range(1, largest + 1, 4):
        guess, _ = vote(np, distances[:, :k], known_labels[indices[:, :k]], classes)
        accuracies.append((guess == labels[train:validate]).mean())
    best = 1 + 4 * int(np.argmax(accuracies))

    distances, indices = nearest(np, points[validate:], known, largest)
    predicted, share = vote(np, distances[:, :best], known_labels[indices[:, :best]], classes)
    truth = labels[validate:]
    confusion = np.zeros((classes, classes), dtype=int)
    np.add.at(confusion, (truth, predicted), 1)
    recall = np.diag(confusion) / confusion.sum(axis=1)
    unsure = share < 0.6
    return {
        "predicted": predicted,
        "share": share,
        "accuracies": np.array(accuracies),
        "best": best,
        "confusion": confusion,
        "recall": recall,
        "unsure": int(unsure.sum()),
        "error_if_unsure": float((predicted[unsure] != truth[unsure]).mean()) if unsure.any() else 0.0,
        "distances": distances.mean(axis=0),
    }
