"""The life of tasks: many calls, threads, arrays that a body keeps, the end of the interpreter, forks, profiles."""

import concurrent.futures
import gc
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy
import pytest
import weft
import weft.numpy as np
from weft.tasks import In, InOut, Out, align

COMMAND = os.environ.get("WEFT_COMMAND", "weft")

START = """
import atexit, os, sys, threading, time
import numpy
import weft
import weft.numpy as np
from weft.tasks import *

@weft.task
def slow(x: InOut):
    time.sleep(0.02)
    x += 1
    print("ran", flush=True)

"""


def run(text, *, folder, flags="--cpus 2 --gpus 0", **environment):
    """Runs a program that begins with a slow task; returns its status and output."""
    program = folder / "prog.py"
    program.write_text(START + textwrap.dedent(text))
    environment = {**os.environ, "WEFT_CONFIG": flags, **environment}
    return subprocess.run([sys.executable, str(program)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@weft.task(align("x"))
def increment(x: InOut):
    x += 1


def test_runs_many_small_calls():
    x = np.zeros(10)
    for _ in range(10_000):
        increment(x)
    assert x[3] == 10_000.0
    xs = [np.zeros(3) for _ in range(50)]
    for _ in range(200):
        for one in xs:
            increment(one)
    assert all(one[1] == 200.0 for one in xs)


def test_many_threads_make_calls():
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 100)
    try:

        def work(number):
            x = np.full(1000 if number % 2 else 100_000, float(number))
            for _ in range(100):
                increment(x)
                x += 1
            return float(x.sum()) / len(x)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [number + 200.0 for number in range(8)]
    finally:
        sys.setswitchinterval(before)


def test_threads_add_to_one_array():
    x = np.zeros(100)

    def work(_):
        for _ in range(200):
            increment(x)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert x[0] == 800.0


def test_bodies_release_the_gil_for_other_threads():
    barrier = threading.Barrier(2)

    @weft.task
    def meeting(x: InOut):
        # The program's thread must run meanwhile.
        barrier.wait(30)
        x += 1

    x = np.zeros(10)
    meeting(x)
    barrier.wait(30)
    assert x[0] == 1.0


def test_arrays_kept_by_a_body_stay_valid():
    kept = []

    @weft.task(align("x", "y"))
    def keeping(x: In, y: Out):
        y[:] = 2 * x
        kept.extend([x, y[::2], memoryview(x)])

    def use_memory():
        made = [np.full(50_000, float(number)) for number in range(40)]
        weft.wait()
        return len(made)

    a = numpy.arange(50_000.0)
    x, y = np.asarray(a.copy()), np.zeros(50_000)
    keeping(x, y)
    assert numpy.array_equal(y, 2 * a)
    del x, y
    use_memory()
    firsts = [one for one in kept if isinstance(one, numpy.ndarray) and not one.flags.writeable]
    assert numpy.array_equal(numpy.sort(numpy.concatenate(firsts)), a)
    total = sum(one.sum() for one in kept if isinstance(one, numpy.ndarray) and one.flags.writeable)
    assert total > 0
    # In a cycle, which only the collector finds.
    kept.append(kept)
    kept.clear()
    del firsts
    gc.collect()
    use_memory()


def test_input_kept_by_a_body_follows_its_array():
    kept = []

    @weft.task(whole=True)
    def keeping(x: In, y: Out):
        y[:] = x
        kept.append(x)

    x, y = np.zeros(1000), np.zeros(1000)
    keeping(x, y)
    weft.wait()
    x[:] = 3.0
    x += 1
    assert numpy.array_equal(kept[0], numpy.full(1000, 4.0))
    store = np.zeros(1000)
    # A stencil swaps buffers; a view that is still referenced keeps its memory.
    kept.clear()
    keeping(store, y)
    weft.wait()
    for _ in range(5):
        store[1:-1] = (store[:-2] + store[2:]) / 2 + 1
    assert float(store.sum()) > 0 and numpy.isfinite(kept[0]).all()
    kept.clear()


def test_kept_exception_keeps_the_memory():
    kept = []

    @weft.task
    def raising(x: InOut):
        try:
            raise ValueError("kept")
        except ValueError as error:
            kept.append(error)
            raise

    x = np.zeros(100_000)
    raising(x)
    with pytest.raises(RuntimeError, match="kept"):
        x.sum().item()
    del x
    assert all(one.__traceback__.tb_frame.f_locals["x"].sum() == 0 for one in kept)


def test_interpreter_exit_waits_for_bodies(tmp_path):
    done = run("x = np.zeros(3)\nfor _ in range(6): slow(x)\n", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n" * 6, "")


def test_exception_drops_tasks_not_yet_started(tmp_path):
    done = run("x = np.zeros(3)\nfor _ in range(300): slow(x)\nraise ValueError('over')\n", folder=tmp_path)
    assert done.returncode == 1 and done.stderr.rstrip().endswith("ValueError: over")
    assert done.stdout.count("ran") < 100


def test_unread_failure_gives_status_1(tmp_path):
    done = run(
        """\
        @weft.task
        def failing(x: InOut):
            raise KeyError("lost")
        failing(np.zeros(3))
        """,
        folder=tmp_path,
    )
    assert done.returncode == 1
    assert re.search(r"weft: failing at .*prog\.py:\d+ \(operation \d+\) failed: its body failed: KeyError: 'lost'", done.stderr), done.stderr


def test_rejects_calls_after_the_end(tmp_path):
    done = run(
        """\
        def late():
            try:
                slow(x)
            except RuntimeError as error:
                print(error)
        x = np.zeros(3)
        slow(x)
        class Last:
            def __del__(self):
                late()
        sys.modules["last"] = Last()
        """,
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() in (["ran", "Python is ending: tasks cannot be called any more"], ["ran"])


def test_runtime_can_end_and_another_start(tmp_path):
    done = run(
        """\
        for _ in range(3):
            x = np.zeros(3)
            slow(x)
            slow(x)
            print(x[0])
            weft.finish()
        """,
        folder=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "ran\nran\n2.0\n" * 3), done.stderr


def test_forked_child_gets_an_error_and_ends(tmp_path):
    done = run(
        """\
        x = np.zeros(3)
        for _ in range(4): slow(x)
        child = os.fork()
        if child == 0:
            try:
                slow(x)
            except RuntimeError as error:
                print("forked" in str(error), flush=True)
            sys.exit(0)
        status, value = os.waitpid(child, 0)[1], float(x[0])
        print(status, value)
        """,
        folder=tmp_path,
    )
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 4.0", "True", "ran", "ran", "ran", "ran"]


def test_interrupt_ends_the_wait_for_a_body(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(START + "x = np.zeros(3)\nfor _ in range(500): slow(x)\nprint(x[0])\n")
    environment = {**os.environ, "WEFT_CONFIG": "--cpus 2 --gpus 0"}
    running = subprocess.Popen([sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "ran\n"
    running.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, errors = running.communicate(timeout=60)
    assert running.returncode != 0 and "KeyboardInterrupt" in errors, errors
    assert time.monotonic() - start < 9, "500 bodies take 10 seconds"


def test_interrupt_at_exit_ends_the_wait_for_bodies(tmp_path):
    program = tmp_path / "prog.py"
    text = "import atexit\natexit.register(print, 'left')\n" + START + "x = np.zeros(3)\nfor _ in range(500): slow(x)\n"
    program.write_text(text)
    environment = {**os.environ, "WEFT_CONFIG": "--cpus 2 --gpus 0 --profile"}
    running = subprocess.Popen(
        [sys.executable, str(program)], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # The second body runs long after the calls.
    assert [running.stdout.readline() for _ in range(2)] == ["ran\n"] * 2
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGINT, (running.returncode, errors)
    assert "KeyboardInterrupt" in errors and "ignored" not in errors, errors
    # The interpreter ends as it does otherwise, most bodies never run, and the profile is complete.
    assert output.endswith("left\n") and output.count("ran\n") < 450, output
    told = subprocess.run([COMMAND, "stats", "weft_0.prof"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stderr


def test_program_ends_with_running_threads_and_bodies(tmp_path):
    done = run(
        """\
        def calling():
            x = np.zeros(1000)
            while True:
                increment(x)

        @weft.task
        def increment(x: InOut):
            x += 1

        for _ in range(3):
            threading.Thread(target=calling, daemon=True).start()
        time.sleep(0.3)
        print("end")
        """,
        folder=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_profile_contains_calling_lines(tmp_path):
    text = "x = np.zeros(200_000)\nfor _ in range(3):\n    slow(x)\nprint(x[0])\n"
    done = run(text, folder=tmp_path, flags="--cpus 2 --gpus 0 --profile")
    assert done.returncode == 0, done.stderr
    lines = (START + text).splitlines()
    called = lines.index("    slow(x)") + 1

    def stats(by):
        command = [COMMAND, "stats", "weft_0.prof", "--by", by, "--format", "csv"]
        shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert shown.returncode == 0, shown.stderr
        return shown.stdout

    by_line = [row for row in stats("line").splitlines() if f"prog.py:{called}" in row]
    assert len(by_line) == 1, stats("line")
    assert any("slow" in row for row in stats("kernel").splitlines()), stats("kernel")


@pytest.mark.parametrize("body", ["nested", "concurrent"])
def test_interrupt_ends_bodies_with_pending_requests(tmp_path, body):
    asks = {
        "nested": """\
            @weft.task(nested=True)
            def asks(x: InOut):
                part = np.asarray(x)
                os.write(1, b"ran\\n")
                for _ in range(100000):
                    part = part * 1.0001
                    float(part[0])
                    time.sleep(0.01)
            """,
        "concurrent": """\
            @weft.task(concurrent=True)
            def asks(x: InOut, tiles: Communicator):
                tiles.barrier()
                os.write(1, b"ran\\n")
                for _ in range(100000):
                    tiles.barrier()
                    time.sleep(0.01)
            """,
    }
    program = tmp_path / "prog.py"
    program.write_text(START + textwrap.dedent(asks[body]) + "x = np.zeros(100000)\nasks(x)\nprint(x[0])\n")
    environment = {**os.environ, "WEFT_CONFIG": "--cpus 2 --gpus 0"}
    running = subprocess.Popen([sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "ran\n"
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    # Their loops take more than a quarter of an hour.
    _, errors = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGINT and "KeyboardInterrupt" in errors, (running.returncode, errors)


def test_definition_ends_with_its_last_handle():
    kept = []

    def call():
        def body(x: InOut):
            x += 1

        task = weft.task(body)
        x = np.zeros(4)
        task(x)
        assert x[0] == 1.0
        kept.append(weakref.ref(body))

    for _ in range(5):
        call()
    weft.wait()
    for _ in range(50):
        gc.collect()
        if all(one() is None for one in kept[:-1]):
            break
        time.sleep(0.1)
    assert sum(one() is not None for one in kept) <= 1
