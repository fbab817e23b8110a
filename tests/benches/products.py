"""Products of every shape, compared with NumPy and the bandwidth of memory: `python3 tests/benches/products.py [ROUNDS] [NAME...]`.

Each row is one product, computed in turn by Weft and by NumPy in one process: with one thread each for the least CPU time, and with one
thread per core for the least wall time. A row that reads far more than it computes also has the bytes of its operands over its wall time,
as a share of what all cores read at the same time, measured in the same run. With names only rows that contain one of them are measured.
Builds the package in release unless WEFT_PACKAGE names a folder that holds it; needs NumPy.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORES = len(os.sched_getaffinity(0))
#: Elements of the arrays that memory is measured with: far more than caches hold.
ELEMENTS = 32_000_000
#: Seconds for which a row is measured in each round.
SECONDS = 0.05

TALL = "A = r(1_000_000, 32); B = r(1_000_000, 8); v = r(1_000_000); w = r(32); S = r(32, 8)"
THIN = "A = r(4_000_000, 3); v = r(4_000_000); w = r(3); S = r(3, 3)"
WIDE = "S = r(8, 32); W = r(32, 500_000); T = r(500_000, 32); Q = r(32, 32)"
SQUARE = "A = r(4000, 4000); v = r(4000)"
MIDDLE = "A = r(1000, 1000); B = r(1000, 1000)"
SMALL = "A = r(10, 10); B = r(10, 10); C = r(64, 64); D = r(300, 300); v = r(300)"
STACK = "A = r(10_000, 4, 4); B = r(2_000, 16, 16); C = r(200, 64, 64); D = r(8, 400, 400); x = r(10_000, 4); y = r(10_000, 64)"
LONG = "x = r(10_000_000); y = r(10_000_000)"
CUBE = "A = r(200, 300, 40); B = r(300, 40, 50)"

#: The rows: arrays, dtype, products, and for those that memory limits, the operands that are read.
ROWS = [
    (TALL, "f8", [("v @ A", "A v"), ("v.dot(A)", "A v"), ("A.T @ v", "A v"), ("A @ w", "A"), ("A @ S", None), ("A.T @ B", None), ("A.T @ A", None),
                  ("A[::2] @ w", None), ("v[::2] @ A[::2]", None), ("A[:, ::2] @ w[::2]", None), ("v @ A[:, 3:11]", None),
                  ("np.tensordot(v, A, 1)", "A v"), ("np.einsum('ij,i->j', A, v)", "A v")]),
    (TALL, "f4", [("v @ A", "A v"), ("A @ w", "A"), ("A @ S", None), ("A.T @ B", None)]),
    (THIN, "f8", [("v @ A", "A v"), ("A @ w", "A"), ("A @ S", None), ("A.T @ A", None)]),
    (WIDE, "f8", [("S @ W", None), ("S @ T.T", None), ("Q @ W", None), ("W @ T", None), ("S[0] @ W", "W"), ("W @ T[:, 0]", None)]),
    (SQUARE, "f8", [("A @ v", "A"), ("v @ A", "A")]),
    (SQUARE, "f4", [("A @ v", "A"), ("v @ A", "A")]),
    (MIDDLE, "f8", [("A @ B", None), ("A @ A.T", None), ("A.T @ B.T", None), ("A[::2, ::2] @ B[::2, ::2]", None)]),
    (MIDDLE, "f4", [("A @ B", None)]),
    (MIDDLE, "c16", [("A @ B", None), ("A @ B[0]", None)]),
    (SMALL, "f8", [("A @ B", None), ("C @ C", None), ("D @ v", None), ("v @ D", None), ("D @ D", None)]),
    (STACK, "f8", [("A @ A", None), ("B @ B", None), ("C @ C", None), ("D @ D", None), ("A @ x[..., None]", None),
                   ("np.einsum('bij,bjk->bik', B, B)", None), ("np.einsum('bi,bi->b', y, y)", None)]),
    (LONG, "f8", [("x @ y", "x y"), ("x[::2] @ y[::2]", None), ("np.inner(x, y)", "x y"), ("np.einsum('i,i->', x, y)", "x y")]),
    (LONG, "f4", [("x @ y", "x y")]),
    (LONG, "c16", [("np.vdot(x, y)", "x y")]),
    (CUBE, "f8", [("np.tensordot(A, B, 2)", None), ("np.einsum('ijk,jkl->il', A, B)", None)]),
    ("x = r(3000); y = r(3000)", "f8", [("np.outer(x, y)", None), ("x[:, None] @ y[None, :]", None)]),
    ("A = r(200_000, 32); v = r(200_000); w = r(32)", "c16", [("v @ A", "A v"), ("A @ w", "A")]),
    ("A = r(200_000, 32); v = r(200_000); w = r(32); D = r(250, 250)", "i8", [("v @ A", None), ("A @ w", None), ("D @ D", None)]),
    ("A = r(200_000, 32); v = r(200_000); D = r(250, 250)", "i4", [("v @ A", None), ("D @ D", None)]),
    ("A = r(20_000, 32); v = r(20_000); D = r(150, 150)", "f2", [("v @ A", None), ("D @ D", None)]),
    ("D = r(250, 250)", "?", [("D @ D", None)]),
]
NAMES = {"f8": "f64", "f4": "f32", "f2": "f16", "c16": "c128", "c8": "c64", "i8": "i64", "i4": "i32", "?": "bool"}


def arrays(numpy, setup, dtype):
    """The arrays of a row, by name."""
    random = numpy.random.default_rng(7)

    def r(*shape):
        if dtype in ("i8", "i4", "?"):
            return random.integers(0, 2 if dtype == "?" else 9, shape).astype(dtype)
        made = random.random(shape, dtype="f4" if dtype in ("f4", "f2") else "f8").astype(dtype)
        return made + 1j * made[::-1] if dtype.startswith("c") else made

    names = {"r": r}
    exec(setup, names)  # noqa: S102
    return {name: value for name, value in names.items() if isinstance(value, numpy.ndarray)}


def titled(setup, dtype, product):
    """A product as the table shows it: with the shapes of its arrays."""
    shapes = dict(part.strip().split(" = ") for part in setup.split(";"))
    used = [name for name in shapes if name in product.replace("np.", "").replace("einsum", "")]
    sizes = [f"{name} {shapes[name][2:-1].replace(', ', ' x ')}" for name in used]
    return f"`{product}`, {', '.join(sizes)}, {NAMES[dtype]}"


class Memory:
    """The bytes a second that `threads` threads read."""

    def __init__(self, numpy, threads):
        self.threads, self.source = threads, numpy.ones(ELEMENTS)

    def read(self):
        step = ELEMENTS // self.threads
        parts = [self.source[at * step : (at + 1) * step] for at in range(self.threads)]
        workers = [threading.Thread(target=part.max) for part in parts]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return 8 * ELEMENTS / (time.perf_counter() - start)


def least(call, clock, seconds):
    """The least time of a call."""
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        start = clock()
        call()
        best = min(best, clock() - start)
        if time.perf_counter() > end:
            return best


def measured(threads, rounds, names):
    """The rows measured by this process: seconds of Weft and of NumPy, and the memory's bytes per second during them."""
    import numpy
    import weft.numpy

    clock, memory, found = (time.process_time if threads == 1 else time.perf_counter), Memory(numpy, threads), []
    for setup, dtype, products in ROWS:
        wanted = [(titled(setup, dtype, one), one, read) for one, read in products]
        wanted = [row for row in wanted if not names or any(name in row[0] for name in names)]
        if not wanted:
            continue
        host = arrays(numpy, setup, dtype)
        ours = {name: weft.numpy.asarray(value) for name, value in host.items()}
        for title, product, read in wanted:
            code = compile(product, product, "eval")

            def with_weft(code=code, ours=ours):
                made = eval(code, {"np": weft.numpy}, ours)
                # Reading an element waits for the product.
                return numpy.asarray(made[(-1,) * made.ndim] if getattr(made, "ndim", 0) else made)

            def with_numpy(code=code, host=host):
                return eval(code, {"np": numpy}, host)

            close = {"rtol": 1e-2 if dtype == "f2" else 1e-3 if dtype == "f4" else 1e-9}
            made = numpy.asarray(eval(code, {"np": weft.numpy}, ours))
            numpy.testing.assert_allclose(made, with_numpy(), **close)
            times = [[], []]
            speeds = []
            for _ in range(rounds):
                for call, into in ((with_weft, times[0]), (with_numpy, times[1])):
                    into.append(least(call, clock, SECONDS))
                if read:
                    speeds.append(memory.read())
            size = sum(host[name].nbytes for name in read.split()) if read else 0
            found.append({"title": title, "weft": min(times[0]), "numpy": min(times[1]), "bytes": size, "speed": max(speeds, default=0)})
            print(title, threads, *(f"{1e3 * min(one):.3f}" for one in times), file=sys.stderr, flush=True)
    return found


