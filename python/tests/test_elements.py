"""Single elements: read and written in place, and arithmetic with them, as NumPy's numbers."""

import itertools
import math
import pickle
import threading

import numpy
import pytest
import weft.numpy as np
from profiled import database

DTYPES = "?bhilBHILefdFD"


def pair(dtype="d", shape=(4, 5)):
    values = (numpy.arange(numpy.prod(shape)).reshape(shape) % 7 + 1).astype(dtype)
    return np.array(values), values.copy()


def same(ours, theirs):
    assert ours.dtype == theirs.dtype
    assert ours.shape == ()
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_have_value_and_dtype(dtype):
    ours, theirs = pair(dtype)
    for key in itertools.product((-4, 0, 3), (-5, 2, 4)):
        same(ours[key], theirs[key])
    view, host = ours[::-2, 1::2], theirs[::-2, 1::2]
    for key in itertools.product(range(2), range(2)):
        same(view[key], host[key])


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_element_arithmetic_promotes_like_arrays(left, right):
    a, b = pair(left)[0][1, 2], pair(right)[0][2, 3]
    whole = [numpy.asarray(one)[None] for one in (a, b)]
    for name in ("add", "multiply", "divide", "power", "less", "maximum", "floor_divide", "remainder", "logical_and", "equal"):
        try:
            expected = getattr(numpy, name)(*whole)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(np, name)(a, b)
            continue
        made = getattr(np, name)(a, b)
        assert made.dtype == expected.dtype, name
        numpy.testing.assert_array_equal(numpy.asarray(made), np.asarray(getattr(np, name)(np.array(whole[0]), np.array(whole[1])))[0], name)


def test_later_writes_keep_read_elements():
    ours, _ = pair()
    first, second = ours[0, 0], ours[0, 1]
    ours[0, 0], ours[0, 1] = second, first
    assert (float(ours[0, 0]), float(ours[0, 1])) == (2.0, 1.0)
    ours[0, 0] = 9.0
    assert float(first) == 1.0


def test_elements_are_numpy_scalars():
    ours, _ = pair()
    ours[1, 1] = 7.0
    one = ours[1, 1]
    assert isinstance(one, numpy.float64) and not isinstance(one, np.ndarray)
    assert (one.ndim, one.size, one.nbytes, one.itemsize, one.strides, len(one.reshape(1))) == (0, 1, 8, 8, (), 1)
    flat = one.reshape(1)
    flat[0] = 5.0
    assert float(one) == 7.0 and float(flat[0]) == 5.0
    with pytest.raises(TypeError):
        one[...] = 6.0
    assert float(pickle.loads(pickle.dumps(one))) == 7.0
    assert repr(ours[0, 0]) == repr(numpy.float64(1.0))


def test_in_place_operators_rebind_scalars():
    one = pair("i")[0][0, 2]
    kept = one
    one += 1
    assert one.dtype == numpy.int32 and (int(one), int(kept)) == (4, 3)
    one /= 2
    assert one.dtype == numpy.float64 and float(one) == 2.0


def test_elements_work_as_indices():
    ours, theirs = pair()
    places = np.array([[1, 2], [3, -1]])
    assert float(ours[places[0, 0], places[1, 1]]) == theirs[1, -1]
    numpy.testing.assert_array_equal(ours[places[0, 1]], theirs[2])
    with pytest.raises(IndexError):
        ours[places[1, 0], np.array(7)]
    flags = np.array([True, False])
    assert ours[flags[0]].shape == (1, 4, 5)


def test_rejects_out_of_bounds_elements_and_invalid_values():
    ours, _ = pair("B")
    with pytest.raises(IndexError):
        ours[0, 5]
    with pytest.raises(IndexError):
        ours[-5, 0] = 1
    with pytest.raises(OverflowError):
        ours[0, 0] = 300
    with pytest.raises(TypeError):
        ours[0, 0] = 1j


def test_rejects_writes_to_read_only_elements():
    view = np.broadcast_to(np.ones(3), (2, 3))
    with pytest.raises(ValueError):
        view[0, 0] = 2.0
    ours, _ = pair()
    ours.flags.writeable = False
    with pytest.raises(ValueError):
        ours[0, 0] = 2.0


