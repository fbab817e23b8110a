"""Arrays exchanged with JAX, whose arrays must never be written."""

import numpy
import pytest
import weft.numpy as np

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
import jax.numpy as jnp  # noqa: E402


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def address(array):
    return numpy.asarray(array).__array_interface__["data"][0]


@pytest.mark.parametrize("take", [np.from_dlpack, lambda array: np.asarray(array, copy=False)])
def test_jax_arrays_are_shared_read_only(take):
    theirs = jnp.arange(4, dtype="float32")
    mine = take(theirs)
    assert address(mine) == theirs.unsafe_buffer_pointer() and (mine + 1).tolist() == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match="read-only"):
        mine += 1
    assert theirs.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_jax_reads_arrays_without_copies():
    array = np.arange(1000, dtype="f4")
    theirs = jnp.from_dlpack(array)
    assert theirs.unsafe_buffer_pointer() == address(array)
    assert float(jax.jit(lambda values: (values * 2).sum())(theirs)) == 999_000.0
    assert jnp.from_dlpack(array[::-1])[:2].tolist() == [999.0, 998.0]
    assert jnp.asarray(array)[:2].tolist() == [0.0, 1.0]


def test_mixed_expressions_return_arrays():
    array, theirs = np.arange(3, dtype="f4"), jnp.ones(3, dtype="float32")
    for made in (array + theirs, theirs + array, np.add(array, theirs)):
        assert isinstance(made, np.ndarray) and made.tolist() == [1.0, 2.0, 3.0]
    assert array[jnp.array([0, 2])].tolist() == [0.0, 2.0]


def test_rejects_bfloat16_arrays():
    with pytest.raises(BufferError, match="bfloat16"):
        np.from_dlpack(jnp.ones(3, dtype=jnp.bfloat16))
