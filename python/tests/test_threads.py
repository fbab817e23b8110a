"""Many threads at once: on a free-threaded interpreter they run in parallel, on others they take turns very often."""

import collections
import concurrent.futures
import gc
import os
import subprocess
import sys
import sysconfig
import textwrap
import threading
import warnings

import numpy
import pytest
import weft
import weft.numpy as np
from test_profile import profile
from weft.numpy import _fallback

IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
THREADS = 8
#: Small operations run on the calling thread, large ones on others.
SIZES = [100, 100_000]


@pytest.fixture(autouse=True)
def frequent_turns():
    """Makes threads of an interpreter with a GIL take turns 200 times as often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 200)
    yield
    sys.setswitchinterval(before)


def at_once(work, count=THREADS):
    """The results of `work(number)` on `count` threads, which begin together."""
    barrier = threading.Barrier(count)

    def begin(number):
        barrier.wait(60)
        return work(number)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def run(text, *arguments, folder):
    """The output of a program that must succeed."""
    program = folder / "prog.py"
    program.write_text(textwrap.dedent(text))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    command = [sys.executable, *arguments, str(program)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not IS_FREE_THREADED, reason="this interpreter always has a GIL")
def test_gil_stays_disabled(tmp_path):
    # If a module needs the GIL, the interpreter turns it on, with a warning.
    shown = run("import sys\nimport weft.numpy as np\nprint(np.arange(4).sum(), sys._is_gil_enabled())\n", "-W", "error", folder=tmp_path)
    assert shown == "6 False\n"


def test_extension_matches_this_interpreter():
    suffix = sysconfig.get_config_var("EXT_SUFFIX") if IS_FREE_THREADED else ".abi3.so"
    assert os.path.basename(weft._core.__file__) == "_core" + suffix


def steps(module, start, size):
    """A program with its own arrays: creating, adding, indexing, reducing, sorting, writing."""
    x = module.arange(size, dtype="f8") + start
    y = module.ones(size)
    for step in range(10):
        y = y + x * 0.5
        y[step::7] = float(start)
        y[::2] -= x[1::2]
    picked = y[module.arange(0, size, 3) % size]
    small = y[y > start]
    table = module.reshape(x[: size // 10 * 10], (10, -1))
    return [
        float(y.sum()), float(y[size // 2]), float(picked.max()), small.shape[0], float(module.sort(y)[size // 3]),
        module.argmax(y).item(), table.sum(axis=0)[3].item(), (table @ table.T)[2, 3].item(), bool((x == y).any()),
    ]  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
def test_threads_with_separate_arrays_are_independent(size):
    theirs = [steps(numpy, start, size) for start in range(THREADS)]
    alone = [steps(np, start, size) for start in range(THREADS)]
    for _ in range(3):
        made = at_once(lambda number: steps(np, number, size))
        # The same bits as without other threads.
        assert made == alone
    for own, other in zip(alone, theirs):
        assert own == pytest.approx(other, rel=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_all_threads_read_one_array(size):
    array = np.arange(size, dtype="f8")
    host = numpy.arange(size, dtype="f8")

    def work(number):
        assert float(array[number]) == number and float(array.sum()) == host.sum()
        assert numpy.array_equal(numpy.asarray(array[number::2]), host[number::2])
        assert numpy.array_equal(numpy.array(array * number), host * number)
        assert array.tolist()[number] == number and (array > number).sum() == size - number - 1
        return array.reshape((2, -1)).shape

    for _ in range(5):
        assert at_once(work) == [(2, size // 2)] * THREADS


@pytest.mark.parametrize("size", SIZES)
def test_threads_lose_no_change_of_an_array(size):
    array, counts = np.zeros(size), np.zeros(size, "i8")
    every = np.arange(size)

    def work(number):
        mine = array[:]
        for _ in range(200):
            # Python's in-place operators assign their result: to a name of this function.
            mine += 1
        counts[number::THREADS] = number
        for _ in range(20):
            counts.ravel()[every[number::THREADS]] += 1

    at_once(work)
    assert float(array.min()) == float(array.max()) == 200 * THREADS
    assert numpy.array_equal(numpy.asarray(counts), numpy.arange(size) % THREADS + 20)


def test_concurrent_shapes_are_always_assigned_ones():
    array = np.arange(720)
    shapes = [(720,), (2, 360), (3, 240), (4, 180), (5, 144), (6, 120), (8, 90), (9, 80)]

    def work(number):
        for _ in range(300):
            array.shape = shapes[number]
            assert array.shape in shapes and array.size == 720
        return int(array.ravel().sum())

    assert at_once(work) == [720 * 719 // 2] * THREADS
    assert array.shape in shapes


def test_threads_share_memory():
    array = np.arange(50_000, dtype="f8")

    def work(number):
        for _ in range(50):
            host = numpy.asarray(array)
            assert host[number] == number and host.sum() == 49_999 * 25_000
            # Operations on the array wait while its memory is shared.
            assert float((array + number)[0]) == number
            del host
        view = memoryview(array)
        return view

    # Buffers requested by other threads are released here.
    for view in at_once(work):
        assert view[100] == 100
        view.release()
    array += 1
    assert float(array[0]) == 1


def test_generator_repeats_no_numbers_across_threads():
    alone = np.random.default_rng(5)
    expected = collections.Counter(alone.random(3).tobytes() for _ in range(50 * THREADS))
    assert set(expected.values()) == {1}
    shared = np.random.default_rng(5)
    found = at_once(lambda number: [shared.random(3).tobytes() for _ in range(50)])
    assert collections.Counter(one for each in found for one in each) == expected


def test_concurrent_generator_states_are_consistent():
    source = np.random.RandomState(1)
    states = [np.random.RandomState(seed).get_state(legacy=False) for seed in range(THREADS)]
    source.set_state(states[0])
    known = {state["state"]["key"].tobytes() for state in states}

    def work(number):
        for _ in range(300):
            if number % 2:
                source.set_state(states[number])
            state = source.get_state(legacy=False)
            assert state["state"]["key"].tobytes() in known

    at_once(work)


def test_fallbacks_are_counted_and_reported_once(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "warn")
    gradient = _fallback.function("gradient in threads", numpy.gradient)
    array = np.arange(10.0) ** 2
    expected = numpy.gradient(numpy.arange(10.0) ** 2)

    def work(number):
        for _ in range(100):
            made = gradient(array)
            assert isinstance(made, np.ndarray)
        return numpy.array_equal(numpy.asarray(made), expected)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert all(at_once(work))
    assert _fallback.counts["gradient in threads"] == 100 * THREADS
    said = [one for one in caught if "gradient in threads" in str(one.message)]
    assert len(said) == 1 and said[0].filename == __file__


def test_garbage_collection_does_not_stop_waiting_threads():
    stopped = threading.Event()

    def collect():
        while not stopped.wait(0.01):
            gc.collect()

    def work(number):
        total = np.zeros(50_000)
        for step in range(300):
            # More operations than can be under way, and arrays that are dropped meanwhile.
            total = total + np.full(50_000, float(step % 3)) * number
            if step % 50 == 0:
                total[0].item()
        return float(total[17])

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        assert at_once(work) == [300.0 * number for number in range(THREADS)]
    finally:
        stopped.set()
        collector.join()


def test_threads_import_the_package_concurrently(tmp_path):
    shown = run(
        """\
        import concurrent.futures
        import threading

        barrier = threading.Barrier(8)

        def work(number):
            barrier.wait(60)
            import weft.numpy as np

            barrier.wait(60)
            # Created on first use, by all threads at the same time.
            made = (np.lib, np._core, np.polynomial, np.lib.stride_tricks, np.add)
            fitted = np.polyfit(np.arange(5.0), np.arange(5.0) * 2 + number, 1)
            window = np.blackman(5)
            roots = np.polynomial.Polynomial([-1, 0, 1]).roots()
            return [id(one) for one in made], round(float(fitted[1]), 6), round(float(window[2]), 6), round(float(roots[1]), 6)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            done = list(pool.map(work, range(8)))
        print(len({tuple(ids) for ids, *_ in done}), [one[1] for one in done], {one[2:] for one in done})
        import weft.numpy
        print(weft.numpy.lib.stride_tricks.__name__)
        """,
        folder=tmp_path,
    )
    assert shown == "1 [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] {(1.0, 1.0)}\nweft.numpy._strides\n"


def test_run_may_end_while_threads_compute(tmp_path):
    shown = run(
        """\
        import threading
        import weft
        import weft.numpy as np

        begun = threading.Barrier(9)
        known = []

        def work():
            begun.wait(60)
            try:
                array = np.ones(1000)
                while True:
                    array = array + 1
            except RuntimeError as error:
                known.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        begun.wait(60)
        weft.finish()
        for thread in threads:
            thread.join(0.1)
        weft.finish()
        for thread in threads:
            thread.join(60)
        print(len(known), all("finished" in text for text in known))
        """,
        folder=tmp_path,
    )
    assert shown == "8 True\n"


@pytest.mark.parametrize("step", ["array = np.sqrt(array + 1)", "np.add(array, 1, out=array)", "np.sort(array.reshape(10, 100), axis=0)", "np.median(array)"])
def test_interpreter_may_end_while_threads_compute(tmp_path, step):
    for _ in range(3):
        shown = run(
            f"""\
            import threading
            import weft.numpy as np

            begun = threading.Barrier(5)

            def work():
                array = np.ones(1000)
                begun.wait(60)
                while True:
                    {step}
                    array[0].item()

            for _ in range(4):
                threading.Thread(target=work, daemon=True).start()
            begun.wait(60)
            print("done")
            """,
            folder=tmp_path,
        )
        assert shown == "done\n"


def test_each_thread_has_its_own_lines_and_scopes():
    both, inside = weft.annotate("both"), threading.Barrier(THREADS)

    def work(number):
        found = []
        for _ in range(20):
            with both:
                # Every thread has opened the scope before one closes its own.
                inside.wait(60)
                found.append(weft._core.provenance())
                with both:
                    np.ones(3)
        return found

    line = work.__code__.co_firstlineno + 6
    for found in at_once(work):
        assert {(file, at) for file, at, _ in found} == {(__file__, line)}


def test_only_the_opening_thread_closes_a_scope():
    scope = weft.annotate("opened here")

    def work(number):
        with pytest.raises(RuntimeError, match="opened by another thread"):
            scope.__exit__(None, None, None)

    with scope:
        at_once(work)


LINES = """\
import concurrent.futures
import threading
import numpy
import weft
import weft.numpy as np
from weft.numpy import _fallback