def test_numpy_scalars_combine_with_elements():
    ours, theirs = pair("f")
    same(numpy.float64(1.5) * ours[1, 1], numpy.float64(1.5) * theirs[1, 1])
    same(numpy.float32(1.5) - ours[1, 1], numpy.float32(1.5) - theirs[1, 1])
    made = numpy.float64(1.5) * ours
    assert isinstance(made, np.ndarray) and made.dtype == numpy.float64
    made = numpy.add(ours, 1)
    assert isinstance(made, np.ndarray) and made.dtype == numpy.float32


def test_reads_and_writes_elements_of_pending_arrays():
    x = np.ones(3_000_000)
    for _ in range(3):
        x = x * 2 + 1
        x[7] = -1.0
        assert float(x[7]) == -1.0
    x[7:9] += x[:2]
    assert float(x[7]) == -1.0 + float(x[0])


def test_random_element_programs_match_numpy():
    random = numpy.random.default_rng(3)
    ours, theirs = pair()
    for _ in range(400):
        i, j, k, m = (int(n) for n in random.integers(-4, 4, 4))
        what = random.integers(5)
        for array in (ours, theirs):
            if what == 0:
                array[i, j] = array[k, m] * 0.5 + array[j, i % 4]
            elif what == 1:
                array[i, j] = array[i, j] * 0.5 - array[k, m] * 0.25
            elif what == 2:
                array[i, 1:] += 0.125 * array[k, :-1] * min(abs(array[i, m]), 0.5)
            elif what == 3:
                array[i, j] = max(array[k, m], array[j, k])
            else:
                array[:, j] = array[::-1, k] if array[i, m] > array[m, i] else array[:, k] / 2
    numpy.testing.assert_array_equal(ours, theirs)


def test_threads_write_elements():
    ours = np.zeros(4000)

    def write(part):
        for at in range(part, 4000, 4):
            ours[at] = ours[at] + float(at)

    threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numpy.testing.assert_array_equal(ours, numpy.arange(4000.0))


def test_reading_elements_of_a_failed_array_raises():
    x = np.ones(10)
    picked = np.take(x, np.array([3, 99]))
    with pytest.raises(IndexError):
        float(picked[0])


def test_profile_records_element_reads_and_writes(tmp_path):
    program = """
        import weft.numpy as np
        x = np.ones(4)
        x[1] = 3.0
        y = x[1] + x[2]
        print(float(np.ones(40_000).sum()))
    """
    lines = database(program, tmp_path).execute("SELECT p.line, o.name FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId")
    assert {line for line, _ in lines} >= {3, 4, 5, 6}


def test_unsupported_dtypes_stay_numpy_arrays():
    long = numpy.arange(3, dtype="g")
    assert isinstance(np.exp(long), numpy.ndarray)
    assert isinstance(np.add(long, 1.0), numpy.ndarray)


def test_elements_never_equal_none_or_text():
    x = np.arange(4).reshape(2, 2)
    for other in (None, "x", b"x"):
        assert (x == other).shape == (2, 2) and not (x == other).any()
        assert (x != other).all() and (x != other).dtype == bool
        assert not (x[0, 0] == other)


def test_negative_integer_powers_raise():
    x = np.array([2, 3])
    for power in (lambda: x**-1, lambda: np.power(x, -2), lambda: 2 ** np.array(-1), lambda: x.__ipow__(-1)):
        with pytest.raises(ValueError, match="negative integer powers"):
            power()
    assert (x**2).tolist() == [4, 9] and (x**-1.0).tolist() == [0.5, 1 / 3]


def test_scalars_are_formatted_and_truncated():
    assert math.trunc(np.array([1.5, 2.2]).sum()) == 3
    assert f"{np.arange(3)}" == "[0 1 2]"
    with pytest.raises(TypeError, match="format"):
        f"{np.arange(3):.2f}"


def test_arrays_pickle_themselves(tmp_path):
    x = np.arange(3.0)
    assert pickle.loads(x.dumps()).tolist() == x.tolist()
    x.dump(tmp_path / "x")
    assert pickle.loads((tmp_path / "x").read_bytes()).tolist() == x.tolist()
