"""Memory that arrays share with other libraries: the buffer protocol, DLPack, `copy=False`."""

import gc
import subprocess
import sys
import threading
import time
import weakref

import numpy
import pytest
import weft.numpy as np

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def address(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4)])
def test_numpy_shares_array_memory(dtype, shape):
    values = (numpy.arange(int(numpy.prod(shape))) % 2).reshape(shape).astype(dtype)
    array = np.array(values)
    host = numpy.asarray(array)
    assert host.dtype == values.dtype and host.dtype.char == values.dtype.char and host.shape == shape
    assert numpy.array_equal(host, values)
    if host.size:
        host[...] = 1 - numpy.real(host).astype("i1")
        assert numpy.array_equal(numpy.array(array), 1 - numpy.real(values).astype("i1"))
        array[...] = 1
        assert host.all()


def test_numpy_sees_views_as_views():
    array = np.arange(24).reshape(4, 6)
    whole, part, turned = numpy.asarray(array), numpy.asarray(array[1:, ::-2]), numpy.asarray(array.T)
    assert part.strides == (48, -16) and numpy.shares_memory(whole, part) and numpy.shares_memory(whole, turned)
    part[0, 0] = 100
    assert array[1, 5].item() == 100 and turned[5, 1] == 100


def test_each_side_sees_writes_of_the_other():
    array = np.zeros(200_000)
    host = numpy.asarray(array)
    for i in range(20):
        array += 1
        assert host[0] == host[-1] == 2 * i + 1
        doubled = array * 2
        host += 1
        assert doubled[-1].item() == 2 * (2 * i + 1)
    assert array.sum().item() == 40 * 200_000


def test_stencil_on_shared_memory_stays_in_place():
    grid = np.zeros((300, 300))
    grid[0] = 100.0
    expected = numpy.zeros((300, 300))
    expected[0] = 100.0
    host = numpy.asarray(grid)
    for _ in range(10):
        for one in (grid, expected):
            one[1:-1, 1:-1] = 0.25 * (one[:-2, 1:-1] + one[2:, 1:-1] + one[1:-1, :-2] + one[1:-1, 2:])
    assert numpy.allclose(host, expected, rtol=1e-13) and address(numpy.asarray(grid)) == address(host)
    del host
    for _ in range(4):
        grid[1:-1, 1:-1] = grid[:-2, 1:-1] + grid[2:, 1:-1]
        expected[1:-1, 1:-1] = expected[:-2, 1:-1] + expected[2:, 1:-1]
    assert numpy.allclose(numpy.asarray(grid), expected, rtol=1e-13)


def test_read_only_arrays_are_read_only_elsewhere():
    array = np.broadcast_to(np.arange(3.0), (2, 3))
    host = numpy.asarray(array)
    assert not host.flags.writeable and host.strides == (0, 8)
    with pytest.raises(TypeError, match="read-only|writ"):
        memoryview(array)[0, 0] = 1.0


def test_contiguous_readers_reject_strided_arrays():
    array = np.arange(10, dtype="u1")
    assert bytes(memoryview(array)) == bytes(range(10))
    assert bytearray(array) == bytes(range(10))
    import hashlib

    assert hashlib.md5(array).hexdigest() == hashlib.md5(bytes(range(10))).hexdigest()
    with pytest.raises(BufferError):
        hashlib.md5(array[::2])


def test_copy_false_shares_or_raises():
    array = np.arange(5)
    host = numpy.asarray(array, copy=False)
    assert numpy.shares_memory(host, numpy.asarray(array))
    assert not numpy.shares_memory(numpy.array(array), host)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        numpy.asarray(array, dtype="f4", copy=False)


def test_sharing_raises_earlier_failures():
    broken = np.arange(10)[np.full(3, 20)]
    with pytest.raises(IndexError):
        numpy.asarray(broken)


def test_dlpack_shares_both_ways_without_copies():
    array = np.arange(6.0).reshape(2, 3)
    host = numpy.from_dlpack(array)
    host[0, 0] = 7
    assert array[0, 0].item() == 7
    values = numpy.arange(12, dtype="i4").reshape(3, 4)[:, ::2]
    mine = np.from_dlpack(values)
    assert mine.strides == values.strides
    values[0, 0] = 50
    assert mine[0, 0].item() == 50
    mine += 1
    assert values[0, 0] == 51
    copied = np.from_dlpack(values, copy=True)
    values[0, 0] = 0
    assert copied[0, 0].item() == 51
    with pytest.raises(BufferError):
        array.__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("key", [..., (slice(None, None, -1),), (slice(1, None, 2), slice(None, None, -1)), (0,), (slice(0, 0),)])
def test_shares_foreign_memory_of_any_layout(dtype, key):
    values = (numpy.arange(30).reshape(5, 6) % 2).astype(dtype)
    view = values[key]
    mine = np.asarray(view, copy=False)
    assert mine.shape == view.shape and mine.dtype == view.dtype
    assert numpy.array_equal(numpy.array(mine), view)
    if view.size:
        mine[...] = 1
        assert view.all()


def test_array_memory_is_borrowed_only_once():
    values = numpy.arange(10.0)
    first = np.from_dlpack(values)
    with pytest.raises(BufferError, match="already belongs"):
        np.from_dlpack(values[2:], copy=False)
    # A copy, because `copy=False` is not given.
    second = np.from_dlpack(values[2:])
    second += 1
    assert values[2] == 2.0
    own = np.arange(4.0)
    with pytest.raises(ValueError, match="already belongs"):
        np.asarray(numpy.asarray(own), copy=False)
    del first
    gc.collect()
    third = np.from_dlpack(values[2:], copy=False)
    third += 1
    assert values[2] == 3.0


