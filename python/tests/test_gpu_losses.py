"""Runs on two emulated GPUs after one has stopped: data that only it held is lost, and all other work continues."""

import emulated
import pytest

HEAD = """
import weft
import weft.numpy as np
from weft.tasks import InOut

@weft.task(cuda="__device__ void wrong(weft::Index<1> i, weft::InOut<double, 1> x) { x(i) = *(double *)8; }")
def wrong(x: InOut["f8"]):
    x += 1

def failure(array):
    try:
        return f"{array.sum().item()} was read"
    except RuntimeError as error:
        return str(error)

count = 4000
"""

STOPPED = """
first = {first}
other = 1 - first
with weft.annotate(gpus=range(other, other + 1)):
    kept = np.arange(float(count)) * 2
with weft.annotate(gpus=range(first, first + 1)):
    gone = np.arange(float(count)) + 1
    copied = np.arange(float(count)) + 3
with weft.annotate(gpus=range(other, other + 1)):
    assert (copied * 2).sum().item() == count * (count + 5)
spread = np.arange(float(count))
# Eight of its elements that are on the GPU that stops.
part = slice(0, 8) if first == 0 else slice(-8, None)
weft.wait()
with weft.annotate(gpus=range(first, first + 1)):
    broken = np.zeros(count)
    wrong(broken)
for array in (broken, gone, spread, gone * 2, spread[part] + kept[part]):
    text = failure(array)
    assert f"GPU {first} has stopped" in text and "lost with it" in text, text
# Work on the other GPU continues, and so does all work that names no GPU.
assert kept.sum().item() == count * (count - 1)
assert copied.sum().item() == sum(range(count)) + 3 * count
for n in range({rounds}):
    x = np.arange(float(count)) + n
    y = kept * (n % 7) + x
    assert y[-1].item() == (count - 1) * (n % 7 * 2 + 1) + n, n
    assert np.take(y, [5, 3]).tolist() == [5 * (n % 7 * 2 + 1) + n, 3 * (n % 7 * 2 + 1) + n], n
    if n % 50 == 0:
        assert x.sum().item() == sum(range(count)) + n * count
        assert np.fft.irfft(np.fft.rfft(x)).sum().round().item() == sum(range(count)) + n * count
        assert (np.ones((40, 40)) @ np.full((40, 40), 2.0)).sum().item() == 40 * 40 * 80
        assert np.sort(-x)[0].item() == -(count - 1) - n
with weft.annotate(gpus=range(first, first + 1)):
    assert f"GPU {first} has stopped" in failure(np.zeros(count) + 1)
print("done")
"""


@pytest.mark.parametrize("first, flags", [(0, ""), (1, ""), (0, "--cuda-graphs")])
def test_work_goes_on_without_a_stopped_gpu(tmp_path, first, flags):
    path = tmp_path / "prog.py"
    path.write_text(HEAD + STOPPED.replace("{first}", str(first)).replace("{rounds}", emulated.cases("1000", "40")))
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path, gpus=2, flags=flags), timeout=400)
    assert done.stdout == "done\n", done.stdout + done.stderr
    assert done.stderr.count("has stopped") <= 1, done.stderr


UNDER_WAY = """
for n in range(20):
    held = [np.arange(float(count)) + n for n in range(4)]
    with weft.annotate(gpus=range(1, 2)):
        own = [np.arange(float(count)) * n for n in range(4)]
    if n == 10:
        with weft.annotate(gpus=range(0, 1)):
            broken = np.zeros(count)
            wrong(broken)
    # The results are right, or they are lost: nothing in between.
    for k in range(4):
        with weft.annotate(gpus=range(1, 2)):
            assert (own[k] + 1).sum().item() == sum(range(count)) * k + count, (n, k)
        try:
            total = (held[k] * own[k] + held[k - 1]).sum().item()
        except RuntimeError as error:
            assert "GPU 0 has stopped" in str(error), error
            assert n == 10, n
            continue
        assert total == sum((i + k) * i * k + i + (k - 1) % 4 for i in range(count)), (n, k)
assert "GPU 0 has stopped" in failure(broken)
print("done")
"""


@pytest.mark.parametrize("seed", emulated.cases(range(20), range(2)))
def test_work_under_way_is_right_or_lost(tmp_path, seed):
    path = tmp_path / "prog.py"
    path.write_text(HEAD + UNDER_WAY)
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path, gpus=2, seed=seed), timeout=400)
    assert done.stdout == "done\n", done.stdout + done.stderr
