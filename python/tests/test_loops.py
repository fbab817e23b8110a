"""The loops that `weft stats` finds in profiles of programs whose loops are known."""

import json
import os
import re
import subprocess
import sys

import pytest
from profiled import COMMAND

# Each program: its text, the line of its loop's body (first, last), and the number of iterations; None if it has no loop, or if what was
# recorded does not show it.
PROGRAMS = {
    "plain": ("""\
import weft.numpy as np
x = np.zeros(1000)
for i in range(20):
    x = np.sqrt(x + 1)
print(x[0])
""", (4, 4), 20),
    "one_operation": ("""\
import weft.numpy as np
x = np.ones(500)
for i in range(17):
    x = x * 1.5
print(x[0])
""", (4, 4), 17),
    "in_place": ("""\
import weft.numpy as np
x = np.ones(5000)
for i in range(23):
    x += 1
    x *= 0.5
print(x[0])
""", (4, 5), 23),
    "same_operation_five_times": ("""\
import weft.numpy as np
x = np.ones(5000)
for i in range(12):
    x = x + 1 + 2 + 3 + 4 + 5
print(x[0])
""", (4, 4), 12),
    # A function of the package submits several operations, or one: it is one call.
    "begins_with_a_function": ("""\
import weft.numpy as np
u = np.ones(20000)
n = 0
for i in range(30):
    z = np.zeros(20000)
    z += u
    u = z * 0.5
    n += int(u[0] > 0)
print(n)
""", (5, 8), 30),
    "only_functions": ("""\
import weft.numpy as np
x = np.ones(20000)
for i in range(15):
    y = np.zeros(20000)
    z = np.concatenate([x, y])
    w = np.sort(z)
    t = float(np.sum(w))
print(t)
""", (4, 7), 15),
    "one_function": ("""\
import weft.numpy as np
x = np.arange(500.0)
for i in range(21):
    x = np.roll(x, 1)
print(x[0])
""", (4, 4), 21),
    "draws": ("""\
import weft.numpy as np
rng = np.random.default_rng(5)
for i in range(12):
    x = rng.random(20000)
    t = float(x.sum())
print(t)
""", (4, 5), 12),
    "percentiles": ("""\
import weft.numpy as np
data = np.random.default_rng(11).normal(10, 3, size=(4000, 12))
for c in range(12):
    col = data[:, c]
    med = np.nanmedian(col)
    col[np.isnan(col)] = med
    lo, hi = np.percentile(col, [1, 99])
    data[:, c] = np.clip(col, lo, hi)
print(float(data.sum()))
""", (5, 8), 12),
    "inner_functions": ("""\
import weft.numpy as np
u = np.ones((100, 100))
for outer in range(10):
    for inner in range(6):
        v = np.roll(u, 1, 0)
        u = u * 0.5 + 0.5 * v
    print(outer, float(u.sum()))
""", (5, 7), 10),
    "outer_around_inner": ("""\
import weft.numpy as np
u = np.ones((100, 100))
w = np.ones((100, 100))
for outer in range(12):
    w = w * 0.5 + u
    for inner in range(6):
        v = u[1:, :] + u[:-1, :]
        u[1:, :] = 0.25 * v + 0.5
    e = float((u * w).sum())
    print(outer, e)
""", (5, 9), 12),
    "no_loop": ("""\
import weft.numpy as np
a = np.ones(3000)
b = a + a + a + a + a + a + a
c = b * b * b * b * b
print((c + b).sum())
""", None, None),
    "no_loop_helper": ("""\
import weft.numpy as np
def f(x):
    y = x + 1
    return np.sqrt(y)
a = np.ones(3000)
a = f(a)
a = f(a)
a = f(a)
a = f(a); a = f(a)
a = f(f(f(a)))
print(a.sum())
""", None, None),
    "recursion": ("""\
import weft.numpy as np
def f(x, depth):
    return f(np.sqrt(x + 1), depth - 1) if depth else x
print(f(np.ones(3000), 25).sum())
""", None, None),
    "deep_recursion": ("""\
import weft.numpy as np
def f(x, depth):
    return f(np.sqrt(x + 1), depth - 1) if depth else x
print(f(np.ones(300), 150).sum())
""", None, None),
    "tests_every_ten_rounds": ("""\
import weft.numpy as np
x = np.zeros((60, 60))
y = np.ones((60, 60))
for i in range(60):
    x[1:-1, 1:-1] = 0.25 * (y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:])
    x, y = y, x
    if i % 10 == 0:
        r = np.abs(x - y).max()
        if r < 1e-12:
            break
print(x.sum())
""", (5, 9), 60),
    "tests_at_the_end_of_twenty": ("""\
import weft.numpy as np
x = np.ones(2000)
for i in range(300):
    x = x * 0.99 + 0.001
    if i % 20 == 19 and float(np.abs(x).max()) < 1e-9:
        break
print(x.sum())
""", (4, 5), 300),
    "warm_up": ("""\
import weft.numpy as np
def step(x):
    return np.sin(x) * 0.5 + 1
x = np.ones(20000)
for i in range(3):
    x = step(x)
x[0].item()
for i in range(40):
    x = step(x)
print(x[0])
""", (3, 3), 40),
    "function_called_in_loop": ("""\
import weft.numpy as np
def step(x, dt):
    k = -x * dt
    return x + k
def main():
    x = np.ones(4000)
    for i in range(31):
        x = step(x, 0.01)
    return x.sum()
print(main())
""", (3, 4), 31),
    "helper_twice": ("""\
import weft.numpy as np
def f(x):
    return np.sqrt(x + 1)
x = np.ones(4000)
for i in range(14):
    x = f(x)
    x = f(x)
print(x.sum())
""", (3, 3), 14),
    "helper_twice_on_a_line": ("""\
import weft.numpy as np
def f(x):
    return np.sqrt(x + 1)
x = np.ones(4000)
for i in range(13):
    x = f(f(x)) * 0.5
print(x.sum())
""", (3, 3), 13),
    "runge_kutta": ("""\
import weft.numpy as np
def f(y):
    return -2.0 * y + 1.0
y = np.ones(3000)
h = 0.01
for i in range(25):
    k1 = f(y)
    k2 = f(y + 0.5 * h * k1)
    k3 = f(y + 0.5 * h * k2)
    k4 = f(y + h * k3)
    y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
print(y.sum())
""", (7, 11), 25),
    "two_loops": ("""\
import weft.numpy as np
x = np.ones(200)
for i in range(8):
    x = x + 1
y = np.ones(300000)
for i in range(35):
    y = np.sin(y) + np.cos(y)
    y = y * 0.5
print(x.sum() + y.sum())
""", (7, 8), 35),
    "while_loop": ("""\
import weft.numpy as np
x = np.full(1000, 1024.0)
n = 0
while x.max() > 1.0:
    x = x * 0.5
    n += 1
print(n)
""", (4, 5), 10),
    "while_with_counter": ("""\
import weft.numpy as np
x = np.ones(1000)
i = 0
while i < 19:
    x = np.exp(-x)
    y = x + i
    i += 1
print(y.sum())
""", (5, 6), 19),
    "comprehension": ("""\
import weft.numpy as np
x = np.arange(1000.0)
sums = [(x * i).sum() for i in range(16)]
print(sum(float(s) for s in sums))
""", (3, 3), 16),
    "double_buffers": ("""\
import weft.numpy as np
n, steps = 100, 44
u, v = np.ones((n, n)), np.zeros((n, n))
u[40:60, 40:60] = 5
for t in range(steps):
    v[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                                           - 4 * u[1:-1, 1:-1])
    u, v = v, u
print(u.sum())
""", (6, 7), 44),
    "random_branch": ("""\
import random
import weft.numpy as np
random.seed(3)
x = np.ones(2000)
for i in range(50):
    x = x + 1
    if random.random() < 0.4:
        x = np.sqrt(x)
    else:
        x = x / 2
    x = x - 0.5
print(x.sum())
""", (6, 11), 50),
    "branches_alone": ("""\
import random
import weft.numpy as np
random.seed(3)
x = np.ones(2000)
for i in range(50):
    if random.random() < 0.4:
        x = np.sqrt(x)
    else:
        x = x / 2
print(x.sum())
""", None, None),
    "ends_early": ("""\
import weft.numpy as np
x = np.full(1000, 2.0 ** 11)
for i in range(100):
    x = x / 2
    if float(x.max()) <= 1.0:
        break
    x = x + 0
print(x.sum())
""", (4, 7), 11),
    "continue": ("""\
import weft.numpy as np
x = np.ones(1000)
for i in range(30):
    x = x + i
    if i % 3:
        continue
    x = x * 0.5
print(x.sum())
""", (4, 7), 30),
    "nested_with_outer_operations": ("""\
import weft.numpy as np
x = np.ones(2000)
b = np.ones(2000)
for t in range(6):
    b = b * 0.9
    for k in range(15):
        x = 0.5 * (x + b)
print(x.sum())
""", (5, 7), 6),
    "life": ("""\
import weft.numpy as np
g = (np.arange(2500).reshape(50, 50) % 7 < 3).astype(np.int32)
for generation in range(12):
    near = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    g = ((near == 3) | ((g == 1) & (near == 2))).astype(np.int32)
print(int(g.sum()))
""", (4, 5), 12),
    "nested_without_outer_operations": ("""\
import weft.numpy as np
x = np.ones(2000)
for t in range(5):
    for k in range(7):
        x = np.sqrt(x + k)
print(x.sum())
""", (5, 5), 35),
    "two_inner_loops": ("""\
import weft.numpy as np
x = np.ones(2000)
y = np.ones(200000)
for t in range(5):
    for k in range(4):
        x = x + 1
    for k in range(9):
        y = np.sin(y) * 0.5
print(x.sum() + y.sum())
""", (8, 8), 45),
    "tiny_arrays": ("""\
import weft.numpy as np
x = np.ones(3)
for i in range(200):
    x = x + 1
    y = x * 2
print(y.sum())
""", (4, 5), 200),
    "large_arrays": ("""\
import weft.numpy as np
x = np.ones(1500000)
for i in range(9):
    x = x * 0.5 + 1
print(x.sum())
""", (4, 4), 9),
    "fused_body": ("""\
import weft.numpy as np
x = np.ones(100000)
for i in range(24):
    x = np.sqrt(np.exp(-x) + 1.0)
    x = x * x - 0.25
print(x[0])
""", (4, 5), 24),
    "reads_each_round": ("""\
import weft.numpy as np
x = np.ones(10000)
for i in range(15):
    x = x * 0.9
    print(float(x.sum()))
""", (4, 5), 15),
    "rows": ("""\
import weft.numpy as np
a = np.ones((40, 300))
b = np.zeros((40, 300))
for i in range(40):
    b[i] = a[i] * 2 + 1
print(b.sum())
""", (5, 5), 40),
    "conjugate_gradients": ("""\
import weft.numpy as np
n = 200
a = np.eye(n) * 4 - np.eye(n, k=1) - np.eye(n, k=-1)
b = np.ones(n)
x = np.zeros(n)
r = b - a @ x
p = r
rs = r @ r
for i in range(18):
    ap = a @ p
    alpha = rs / (p @ ap)
    x = x + alpha * p
    r = r - alpha * ap
    new = r @ r
    p = r + (new / rs) * p
    rs = new
print(float(x.sum()))
""", (10, 15), 18),
    "roll": ("""\
import weft.numpy as np
u = np.ones((80, 80))
for t in range(21):
    u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
print(u.sum())
""", (4, 4), 21),
    "generator": ("""\
import weft.numpy as np
def states(x):
    for i in range(22):
        x = x * 0.5 + 1
        yield x
for x in states(np.ones(3000)):
    y = x + 1
print(y.sum())
""", (4, 4), 22),
    "method": ("""\
import weft.numpy as np
class Solver:
    def __init__(self):
        self.x = np.ones(3000)
    def step(self):
        self.x = self.x - 0.1 * self.gradient()
    def gradient(self):
        return 2 * self.x
solver = Solver()
for i in range(27):
    solver.step()
print(solver.x.sum())
""", (6, 6), 27),
    "inner_with_rare_outer_operations": ("""\
import weft.numpy as np
x = np.zeros(20000)
for epoch in range(6):
    for i in range(20):
        x = x * 0.5
        x = x + 1.0
    if epoch % 2 == 1:
        y = np.sqrt(x)
        print(float(y.sum()))
""", (5, 6), 120),
    "unrolled": ("""\
import weft.numpy as np
x = np.ones(3000)
for i in range(10):
    x = x + 1
    x = x + 1
    x = x + 1
    x = x + 1
print(x.sum())
""", (4, 7), 10),
    "two_iterations": ("""\
import weft.numpy as np
x = np.ones(3000)
for i in range(2):
    x = np.sqrt(x + 1)
print(x.sum())
""", None, None),
}
# Those that run for every change; all of them with WEFT_TEST_ALL set.
SHORT = [
    "plain", "same_operation_five_times", "no_loop_helper", "recursion", "tests_every_ten_rounds", "helper_twice_on_a_line", "while_loop",
    "random_branch", "nested_with_outer_operations", "roll", "inner_with_rare_outer_operations",
    "begins_with_a_function", "one_function", "percentiles", "outer_around_inner",
]
TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


