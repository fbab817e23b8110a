"""Calls of the driver that small tasks on a GPU take, counted by the emulator."""

import collections

import emulated
import pytest

PROGRAM = """
import os, sys
import weft
import weft.numpy as np

x, y, m, large = np.ones(100), np.ones(100), np.ones((10, 10)), np.ones(70_000)
BODIES = {
    "dot": lambda: x.dot(y),
    "sum of four operations": lambda: (((x * 0.5) + 1.0) * 0.25).sum(),
    "sum of blocks": lambda: large.sum(),
    "along an axis": lambda: m.max(0),
    "largest index": lambda: x.argmax(),
    "copy": lambda: y.__setitem__(slice(1, None), y[:-1]),
}
for name, body in BODIES.items():
    for _ in range(50):
        body()
    weft.wait()
    for _ in range(4):
        start = os.path.getsize(os.environ["WEFT_EMULATED_CALLS"])
        for _ in range(100):
            body()
        weft.wait()
        print(name, start, os.path.getsize(os.environ["WEFT_EMULATED_CALLS"]), sep=":")
"""

#: Calls whose number depends on time: the dispatcher polls events while work runs.
POLLS = {"cuEventQuery"}


def calls(folder, flags):
    """The number of calls of each of the driver's functions for one iteration, by body.

    Of several rounds the one with the fewest calls counts: if other work delays the program, its tasks come one by one.
    """
    log = folder / "calls"
    program = folder / "prog.py"
    program.write_text(PROGRAM)
    variables = emulated.environment(folder, flags=flags) | {"WEFT_EMULATED_CALLS": str(log)}
    output = emulated.run(program, folder, variables)
    text, rounds = log.read_text(), collections.defaultdict(list)
    for line in output.splitlines():
        name, start, end = line.split(":")
        counts = collections.Counter(text[int(start) : int(end)].split())
        rounds[name].append({call: count / 100 for call, count in counts.items() if call not in POLLS})
    return {name: min(counts, key=lambda one: sum(one.values())) for name, counts in rounds.items()}


@pytest.mark.skipif(emulated.IS_REAL, reason="counts calls of the emulated driver")
@pytest.mark.parametrize(("flags", "launches"), [("", 1), ("--cuda-graphs", 0)])
def test_small_tasks_take_one_launch_and_little_else(tmp_path, flags, launches):
    for name, counts in calls(tmp_path, flags).items():
        kernels = counts.pop("cuLaunchKernel", 0)
        # The first iterations after a wait are launched one by one: the loop is not known as one yet.
        assert launches <= kernels <= launches + 0.4, (name, kernels)
        # Events mark the end of many tasks, and graphs hold many.
        assert sum(counts.values()) <= 0.4, (name, counts)
        blocking = [call for call in counts if "Synchronize" in call or "Alloc" in call or "Memcpy" in call]
        assert sum(counts[call] for call in blocking) <= 0.02, (name, counts)
