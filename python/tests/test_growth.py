"""Arrays that are made and dropped leave nothing behind."""

import subprocess
import sys

import pytest

PROGRAM = """\
import gc
import weft.numpy as np
from weft import _core

def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024

def round_of(count):
    for i in range(count):
        MAKE
    _core.wait_all()
    gc.collect()

ROUNDS
"""

MAKES = {
    "small": "np.ones(10)",
    "arithmetic": "a = np.arange(100.0); b = (a + i) * 2",
    "views": "a = np.zeros((10, 10)); b = a[1:, ::2].T; b[0] = 1",
    "read": "a = np.full(3, i); float(a[1])",
    "large": "a = np.ones(40_000); b = a * a",
    "shapes": "a = np.zeros(4); a.shape = (2, 2)",
    "errors": "try:\n            np.ones(2) + np.ones(3)\n        except ValueError:\n            pass",
}


@pytest.mark.parametrize("name", MAKES)
def test_hundred_thousand_arrays_do_not_grow_memory(name):
    rounds = """
for _ in range(3):
    round_of(40_000)
before = resident()
for _ in range(4):
    round_of(40_000)
grown = resident() - before
live = sum(pool["live"] for pool in _core.pool_status())
print(grown, live)
"""
    text = PROGRAM.replace("MAKE", MAKES[name]).replace("ROUNDS", rounds)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    grown, live = map(int, done.stdout.split())
    # 80,000 rounds: less than 13 bytes of each may stay, which is less than any object.
    assert grown < 1 << 20, f"{grown} bytes more after 80,000 rounds"
    assert live == 0