@pytest.mark.parametrize("name", PROGRAMS if os.environ.get("WEFT_TEST_ALL") else SHORT)
def test_loops_have_lines_count_and_period(name, tmp_path):
    text, lines, count = PROGRAMS[name]
    (tmp_path / "program.py").write_text(text)
    run = [COMMAND, "run", "--profile", "--cpus", "2", "--", sys.executable, "program.py"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    stats = [COMMAND, "stats", "--format", "table", "weft_0.prof"]
    said = subprocess.run(stats, cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    found = re.search(r"the loop at \S*?program\.py:(\d+)(?:-(\d+))? has (\d+) iterations(.*)", said)
    if count is None:
        assert found is None, said
        steady = [COMMAND, "stats", "--between", "steady", "weft_0.prof"]
        assert b"no loop was found" in subprocess.run(steady, cwd=tmp_path, capture_output=True).stderr
        return
    assert found is not None, said
    first, last = int(found[1]), int(found[2] or found[1])
    assert int(found[3]) == count and lines[0] <= first <= last <= lines[1], said
    times = [float(time) * TIMES[unit] for time, unit in re.findall(r"([\d.]+) (ns|us|ms|s)\b", found[4])]
    assert times and min(times) > 0, said


# Each has an operation that needs nothing of the round before, so that it may run long before the others of its round.
AHEAD = {
    "array": "w = np.array([1.0, 2.0, i])",
    "arange": "w = np.arange(3.0) + i",
    "zeros": "w = np.zeros(3)\n    w[1] = 2.0",
}


@pytest.mark.parametrize("name", AHEAD)
def test_work_ahead_does_not_count_for_iterations(name, tmp_path):
    text = f"import weft.numpy as np\nx = np.ones((500, 500))\nfor i in range(20):\n    {AHEAD[name]}\n    x = np.sqrt(x @ x) * w[1]\nprint(float(x.sum()))\n"
    (tmp_path / "program.py").write_text(text)
    run = [COMMAND, "run", "--profile", "--cpus", "2", "--", sys.executable, "program.py"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)

    def products(*words):
        ask = [COMMAND, "stats", "--by", "operation", "--format", "json", *words, "weft_0.prof"]
        rows = json.loads(subprocess.run(ask, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
        (product,) = [row for row in rows if row["operation"] == "matmul"]
        return product["total_ns"], product["count"]

    # A part has all the work of its iterations, and parts that meet add up to the loop.
    whole, count = products()
    parts = [products("--between", f"iteration:{first}..{first + 4}") for first in (0, 5, 10, 15)]
    assert sum(time for time, _ in parts) == whole and {products for _, products in parts} == {count // 4}
    # The period that is printed is that of the products.
    stats = [COMMAND, "stats", "--format", "table", "weft_0.prof"]
    said = subprocess.run(stats, cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    times = [float(time) * TIMES[unit] for time, unit in re.findall(r"([\d.]+) (ns|us|ms|s)\b", said.split("iterations")[1])]
    assert max(times) > whole / 20 / 4, said
