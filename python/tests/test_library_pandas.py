"""Arrays exchanged with pandas: what shares memory, and arithmetic in both orders."""

import numpy
import pytest
import weft.numpy as np

pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


@pytest.fixture
def series():
    return pandas.Series(numpy.arange(1.0, 5.0), index=[10, 20, 30, 40])


@pytest.fixture
def frame():
    return pandas.DataFrame(numpy.arange(6.0).reshape(3, 2), columns=["a", "b"])


def shares(one, other):
    return numpy.shares_memory(numpy.asarray(one), numpy.asarray(other))


def test_series_share_array_memory():
    array = np.arange(4.0)
    series = pandas.Series(array)
    assert shares(series.to_numpy(), array) and shares(pandas.Index(array), array)
    array += 1
    assert series.tolist() == [1.0, 2.0, 3.0, 4.0]
    own = pandas.Series(array, copy=True)
    array += 1
    assert own.tolist() == [1.0, 2.0, 3.0, 4.0] and not shares(own, array)


def test_frames_share_array_memory_on_request():
    array = np.arange(6.0).reshape(3, 2)
    assert shares(pandas.DataFrame(array, copy=False), array)
    frame = pandas.DataFrame(array)
    columns = pandas.DataFrame({"x": array[:, 0], "flag": array[:, 0] > 1})
    array += 1
    assert frame.to_numpy().tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert columns["x"].tolist() == [0.0, 2.0, 4.0] and columns["flag"].tolist() == [False, True, True]


def test_arrays_are_made_from_series(series, frame):
    values = series.to_numpy()
    assert np.asarray(values).tolist() == np.array(series).tolist() == [1.0, 2.0, 3.0, 4.0]
    mine = np.asarray(values, copy=False)
    assert shares(mine, values)
    # Arrays from pandas may be read-only.
    assert mine.flags.writeable == values.flags.writeable
    assert isinstance(np.asarray(frame), np.ndarray) and np.asarray(frame).tolist() == frame.to_numpy().tolist()
    assert numpy.asarray(frame).tolist() == np.asarray(frame).tolist()


@pytest.mark.parametrize("text", ["s + x", "x + s", "s * x", "x - s", "s - x", "x / s", "s // x", "x % s", "x**s", "s < x", "x == s", "-x * s", "divmod(x, s)[1]"])
def test_arithmetic_keeps_labels(text, series):
    array = np.array([2.0, 1.0, 4.0, 3.0])
    made = eval(text, {"s": series, "x": array})
    expected = eval(text, {"s": series, "x": numpy.array(array)})
    pandas.testing.assert_series_equal(made, expected)


@pytest.mark.parametrize("name", ["sin", "sqrt", "log1p", "negative", "isfinite"])
def test_unary_functions_keep_labels(name, series, frame):
    pandas.testing.assert_series_equal(getattr(np, name)(series), getattr(numpy, name)(series))
    pandas.testing.assert_frame_equal(getattr(np, name)(frame), getattr(numpy, name)(frame))


@pytest.mark.parametrize("name", ["add", "maximum", "logaddexp", "hypot", "less"])
@pytest.mark.parametrize("module", [numpy, np])
def test_binary_functions_keep_labels(name, module, series):
    array = np.array([2.0, 1.0, 4.0, 3.0])
    function, reference = getattr(module, name), getattr(numpy, name)
    pandas.testing.assert_series_equal(function(series, array), reference(series, numpy.array(array)))
    pandas.testing.assert_series_equal(function(array, series), reference(numpy.array(array), series))


def test_handles_missing_values_and_dates():
    numbers = pandas.array([1, None, 3], dtype="Int64")
    assert pandas.isna(np.add(numbers, 1)[1]) and np.add(numbers, 1)[2] == 4
    days = pandas.Series(pandas.to_datetime(np.array([0, 1]), unit="D"))
    assert pandas.isna(np.subtract(days, days.shift(1))[0])


def test_products_with_series_and_frames(series, frame):
    array = np.ones(4)
    assert array @ series == series @ array == 10.0
    assert (frame @ np.ones(2)).tolist() == [1.0, 5.0, 9.0]
    pandas.testing.assert_frame_equal(np.ones((2, 3)) @ frame, numpy.ones((2, 3)) @ frame)


def test_other_functions_return_arrays(series):
    made = np.where(series > 2, np.zeros(4), series)
    assert isinstance(made, np.ndarray) and made.tolist() == [1.0, 2.0, 0.0, 0.0]
    assert np.concatenate([series, np.ones(1)]).tolist() == [1.0, 2.0, 3.0, 4.0, 1.0]
    assert np.polyfit(series, np.arange(4.0), 1).round(6).tolist() == [1.0, -1.0]
    array = np.arange(4.0)
    assert array[series > 2].tolist() == [2.0, 3.0] and array[pandas.Series([1, 0])].tolist() == [1.0, 0.0]


def test_lookups_accept_arrays():
    assert pandas.Series([1, 2, 3]).isin(np.array([2, 3])).tolist() == [False, True, True]
    assert pandas.Index([1, 2]).isin(np.array([2])).tolist() == [False, True]
    assert pandas.Categorical(np.array([3, 1, 3])).codes.tolist() == [1, 0, 1]
    assert pandas.MultiIndex.from_arrays([np.array([1, 2]), np.array([0.5, 1.5])])[1] == (2, 1.5)
    assert pandas.Series(np.arange(3.0)).map({0.0: "a", 1.0: "b", 2.0: "c"}).tolist() == ["a", "b", "c"]


def test_assignments_accept_arrays(series, frame):
    frame["c"] = np.arange(3.0)
    frame.loc[:, "a"] = np.zeros(3)
    frame.iloc[0] = np.ones(3)
    assert frame.to_numpy().tolist() == [[1.0, 1.0, 1.0], [0.0, 3.0, 1.0], [0.0, 5.0, 2.0]]
    series[:] = np.arange(4.0) * 2
    series.iloc[np.array([0, 1])] = np.array([7.0, 8.0])
    assert series.tolist() == [7.0, 8.0, 4.0, 6.0]


def test_pandas_requires_numpy_for_masks_and_matrices(series, frame):
    """While this holds, the documents advise to pass a NumPy array of the same memory."""
    mask, matrix = np.array([True, False, True, True]), np.ones((3, 2))
    with pytest.raises(KeyError):
        series[mask]
    assert series[numpy.asarray(mask)].tolist() == [1.0, 3.0, 4.0]
    with pytest.raises(ValueError, match="Unable to coerce"):
        frame + matrix
    assert (frame + numpy.asarray(matrix)).to_numpy().sum() == 21.0
    with pytest.raises(TypeError, match="unique requires"):
        pandas.unique(np.array([1, 1]))
