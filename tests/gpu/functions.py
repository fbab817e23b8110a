"""Functions of weft.numpy on a GPU, compared with CuPy or in counted bytes: `functions.py [--seconds S] [--json FILE] [--count TRAFFIC] [NAME...]`.

Each row checks the result with NumPy and takes the least time of three rounds, in which the last results are kept until the GPU has ended: a
result that is dropped before may never be computed. Without CuPy there are Weft's times alone. The targets are a geometric mean of 1.2 and no row
below 0.8 (0.5 for unique, median and percentile).

`--count` is for emulated GPUs, whose times mean nothing: TRAFFIC is the file that WEFT_EMULATED_TRAFFIC names. For each row it prints the number of
launches and the bytes that kernels moved, divided by the least possible. A kernel moves each sector of 32 bytes once, as with ideal caches. `loads`
is the number of times that a kernel loads a byte, on average; more than 1 is left to caches.
"""

import argparse
import json
import math
import os
import pathlib
import sys
import time
import warnings

os.environ.setdefault("WEFT_CONFIG", "--gpus 1")
os.environ.setdefault("WEFT_FALLBACK", "error")
os.environ.setdefault("WEFT_HOST", "error")

import numpy  # noqa: E402
import weft  # noqa: E402
import weft.numpy  # noqa: E402

SECTOR = 32
#: Targets of rows other than 0.8 times CuPy's speed.
TARGETS = {"unique": 0.5, "median": 0.5, "percentile": 0.5}
MEAN_TARGET = 1.2
#: The limit of counted bytes divided by the least possible, and the rows that need more.
MOST_BYTES = 1.5
MORE_BYTES = {
    # The numbers are copied, so that other threads of the program cannot write them during the call.
    "bincount": 1.6,
    # The smallest and the largest number are found one after the other.
    "histogram": 1.6,
}

