"""Ctrl-C: operations that have not begun never run, arrays of the program stay correct, and a second Ctrl-C ends the process."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time

import pytest

COMMAND = os.environ.get("WEFT_COMMAND", "weft")

START = """
import os, sys, threading, time
import weft
import weft.numpy as np
from weft.tasks import *

def work(n=2000):
    x = np.ones((n, n))
    print("begun", flush=True)
    while True:
        x = np.sin(x) + np.cos(x)

"""

#: Operations of `work` that are under way when the interrupt comes take far longer than this, in seconds.
SOON = 40


class Program:
    """A running program, which has printed its first line."""

    def __init__(self, text, folder, flags="--cpus 2 --gpus 0", command=(), **environment):
        program = folder / "prog.py"
        program.write_text(START + textwrap.dedent(text))
        environment = {**os.environ, "WEFT_CONFIG": flags, "WEFT_PYTHON": sys.executable, **environment}
        command = [*command, str(program)] if command else [sys.executable, str(program)]
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "begun\n", self.process.communicate(timeout=30)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self):
        """The exit status, and the output."""
        try:
            output, errors = self.process.communicate(timeout=SOON)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, errors = self.process.communicate()
            pytest.fail(f"it continued: {output} {errors}")
        return self.process.returncode, output, errors


def test_interrupt_drops_operations_not_yet_started(tmp_path):
    program = Program("work()", tmp_path)
    time.sleep(1)
    program.interrupt()
    status, _, errors = program.end()
    assert status == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt"), errors


def test_interrupted_program_does_not_wait_for_dropped_operations(tmp_path):
    program = Program(
        """
        held = np.arange(1_000_000.0)
        for _ in range(3):
            held = held + 1
        try:
            work()
        except KeyboardInterrupt:
            print("caught", flush=True)
        weft.wait()
        print(float(held.sum()), float(np.ones((1000, 1000)).sum()), flush=True)
        """,
        tmp_path,
    )
    time.sleep(1)
    program.interrupt()
    status, output, errors = program.end()
    assert (status, output) == (0, f"caught\n{sum(range(1_000_000)) + 3e6} 1000000.0\n"), errors


def test_interrupt_keeps_arrays_held_by_the_program(tmp_path):
    program = Program(
        """
        x = np.zeros((500, 500))
        n = 0
        print("begun", flush=True)
        try:
            while True:
                y = x + 1
                x, n = y, n + 1
        except KeyboardInterrupt:
            pass
        print(bool((y == x).all()) or bool((y == x + 1).all()), float(x[3, 4]) in (n, n + 1), flush=True)
        """,
        tmp_path,
    )
    time.sleep(0.3)
    program.interrupt()
    status, output, errors = program.end()
    assert (status, output) == (0, "True True\n"), errors


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_dropped_operations_are_not_failures(tmp_path, cpus):
    program = Program(
        """
        def loop():
            a, t = np.zeros(2_000_000), np.ones(2_000_000)
            print("begun", flush=True)
            while True:
                t = np.sin(t) + 1
                a[...] = t
        try:
            loop()
        except KeyboardInterrupt:
            print("caught", flush=True)
        weft.wait()
        print(float(np.ones((1000, 1000)).sum()), flush=True)
        """,
        tmp_path,
        flags=f"--cpus {cpus} --gpus 0",
    )
    time.sleep(0.5)
    program.interrupt()
    status, output, errors = program.end()
    assert (status, output, errors) == (0, "caught\n1000000.0\n", "")


def test_profile_counts_dropped_operations(tmp_path):
    for number, ending in enumerate(["work()", "try:\n    work()\nexcept KeyboardInterrupt:\n    pass\n"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        program = Program(ending, folder, flags="--cpus 2 --gpus 0 --profile")
        time.sleep(1)
        program.interrupt()
        status, _, errors = program.end()
        assert status in (0, -signal.SIGINT), errors
        made = subprocess.run([COMMAND, "export", "sqlite", "weft_0.prof", "-o", "out.sqlite"], cwd=folder, capture_output=True, text=True, timeout=60)
        assert made.returncode == 0, made.stderr
        with sqlite3.connect(folder / "out.sqlite") as database:
            rows = dict(database.execute("SELECT name, value FROM WEFT_LOSS"))
        assert rows.get("operations_dropped", 0) > 10, rows


@pytest.mark.parametrize("command", [(), (COMMAND, "run"), (COMMAND, "run", "--profile")], ids=["python", "run", "profile"])
def test_second_interrupt_ends_the_process_immediately(tmp_path, command):
    # One operation that takes far longer than the test.
    program = Program(
        """
        x = np.ones((6000, 6000))
        weft.wait()
        print("begun", flush=True)
        y = np.linalg.svd(x)
        z = np.linalg.svd(x + 1)
        weft.wait()
        """,
        tmp_path,
        command=command,
    )
    time.sleep(0.5)
    for _ in range(4):
        program.interrupt()
        time.sleep(0.5)
        if program.process.poll() is not None:
            break
    status, _, errors = program.end()
    assert status in (-signal.SIGINT, 128 + signal.SIGINT), (status, errors)


def test_interrupt_during_exit_ends_the_wait(tmp_path):
    program = Program(
        """
        x = np.ones((3000, 3000))
        for _ in range(200):
            x = np.sin(x)
        print("begun", flush=True)
        """,
        tmp_path,
    )
    time.sleep(1)
    program.interrupt()
    status, _, _ = program.end()
    assert status == -signal.SIGINT


NESTED = """
@weft.task(nested=True)
def asks(x: InOut):
    part = np.asarray(x)
    os.write(1, b"begun\\n")
    for _ in range(1_000_000):
        part = part * 1.0001 + 1
        float(part[0])

