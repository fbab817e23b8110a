"""Failures of operations on GPUs affect their outputs and the values computed from them, as on CPUs. On emulated GPUs."""

import subprocess
import sys
import textwrap

import emulated
import pytest

#: Each case fails one operation; `failed` is what it wrote, or was computed from that.
CASES = {
    "take": "failed = np.take(a, wrong)",
    "take_then_more": "failed = np.take(a, wrong) * 2 + 1",
    "index": "failed = a[-wrong]",
    "write": "failed = np.zeros(4000)\nfailed[wrong] = 1.0",
    "sum": "failed = np.take(a, wrong).sum()",
    "host": "failed = np.fft.rfft(np.take(a, wrong)).real",
    "exponent": "failed = np.arange(4000) ** -np.arange(4000)",
    "chain": "failed = chain(np.take(a, wrong))",
    "chain_to_host": "failed = np.fft.rfft(chain(np.take(a, wrong))).real",
    "transform": "failed = np.fft.irfft(np.fft.rfft(np.take(a, wrong)))",
}

PROGRAM = """
import time
import weft.numpy as np

def chain(x):
    # Some operations are issued before the first has failed, some after it has and before the next one has.
    for n in range(20):
        x = np.cumsum(x) / 2
        time.sleep(n % 4 * 0.0005)
    return x


a = np.arange(4000.0)
wrong = np.arange(4000) * 2
before = a + 1
kept = []
{case}
for n in range({rounds}):
    x = a * (n % 7) + before
    kept.append(x.sum())
    after = x[np.array([3, 0])]
    kept.append(after[0])
    kept = kept[-4:]
try:
    print(np.asarray(failed).reshape(-1)[0].item())
except (IndexError, ValueError) as error:
    print("raised", "out of bounds" in str(error) or "negative integer powers" in str(error))
print(before[:2].tolist(), a[-2:].tolist())
print([float(number) for number in kept])
print((before + np.fft.irfft(np.fft.rfft(a))).sum().round().item())
"""


@pytest.mark.parametrize("gpus", [0, 1, 2])
@pytest.mark.parametrize("case", CASES)
def test_only_dependent_reads_fail(tmp_path, case, gpus):
    rounds = 300 if case == "take" else 8
    path = tmp_path / "prog.py"
    path.write_text(PROGRAM.replace("{case}", CASES[case]).replace("{rounds}", str(rounds)))
    environment = emulated.environment(tmp_path, gpus)
    if "host" in case:
        environment["WEFT_CUFFT"] = "/nowhere/libcufft.so"
    printed = emulated.run(path, tmp_path, environment)
    total = sum(range(4000))
    expected = [value for n in (rounds - 2, rounds - 1) for value in ((n % 7 + 1.0) * total + 4000.0, 3.0 * (n % 7) + 4.0)]
    assert printed.splitlines() == [
        "raised True",
        "[1.0, 2.0] [3998.0, 3999.0]",
        str(expected),
        str(2.0 * total + 4000.0),
    ]


def test_unreported_failure_gives_status_1(tmp_path):
    path = tmp_path / "prog.py"
    text = """
        import weft.numpy as np
        a = np.arange(4000.0)
        lost = np.take(a, np.arange(4000) * 2)
        print(float((a + 1).sum()))
        """
    path.write_text(textwrap.dedent(text))
    run = [sys.executable, str(path)]
    done = subprocess.run(run, cwd=tmp_path, env=emulated.environment(tmp_path), capture_output=True, text=True, timeout=200)
    emulated.skip_without_compiler(done)
    assert done.stdout == "8002000.0\n"
    assert done.returncode == 1 and "out of bounds" in done.stderr, done.stderr


FAILING_TASK = """
import weft
import weft.numpy as np
from weft.tasks import InOut

@weft.task(cuda="__device__ void wrong(weft::Index<1> i, weft::InOut<double, 1> x) { x(i) = nothing; }")
def wrong(x: InOut["f8"]):
    x += 1

failed = 0
for n in range(40):
    a = np.array([float(n)] * 4000)
    b = a + 0
    wrong(b)
    try:
        b[0].item()
    except Exception as error:
        failed += "nothing" in str(error)
    # The inputs of the failed task are as correct as before, and so is all later work.
    assert (a + n).sum().item() == 8000.0 * n, n
print("failed", failed)
"""


@pytest.mark.parametrize("flags", ["", "--cuda-graphs"])
def test_uncompilable_task_fails_alone(tmp_path, flags):
    path = tmp_path / "prog.py"
    path.write_text(FAILING_TASK)
    assert emulated.run(path, tmp_path, emulated.environment(tmp_path, flags=flags)) == "failed 40\n"
