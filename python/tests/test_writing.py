"""Functions that write to arrays, and their errors, compared with NumPy."""

import sys
import threading

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


@pytest.mark.parametrize("shape", [(20, 10), (7, 2), (3, 0), (1, 1), (3, 3, 3), (2, 5)])
@pytest.mark.parametrize("values", [(10, 10, 10), (5,), (0, 3), (0,), ()])
@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal_matches_numpy(shape, values, wrap):
    theirs, ours = numpy.ones(shape), np.ones(shape)
    given = numpy.arange(numpy.prod(values, dtype=int)).reshape(values) + 100
    numpy.fill_diagonal(theirs, given, wrap)
    np.fill_diagonal(ours, np.array(given), wrap)
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_rejects_invalid_writes():
    x = np.zeros(3, int)
    with pytest.raises(TypeError, match="safe"):
        np.putmask(x, x == 0, np.ones(3))
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        np.put(x, [0, 3], 1)
    with pytest.raises(ValueError, match="clipmode"):
        np.put(x, 0, 1, mode="other")
    with pytest.raises(TypeError, match="requires a 0 or 1-dimensional input"):
        x[x == 0] = np.ones((1, 3))
    with pytest.raises(OverflowError):
        x.fill(1e100)
    with pytest.raises(ValueError, match="WRITEBACKIFCOPY"):
        x.setflags(uic=True)
    with pytest.raises(TypeError, match="order must be str"):
        x.flatten(0)
    with pytest.raises(TypeError, match="integer argument expected"):
        np.moveaxis(np.ones((2, 2)), [0.0, 1], [1, 0])
    with pytest.raises(TypeError, match="0 given"):
        x.reshape()


def test_rejects_invalid_shapes():
    x = np.arange(3)
    with pytest.raises(ValueError, match="negative dimensions"):
        np.tile(x, -4)
    with pytest.raises(TypeError, match="float"):
        np.tile(x, 2.2)
    with pytest.raises(ValueError, match="negative dimensions"):
        np.vander(x, N=-1)
    with pytest.raises(TypeError):
        np.tril(0)
    with pytest.raises(ValueError, match="axes don't match array"):
        np.transpose(np.ones((2, 3)), 1)
    numpy.testing.assert_array_equal(numpy.asarray(np.tri(7, k=-1.5)), numpy.tri(7, k=-1.5))
    numpy.testing.assert_array_equal(numpy.asarray(np.tri(3, 10.5)), numpy.tri(3, 10.5))


def test_shapes_and_flags_match_numpy():
    x = np.arange(24)
    assert x.reshape(-7).shape == (24,) and x.reshape(2, -5).shape == (2, 12)
    assert np.reshape(x, (2, 12), order=None).shape == (2, 12)
    assert x.flags == numpy.arange(3).flags and x[::2].flags != numpy.arange(3).flags
    made = np.ndarray((2, 3), int)
    assert made.shape == (2, 3) and made.dtype == int


def test_isin_of_complex_numbers_matches_numpy():
    x = numpy.array([1 + 1j, 2, 3j, numpy.nan, 5])
    y = numpy.array([3j, 5, numpy.nan, 1])
    for invert in (False, True):
        expected = numpy.isin(x, y, invert=invert)
        numpy.testing.assert_array_equal(numpy.asarray(np.isin(np.array(x), np.array(y), invert=invert)), expected)


def test_writes_to_complex_parts_reach_the_array():
    made = []
    for m in (numpy, np):
        a = m.arange(6) * (1 + 2j)
        a.real[1] = 7
        a.real[2:4] += 1
        a.imag[...] = m.arange(6.0)
        a.imag[a.real > 6] = -1
        a.real[[0, 5]] = [9, 8]
        a.imag *= 2
        part = a.real
        part += 1
        assert part.tolist() == a.real.tolist()
        a.imag[3:].fill(2)
        m.put(a.real, [0], 5)
        made.append(numpy.asarray(a))
    assert numpy.array_equal(*made)


def test_functions_write_to_complex_parts():
    made = []
    for m in (numpy, np):
        a = m.arange(6) * (1 + 2j)
        m.add(a.real, 1, out=a.real)
        m.copyto(a.imag, 3, where=a.real > 2)
        m.place(a.imag, a.real > 4, [8, 9])
        m.putmask(a.real, a.imag > 7, -1)
        m.negative(a.real[::2], out=a.real[::2])
        m.put_along_axis(a.imag, m.array([1]), 5.5, 0)
        a.real.sort()
        m.add.at(a.imag, m.array([0, 0]), 1)
        made.append(numpy.asarray(a).tolist())
    assert made[0] == made[1]


