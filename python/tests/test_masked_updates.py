"""`a[mask] op= number` on large arrays, and selections that are packed later."""

import signal
import time

import numpy
import pytest
import weft
import weft.numpy as wnp

N = 50_000


def pair(dtype="f8", seed=1, shape=(N,)):
    rng = numpy.random.default_rng(seed)
    values, mask = rng.integers(-50, 50, shape).astype(dtype), rng.random(shape) < 0.3
    return (values.copy(), mask.copy()), (wnp.array(values), wnp.array(mask))


def equal(ours, theirs):
    theirs, ours = numpy.asarray(theirs), ours if hasattr(ours, "dtype") else numpy.asarray(ours)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert numpy.array_equal(numpy.asarray(ours), theirs, equal_nan=theirs.dtype.kind in "fc")


def run(program, dtype="f8", shape=(N,)):
    theirs, ours = pair(dtype, shape=shape)
    results = []
    for m, (a, mask) in ((numpy, theirs), (wnp, ours)):
        names = {"m": m, "np": numpy, "a": a, "mask": mask, "b": m.array(a) * 2, "other": ~mask}
        try:
            exec(program, names)
            results.append([names["a"], names["mask"], *(names[name] for name in ("x", "y") if name in names)])
        except Exception as error:
            results.append([type(error), a])
    for right, left in zip(*results):
        if isinstance(right, type):
            assert left is right, program
        else:
            equal(left, right)


PROGRAMS = [
    "a[mask] += 1", "a[mask] *= -1", "a[mask] -= 2.5", "a[mask] /= 4", "a[mask] += True", "a[mask] //= 3", "a[mask] %= 7", "a[mask] **= 2",
    "a[mask] += np.float64(3)", "a[mask] += np.float32(3)", "a[mask] += np.int8(3)", "a[mask] += m.float64(3)", "a[mask] += 10**30", "a[mask] += 300",
    "a[mask] += b[mask]", "a[mask] += b[mask][::-1]", "a[mask] = a[mask] * 2 + 1", "a[mask] = -a[mask]", "a[mask] = b[mask]", "a[mask] += 1j",
    "x = a[mask]\nx += 1\na[mask] = x\nx *= 2", "x = a[mask]\nx += 1\nx *= 3\na[mask] = x\na += 1\nmask[:9] = True", "x = a[mask]\na[:] = 0\nx += 1",
    "x = a[mask]\nmask[:] = False\nx += 1", "x = a[mask]\nx += 1\nmask[:] = False\na[mask] = x", "x = a[mask]\nx += 1\na[:] = 0\na[mask] = x",
    "x = a[mask]\nx += 1\nb[mask] = x\na = b", "x = a[mask]\nx += 1\na[other] = 5\na[mask] = x", "x = a[mask]\ny = a[mask]\nx += 1\ny += 2\na[mask] = x",
    "x = a[mask]\nx += 1\na[mask.copy()] = x", "x = a[mask]\nx += 1\na[::1][mask] = x", "x = a[mask]\ny = x\ny += 1\na[mask] = 0", "def f():\n    a[:] = 7\n    return 1\na[mask] += f()",
    "def f():\n    mask[:] = True\n    return 1\na[mask] += f()", "x = a[mask]\nx[:] = 3\na[mask] = x", "x = a[mask]\nx += 1\na[mask] = x[::-1]", "x = a[mask].sum()", "x = a[mask].shape[0]\ny = a[mask][3:9]",
    "x = a[mask]\na[mask] = 0\ny = x + 1", "x = a[mask]\nx += 1\na[mask] = x\ny = x.copy()", "a.flags.writeable = False\na[mask] += 1", "x = a[mask]\nx.flags.writeable = False\nx += 1",
    "a[mask & other] += 1", "a[mask | other] += 1", "for _ in range(5):\n    a[mask] += 1\n    a[other] -= 2\n    mask, other = other, mask", "a[a > 10] -= 10\na[a < -10] += 10", "x = a[mask]\nx = x + x\nx += 1",
    "b = a[:, None]\nb[mask[:, None]] += 1", "a[mask[:-1]] += 1", "x = len(a[mask])", "x = a[mask]\ndel a\na = x", "m.add(a, 1, out=a, where=mask)\na[mask] += 1", "x = a.view()\nx[mask] += 1\na[mask] += 1",
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "c16", "?"])
def test_statements_equal_numpys(program, dtype):
    run(program, dtype)


