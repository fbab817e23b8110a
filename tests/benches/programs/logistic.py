"""Statistics: logistic regression by gradient descent with mini-batches, momentum and a penalty.

The data have missing values, which the column means replace. Accuracy, log loss and the ROC area are computed.
"""


def make_data(np, count, features):
    """Returns features (count, features) with gaps, and labels of 0 and 1."""
    rng = np.random.default_rng(41)
    x = rng.standard_normal((count, features))
    x[:, 1::3] = 0.6 * x[:, 1::3] + 0.8 * x[:, :1]
    weights = rng.standard_normal(features) * (rng.random(features) < 0.5)
    score = x @ weights + 0.5 * rng.standard_normal(count)
    labels = (score > 0.3).astype(float)
    x[rng.random((count, features)) < 0.02] = np.nan
    return x, labels


def sigmoid(np, z):
    """Returns the logistic function of z."""
    return 1.0 / (1.0 + np.exp(-np.clip(z, -30.0, 30.0)))


def log_loss(np, probability, labels):
    """Returns the mean negative log likelihood."""
    probability = np.clip(probability, 1e-12, 1 - 1e-12)
    return float(-np.mean(labels * np.log(probability) + (1 - labels) * np.log(1 - probability)))


def roc_area(np, probability, labels):
    """Returns the area under the ROC curve by ranks."""
    order = np.argsort(probability)
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    positive = labels == 1
    hits = positive.sum()
    return float((ranks[positive].sum() - hits * (hits + 1) / 2) / (hits * (len(labels) - hits)))


def run(np, scale):
    """Returns the weights, the course of the loss, and measures of the test set."""
    count = max(600, int(80000 * scale))
    features, batch, epochs = 30, 256, 5
    x, labels = make_data(np, count, features)
    x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    x = (x - mean) / deviation
    train = count * 4 // 5
    x_train, y_train, x_test, y_test = x[:train], labels[:train], x[train:], labels[train:]

    rng = np.random.default_rng(42)
    weights, bias = np.zeros(features), 0.0
    velocity, bias_velocity = np.zeros(features), 0.0
    rate, momentum, penalty = 0.1, 0.9, 1e-3
    losses = []
    for epoch in range(epochs):
        order = rng.permutation(train)
        for start in range(0, train - batch + 1, batch):
            rows = order[start : start + batch]
            xb, yb = x_train[rows], y_train[rows]
            error = sigmoid(np, xb @ weights + bias) - yb
            gradient = xb.T @ error / batch + penalty * weights
            velocity = momentum * velocity - rate * gradient
            bias_velocity = momentum * bias_velocity - rate * error.mean()
            weights = weights + velocity
            bias = bias + bias_velocity
        rate *= 0.7
        losses.append(log_loss(np, sigmoid(np, x_train @ weights + bias), y_train))

    probability = sigmoid(np, x_test @ weights + bias)
    guess = probability > 0.5
    truth = y_test == 1
    hits = int((guess & truth).sum())
    bins = np.digitize(probability, np.linspace(0, 1, 11)[1:-1])
    calibration = np.bincount(bins, weights=y_test, minlength=10) / np.maximum(np.bincount(bins, minlength=10), 1)
    return {
        "weights": weights,
        "bias": float(bias),
        "losses": np.array(losses),
        "accuracy": float((guess == truth).mean()),
        "precision": hits / max(int(guess.sum()), 1),
        "recall": hits / int(truth.sum()),
        "area": roc_area(np, probability, y_test),
        "calibration": calibration,
        "strongest": np.argsort(-np.abs(weights))[:5],
    }