def test_kept_parts_follow_the_array():
    made = []
    for m in (numpy, np):
        seen = []
        z = m.arange(8) * (1 + 2j)
        re, im, words = z.real, z.imag, z.view("f8")
        bits, every = re.view("i8"), re[1::2]
        for write in (
            lambda: z.__setitem__(0, 5 + 7j),
            lambda: z.__imul__(2),
            lambda: z[2:4].__iadd__(1j),
            lambda: m.negative(z, out=z),
            lambda: re.__setitem__(1, 9),
            lambda: im.__iadd__(1),
            lambda: words.__setitem__(4, 0.25),
            lambda: bits.__setitem__(3, 0),
            lambda: every.__imul__(3),
            lambda: z.real.fill(4),
            lambda: z.sort(),
        ):
            write()
            seen.append([part.tolist() for part in (re, im, words, bits, every, z)])
            seen.append([float(re[0]), float(im.sum()), (re + im).tolist(), m.array(words).tolist()])
        zero = m.array(1 + 1j)
        part = zero.real
        zero[...] = 3
        seen.append([float(part), part.shape, (part + 1).item()])
        made.append(seen)
    assert made[0] == made[1]


def test_kept_parts_follow_writes_of_other_libraries():
    z = np.zeros(4, complex)
    part = z.real
    host = numpy.asarray(z)
    host[1] = 3
    assert part.tolist() == [0, 3, 0, 0]
    host[2] = 5
    del host
    assert part.tolist() == [0, 3, 5, 0]
    # The memory is not shared, and a copy does not follow.
    with pytest.raises(BufferError, match="no memory to share"):
        memoryview(part)
    with pytest.raises(ValueError, match="read-only"):
        numpy.asarray(part)[0] = 7
    with pytest.raises(ValueError, match="read-only|writable"):
        numpy.nditer(part, op_flags=["readwrite"])
    own = numpy.array(part)
    own[0] = 7
    assert part[0] == 0 and z[0] == 0


def test_parts_behave_like_numpy():
    made = []
    for m in (numpy, np):
        z = m.arange(6) * (1 + 1j)
        m.imag(z)[:] = 0
        m.add(m.real(z), 1, out=m.real(z))
        kept, words = m.real(z), z.view("f8")
        z.shape = (2, 3)
        z[0, 0] = 5
        kept[1] = 8
        words.shape = (2, 6)
        words[1, 1] = 9
        apart = z.real.ravel()
        apart[0] = 77
        z.flags.writeable = False
        kept[2] = 4
        with pytest.raises(ValueError):
            z.real.setflags(write=True)
        with pytest.raises(ValueError, match="read-only"):
            m.arange(3.0).imag[0] = 1
        shared = [m.shares_memory(z, kept), m.may_share_memory(z.imag, z.real), m.shares_memory(z.imag, z.real), m.shares_memory(z, m.ones(3))]
        made.append([z.tolist(), kept.tolist(), words.tolist(), shared, z.real.base is z])
    assert made[0] == made[1]


def test_threads_lose_no_write_through_parts():
    z = np.zeros(64, complex)
    parts = [z.real, z.imag[::2], z.view("f8")[1::4], z]

    def add(part):
        for _ in range(200):
            part += 1

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=add, args=(part,)) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert z.tolist() == [400 + 400j, 400] * 32 and parts[0].tolist() == [400] * 64


def test_parts_of_read_only_arrays_are_read_only():
    a = np.ones(4, complex)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a.real[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        np.add(a.real, 1, out=a.real)
    assert numpy.array_equal(numpy.asarray(a), numpy.ones(4, complex))


def test_writes_to_byte_views_reach_the_array():
    for module in (numpy, np):
        x = module.array([1.0, -2.0, 0.0])
        bits = x.view("i8")
        bits[1] &= 0x7FFF_FFFF_FFFF_FFFF
        assert x.tolist() == [1.0, 2.0, 0.0]
        bits[:1] = 0
        assert x.tolist() == [0.0, 2.0, 0.0]
        bits += 1
        assert x.view("i8").tolist() == [1, 2**62 + 1, 1]
        bits.fill(0)
        assert not x.any()
        x.view("u1")[-1] = 0x40
        assert x.tolist() == [0.0, 0.0, 2.0]


def test_byte_views_of_read_only_arrays_are_read_only():
    x = np.arange(3.0)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.view("i8")[0] = 1
