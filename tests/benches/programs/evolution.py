"""Optimisation: a genetic algorithm with tournaments, crossover, mutation and elites, on two test functions.

The population is one matrix. A second search by differential evolution has the same budget.
"""


def rastrigin(np, x):
    """Returns Rastrigin's function of each row."""
    return 10 * x.shape[1] + (x**2 - 10 * np.cos(2 * np.pi * x)).sum(axis=1)


def rosenbrock(np, x):
    """Returns Rosenbrock's function of each row."""
    return (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1)


def tournament(np, rng, cost, size):
    """Returns the winners of `len(cost)` tournaments among `size` random individuals each."""
    entrants = rng.integers(0, len(cost), (len(cost), size))
    best = cost[entrants].argmin(axis=1)
    return entrants[np.arange(len(cost)), best]


def genetic(np, rng, function, population, generations, limit):
    """Returns the population at the end, its costs, and the best and mean cost of generations."""
    count, genes = population.shape
    elites = max(2, count // 50)
    cost = function(np, population)
    history = []
    for generation in range(generations):
        mothers = population[tournament(np, rng, cost, 3)]
        fathers = population[tournament(np, rng, cost, 3)]
        mixed = rng.random((count, genes)) < 0.5
        children = np.where(mixed, mothers, fathers)
        blend = rng.random(count) < 0.3
        weight = rng.random((count, 1))
        children[blend] = (weight * mothers + (1 - weight) * fathers)[blend]
        mutates = rng.random((count, genes)) < 1.5 / genes
        sigma = limit * 0.2 * 0.97**generation
        children[mutates] += sigma * rng.standard_normal(int(mutates.sum()))
        children = np.clip(children, -limit, limit)
        children_cost = function(np, children)
        keep = np.argsort(cost)[:elites]
        worst = np.argsort(children_cost)[-elites:]
        children[worst], children_cost[worst] = population[keep], cost[keep]
        population, cost = children, children_cost
        history.append([cost.min(), cost.mean(), population.std(axis=0).mean()])
    return population, cost, np.array(history)


def differential(np, rng, function, population, generations, limit):
    """Returns the population at the end, its costs, and the best and mean cost and the share of improvements."""
    count, genes = population.shape
    cost = function(np, population)
    history = []
    for _ in range(generations):
        a, b, c = (population[rng.permutation(count)] for _ in range(3))
        mutant = np.clip(a + 0.6 * (b - c), -limit, limit)
        cross = rng.random((count, genes)) < 0.8
        cross[np.arange(count), rng.integers(0, genes, count)] = True
        trial = np.where(cross, mutant, population)
        trial_cost = function(np, trial)
        better = trial_cost < cost
        population[better] = trial[better]
        cost = np.minimum(cost, trial_cost)
        history.append([cost.min(), cost.mean(), better.mean()])
    return population, cost, np.array(history)


def run(np, scale):
    """Returns the histories and the best individuals of both methods on both functions."""
    count, genes = max(40, int(2000 * scale)), 20
    generations = max(5, int(40 * scale**0.25))
    results = {}
    for name, function, limit in (("rastrigin", rastrigin, 5.12), ("rosenbrock", rosenbrock, 2.0)):
        for method in (genetic, differential):
            rng = np.random.default_rng(181)
            start = rng.uniform(-limit, limit, (count, genes))
            population, cost, history = method(np, rng, function, start, generations, limit)
            order = np.argsort(cost)
            distinct = np.unique(np.round(population[order[: count // 10]], 1), axis=0)
            key = f"{name}, {method.__name__}"
            results[f"{key}: history"] = history
            results[f"{key}: best"] = population[order[0]]
            results[f"{key}: quartiles"] = np.percentile(cost, [0, 25, 50, 75, 100])
            results[f"{key}: distinct"] = len(distinct)
            results[f"{key}: correlation"] = np.corrcoef(population, rowvar=False)[0]
    return results
