"""Arrays exchanged with PyTorch, by addresses and by what each side sees of the other's writes."""

import gc
import threading

import numpy
import pytest
import weft.numpy as np

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def address(array):
    return numpy.asarray(array).__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3, 4)])
def test_tensors_share_array_memory(dtype, shape):
    values = (numpy.arange(int(numpy.prod(shape))) % 2).reshape(shape).astype(dtype)
    array = np.array(values)
    tensor = torch.from_dlpack(array)
    assert tuple(tensor.shape) == shape and numpy.array_equal(tensor.numpy(), values)
    if array.size:
        assert tensor.data_ptr() == address(array)
        tensor.fill_(1)
        assert np.all(array == 1).item()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3, 4)])
def test_arrays_share_tensor_memory(dtype, shape):
    tensor = torch.from_numpy(numpy.ones(shape, dtype))
    array = np.from_dlpack(tensor)
    assert array.dtype == numpy.dtype(dtype) and array.shape == shape
    if array.size:
        assert address(array) == tensor.data_ptr()
        array *= 0
        assert not tensor.numpy().any()
        tensor.fill_(1)
        assert np.all(array == 1).item()


def test_both_sides_see_writes():
    array = np.zeros(100_000)
    tensor = torch.from_dlpack(array)
    for i in range(20):
        tensor += 1
        array += 1
        assert tensor[0].item() == tensor[-1].item() == array[0].item() == array[-1].item() == 2 * (i + 1)
    tensor = torch.zeros(100_000, dtype=torch.float64)
    array = np.from_dlpack(tensor)
    for i in range(20):
        array += 1
        tensor *= 2
    assert array.min().item() == array.max().item() == tensor[0].item() == 2 * (2**20 - 1)


def test_views_keep_their_layout():
    tensor = torch.arange(12.0).reshape(3, 4)
    for view in (tensor[:, ::2], tensor.T, tensor[1], tensor[1:, 1:]):
        mine = np.from_dlpack(view)
        assert mine.strides == tuple(4 * step for step in view.stride()) and numpy.array_equal(numpy.asarray(mine), view.numpy())
        mine += 1
        del mine
    assert tensor[1, 2].item() == 10.0
    array = np.arange(12.0).reshape(3, 4)
    for view in (array[:, ::2], array.T, array[1], array[1:, 1:]):
        theirs = torch.from_dlpack(view)
        assert tuple(8 * step for step in theirs.stride()) == view.strides and theirs.data_ptr() == address(view)


def test_reversed_elements_are_copied():
    # PyTorch itself ends the process when it is given such memory.
    array = np.arange(4.0)
    assert torch.from_dlpack(array[::-1]).tolist() == [3.0, 2.0, 1.0, 0.0]
    with pytest.raises(BufferError, match="backwards"):
        array[::-1].__dlpack__(copy=False)


def test_overlapping_elements_are_read_only():
    for tensor in (torch.ones(1, 3).expand(4, 3), torch.arange(10.0).unfold(0, 3, 1)):
        array = np.from_dlpack(tensor)
        assert numpy.array_equal(numpy.asarray(array), tensor.numpy())
        with pytest.raises(ValueError, match="read-only"):
            array += 1


def test_booleans_are_copied():
    array = np.array([True, False])
    tensor = torch.from_dlpack(array)
    assert tensor.dtype == torch.bool and tensor.tolist() == [True, False]
    tensor[1] = True
    assert array.tolist() == [True, False]
    assert np.from_dlpack(torch.tensor([False, True])).tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["bfloat16", "complex32"])
def test_rejects_unsupported_dtypes(dtype):
    with pytest.raises(BufferError, match=f"torch.{dtype}"):
        np.from_dlpack(torch.ones(3, dtype=getattr(torch, dtype)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(3, requires_grad=True),
        lambda: torch.ones(3, dtype=torch.complex64).conj(),
        lambda: torch.ones(3).to_sparse(),
        lambda: torch.ones(3, device="meta"),
    ],
)
def test_rejects_tensors_that_pytorch_cannot_export(make):
    with pytest.raises((RuntimeError, BufferError, ValueError, TypeError), match="."):
        np.from_dlpack(make())


