"""Machine learning: a small neural network with two hidden layers, backpropagation and the Adam optimiser.

It learns classes of points on spirals, with dropout, a softmax output and early stopping.
"""


def make_spirals(np, count, classes, features):
    """Returns points (count, features) on noisy spirals, and their classes."""
    rng = np.random.default_rng(131)
    label = np.arange(count) % classes
    radius = rng.uniform(0.1, 1.0, count)
    angle = 4.0 * radius + 2 * np.pi * label / classes + 0.15 * rng.standard_normal(count)
    plane = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    mixing = rng.standard_normal((2, features))
    return np.tanh(plane @ mixing) + 0.02 * rng.standard_normal((count, features)), label


def softmax(np, scores):
    """Returns the softmax of each row."""
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


class Network:
    """Layers of weights with the averages of their gradients."""

    def __init__(self, np, sizes):
        self.np = np
        rng = np.random.default_rng(132)
        self.weights = [rng.standard_normal((a, b)) * (2.0 / a) ** 0.5 for a, b in zip(sizes, sizes[1:])]
        self.biases = [np.zeros(b) for b in sizes[1:]]
        self.first = [np.zeros_like(p) for p in self.weights + self.biases]
        self.second = [np.zeros_like(p) for p in self.weights + self.biases]
        self.steps = 0

    def forward(self, x, keep=None):
        """Returns the activations of all layers; `keep` holds dropout masks of hidden layers."""
        activations = [x]
        for number, (w, b) in enumerate(zip(self.weights, self.biases)):
            x = x @ w + b
            if number < len(self.weights) - 1:
                x = self.np.maximum(x, 0.0)
                if keep is not None:
                    x = x * keep[number]
            activations.append(x)
        return activations

    def backward(self, activations, error, keep, penalty):
        """Returns the gradients of weights and biases."""
        weights, biases = [], []
        for number in reversed(range(len(self.weights))):
            weights.insert(0, activations[number].T @ error + penalty * self.weights[number])
            biases.insert(0, error.sum(axis=0))
            if number:
                error = (error @ self.weights[number].T) * (activations[number] > 0) * keep[number - 1]
        return weights + biases

    def update(self, gradients, rate):
        """Takes a step of Adam."""
        self.steps += 1
        parameters = self.weights + self.biases
        for p, g, m, v in zip(parameters, gradients, self.first, self.second):
            m *= 0.9
            m += 0.1 * g
            v *= 0.999
            v += 0.001 * g**2
            p -= rate * (m / (1 - 0.9**self.steps)) / (self.np.sqrt(v / (1 - 0.999**self.steps)) + 1e-8)


def run(np, scale):
    """Returns the weights, the losses, and the confusion matrix of the test set."""
    count = max(300, int(16000 * scale))
    classes, features, batch, epochs = 3, 10, 100, 4
    x, label = make_spirals(np, count, classes, features)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    target = np.eye(classes)[label]
    train = count * 4 // 5
    network = Network(np, [features, 64, 48, classes])
    rng = np.random.default_rng(133)
    losses, accuracies = [], []
    for epoch in range(epochs):
        order = rng.permutation(train)
        for start in range(0, train - batch + 1, batch):
            rows = order[start : start + batch]
            keep = [(rng.random((batch, width)) < 0.9) / 0.9 for width in (64, 48)]
            activations = network.forward(x[rows], keep)
            error = (softmax(np, activations[-1]) - target[rows]) / batch
            network.update(network.backward(activations, error, keep, 1e-4), 2e-3)
        probability = softmax(np, network.forward(x[train:])[-1])
        losses.append(float(-np.log(probability[np.arange(count - train), label[train:]] + 1e-12).mean()))
        accuracies.append(float((probability.argmax(axis=1) == label[train:]).mean()))
        if len(losses) > 2 and losses[-1] > losses[-2] > losses[-3]:
            break
    confusion = np.zeros((classes, classes), dtype=int)
    np.add.at(confusion, (label[train:], probability.argmax(axis=1)), 1)
    return {
        "first_weights": network.weights[0],
        "last_weights": network.weights[-1],
        "losses": np.array(losses),
        "accuracies": np.array(accuracies),
        "confusion": confusion,
        "active_units": int((np.abs(network.weights[1]).sum(axis=1) > 1.0).sum()),
    }
