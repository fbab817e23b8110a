"""Navigation: Kalman filters follow many targets in a plane from noisy positions, all tracks at once.

A constant-velocity model with gating of outliers, missing measurements, and a backward smoother.
"""


def make_targets(np, tracks, steps):
    """Returns true states (steps, tracks, 4) and measurements (steps, tracks, 2); missing ones are NaN."""
    rng = np.random.default_rng(151)
    states = np.zeros((steps, tracks, 4))
    states[0, :, :2] = rng.uniform(-100, 100, (tracks, 2))
    states[0, :, 2:] = rng.normal(0, 3, (tracks, 2))
    push = rng.normal(0, 0.3, (steps, tracks, 2))
    for t in range(1, steps):
        states[t, :, 2:] = states[t - 1, :, 2:] + push[t]
        states[t, :, :2] = states[t - 1, :, :2] + states[t, :, 2:]
    seen = states[:, :, :2] + rng.normal(0, 2.0, (steps, tracks, 2))
    wrong = rng.random((steps, tracks)) < 0.02
    seen[wrong] += rng.normal(0, 60.0, (int(wrong.sum()), 2))
    seen[rng.random((steps, tracks)) < 0.1] = np.nan
    return states, seen


def inverse_2x2(np, m):
    """Returns the inverses of matrices (n, 2, 2)."""
    a, b, c, d = m[:, 0, 0], m[:, 0, 1], m[:, 1, 0], m[:, 1, 1]
    determinant = a * d - b * c
    return np.stack([np.stack([d, -b], axis=1), np.stack([-c, a], axis=1)], axis=1) / determinant[:, None, None]


def run(np, scale):
    """Returns filtered and smoothed positions, errors, and counts of rejected measurements."""
    tracks = max(20, int(4000 * scale))
    steps = 50
    truth, seen = make_targets(np, tracks, steps)
    f = np.eye(4) + np.eye(4, k=2)
    h = np.eye(2, 4)
    g = np.vstack([0.5 * np.eye(2), np.eye(2)])
    q, r = 0.09 * g @ g.T + 1e-4 * np.eye(4), 4.0 * np.eye(2)

    state = np.zeros((tracks, 4))
    state[:, :2] = np.where(np.isnan(seen[0]), 0.0, seen[0])
    covariance = np.tile(np.diag([25.0, 25.0, 25.0, 25.0]), (tracks, 1, 1))
    covariance[np.isnan(seen[0, :, 0])] *= 400.0
    states, covariances, predicted_states, predicted_covariances = [state], [covariance], [], []
    rejected, distances = np.zeros(tracks, dtype=int), []
    for t in range(1, steps):
        state = state @ f.T
        covariance = f @ covariance @ f.T + q
        predicted_states.append(state)
        predicted_covariances.append(covariance)
        innovation = seen[t] - state[:, :2]
        spread = h @ covariance @ h.T + r
        inverse = inverse_2x2(np, spread)
        there = ~np.isnan(seen[t, :, 0])
        innovation = np.where(there[:, None], innovation, 0.0)
        distance = np.einsum("ni,nij,nj->n", innovation, inverse, innovation)
        accepted = there & (distance < 16.0)
        rejected += there & ~accepted
        gain = covariance @ h.T @ inverse
        gain[~accepted] = 0.0
        state = state + (gain @ innovation[:, :, None])[:, :, 0]
        covariance = (np.eye(4) - gain @ h) @ covariance
        covariance = 0.5 * (covariance + covariance.transpose(0, 2, 1))
        states.append(state)
        covariances.append(covariance)
        distances.append(float(distance[accepted].mean()))

    # The smoother of Rauch, Tung and Striebel runs backwards.
    smooth = states[-1]
    smoothed = [smooth]
    for t in range(steps - 2, -1, -1):
        turned = np.linalg.solve(predicted_covariances[t], f @ covariances[t])
        step = (smooth - predicted_states[t])[:, None, :] @ turned
        smooth = states[t] + step[:, 0, :]
        smoothed.append(smooth)
    smoothed = np.stack(smoothed[::-1])
    filtered = np.stack(states)

    def error(found):
        return np.sqrt(((found[5:, :, :2] - truth[5:, :, :2]) ** 2).sum(axis=2).mean(axis=1))

    lost = np.hypot(*(filtered[-1, :, :2] - truth[-1, :, :2]).T) > 15.0
    return {
        "filtered": filtered[-1],
        "smoothed": smoothed[0],
        "errors": np.stack([error(filtered), error(smoothed)]),
        "distances": np.array(distances),
        "rejected": rejected,
        "lost": int(lost.sum()),
        "trace": float(np.trace(covariance, axis1=1, axis2=2).mean()),
    }