gradient = _fallback.function("gradient", numpy.gradient)
barrier = threading.Barrier(4)
shared = weft.annotate("shared")

def small(x):
    return x + 1

def large(x):
    return x * 2

def on_host(x):
    return gradient(x)

def reduced(x):
    return x.max()

def work(number):
    function = (small, large, on_host, reduced)[number]
    x = np.arange(100000 if function is large else 10, dtype="f8")
    barrier.wait(60)
    with weft.annotate(function.__name__):
        for _ in range(200):
            with shared:
                y = function(x)
    return float(y[1]) if y.ndim else float(y)

with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(list(pool.map(work, range(4))))
"""


def test_profile_contains_lines_and_scopes_of_all_threads(tmp_path):
    database = profile(LINES, tmp_path, WEFT_FALLBACK="quiet")
    rows = database.execute(
        "SELECT p.line, o.name, s.path, count(*) FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId"
        " JOIN WEFT_SCOPE s ON s.id = o.scopeId GROUP BY 1, 2, 3"
    )
    found = {(line, name, path): count for line, name, path, count in rows}
    for line, name, function in [(13, "add", "small"), (16, "multiply", "large"), (19, "fallback", "on_host"), (22, "max", "reduced")]:
        assert found[line, name, f"{function}/shared"] == 200
    # Each line has the scope of its own thread, and each kernel the line of its operation.
    assert {(line, path.split("/")[0]) for line, _, path in found} == {(13, "small"), (16, "large"), (19, "on_host"), (22, "reduced")}
    names = dict(
        database.execute(
            "SELECT o.name, count(DISTINCT o.uid) FROM WEFT_OPERATION o JOIN WEFT_TASK t ON t.opUid = o.uid"
            " JOIN WEFT_KERNEL_TASK l ON l.taskUid = t.uid JOIN WEFT_KERNEL k ON k.id = l.kernelId GROUP BY 1"
        )
    )
    assert [names[name] for name in ("add", "multiply", "fallback", "max")] == [200] * 4
    # Reads and results of a fallback belong to it, even if other threads submit operations meanwhile.
    parents = database.execute(
        "SELECT p.name, c.name, count(*) FROM WEFT_OPERATION c JOIN WEFT_OPERATION p ON p.uid = c.parentUid GROUP BY 1, 2"
    ).fetchall()
    assert {parent for parent, _, _ in parents} == {"fallback"}
    assert all(count == 200 for _, _, count in parents)


#: Calls that read an array and write it: each adds 1 to every element.
ADDING = {
    "operator": "x += 1",
    "out": "np.add(x, 1, out=x)",
    "where": "np.add(x, 1, out=x, where=mask)",
    "at": "np.add.at(x, every, 1)",
    "both": "x += 0.5; np.add(x, 0.5, out=x)",
    "cast": "np.add(x, wide, out=x, casting='same_kind')",
    "cast operator": "x += wide",
    "clip": "np.add(x, 1, out=x); np.clip(x, 0, 1e9, out=x); x.clip(0, 1e9, out=x)",
    "nan_to_num": "np.nan_to_num(x, copy=False); x += 1",
}


@pytest.mark.parametrize("size", [10, 40_000])
@pytest.mark.parametrize("name", ADDING)
def test_concurrent_calls_lose_no_update(name, size):
    x = np.zeros(size, np.float32)
    names = {"np": np, "x": x, "mask": np.ones(size, bool), "every": numpy.arange(size), "wide": np.ones(size)}
    code = compile(ADDING[name], name, "exec")
    rounds = 20 if name == "at" else 40
    at_once(lambda number: [exec(code, names) for _ in range(rounds)])
    assert set(names["x"].tolist()) == {float(THREADS * rounds)}


#: Statements on complex arrays and their parts that two threads run at the same time. Mutual waits
#: would not end.
PARTS = {
    "whole and part": ("np.add(r, 1, out=r, where=m)", "np.add(x, 1, out=x, where=m)"),
    "the part is an operand": ("np.add(r, 1, out=r, where=m)", "np.add(x, r, out=x, where=m)"),
    "parts of two arrays": ("r[...] = s", "s[...] = r"),
    "out and operand of two arrays": ("np.add(x, s, out=x, where=m)", "np.add(y, r, out=y, where=m)"),
    "a write to each": ("y[...] = 1; r[...] = s", "np.add(s, 1, out=s, where=m)"),
    "both parts": ("np.add(r, x.imag, out=r, where=m)", "np.add(x.imag, r, out=x.imag, where=m)"),
    "bytes": ("v[...] = s", "np.add(y, 1, out=y, where=m)"),
    "three arrays": ("r[...] = s; w[...] = r", "s[...] = w; np.add(z, s, out=z, where=m)"),
}


@pytest.mark.parametrize("name", PARTS)
def test_writes_to_arrays_and_parts_never_deadlock(name, tmp_path):
    first, second = PARTS[name]
    text = f"""
        import sys, threading
        import weft.numpy as np
        sys.setswitchinterval(1e-5)
        n = 3000
        x, y, z = (np.zeros(n, complex) for _ in range(3))
        r, s, w, v = x.real, y.real, z.real, x.view("f8")[:n]
        m = np.ones(n, bool)
        def work(text):
            code = compile(text, text, "exec")
            for _ in range(60):
                exec(code, globals())
        threads = [threading.Thread(target=work, args=(text,), daemon=True) for text in [{first!r}, {second!r}] * 2]
        for one in threads:
            one.start()
        for one in threads:
            one.join(60)
        assert not any(one.is_alive() for one in threads)
        for whole, part in ((x, r), (y, s), (z, w)):
            assert (whole.real == part).all()
        print("done")
    """
    assert run(text, folder=tmp_path) == "done\n"


@pytest.mark.parametrize("statement", ["np.add(r, 1, out=r, where=m)", "np.add(x, 1, out=x, where=m)", "x += 1", "r += 1", "np.add(x.real, 1, out=x.real)"])
def test_writes_to_arrays_and_parts_lose_no_update(statement):
    x = np.zeros(500, complex)
    names = {"np": np, "x": x, "r": x.real, "m": np.ones(500, bool)}
    codes = [compile(text, text, "exec") for text in (statement, "np.add(x, 1, out=x, where=m)")]
    at_once(lambda number: [exec(codes[number % 2], names) for _ in range(20)])
    assert set(x.tolist()) == {complex(THREADS * 20)}
    assert (names["r"] == x.real).all()


def test_concurrent_in_place_sorts_keep_all_elements():
    x = np.arange(1000.0)

    def work(number):
        for _ in range(10):
            np.random.shuffle(x)
            x.sort()

    at_once(work)
    assert sorted(x.tolist()) == list(range(1000))


@pytest.mark.filterwarnings("ignore::weft.numpy.FallbackWarning")
def test_another_thread_drops_a_failed_fallback(monkeypatch):
    unraisable, failures = [], []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    try:
        np.busday_count(np.ones(3), 1)
    except ValueError as error:
        failures.append(error)
    assert failures
    at_once(lambda _: failures.clear())
    gc.collect()
    assert not failures and not unraisable
