"""The first finding of `weft advise` on ordinary programs: sensible, or none."""

import json
import subprocess
import sys

import pytest
from profiled import COMMAND

# Each program: its text, and for each rule that may come first the lines that it may name.
PROGRAMS = {
    "heat": ("""\
import weft.numpy as np
u = np.zeros((300, 300))
u[0, :] = 100.0
for step in range(100):
    new = u.copy()
    new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    u = new
print(float(u.mean()))
""", {"little-parallelism": {5, 6}}),
    "particles": ("""\
import weft.numpy as np
rng = np.random.default_rng(1)
n = 400
x = rng.random((n, 2))
v = np.zeros((n, 2))
m = np.ones(n)
for step in range(10):
    d = x[None, :, :] - x[:, None, :]
    r2 = (d * d).sum(axis=2) + 0.01
    f = (d * (m / r2 ** 1.5)[:, :, None]).sum(axis=1)
    v += 0.001 * f
    x += 0.001 * v
print(float((v * v).sum()))
""", {"little-parallelism": {8, 9, 10, 11, 12}}),
    "deblur": ("""\
import weft.numpy as np
n = 256
y, x = np.mgrid[0:n, 0:n]
image = ((x // 32 + y // 32) % 2).astype(float)
g = np.exp(-((x - n // 2) ** 2 + (y - n // 2) ** 2) / 8.0)
g = np.fft.ifftshift(g / g.sum())
H = np.fft.fft2(g)
blurred = np.real(np.fft.ifft2(np.fft.fft2(image) * H))
estimate = blurred.copy()
for i in range(8):
    ratio = blurred / np.maximum(np.real(np.fft.ifft2(np.fft.fft2(estimate) * H)), 1e-9)
    estimate = estimate * np.real(np.fft.ifft2(np.fft.fft2(ratio) * np.conj(H)))
print(float(np.abs(estimate - image).mean()))
""", {"little-parallelism": {5, 6, 7, 8, 9, 11, 12}}),
    "life": ("""\
import weft.numpy as np
rng = np.random.default_rng(2)
g = (rng.random((200, 200)) < 0.3).astype(np.int32)
for generation in range(30):
    n = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    g = ((n == 3) | ((g == 1) & (n == 2))).astype(np.int32)
print(int(g.sum()))
""", {"copied-data": {5}, "little-parallelism": {5, 6}}),
    "neighbours": ("""\
import weft.numpy as np
rng = np.random.default_rng(3)
train = rng.random((800, 8))
labels = (train.sum(axis=1) > 4).astype(int)
test = rng.random((200, 8))
d = ((test[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
nearest = np.argsort(d, axis=1)[:, :5]
votes = labels[nearest].mean(axis=1) > 0.5
print(float((votes == (test.sum(axis=1) > 4)).mean()))
""", {"little-parallelism": {3, 4, 5, 6, 7}}),
    "rolls": ("""\
import weft.numpy as np
n = 300
u = np.zeros((n, n))
u[n // 2, n // 2] = 1.0
v = u.copy()
c = 0.2
for step in range(60):
    lap = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
    new = 2 * u - v + c * lap
    v, u = u, new
print(float((u * u).sum()))
""", {"copied-data": {8}, "little-parallelism": {8, 9}}),
    "clean": ("""\
import weft.numpy as np
rng = np.random.default_rng(4)
data = rng.normal(size=(20000, 8))
data[rng.random(data.shape) < 0.05] = np.nan
data[rng.random(data.shape) < 0.01] = 50.0
median = np.nanmedian(data, axis=0)
low, high = np.nanpercentile(data, [1, 99], axis=0)
data = np.where(np.isnan(data), median, data)
data = np.clip(data, low, high)
mean, std = np.nanmean(data, axis=0), np.nanstd(data, axis=0)
z = (data - mean) / std
good = np.all(np.abs(z) < 3, axis=1)
print(int(good.sum()), float(z[good].mean()))
""", {"little-parallelism": {3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}),
    "monte_carlo": ("""\
import weft.numpy as np
rng = np.random.default_rng(5)
n, steps = 50000, 20
s0, k, r, sigma, t = 100.0, 105.0, 0.03, 0.2, 1.0
dt = t / steps
a = np.full(n, np.log(s0))
b = np.full(n, np.log(s0))
for i in range(steps):
    z = rng.standard_normal(n)
    a += (r - 0.5 * sigma ** 2) * dt + sigma * np.sqrt(dt) * z
    b += (r - 0.5 * sigma ** 2) * dt - sigma * np.sqrt(dt) * z
payoff = 0.5 * (np.maximum(np.exp(a) - k, 0) + np.maximum(np.exp(b) - k, 0))
price = np.exp(-r * t) * payoff.mean()
error = np.exp(-r * t) * payoff.std() / np.sqrt(n)
print(float(price), float(error))
""", {"little-parallelism": {9, 10, 11, 12}}),
    "logistic": ("""\
import weft.numpy as np
rng = np.random.default_rng(6)
n, d, batch = 4000, 20, 200
X = rng.standard_normal((n, d))
true = rng.standard_normal(d)
y = (X @ true + 0.1 * rng.standard_normal(n) > 0).astype(float)
w = np.zeros(d)
for epoch in range(4):
    order = rng.permutation(n)
    for start in range(0, n, batch):
        index = order[start:start + batch]
        xb, yb = X[index], y[index]
        p = 1 / (1 + np.exp(-(xb @ w)))
        w -= 0.5 * xb.T @ (p - yb) / batch
    p = 1 / (1 + np.exp(-(X @ w)))
    loss = -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))
    print(epoch, float(loss))
""", {"tiny-tasks": {12}, "little-parallelism": {12, 13, 14, 15, 16}}),
    # Each round needs the weights and the bias of the one before it.
    "bias": ("""\
import weft.numpy as np
X = np.sin(np.arange(200000.0)).reshape(2000, 100)
y = X[:, 0] * 2.0
w = np.zeros(100)
b = 0.0
for i in range(200):
    g = X @ w + b - y
    w -= 0.001 * (X.T @ g)
    b -= 0.1 * g.mean()
print(float(w.sum()), b)
""", {"blocking-value": {9}, "little-parallelism": {7, 8}}),
    "bias_in_an_array": ("""\
import weft.numpy as np
X = np.sin(np.arange(200000.0)).reshape(2000, 100)
y = X[:, 0] * 2.0
w = np.zeros(100)
b = np.zeros(1)
for i in range(200):
    g = X @ w + b - y
    w -= 0.001 * (X.T @ g)
    b -= 0.1 * g.mean(keepdims=True)
print(float(w.sum()), float(b[0]))
""", {"little-parallelism": {7, 8}}),
}
# Whatever a program does, other processes may take the cores away from the thread of the program and from the runtime.
BUSY = {"slow-host", "runtime-bound"}
# They may also delay single tasks of one recording.
RECORDINGS = 8


def first_finding(folder, logdir):
    """The first finding of a recording made now, if there is one."""
    run = [COMMAND, "run", "--profile", "--logdir", logdir, "--cpus", "2", "--", sys.executable, "program.py"]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    advise = [COMMAND, "advise", "--format", "json", "--top", "1", f"{logdir}/weft_0.prof"]
    advice = json.loads(subprocess.run(advise, cwd=folder, check=True, capture_output=True).stdout)
    return next(iter(advice["findings"]), None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_finding_of_an_ordinary_program_is_plausible(name, tmp_path):
    text, sensible = PROGRAMS[name]
    (tmp_path / "program.py").write_text(text)
    wrong = []
    for number in range(RECORDINGS):
        finding = first_finding(tmp_path, f"recording{number}")
        if finding is None or finding["rule"] in BUSY:
            return
        lines = {line["line"] for line in finding["lines"]}
        if finding["rule"] in sensible and lines <= sensible[finding["rule"]]:
            return
        wrong.append((finding["rule"], lines))
    raise AssertionError(wrong)


def test_numpy_results_are_copied_on_the_calling_line(tmp_path):
    program = """\
import weft.numpy as np
rng = np.random.default_rng(3)
x = np.zeros(100000)
for i in range(40):
    noise = rng.standard_normal(100000)
    x += noise
print(float(x.sum()))
"""
    (tmp_path / "program.py").write_text(program)
    found = []
    for number in range(RECORDINGS):
        logdir = f"recording{number}"
        run = [COMMAND, "run", "--profile", "--numpy-random", "--logdir", logdir, "--cpus", "2", "--", sys.executable, "program.py"]
        subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
        advise = [COMMAND, "advise", "--format", "json", "--top", "9", f"{logdir}/weft_0.prof"]
        advice = json.loads(subprocess.run(advise, cwd=tmp_path, check=True, capture_output=True).stdout)
        found.append({line["line"] for finding in advice["findings"] if finding["rule"] == "slow-host" for line in finding["lines"]})
        if found[-1] <= {5}:
            return
    raise AssertionError(found)
