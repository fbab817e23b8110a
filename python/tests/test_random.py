"""Distributions against those of NumPy, by their quantiles; none may fall back."""

import pickle

import numpy
import pytest
import weft.numpy as np

COUNT = 20_000

DISTRIBUTIONS = {
    "standard_gamma": (0.4,), "gamma": (2.5, 3.0), "chisquare": (3.0,), "noncentral_chisquare": (3.0, 2.0), "f": (5.0, 9.0),
    "noncentral_f": (5.0, 9.0, 2.0), "standard_t": (7.0,), "beta": (0.5, 2.0), "wald": (2.0, 3.0), "vonmises": (1.0, 2.0),
    "geometric": (0.3,), "poisson": (300.0,), "binomial": (40, 0.3), "negative_binomial": (4.0, 0.4), "logseries": (0.7,),
    "zipf": (4.5,), "hypergeometric": (20, 30, 15), "triangular": (0.0, 1.0, 3.0), "laplace": (1.0, 2.0), "logistic": (1.0, 2.0),
    "gumbel": (1.0, 2.0), "rayleigh": (2.0,), "weibull": (2.0,), "pareto": (5.0,), "power": (2.0,), "lognormal": (0.0, 0.5),
    "exponential": (2.0,), "normal": (1.0, 2.0), "uniform": (1.0, 3.0), "standard_cauchy": (),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def near(made, expected):
    """The Kolmogorov-Smirnov distance of the distribution functions of two samples."""
    made, expected = numpy.sort(numpy.asarray(made).ravel()), numpy.sort(expected.ravel())
    points = numpy.concatenate([made, expected])
    parts = [numpy.searchsorted(one, points, side="right") / one.size for one in (made, expected)]
    assert numpy.abs(parts[0] - parts[1]).max() < 2.2 * numpy.sqrt(2 / COUNT)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_match_numpy(name):
    own, theirs = np.random.default_rng(11), numpy.random.default_rng(12)
    args = DISTRIBUTIONS[name]
    expected = getattr(theirs, name)(*args, size=COUNT)
    made = getattr(own, name)(*args, size=COUNT)
    assert made.dtype == expected.dtype
    near(made, expected)
    if args:
        near(getattr(own, name)(*(np.full(COUNT, one) for one in args)), expected)
    single = getattr(own, name)(*args)
    assert type(single) is type(getattr(theirs, name)(*args))
    assert getattr(own, name)(*args, size=(2, 0)).shape == (2, 0)


@pytest.mark.parametrize("mean", [0.3, 9.0, 1e6, 1e13])
def test_poisson_matches_numpy_for_all_means(mean):
    own, theirs = np.random.default_rng(1), numpy.random.default_rng(2)
    near(own.poisson(mean, COUNT), theirs.poisson(mean, COUNT))
    near(own.poisson(np.full(COUNT, mean)), theirs.poisson(mean, COUNT))


@pytest.mark.parametrize("n, p", [(3, 0.5), (100, 0.01), (10**6, 0.7), (10**12, 0.2)])
def test_binomial_matches_numpy_for_all_sizes(n, p):
    own, theirs = np.random.default_rng(1), numpy.random.default_rng(2)
    near(own.binomial(n, p, COUNT), theirs.binomial(n, p, COUNT))
    near(own.binomial(np.full(COUNT, n), p), theirs.binomial(n, p, COUNT))


def test_vector_distributions_have_expected_moments():
    own = np.random.default_rng(5)
    counts = numpy.asarray(own.multinomial(100, [0.2, 0.3, 0.5], size=4000))
    assert (counts.sum(-1) == 100).all()
    numpy.testing.assert_allclose(counts.mean(0), [20, 30, 50], rtol=0.03)
    parts = numpy.asarray(own.dirichlet([1.0, 2.0, 3.0], size=4000))
    numpy.testing.assert_allclose(parts.sum(-1), 1)
    numpy.testing.assert_allclose(parts.mean(0), [1 / 6, 1 / 3, 1 / 2], rtol=0.05)
    balls = numpy.asarray(own.multivariate_hypergeometric([10, 20, 30], 12, size=4000))
    assert (balls.sum(-1) == 12).all()
    numpy.testing.assert_allclose(balls.mean(0), [2, 4, 6], rtol=0.05)
    cov = [[2.0, 0.5], [0.5, 1.0]]
    for method in ("svd", "eigh", "cholesky"):
        made = numpy.asarray(own.multivariate_normal([1.0, 2.0], cov, size=20_000, method=method))
        numpy.testing.assert_allclose(numpy.cov(made.T), cov, atol=0.1)


def test_choices_have_expected_frequencies():
    own = np.random.default_rng(6)
    found = numpy.bincount(numpy.asarray(own.choice(3, 20_000, p=[0.1, 0.2, 0.7])))
    numpy.testing.assert_allclose(found / 20_000, [0.1, 0.2, 0.7], atol=0.02)
    some = numpy.asarray(own.choice(np.asarray([4, 5, 6, 7]), 3, replace=False, p=[0.4, 0.0, 0.3, 0.3]))
    assert sorted(some) == [4, 6, 7]
    bounds = numpy.asarray(own.integers([1, 50], [3, 70], size=(1000, 2)))
    assert bounds.min(0).tolist() == [1, 50] and bounds.max(0).tolist() == [2, 69]
    for wrong in ([0.5, 0.6], [-0.1, 1.1], [numpy.nan, 0.5], [0.2, 0.3, 0.5]):
        with pytest.raises(ValueError):
            own.choice(2, 5, p=wrong)


def test_rejects_invalid_parameters():
    own = np.random.default_rng(7)
    for name, args in {
        "exponential": (-1.0,), "gamma": (-1.0,), "beta": (0.0, 1.0), "binomial": (5, 1.5), "poisson": (-1.0,), "zipf": (1.0,),
        "geometric": (0.0,), "logseries": (1.0,), "hypergeometric": (2, 3, 9), "triangular": (2.0, 1.0, 3.0), "standard_t": (0.0,),
        "negative_binomial": (1.0, -0.5), "multinomial": (5, [0.9, 0.9, 0.1]), "vonmises": (0.0, -1.0), "wald": (0.0, 1.0),
    }.items():  # fmt: skip
        with pytest.raises(ValueError):
            getattr(own, name)(*args)
        if name not in ("multinomial", "hypergeometric"):
            with pytest.raises(ValueError):
                getattr(own, name)(*(np.asarray([one]) for one in args))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
@pytest.mark.parametrize("endpoint", [False, True])
def test_integers_accept_arrays_of_bounds(dtype, endpoint):
    rng = np.random.default_rng(1)
    info = numpy.iinfo(dtype)
    for low, high in ([info.min, np.array([info.max])], [np.array([info.min]), info.max], [np.array([3]), np.array([4])], [[3], [[4], [9]]]):
        made = rng.integers(low, high, dtype=dtype, endpoint=endpoint)
        host, bounds = numpy.asarray(made), numpy.broadcast_arrays(numpy.asarray(low, object), numpy.asarray(high, object))
        assert made.dtype == dtype and made.shape == bounds[0].shape
        assert (host >= bounds[0]).all() and (host <= bounds[1] - (not endpoint)).all()


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_bit_generator_states_survive_a_round_trip(name):
    of = getattr(np.random, name)
    generator = np.random.Generator(of(np.arange(3)))
    assert str(generator) == str(numpy.random.Generator(getattr(numpy.random, name)(3))) == f"Generator({name})"
    state = generator.bit_generator.state
    first = [numpy.asarray(generator.normal(size=4)), numpy.asarray(generator.integers(0, 1000, 4))]
    second = [numpy.asarray(generator.normal(size=4)), numpy.asarray(generator.integers(0, 1000, 4))]
    generator.bit_generator.state = state
    copied = pickle.loads(pickle.dumps(generator))
    for one in (generator, copied, np.random.Generator(of([0, 1, 2]))):
        for expected in (first, second):
            same = [one.normal(size=4), one.integers(0, 1000, 4)]
            assert all((numpy.asarray(left) == right).all() for left, right in zip(same, expected))
    assert not (numpy.asarray(np.random.Generator(of(4)).normal(size=4)) == first[0]).any()
    children = generator.spawn(2)
    assert not (numpy.asarray(children[0].random(4)) == numpy.asarray(children[1].random(4))).any()


def test_module_state_survives_a_round_trip():
    np.random.seed(7)
    state = np.random.get_state()
    numpy.random.RandomState().set_state(state)
    first = numpy.asarray(np.random.rand(3))
    np.random.set_state(state)
    assert (numpy.asarray(np.random.rand(3)) == first).all()
    np.random.set_state(np.random.RandomState(7).get_state(legacy=False))
    assert (numpy.asarray(np.random.rand(3)) == first).all()
    with pytest.raises(ValueError, match="MT19937"):
        np.random.set_state(("Other", [], 0))
    with pytest.raises(ValueError, match="Seed must be between"):
        np.random.seed(-1)
    with pytest.raises(TypeError, match="re-seed"):
        np.random.RandomState(np.random.PCG64(1)).seed(1)


def test_single_value_bounds_act_like_numbers():
    own = [np.random.default_rng(3).integers(*bounds, size=8) for bounds in ((2, 90), ([2], 90), (2, [90] * 8))]
    assert (own[0] == own[1]).all() and (own[0] == own[2]).all()
    for bounds, endpoint in (((0,), False), ((-1,), True), ((3, 2), False), ((3, 2), True), (([3], 2), False)):
        with pytest.raises(ValueError) as theirs:
            numpy.random.default_rng(0).integers(*bounds, endpoint=endpoint)
        with pytest.raises(ValueError, match=str(theirs.value)):
            np.random.default_rng(0).integers(*bounds, endpoint=endpoint)


def test_rejects_invalid_outputs():
    generator = np.random.default_rng(1)
    for draw in (generator.random, generator.standard_normal, generator.standard_exponential, lambda **how: generator.standard_gamma(1.0, **how)):
        for out, dtype, error in ((np.zeros(3), "f4", TypeError), (np.zeros(9)[::3], "f8", ValueError)):
            with pytest.raises(error, match="Supplied output array"):
                draw(out=out, dtype=dtype)
        with pytest.raises(ValueError, match="size must match"):
            draw(size=4, out=np.zeros(3))


@pytest.mark.parametrize("kappa", [0.0, 1e-9, 1e-6, 3e-5, 0.1, 50.0, 2e6, 1e15])
def test_vonmises_matches_numpy_for_all_kappa(kappa):
    own, theirs = np.random.default_rng(1), numpy.random.default_rng(2)
    expected = theirs.vonmises(0.5, kappa, COUNT)
    near(own.vonmises(0.5, kappa, COUNT), expected)
    near(own.vonmises(0.5, np.full(COUNT, kappa), COUNT), expected)


def test_permutations_accept_object_arrays():
    given = numpy.array([[{1}, None, "a"], [2, 3.5, ()]], dtype=object)
    own = np.random.default_rng(1)
    for axis in (None, 0, 1):
        made = own.permuted(given, axis=axis)
        assert made.shape == given.shape
        for left, right in zip(*((one.T if axis == 0 else one if axis == 1 else [one.ravel()]) for one in (made, given))):
            assert sorted(map(str, left)) == sorted(map(str, right))


def test_accepts_limits_of_parameters():
    own = np.random.default_rng(1)
    assert numpy.asarray(own.weibull(0.0, 3)).tolist() == [0, 0, 0] and float(own.weibull(np.array([0.0, 1.0]))[0]) == 0
    assert set(numpy.asarray(own.binomial(3.9, 1.0, 4)).tolist()) == {3}


STREAMS = """
import warnings
warnings.simplefilter("error")
import numpy
import weft.numpy as np

def same(made, expected):
    assert numpy.array_equal(numpy.asarray(made), numpy.asarray(expected)), (made, expected)

ours, theirs = np.random.default_rng(7), numpy.random.default_rng(7)
same(ours.random(5), theirs.random(5))
same(ours.normal(1.0, np.ones(4)), theirs.normal(1.0, numpy.ones(4)))
same(ours.integers(0, 9, size=(2, 3)), theirs.integers(0, 9, size=(2, 3)))
x, y = np.arange(20.0), numpy.arange(20.0)
ours.shuffle(x)
theirs.shuffle(y)
same(x, y)
same(ours.permuted(x, out=None), theirs.permuted(y, out=None))
assert ours.permuted(x, out=x) is x
theirs.permuted(y, out=y)
same(x, y)
buffer, other = np.zeros(4), numpy.zeros(4)
assert ours.random(None, "f8", buffer) is buffer
theirs.random(None, "f8", other)
same(buffer, other)
assert ours.standard_normal(out=buffer) is buffer
theirs.standard_normal(out=other)
same(buffer, other)
assert isinstance(ours.random(3), np.ndarray) and isinstance(x, np.ndarray)
np.random.seed(3)
numpy_state = numpy.random.RandomState(3)
same(np.random.rand(4), numpy_state.rand(4))
same(np.random.randint(0, 5, 6), numpy_state.randint(0, 5, 6))
same(np.random.RandomState(5).standard_normal(3), numpy.random.RandomState(5).standard_normal(3))
"""


def _ran(text, **environment):
    import os
    import subprocess
    import sys

    environment = {**os.environ, "WEFT_CONFIG": "--cpus 2 --gpus 0", **environment}
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=120)


