"""Recommendation: ratings of films are completed by matrix factorisation, with alternating least squares.

A non-negative factorisation by multiplicative updates finds genres; films are then compared by cosines.
"""


def make_ratings(np, users, films, rank):
    """Returns ratings (users, films) from 1 to 5 and the mask of those that are known."""
    rng = np.random.default_rng(191)
    taste = rng.gamma(1.0, 1.0, (users, rank))
    genre = rng.gamma(0.7, 1.0, (rank, films))
    score = taste @ genre
    score = 1 + 4 * score / (score + np.median(score)) + 0.3 * rng.standard_normal((users, films))
    popularity = rng.beta(1.2, 4.0, films)
    known = rng.random((users, films)) < np.maximum(popularity, 0.03)
    return np.clip(np.rint(score * 2) / 2, 1, 5), known


def solve_rows(np, ratings, known, other, penalty):
    """Returns the factors of rows that fit the known ratings best, by one small system per row."""
    rank = other.shape[1]
    weights = known.astype(float)
    products = (other[:, :, None] * other[:, None, :]).reshape(len(other), rank * rank)
    gram = (weights @ products).reshape(-1, rank, rank)
    gram += penalty * np.eye(rank)
    right = (weights * ratings) @ other
    return np.linalg.solve(gram, right[:, :, None])[:, :, 0]


def rmse(np, ratings, guess, mask):
    """Returns the root of the mean square error over a mask."""
    return float(np.sqrt(np.mean((ratings[mask] - guess[mask]) ** 2)))


def non_negative(np, matrix, mask, rank, iterations):
    """Returns factors without negative entries, by the updates of Lee and Seung."""
    rng = np.random.default_rng(192)
    w = rng.uniform(0.1, 1.0, (matrix.shape[0], rank))
    h = rng.uniform(0.1, 1.0, (rank, matrix.shape[1]))
    target = np.where(mask, matrix, 0.0)
    for _ in range(iterations):
        h *= (w.T @ target) / (w.T @ (mask * (w @ h)) + 1e-9)
        w *= (target @ h.T) / ((mask * (w @ h)) @ h.T + 1e-9)
    size = w.sum(axis=0)
    return w / size, h * size[:, None]


def run(np, scale):
    """Returns errors of training and test sets, recommendations, and similar films."""
    users, films, rank = max(40, int(600 * scale**0.5)), max(30, int(400 * scale**0.5)), 10
    ratings, known = make_ratings(np, users, films, rank)
    rng = np.random.default_rng(193)
    test = known & (rng.random(known.shape) < 0.15)
    train = known & ~test
    mean = ratings[train].mean()
    user_bias = np.where(train, ratings - mean, 0.0).sum(axis=1) / (train.sum(axis=1) + 5.0)
    film_bias = np.where(train, ratings - mean - user_bias[:, None], 0.0).sum(axis=0) / (train.sum(axis=0) + 5.0)
    base = mean + user_bias[:, None] + film_bias[None, :]
    residual = ratings - base

    film_factors = 0.1 * rng.standard_normal((films, rank))
    errors = []
    for _ in range(6):
        user_factors = solve_rows(np, residual, train, film_factors, 4.0)
        film_factors = solve_rows(np, residual.T, train.T, user_factors, 4.0)
        guess = np.clip(base + user_factors @ film_factors.T, 1, 5)
        errors.append([rmse(np, ratings, guess, train), rmse(np, ratings, guess, test)])

    unseen = np.where(known, -np.inf, guess)
    top = np.argsort(-unseen, axis=1, kind="stable")[:, :5]
    length = np.maximum(np.linalg.norm(film_factors, axis=1, keepdims=True), 1e-12)
    cosine = (film_factors / length) @ (film_factors / length).T
    np.fill_diagonal(cosine, -1.0)
    w, h = non_negative(np, ratings, train, 6, 30)
    genre = h.argmax(axis=0)
    return {
        "errors": np.array(errors),
        "baseline": rmse(np, ratings, base, test),
        "guess": guess,
        "top": top,
        "most_similar": cosine.argmax(axis=1),
        "genre_sizes": np.bincount(genre, minlength=6),
        "approximation": rmse(np, ratings, w @ h, train),
        "coverage": len(np.unique(top)) / films,
    }