@pytest.mark.parametrize("shape", [(N,), (300, 200), (1000,), (40, 50, 60)])
def test_shapes(shape):
    run("a[mask] += 1\na[~mask] *= 2\nx = a[mask]", "f8", shape)
    run("a = a[::-1]\nmask = mask[::-1]\na[mask] += 1\nx = a[mask]", "f4", shape)
    run("a.T[mask.T] += 1\nx = a[mask]", "f4", shape)


def test_parts_of_complex_arrays():
    run("a.real[mask] += 1\nx = a.imag[mask]\na.imag[mask] *= 2", "c16")


def test_selection_keeps_elements_while_other_threads_write():
    import threading

    (_, _), (a, mask) = pair()
    expected = numpy.asarray(a)[numpy.asarray(mask)]
    x = a[mask]
    writer = threading.Thread(target=lambda: a.fill(0))
    writer.start()
    writer.join()
    equal(x, expected)


def test_warnings_are_those_of_selected_elements():
    (values, mask), (a, own) = pair()
    values[:], a[:] = numpy.where(mask, 1.0, 0.0), wnp.where(own, 1.0, 0.0)
    with numpy.errstate(all="raise"), wnp.errstate(all="raise"):
        values[mask] /= values[mask]
        a[own] /= a[own]
        a[own] /= 1.0
    equal(a, values)


def slow_matrix():
    a = wnp.ones((1200, 1200))
    for _ in range(3):
        a = (a @ a) / 1200.0
    return a


@pytest.mark.parametrize("update", ["x += 1", "x += 1\nx += 1", "a[:] = 7", "m[0] = False", "x += 1\na[m] = x"])
def test_threads_that_use_other_arrays_change_no_selection(update):
    import threading

    names = {"a": slow_matrix(), "b": wnp.ones(N)}
    names["m"] = names["a"] > 0.5
    exec("x = a[m]", names)
    threads = [threading.Thread(target=lambda: names["b"] + 1) for _ in range(3)]
    for thread in threads:
        thread.start()
    exec(update, names)
    for thread in threads:
        thread.join()
    assert names["x"].shape == (1200 * 1200,)
    expected = 1.0 + update.count("x += 1")
    assert float(names["x"].min()) == float(names["x"].max()) == expected


def test_bodies_of_tasks_leave_selections_of_the_program():
    from weft.tasks import InOut

    @weft.task(nested=True)
    def fill(out: InOut):
        time.sleep(0.2)
        made = wnp.ones(N) + 1
        out[...] = float(made[0])

    a, m = wnp.zeros(N), wnp.arange(N) % 2 == 0
    fill(a)
    x = a[m]
    time.sleep(0.5)
    assert x.shape == (N // 2,) and float(x[3]) == 2.0


def live():
    return sum(pool["live"] for pool in weft.pool_status())


def test_selections_release_their_arrays():
    before, kept = live(), []
    for number in range(4):
        a = wnp.arange(1_000_000.0) + number
        kept.append(a[a > 999_990])
        del a
    assert [float(x[0]) for x in kept] == [999_991.0] * 4
    # Operations release their arrays a moment after their end.
    for _ in range(200):
        if live() - before < 1_000_000:
            break
        time.sleep(0.05)
    assert live() - before < 1_000_000


def test_exceptions_of_signal_handlers_pass():
    class Late(Exception):
        pass

    def handle(number, frame):
        raise Late

    earlier = signal.signal(signal.SIGALRM, handle)
    try:
        a = wnp.ones((2500, 2500))
        for _ in range(4):
            a = a @ a / 2500.0
        m, b = a > 0, wnp.ones(N)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        x = a[m]
        try:
            y = b + 1
        except Late:
            y = b + 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert x.shape == (2500 * 2500,) and float(y[0]) == 2.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def test_writes_to_views_without_axes_change_no_selection():
    for program in ("v = a[5, ...]\nx = a[mask]\nv += 1", "v = mask[5, ...]\nx = a[mask]\nv ^= True", "v = a[5:6]\nx = a[mask]\nv[0] = 9"):
        run(program)


def test_warnings_begin_with_the_operation():
    for m in (numpy, wnp):
        a = m.ones(N)
        b = a[a > 0.5]
        with m.errstate(divide="raise"), pytest.raises(FloatingPointError):
            b /= 0


def test_several_threads_select_at_once():
    import threading

    results = []

    def work(number):
        a = wnp.full(N, float(number))
        mask = wnp.arange(N) % (number + 2) == 0
        for _ in range(20):
            x = a[mask]
            a += 1
            results.append((float(x.min()), float(x.max()), float(a[1]) - 1))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80
    assert all(low == high == before for low, high, before in results)
