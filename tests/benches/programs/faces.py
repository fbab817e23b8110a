"""Image analysis: principal components of small pictures ("eigenfaces"), compression and recognition.

Pictures are synthetic faces with random features. Components come from the eigenvectors of a Gram matrix.
"""


def make_pictures(np, people, views, size):
    """Returns pictures (people * views, size * size) and the number of each picture's person."""
    rng = np.random.default_rng(51)
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    pictures, person = [], np.repeat(np.arange(people), views)
    for _ in range(people):
        eye, mouth, width, skin = rng.uniform([0.2, 0.3, 0.5, 0.5], [0.45, 0.6, 0.9, 0.9])
        for _ in range(views):
            dx, dy, light = rng.normal(0, [0.03, 0.03, 0.2])
            face = skin * ((x - dx) ** 2 / width**2 + (y - dy) ** 2 < 0.9)
            for side in (-1, 1):
                face -= 0.4 * np.exp(-((x - dx - side * eye) ** 2 + (y - dy + 0.3) ** 2) / 0.01)
            face -= 0.3 * np.exp(-((x - dx) ** 2 / 0.08 + (y - dy - mouth) ** 2 / 0.005))
            face += light * x + 0.05 * rng.standard_normal((size, size))
            pictures.append(face.ravel())
    return np.array(pictures), person


def principal_components(np, centred, count):
    """Returns components (count, pixels) of unit length and their variances."""
    gram = centred @ centred.T / (len(centred) - 1)
    values, vectors = np.linalg.eigh(gram)
    order = np.argsort(values)[::-1][:count]
    components = vectors[:, order].T @ centred
    components /= np.linalg.norm(components, axis=1, keepdims=True)
    # The largest entry of a component is positive.
    largest = np.abs(components).argmax(axis=1)
    components *= np.sign(components[np.arange(len(components)), largest])[:, None]
    return components, values[order]


def run(np, scale):
    """Returns variances, reconstruction errors, and the accuracy of recognition."""
    people = max(5, int(40 * scale**0.5))
    views, size = 9, max(16, int(56 * scale**0.25))
    pictures, person = make_pictures(np, people, views, size)
    low, high = pictures.min(axis=1, keepdims=True), pictures.max(axis=1, keepdims=True)
    pictures = (pictures - low) / (high - low)

    view = np.tile(np.arange(views), people)
    is_test = view >= views - 2
    train, test = pictures[~is_test], pictures[is_test]
    mean_face = train.mean(axis=0)
    count = min(30, len(train) - 2)
    components, variances = principal_components(np, train - mean_face, count)
    codes, test_codes = (train - mean_face) @ components.T, (test - mean_face) @ components.T

    errors = []
    for used in range(5, count + 1, 5):
        rebuilt = mean_face + test_codes[:, :used] @ components[:used]
        errors.append(np.sqrt(((rebuilt - test) ** 2).mean(axis=1)))

    scale_of = np.sqrt(variances)
    table = np.linalg.norm(test_codes[:, None, :] / scale_of - codes[None, :, :] / scale_of, axis=2)
    closest = table.argmin(axis=1)
    guessed = person[~is_test][closest]
    quality = 10 * np.log10(1.0 / np.maximum(errors[-1] ** 2, 1e-12))
    outliers = np.flatnonzero(quality < np.median(quality) - 2 * quality.std())
    return {
        "mean_face": mean_face,
        "variances": variances,
        "explained": np.cumsum(variances) / (train - mean_face).var(axis=0, ddof=1).sum(),
        "errors": np.array(errors),
        "distances": table.min(axis=1),
        "guessed": guessed,
        "accuracy": float((guessed == person[is_test]).mean()),
        "quality": quality,
        "outliers": outliers,
        "first_component": components[0].reshape(size, size),
    }