def test_provides_numpy_streams_on_request():
    done = _ran(STREAMS, WEFT_RANDOM="numpy")
    assert done.returncode == 0, done.stderr


SHUFFLES = """
import numpy, weft.numpy as np
for m in (np.random.default_rng(0), numpy.random.default_rng(0), np.random.RandomState(0), numpy.random.RandomState(0)):
    x = list(range(6))
    m.shuffle(x)
    print(x)
"""


def test_functions_of_numpys_streams_are_pickled():
    text = "import pickle, weft.numpy as np\nfor f in (np.random.default_rng, np.random.normal, np.random.seed): assert pickle.loads(pickle.dumps(f)) is f"
    assert _ran(text, WEFT_RANDOM="numpy").stderr == ""


def test_lists_are_shuffled_in_place():
    lines = _ran(SHUFFLES, WEFT_RANDOM="numpy").stdout.splitlines()
    assert lines[0] == lines[1] != lines[2] == lines[3]


def test_warns_once_about_different_seeded_numbers():
    text = "import weft.numpy as np\nnp.random.default_rng()\nnp.random.default_rng(1)\nnp.random.seed(2)\nnp.random.RandomState(3)\n"
    said = [line for line in _ran(text, WEFT_COMPAT="numpy").stderr.splitlines() if "Warning" in line]
    assert len(said) == 1 and "<string>:3:" in said[0] and "WEFT_RANDOM=numpy" in said[0], said
    assert _ran(text).stderr == _ran(text, WEFT_COMPAT="numpy", WEFT_RANDOM="numpy").stderr == ""


def test_refused_sizes_draw_nothing():
    for size in ((2**31, 2**31, 2**31), (1,) * 40, (-1,)):
        drawn, fresh = np.random.default_rng(5), np.random.default_rng(5)
        for method in ("random", "standard_normal"):
            with pytest.raises((ValueError, RuntimeError, MemoryError)):
                getattr(drawn, method)(size)
        assert (drawn.random(3) == fresh.random(3)).all()
