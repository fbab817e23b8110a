"""Every way in which a program on a GPU can end: its status, no signal of its own, and a profile of what ran. On emulated GPUs, whose
libraries end as NVIDIA's do: calls after that abort."""

import signal
import sqlite3
import subprocess
import sys

import emulated
import pytest

COMMAND = emulated.COMMAND

START = """
import os, signal, sys, threading, atexit
import weft
import weft.numpy as np
x = np.ones(1000)
for _ in range(5):
    x = np.sqrt(x + 1)
"""

#: The end of a program, its status, and the number of rounds that the profile must have.
ENDS = {
    "falls off the end": ("", 0, 5),
    "reads and ends": ("print(float(x[0]))", 0, 5),
    "finishes": ("weft.finish()", 0, 5),
    "sys.exit": ("float(x[0])\nsys.exit(0)", 0, 5),
    "sys.exit with a status": ("float(x[0])\nsys.exit(3)", 3, 5),
    "an exception": ("float(x[0])\nraise ValueError('mine')", 1, 5),
    "a function at exit that computes": ("atexit.register(lambda: print(float((x * 2)[0])))", 0, 5),
    "a thread that computes": ("threading.Thread(target=lambda: float((x + 3)[0])).start()", 0, 5),
    "SIGINT": ("float(x[0])\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass", -signal.SIGINT, 5),
    "SIGTERM": ("float(x[0])\nos.kill(os.getpid(), signal.SIGTERM)\nwhile True: pass", -signal.SIGTERM, 0),
    "os._exit": ("float(x[0])\nos._exit(0)", 0, 0),
    "a fork": ("float(x[0])\npid = os.fork()\nif pid == 0: sys.exit(0)\nassert os.waitpid(pid, 0)[1] == 0", 0, 5),
}


@pytest.mark.parametrize("end", ENDS)
def test_end_keeps_status_and_profile(tmp_path, end):
    text, status, rounds = ENDS[end]
    path = tmp_path / "prog.py"
    path.write_text(START + text + "\n")
    environment = emulated.environment(tmp_path)
    environment["WEFT_CONFIG"] += " --profile"
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    emulated.skip_without_compiler(done)
    assert done.returncode == status, (done.returncode, done.stderr)
    assert "has ended" not in done.stderr, done.stderr
    exported = subprocess.run(
        [COMMAND, "export", "sqlite", "weft_0.prof", "-o", "weft.sqlite"], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    database = sqlite3.connect(tmp_path / "weft.sqlite")
    (kernels,) = database.execute("SELECT count(*) FROM WEFT_KERNEL WHERE source <> 'host'").fetchone()
    (unlinked,) = database.execute("SELECT count(*) FROM WEFT_UNMATCHED").fetchone()
    assert unlinked == 0
    if rounds:
        assert exported.returncode == 0, exported.stderr
        assert kernels >= 1
        lost = database.execute("SELECT name, value FROM WEFT_LOSS WHERE severity <> 'note' AND value <> 0").fetchall()
        assert lost == []
    else:
        # The process ended before CUPTI delivered its records.
        assert exported.returncode == 3, exported.stderr
        (missing,) = database.execute("SELECT value FROM WEFT_LOSS WHERE name = 'gpu_work_not_delivered'").fetchone()
        assert missing >= 1
