"""`ndarray.flat` compared with NumPy: reads, writes, warnings and errors."""

import warnings

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def outcome(module, how):
    """The result or error of `how`, the array afterwards, and the kinds of warnings."""
    array = module.arange(9).reshape(3, 3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = numpy.asarray(how(array, module)).tolist()
        except (IndexError, TypeError, ValueError) as error:
            made = (type(error), str(error))
    return made, numpy.asarray(array).tolist(), [(one.category, str(one.message)) for one in caught]


KEYS = [
    "0", "-1", "9", "-10", "None", "True", "False", "...", "()", "(1,)", "1, 2", "..., 0", "1.0", "[1.0, 2.0]", "[1, 3, 5]", "[]", "[20]",
    "[[1, 2], [3, 4]]", "[True, 1]", "[True, True]", "'a'", "['a']", "slice(1, 100, 2)", "slice(None, None, -1)", "slice(10, 5)",
    "m.array(True)", "m.array(3)", "m.array([1.0])", "m.array([1, 2], 'u8')", "m.array([5, 0, 6]).flat", "m.array([1.0, 2.0]).flat",
    "m.zeros((0, 2), int)", "m.zeros((3, 3), bool)", "m.zeros(10, bool)", "m.arange(9) % 2 == 0", "([1, 2],)",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_flat_keys_match_numpy(key):
    read, write = compile(f"a.flat[{key}]", "<key>", "eval"), compile(f"a.flat[{key}] = 7", "<key>", "exec")
    for code in (read, write):
        own, theirs = (outcome(m, lambda a, m: eval(code, {"a": a, "m": m}) if code is read else exec(code, {"a": a, "m": m}) or 0) for m in (np, numpy))
        assert own == theirs


@pytest.mark.parametrize("value", ["[1, 2]", "m.arange(20)", "m.array([[1, 2], [3, 4]])", "[]", "1.7", "[1.7, 2.2]", "m.array([4, 5]).flat"])
@pytest.mark.parametrize("key", [":", "[1, 2, 3]", "m.arange(9) > 4"])
def test_flat_repeats_assigned_values(key, value):
    code = compile(f"a.flat[{key}] = {value}", "<key>", "exec")
    own, theirs = (outcome(m, lambda a, m: exec(code, {"a": a, "m": m}) or 0) for m in (np, numpy))
    assert own == theirs


def test_flat_iteration_matches_numpy():
    for module in (np, numpy):
        flat = module.arange(6).reshape(2, 3).T.flat
        assert [int(next(flat)) for _ in range(3)] == [0, 3, 1] and (flat.index, flat.coords) == (3, (1, 1))
        assert len(flat) == 6 and numpy.asarray(flat < 3).tolist() == [True, False, True, False, True, False]
        assert numpy.asarray(flat.copy()).tolist() == numpy.asarray(flat).tolist() == [0, 3, 1, 4, 2, 5]
        assert flat.base.shape == (3, 2)


def test_flat_elements_are_scalars_in_any_memory_order():
    x = np.arange(6).reshape(2, 3)
    for array in (x, x.T, x[:, ::-1], x > 2, x[0, 0]):
        host = numpy.asarray(array)
        assert [(type(one), one) for one in array.flat] == [(type(one), one) for one in host.flat]
    seen = []
    for one in x.flat:
        x[...] = x + 1
        seen.append(int(one))
    assert seen == [0, 2, 4, 6, 8, 10]
