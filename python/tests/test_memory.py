"""A full memory: one message for each cause, none for errors that the program caught, and advice that suffices."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

#: Programs that need more than 64 MiB, and determine their need before they read.
PROGRAMS = {
    "kept": """
        kept = [np.ones(1 << 20) for _ in range(24)]
        print(float(sum(one[0] for one in kept)))
    """,
    "grown": """
        kept = [np.ones((k + 1) << 18) for k in range(14)]
        print(float(sum(one[-1] for one in kept)))
    """,
    "of one expression": """
        x = np.ones(1 << 21)
        y = np.concatenate([x, 2 * x, np.sqrt(x), x[::-1]])
        z = y.reshape(4, -1).T.copy()
        print(float(z[3, 2]))
    """,
}


def run(text, *, folder, flags):
    program = folder / "prog.py"
    program.write_text("import gc, sys\nimport weft\nimport weft.numpy as np\n" + textwrap.dedent(text))
    environment = {**os.environ, "WEFT_CONFIG": f"--cpus 2 --gpus 0 {flags}"}
    return subprocess.run([sys.executable, str(program)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", PROGRAMS)
def test_suggested_sysmem_suffices(tmp_path, name):
    done = run(PROGRAMS[name], folder=tmp_path, flags="--sysmem 64")
    assert done.returncode == 1 and "MemoryError" in done.stderr, (done.stdout, done.stderr)
    asked = re.findall(r"--sysmem (\d+)", done.stderr)
    assert len(set(asked)) == 1, done.stderr
    done = run(PROGRAMS[name], folder=tmp_path, flags=f"--sysmem {asked[0]}")
    assert done.returncode == 0, done.stderr


CAUGHT = """
kept = []
try:
    for _ in range(200):
        kept.append(np.ones(1 << 20))
    print(float(sum(one[0] for one in kept)))
except MemoryError:
    kept.clear()
print(float(np.ones(1000).sum()))
"""


def test_caught_errors_are_not_reported(tmp_path):
    done = run(CAUGHT, folder=tmp_path, flags="--sysmem 64")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1000.0\n", "")


#: The interpreter's end would free arrays while fills wait for memory, and the fills would succeed.
IMMORTAL = """
import ctypes
kept = [np.ones(1 << 20) for _ in range(200)]
ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
"""


def test_reports_a_cause_once_with_a_count(tmp_path):
    done = run(IMMORTAL, folder=tmp_path, flags="--sysmem 64")
    assert done.returncode == 1 and done.stderr.count("out of memory:") == 1, done.stderr
    assert re.search(r"and \d+ more operations failed for the same reason", done.stderr), done.stderr


SMALL = """
def held(x):
    return weft._core.pool_status()[0]["live"]

large = np.ones(400_000)
for _ in range(200):
    small = np.ones(100) * 2.0
    large = large[:100] + small
    large = np.concatenate([large] * 40)[:4000]
float(large[0])
del small
large = None
many = [np.ones(60) + k for k in range(3000)]
before = held(None)
print(before >= 3000 * 512, before < 64 << 20)
del many
print(held(None) < 1 << 20)
"""


def test_small_arrays_count_as_held_until_they_are_dropped(tmp_path):
    done = run(SMALL, folder=tmp_path, flags="--sysmem 64")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True True\nTrue\n", "")


FULL = """
import threading
from weft.tasks import InOut

event = threading.Event()

@weft.task()
def waits(x: InOut):
    event.wait()

x, kept = np.ones(10), []
count = 8_000_000
while count >= 8:
    count = min(count, weft._core.pool_status()[0]["free"] // 8)
    if count < 40:
        break
    kept.append(np.ones(count))
waits(x)
try:
    print(float(np.ones(50)[0]))
except MemoryError:
    print("MemoryError")
event.set()
kept.clear()
print(float(x[0]))
"""


def test_full_memory_does_not_wait_for_work_that_waits_for_the_program(tmp_path):
    done = run(FULL, folder=tmp_path, flags="--sysmem 64")
    assert (done.returncode, done.stdout.split()) == (0, ["MemoryError", "1.0"]), done.stderr