def child(threads, rounds, names, package):
    limits = {f"{name}_NUM_THREADS": str(threads) for name in ("OPENBLAS", "OMP", "MKL")}
    environment = {**os.environ, **limits, "PYTHONPATH": package, "WEFT_CONFIG": f"--cpus {threads}", "WEFT_FALLBACK": "error"}
    command = [sys.executable, __file__, "--measure", str(threads), str(rounds), *names]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    return json.loads(out.splitlines()[-1])


def packaged():
    """The folder that holds the package."""
    if "WEFT_PACKAGE" in os.environ:
        return os.environ["WEFT_PACKAGE"]
    command, environment = [ROOT / "python" / "package.sh"], dict(os.environ, PROFILE="python")
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


def main():
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measured(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])))
        return
    rounds, names, package = int(sys.argv[1]) if len(sys.argv) > 1 else 5, sys.argv[2:], packaged()
    cpu, wall = (child(threads, rounds, names, package) for threads in (1, CORES))
    print(f"| product | CPU: Weft | NumPy | NumPy / Weft | wall, {CORES} threads: Weft | NumPy | NumPy / Weft | of read bandwidth |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    for one, all_cores in zip(cpu, wall):
        cells = []
        for row in (one, all_cores):
            ratios.append(row["numpy"] / row["weft"])
            cells += [f"{1e3 * row['weft']:.3g} ms", f"{1e3 * row['numpy']:.3g} ms", f"{ratios[-1]:.2f}"]
        share = f"{all_cores['bytes'] / all_cores['weft'] / all_cores['speed']:.0%}" if all_cores["bytes"] else ""
        print(f"| {one['title']} | {' | '.join(cells)} | {share} |", flush=True)
    for name, of in (("CPU", ratios[::2]), ("wall", ratios[1::2])):
        print(f"{name}: geometric mean {statistics.geometric_mean(of):.2f}, least {min(of):.2f}, {sum(one < 0.9 for one in of)} of {len(of)} below 0.9")


if __name__ == "__main__":
    main()
