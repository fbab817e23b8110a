"""Functions that Numba compiles, with arrays of Weft."""

import numpy
import pytest
import weft.numpy as np

numba = pytest.importorskip("numba", reason="Numba is not installed: pip install numba")


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def test_compiled_functions_write_to_shared_memory():
    @numba.njit
    def fill(values):
        for i in range(values.size):
            values[i] = 7.0 + i

    array = np.zeros(4)
    fill(numpy.asarray(array))
    assert array.tolist() == [7.0, 8.0, 9.0, 10.0]


def test_compiled_functions_read_array_elements():
    at = numba.njit(lambda values: values[1, 2])
    array = np.arange(6.0).reshape(2, 3)
    assert at(array) == 5.0 and at(array[::-1]) == 2.0


def test_numba_rejects_buffer_methods():
    with pytest.raises(numba.core.errors.TypingError, match="buffer"):
        numba.njit(lambda values: values.sum())(np.arange(3.0))


def test_vectorized_functions_return_arrays():
    # It has a name of one of NumPy's, and does something else.
    @numba.vectorize(["f8(f8, f8)"])
    def hypot(x, y):
        return x - y

    array = np.arange(3.0)
    made = hypot(array, np.ones(3))
    assert isinstance(made, np.ndarray) and made.tolist() == [-1.0, 0.0, 1.0]
    out = np.zeros(3)
    assert hypot(numpy.arange(3.0), array, out=out) is out and out.tolist() == [0.0, 0.0, 0.0]
    out = np.zeros(3)
    hypot(array, 1.0, out=out)
    assert out.tolist() == [-1.0, 0.0, 1.0]