#: Each row: the call, its operands, and what is read apart from the result; `radix` stands for the passes of a radix sort.
ROWS = {
    "x + y": (lambda m, d: d.x + d.y, "x y"),
    "0.2 * (x + y + x * y)": (lambda m, d: 0.2 * (d.x + d.y + d.x * d.y), "x y"),
    "exp(sin(f)), float32": (lambda m, d: m.exp(m.sin(d.f)), "f"),
    "exp": (lambda m, d: m.exp(d.x), "x"),
    "log": (lambda m, d: m.log(d.y), "y"),
    "x ** 1.7": (lambda m, d: d.y**1.7, "y"),
    "where": (lambda m, d: m.where(d.x > 0.5, d.x, d.y), "x y"),
    "clip": (lambda m, d: m.clip(d.x, 0.2, 0.8), "x"),
    "astype(float32)": (lambda m, d: d.x.astype("f4"), "x"),
    "sum": (lambda m, d: d.x.sum(), "x"),
    "sum, float32": (lambda m, d: d.f.sum(), "f"),
    "A.sum(0)": (lambda m, d: d.A.sum(axis=0), "A"),
    "A.sum(1)": (lambda m, d: d.A.sum(axis=1), "A"),
    "A.mean(0)": (lambda m, d: d.A.mean(axis=0), "A"),
    "std": (lambda m, d: d.x.std(), "x x"),
    "max": (lambda m, d: d.x.max(), "x"),
    "argmax": (lambda m, d: d.x.argmax(), "x"),
    "A.argmax(1)": (lambda m, d: d.A.argmax(axis=1), "A"),
    "any(x > 2)": (lambda m, d: (d.x > 2).any(), "x"),
    "cumsum": (lambda m, d: m.cumsum(d.x), "x x"),
    "A.cumsum(0)": (lambda m, d: m.cumsum(d.A, axis=0), "A"),
    "sort": (lambda m, d: m.sort(d.s), "radix(s)"),
    "argsort": (lambda m, d: m.argsort(d.s), "radix(s) radix(s)"),
    "unique": (lambda m, d: m.unique(d.k), "radix(k) k"),
    "nonzero": (lambda m, d: m.nonzero(d.x > 0.5)[0], "x"),
    "x[x > 0.5]": (lambda m, d: d.x[d.x > 0.5], "x x"),
    "take": (lambda m, d: d.x[d.i], "i sectors(i)"),
    "dot": (lambda m, d: d.x.dot(d.y), "x y"),
    "A @ v": (lambda m, d: d.A @ d.v, "A v"),
    "A @ B": (lambda m, d: d.A @ d.B, None),
    "a @ b, float32": (lambda m, d: d.a @ d.b, None),
    "einsum ij,ij->i": (lambda m, d: m.einsum("ij,ij->i", d.A, d.B), "A B"),
    "copy of A.T": (lambda m, d: m.ascontiguousarray(d.A.T) + 0, "A"),
    "concatenate": (lambda m, d: m.concatenate([d.x, d.y]), "x y"),
    "B + roll(A)": (lambda m, d: d.B + m.roll(d.A, 7, axis=1), "A B"),
    "pad": (lambda m, d: m.pad(d.A, 1), "A"),
    "pad, reflect": (lambda m, d: m.pad(d.A, 1, mode="reflect"), "A"),
    "tril": (lambda m, d: m.tril(d.A), "A"),
    "diff": (lambda m, d: m.diff(d.x), "x"),
    "outer": (lambda m, d: m.outer(d.v, d.v), "v"),
    "histogram": (lambda m, d: m.histogram(d.x, bins=100)[0], "x x"),
    "bincount": (lambda m, d: m.bincount(d.k), "k k"),
    "searchsorted": (lambda m, d: m.searchsorted(m.sort(d.t), d.s), "s"),
    "convolve": (lambda m, d: m.convolve(d.s, d.t), "s"),
    "median": (lambda m, d: m.median(d.s), "radix(s)"),
    "percentile": (lambda m, d: m.percentile(d.s, 90), "radix(s)"),
    "fft, rows of complex": (lambda m, d: m.fft.fft(d.c, axis=1), None),
    "rfft, rows": (lambda m, d: m.fft.rfft(d.A, axis=1), None),
    "solve": (lambda m, d: m.linalg.solve(d.q, d.q[:, :8]), None),
    "cholesky": (lambda m, d: m.linalg.cholesky(d.q @ d.q.T), None),
    "norm": (lambda m, d: m.linalg.norm(d.x), "x"),
    "isnan": (lambda m, d: m.isnan(d.x), "x"),
    "x // y": (lambda m, d: d.x // d.y, "x y"),
    "maximum.accumulate": (lambda m, d: m.maximum.accumulate(d.x), "x x"),
    "random": (lambda m, d: m.random.random(d.x.size), ""),
    "normal": (lambda m, d: m.random.standard_normal(d.x.size), ""),
}


class Data:
    """Operands by name, of one library."""

    def __init__(self, arrays, convert):
        for name, array in arrays.items():
            setattr(self, name, convert(array))


def operands(count, side):
    """Vectors of `count` elements and matrices of `side` rows."""
    rng = numpy.random.default_rng(0)
    part = max(side // 4, 8)
    return {
        "x": rng.random(count), "y": rng.random(count) + 0.5, "f": rng.random(count).astype("f4"), "s": rng.random(count // 4),
        "i": rng.integers(0, count, count // 4), "k": rng.integers(0, 1000, count), "t": rng.random(64), "v": rng.random(side),
        "A": rng.random((side, side)), "B": rng.random((side, side)), "a": rng.random((side // 2, side // 2)).astype("f4"),
        "b": rng.random((side // 2, side // 2)).astype("f4"), "c": rng.random((side, part)) + 1j * rng.random((side, part)),
        "q": numpy.eye(part) * part + rng.random((part, part)),
    }  # fmt: skip


def least_bytes(parts, arrays, result):
    """The least bytes that a row moves: its operands and its result once, and the passes that its algorithm needs."""
    total = result.nbytes
    for part in parts.split():
        name = part.partition("(")[2].rstrip(")") or part
        array = arrays[name]
        if part.startswith("radix("):
            # A pass counts all digits. Then each byte of a key needs a pass that reads and writes all keys; the last one writes the result.
            total += array.nbytes * 2 * array.itemsize
        elif part.startswith("sectors("):
            total += numpy.unique(array // (SECTOR // 8)).size * SECTOR
        else:
            total += array.nbytes
    return total


def agrees(got, wanted):
    got, wanted = numpy.asarray(got), numpy.asarray(wanted)
    if got.shape != wanted.shape:
        return False
    close = 1e-4 if wanted.dtype == numpy.float32 else 1e-9
    return bool(numpy.allclose(got, wanted, rtol=close, atol=1e-6, equal_nan=True))


def least_time(call, wait, enough):
    """Seconds of a call: the least of three rounds of about `enough` seconds."""
    for _ in range(2):
        call()
        wait()
    start = time.perf_counter()
    call()
    wait()
    one = time.perf_counter() - start
    count = max(3, min(30, int(enough / max(one, 1e-6))))
    least = math.inf
    for _ in range(3):
        start = time.perf_counter()
        kept = [call() for _ in range(count)]
        wait()
        least = min(least, (time.perf_counter() - start) / count)
        del kept
    return least


def measured(name, data, cupy, enough):
    """A row: whether the result is right, and the times of rounds of about `enough` seconds, if not 0."""
    call = ROWS[name][0]
    row = {"name": name}
    try:
        start = time.perf_counter()
        result = call(weft.numpy, data["weft"])
        weft.wait()
        row["first_ms"] = (time.perf_counter() - start) * 1e3
        if name not in ("random", "normal"):
            row["agrees"] = agrees(result, call(numpy, data["numpy"]))
        if enough:
            row["weft_ms"] = least_time(lambda: call(weft.numpy, data["weft"]), weft.wait, enough) * 1e3
    except Exception as error:
        row["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    if cupy is not None:
        try:
            wait = cupy.cuda.Device().synchronize
            row["cupy_ms"] = least_time(lambda: call(cupy, data["cupy"]), wait, enough) * 1e3
        except Exception as error:
            row["cupy_error"] = type(error).__name__
    if "weft_ms" in row and "cupy_ms" in row:
        row["ratio"] = row["cupy_ms"] / row["weft_ms"]
    return row


def print_measured(row):
    def cell(key, form):
        return format(row[key], form) if key in row else "-"

    target = TARGETS.get(row["name"], 0.8)
    notes = [row[key] for key in ("error", "left_out") if key in row]
    if row.get("agrees") is False:
        notes.append("DIFFERS FROM NUMPY")
    if row.get("ratio", target) < target:
        notes.append(f"below {target}")
    cells = [cell("weft_ms", "10.3f"), cell("cupy_ms", "10.3f"), cell("ratio", "8.2f"), cell("first_ms", "10.1f")]
    print(f"{row['name']:24}" + "".join(f"{one:>11}" for one in cells) + "  " + "; ".join(notes), flush=True)


def counted(name, data, path):
    """A row: launches and bytes of one call on an emulated GPU, after a first one that compiles its kernels."""
    call, parts = ROWS[name]
    row = {"name": name}
    try:
        result = None
        for _ in range(2):
            weft.wait()
            before = path.stat().st_size
            result = call(weft.numpy, data["weft"])
            weft.wait()
        with path.open(encoding="utf-8") as file:
            file.seek(before)
            work = [json.loads(line) for line in file]
        kernels = [one for one in work if one["work"] != "copy"]
        row["launches"] = len(kernels)
        moved, accessed = (sum(one[a] + one[b] for one in kernels) for a, b in (("read", "written"), ("loaded", "stored")))
        row["moved"] = moved
        row["kernels"] = [f"{one['name'] or one['work']}: {one['read']} + {one['written']}" for one in kernels]
        if name not in ("random", "normal"):
            row["agrees"] = agrees(result, call(numpy, data["numpy"]))
        if parts is None or any(one["work"] == "library" for one in kernels):
            row["library"] = True
        else:
            row["least"] = least_bytes(parts, data["arrays"], numpy.asarray(result))
            row["ratio"] = moved / row["least"]
            row["loads"] = accessed / max(moved, 1)
    except Exception as error:
        row["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    return row


def print_counted(row):
    notes = [row[key] for key in ("error", "left_out") if key in row]
    if row.get("agrees") is False:
        notes.append("DIFFERS FROM NUMPY")
    if row.get("library"):
        notes.append("a library's kernels, not counted")
    if "ratio" in row and row["ratio"] > MOST_BYTES:
        is_listed = row["name"] in MORE_BYTES
        notes.append(f"more than {MOST_BYTES}" + (", as listed" if is_listed else ""))
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else "-"
    loads = f"{row['loads']:.2f}" if "loads" in row else "-"
    print(f"{row['name']:24}{row.get('launches', '-'):>9}{row.get('moved', '-'):>12}{ratio:>9}{loads:>8}  " + "; ".join(notes), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="rows whose names contain one of these (all)")
    parser.add_argument("--seconds", type=float, default=120, help="time in seconds after which no row is started (120)")
    parser.add_argument("--round", type=float, default=0.1, help="seconds of a round (0.1)")
    parser.add_argument("--elements", type=int, help="length of the vectors (16,777,216; with --count 65,536)")
    parser.add_argument("--once", action="store_true", help="calls each function once, for tools that make it slow")
    parser.add_argument("--json", type=pathlib.Path, help="writes the rows to this file")
    parser.add_argument("--count", type=pathlib.Path, metavar="TRAFFIC", help="counts bytes on an emulated GPU: the file of WEFT_EMULATED_TRAFFIC")
    parser.add_argument("--check", action="store_true", help="fails if a row is wrong or misses its target")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    cupy = None
    if args.count is None and not args.once:
        try:
            import cupy
        except ImportError:
            print("CuPy is missing: Weft's times alone")
    count = args.elements or (1 << 16 if args.count else 1 << 24)
    arrays = operands(count, math.isqrt(count))
    data = {"arrays": arrays, "numpy": Data(arrays, numpy.asarray), "weft": Data(arrays, weft.numpy.asarray)}
    if cupy is not None:
        data["cupy"] = Data(arrays, cupy.asarray)
    if args.count:
        print(f"{'function':24}{'launches':>9}{'bytes':>12}{'of least':>9}{'loads':>8}")
    else:
        print(f"{'function':24}{'Weft ms':>11}{'CuPy ms':>11}{'CuPy/Weft':>11}{'first ms':>11}")
    rows, start = [], time.monotonic()
    for name in ROWS:
        if args.name and not any(part in name for part in args.name):
            continue
        if time.monotonic() - start > args.seconds:
            row = {"name": name, "left_out": "no more time"}
        elif args.count:
            row = counted(name, data, args.count)
        else:
            row = measured(name, data, cupy, 0 if args.once else args.round)
        rows.append(row)
        (print_counted if args.count else print_measured)(row)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    wrong = [row["name"] for row in rows if row.get("agrees") is False or "error" in row]
    missed = [row["name"] for row in rows if "ratio" in row and is_missed(row, args.count is not None)]
    ratios = [row["ratio"] for row in rows if row.get("ratio")]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean {mean:.2f} of {len(ratios)}; {len(missed)} rows miss their target; {len(wrong)} are wrong")
    return 1 if args.check and (wrong or missed) else 0


def is_missed(row, is_counted):
    return row["ratio"] > MORE_BYTES.get(row["name"], MOST_BYTES) if is_counted else row["ratio"] < TARGETS.get(row["name"], 0.8)


if __name__ == "__main__":
    sys.exit(main())