def test_unshareable_arrays_are_copied_or_rejected():
    for values in (numpy.array(["a"]), numpy.arange(3, dtype=">i4"), numpy.ones(3, "?"), numpy.frombuffer(b"0" * 17, "u1")[1:].view("f8")):
        with pytest.raises((ValueError, BufferError)):
            np.asarray(values, copy=False)
    fixed = numpy.arange(3)
    fixed.flags.writeable = False
    mine = np.asarray(fixed, copy=False)
    with pytest.raises(ValueError, match="read-only"):
        mine += 1
    for one in (mine, mine[1:]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            one.setflags(write=True)


def test_booleans_are_copied():
    array = np.zeros(4, "?")
    host = numpy.asarray(array)
    host.view("u1")[...] = [0, 2, 3, 255]
    assert not array.any().item() and array.sum().item() == 0
    with pytest.raises(BufferError, match="booleans"):
        memoryview(array)
    assert not np.shares_memory(np.from_dlpack(numpy.ones(3, "?")), array)


def test_numpy_detects_shared_memory():
    array = np.arange(6)[::-1]
    host = numpy.asarray(array)
    assert numpy.may_share_memory(host, array) and numpy.shares_memory(array, host)
    assert not numpy.shares_memory(numpy.array(array), array)
    shuffled = numpy.random.default_rng(0).permutation(array)
    assert sorted(numpy.asarray(shuffled)) == list(range(6)) and numpy.array(array).tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("convert", ["numpy.asarray", "numpy.array", "memoryview", "numpy.from_dlpack"])
def test_interrupts_end_a_wait_for_memory(convert):
    text = f"""
import numpy, weft.numpy as np, signal
x = np.ones(1_000_000)
for i in range(300):
    x = np.sin(x) + 0.5
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    {convert}(x)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
import os
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted\n", done.stdout + done.stderr


def test_foreign_memory_stays_alive_while_used():
    class Owned(numpy.ndarray):
        pass

    values = numpy.ones(300_000).view(Owned)
    alive = weakref.ref(values)
    mine = np.asarray(values.view(Owned), copy=False)
    results = [mine * i for i in range(20)]
    del values
    gc.collect()
    assert alive() is not None
    del mine
    assert [int(one[-1]) for one in results] == list(range(20))
    del results
    # The last use may have ended on a worker; the next call releases the memory.
    for _ in range(100):
        np.ones(3).sum().item()
        gc.collect()
        if alive() is None:
            break
    assert alive() is None


def test_many_threads_share_memory():
    arrays = [np.zeros(50_000) for _ in range(4)]
    failures = []

    def work(array):
        for i in range(30):
            host = numpy.asarray(array)
            array += 1
            if host[0] != i + 1 or host[-1] != i + 1:
                failures.append((i, host[0], host[-1]))
            del host

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_views_outlive_the_run():
    text = """
import numpy, weft, weft.numpy as np
array = np.arange(5)
host = numpy.asarray(array)
weft.finish()
host += 1
print(host.tolist())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "[1, 2, 3, 4, 5]\n"), done.stderr


def test_other_threads_run_while_shared_memory_is_computed():
    array = np.random.default_rng(0).random((700, 700))
    host = numpy.asarray(array)
    seen, over = [], threading.Event()

    def look():
        while not over.wait(0.0005):
            seen.append(time.perf_counter())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        # If a call held the interpreter lock, the thread could run only before and after it.
        for _ in range(20):
            begin = time.perf_counter()
            array[...] = np.linalg.inv(array)
            end = time.perf_counter()
            quarter = (end - begin) / 4
            if any(begin + quarter < one < end - quarter for one in list(seen)):
                break
        else:
            pytest.fail("no other thread ran")
    finally:
        over.set()
        thread.join()
    assert numpy.isfinite(host).all()


def test_buffers_that_may_be_written_are_shared():
    memory = bytearray(24)
    for array in (np.frombuffer(memory, "f8"), np.ndarray((3,), "f8", buffer=memory), np.ndarray((2,), "f8", memory, 8)):
        array[0] = 1.5
        array += 1
        assert memory[8 * (3 - array.size) :][:8] == numpy.float64(2.5).tobytes()
        del array
    # Weft borrows memory once and has no booleans there: these are NumPy's views.
    first, second, flags = (np.frombuffer(memory, dtype) for dtype in ("f8", "f8", "?"))
    first[:] = [7, 8, 9]
    assert isinstance(first, np.ndarray) and second.tolist() == [7, 8, 9]
    flags[:] = True
    assert memory == b"\1" * 24
    constant = np.frombuffer(bytes(16), "f8")
    assert isinstance(constant, np.ndarray) and not constant.flags.writeable


def test_memory_maps_write_to_their_file(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3.0))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r+")
    mapped[0] = 77
    mapped.flush()
    assert np.load(tmp_path / "x.npy").tolist() == [77, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        np.load(tmp_path / "x.npy", mmap_mode="r")[0] = 1


def test_consumers_of_bytes_get_them_in_order():
    import bisect
    import hashlib

    host = numpy.arange(6.0).reshape(2, 3)
    assert hashlib.md5(np.array(host)).digest() == hashlib.md5(host).digest()
    assert bisect.bisect(np.arange(5), 2.5) == 3


@pytest.mark.parametrize(
    "call",
    ["m.array([1, 2], dtype=d)", "m.asarray([1, 2], d)", "m.full(2, 1, d)", "m.arange(3, dtype=d)", "m.zeros(2, d)", "m.ones(2, d)", "m.array(m.arange(3), d)", "m.arange(3).astype(d)"],
)  # fmt: skip
def test_requested_byte_orders_are_kept(call):
    theirs, ours = (eval(call, {"m": m, "d": ">i4"}) for m in (numpy, np))
    assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()