def test_gradients_flow_through_shared_memory():
    array = np.arange(3.0)
    weights = torch.from_dlpack(array).requires_grad_()
    (weights * weights).sum().backward()
    assert np.from_dlpack(weights.grad).tolist() == [0.0, 2.0, 4.0]
    with pytest.raises((RuntimeError, BufferError), match="detach"):
        np.from_dlpack(weights)
    # `detach` shares memory: its array is the one that there was.
    assert weights.detach().data_ptr() == address(array)
    layer = torch.nn.Linear(3, 2, dtype=torch.float64)
    mine = np.from_dlpack(layer.weight.detach())
    mine[...] = 0.5
    made = np.from_dlpack(layer(torch.from_dlpack(np.ones((4, 3)))).detach())
    assert np.allclose(made, 1.5 + numpy.asarray(layer.bias.detach()))


def test_asarray_copies_unless_told_otherwise():
    tensor = torch.ones(3)
    copied = np.asarray(tensor)
    copied += 1
    assert tensor.tolist() == [1.0] * 3
    mine = np.asarray(tensor, copy=False)
    mine += 1
    assert tensor.tolist() == [2.0] * 3 and address(mine) == tensor.data_ptr()
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(torch.ones(3), dtype="f8", copy=False)
    assert np.asarray(tensor, dtype="f8").dtype == numpy.float64
    assert torch.as_tensor(np.arange(3.0)).tolist() == torch.tensor(np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


def test_tensor_memory_is_borrowed_only_once():
    tensor = torch.ones(3)
    first = np.from_dlpack(tensor)
    with pytest.raises(BufferError, match="already belongs"):
        np.from_dlpack(tensor, copy=False)
    second = np.from_dlpack(tensor)
    second += 1
    assert first.tolist() == [1.0] * 3


def test_mixed_expressions_return_arrays():
    array, tensor = np.arange(3.0), torch.ones(3)
    for made in (array + tensor, tensor + array, np.add(array, tensor), np.concatenate([array, tensor])[3:] + array):
        assert isinstance(made, np.ndarray) and made.tolist() == [1.0, 2.0, 3.0]
    assert (array @ torch.ones(3, dtype=torch.float64)).item() == 3.0
    assert (tensor > array).tolist() == [True, False, False]
    assert array[torch.tensor([0, 2])].tolist() == [0.0, 2.0] and array[torch.tensor([True, False, True])].tolist() == [0.0, 2.0]
    array[torch.tensor(1)] = torch.tensor(5.0)
    assert array.tolist() == [0.0, 5.0, 2.0]


@pytest.mark.parametrize("first", ["array", "tensor"])
@pytest.mark.parametrize("owner", ["array", "tensor"])
def test_either_side_may_be_released_first(first, owner):
    def make():
        if owner == "array":
            array = np.arange(50_000.0)
            return {"array": array, "tensor": torch.from_dlpack(array)}
        tensor = torch.arange(50_000, dtype=torch.float64)
        return {"array": np.from_dlpack(tensor), "tensor": tensor}

    sides = make()
    later = sides["array"] * 2
    del sides[first]
    gc.collect()
    # An allocation that would get memory freed too early.
    others = [np.full(50_000, -1.0) for _ in range(8)] + [torch.full((50_000,), -1.0) for _ in range(8)]
    (rest,) = sides.values()
    assert float(rest.sum()) == 50_000 * 49_999 / 2 and float(rest[-1]) == 49_999.0
    assert later[-1].item() == 2 * 49_999.0 and len(others) == 16


def test_threads_share_tensors():
    failures = []

    def work(number):
        for _ in range(30):
            array = np.full(5000, float(number))
            tensor = torch.from_dlpack(array)
            tensor += 1
            back = np.from_dlpack(tensor.clone())
            back += 1
            del array
            if float(back.sum()) != 5000 * (number + 2) or float(tensor.sum()) != 5000 * (number + 1):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