x = np.zeros(100_000)
asks(x)
"""


@pytest.mark.parametrize("ending", ["raise ValueError('mine')", "x[0]"])
def test_nested_bodies_end_with_the_program(tmp_path, ending):
    for _ in range(8):
        program = Program(NESTED + ("time.sleep(0.2)\n" if ending != "x[0]" else "") + ending + "\n", tmp_path)
        if ending == "x[0]":
            time.sleep(0.2)
            program.interrupt()
        status, _, errors = program.end()
        wanted = (-signal.SIGINT, "KeyboardInterrupt") if ending == "x[0]" else (1, "ValueError: mine")
        assert status == wanted[0] and wanted[1] in errors, (status, errors)


@pytest.mark.parametrize(
    "call",
    ["x += 1", "np.add(x, 1, out=x)", "x[0] = 1", "x[1:] = 2", "x[[0, 1]] = 3", "x[x > 2] = 0", "x.sort()", "x.fill(2)", "np.copyto(x, 1)", "np.add.at(x, [0], 1)", "x.real[...] = 4"],
)
def test_interrupts_waits_for_calls_of_other_threads(tmp_path, call):
    program = Program(
        f"""
        import signal

        x = np.arange(10.0)
        held, end, sent = threading.Event(), threading.Event(), []

        def hold():
            with weft._core.Whole(x):
                held.set()
                end.wait({SOON})

        def interrupt():
            time.sleep(0.3)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=hold, daemon=True).start()
        held.wait()
        print("begun", flush=True)
        threading.Thread(target=interrupt, daemon=True).start()
        try:
            {call}
        except KeyboardInterrupt:
            print(time.monotonic() - sent[0] < 0.5, x.tolist() == list(range(10)), flush=True)
        end.set()
        """,
        tmp_path,
    )
    status, output, errors = program.end()
    assert (status, output) == (0, "True True\n"), errors


def test_interrupt_keeps_writes_to_borrowed_memory(tmp_path):
    program = Program(
        """
        import numpy

        host = [numpy.zeros(4_000_000) for _ in range(3)]
        busy = np.ones((3000, 3000))
        print("begun", flush=True)
        try:
            for round in range(1, 1_000_000):
                for one in host:
                    # The array is dropped at once, so that Weft cannot read it any more.
                    borrowed = np.from_dlpack(one)
                    borrowed += 1
                    del borrowed
                busy = np.sin(busy) + 1
        except KeyboardInterrupt:
            print("caught", flush=True)
        weft.wait()
        print(all(one.min() == one.max() for one in host), bool(host[0][0] >= round - 1), {round - 1, round} >= {one[0] for one in host}, flush=True)
        """,
        tmp_path,
    )
    time.sleep(2)
    program.interrupt()
    status, output, errors = program.end()
    assert (status, output, errors) == (0, "caught\nTrue True True\n", "")


HANDLED = """
import signal
class Alarm(Exception): pass
def handler(*_): raise Alarm
signal.signal(signal.SIGALRM, handler)
a = np.ones((900, 900)) / 900
calls = {
    "allclose": lambda m: np.allclose(m[0], m[1]),
    "array_equal": lambda m: np.array_equal(m[0], m[1]),
    "nonzero": lambda m: np.nonzero(m[0]),
    "mask": lambda m: m[0][m[0] > 3],
    "unravel_index": lambda m: np.unravel_index(m[0].astype(int) % 4, (2, 2)),
    "sum": lambda m: m[0].sum(),
    "unique": lambda m: np.unique(m[0]),
    "median": lambda m: np.median(m[0]),
}
print("begun", flush=True)
for name, call in calls.items():
    while True:
        m = a
        for _ in range(40):
            m = m @ a
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            call(m)
            # The alarm comes while the call waits, or here.
            while True:
                time.sleep(0.01)
        except Alarm:
            print(name)
            break
    float(m[0, 0])
"""


def test_exceptions_of_signal_handlers_reach_the_program(tmp_path):
    status, output, errors = Program(HANDLED, tmp_path).end()
    assert (status, errors) == (0, ""), errors
    assert output.split() == ["allclose", "array_equal", "nonzero", "mask", "unravel_index", "sum", "unique", "median"]
