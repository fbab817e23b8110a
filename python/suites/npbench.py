"""npbench's kernels with Weft in the place of NumPy: values, and times compared with NumPy's.

As a program, npbench.py FOLDER KERNEL SIZE MODULE REPEATS OUT runs one kernel once for its values, or REPEATS times for its time, and writes them to OUT.
"""

import copy
import json
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import time

import numpy

import swap

#: Loops over single elements, to which an array runtime adds its cost each time.
ELEMENT_LOOPS = {"nussinov", "cholesky", "ludcmp", "trmm", "durbin", "trisolv"}
SIZES = ("S", "M", "L", "paper")


def information(folder, kernel):
    return json.loads((folder / "bench_info" / f"{kernel}.json").read_text(encoding="utf-8"))["benchmark"]


def kernels(folder):
    return sorted(path.stem for path in (folder / "bench_info").glob("*.json"))


def inputs(folder, info, size):
    """The values of a kernel's arguments by name."""
    values = dict(info["parameters"][size])
    init = info["init"]
    module = swap.load(info["module_name"], folder / info["relative_path"] / f"{info['module_name']}.py", "numpy")
    made = getattr(module, init["func_name"])(*(values[name] for name in init["input_args"]))
    names = init["output_args"]
    values.update(zip(names, made if len(names) > 1 else (made,)))
    return values


def taken(value, module):
    """An argument as the module under test takes it."""
    return module.array(value) if isinstance(value, numpy.ndarray) else copy.copy(value)


def host(value):
    if value is None:
        return []
    return [numpy.asarray(one) for one in (value if isinstance(value, (tuple, list)) else [value])]


def run(folder, kernel, size, name, repeats):
    """The results of a kernel, including its arguments, with the shortest time and the fallbacks."""
    module = numpy
    finish = lambda: None  # noqa: E731
    if name != "numpy":
        import weft
        import weft.numpy as module

        finish = weft.wait
    info = information(folder, kernel)
    values = inputs(folder, info, size)
    path = folder / info["relative_path"] / f"{info['module_name']}_numpy.py"
    function = getattr(swap.load(f"{kernel}_kernel", path, name), info["func_name"])
    times, best = [], math.inf
    while True:
        # Kernels write to their arguments: each run has its own.
        given = [taken(values[one], module) for one in info["input_args"]]
        finish()
        start = time.perf_counter()
        made = function(*given)
        finish()
        times.append(time.perf_counter() - start)
        best = min(best, times[-1])
        if len(times) >= repeats or sum(times) > 20:
            break
    fallbacks = dict(module._fallback.counts) if name != "numpy" else {}
    written = [one for one, argument in zip(given, info["input_args"]) if argument in info["array_args"]]
    return [host(made), [numpy.asarray(one) for one in written]], best, fallbacks


def started(folder, kernel, size, module, repeats, limit):
    """The results of a kernel run in its own process, or the reason why it failed."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out"
        command = [sys.executable, __file__, str(folder), kernel, size, module, str(repeats), str(out)]
        environment = dict(os.environ, WEFT_FALLBACK="quiet", PYTHONDONTWRITEBYTECODE="1")
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None, f"took more than {limit:.0f} s"
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            return None, lines[-1] if lines else f"ended with status {done.returncode}"
        with out.open("rb") as file:
            return pickle.load(file), None


def difference(ours, theirs):
    """A description of the difference; `None` if values are equal up to rounding."""
    for what, left, right in zip(("results", "arguments"), ours, theirs):
        if len(left) != len(right):
            return f"{len(left)} {what} where NumPy has {len(right)}"
        for one, other in zip(left, right):
            if one.shape != other.shape:
                return f"{what} of shape {one.shape} where NumPy's have {other.shape}"
            if one.dtype != other.dtype:
                return f"{what} of {one.dtype} where NumPy's are {other.dtype}"
            if one.dtype.kind in "biu":
                same = numpy.array_equal(one, other)
            else:
                # npbench's measure: the norm of the difference relative to the norm of the whole.
                single = one.dtype.itemsize // (2 if one.dtype.kind == "c" else 1) < 8
                finite = numpy.isfinite(other)
                apart = numpy.linalg.norm(numpy.where(finite, one - other, 0).ravel())
                length = numpy.linalg.norm(other[finite])
                same = numpy.array_equal(one[~finite], other[~finite], equal_nan=True) and apart <= (1e-4 if single else 1e-6) * length
            if not same:
                return f"{what} differ"
    return None


def validate(folder, args):
    """Compares values; a record for each kernel and size."""
    records = {}
    for kernel in kernels(folder):
        for size in args.size:
            record = {"outcome": "passed", "message": None, "fallbacks": {}}
            theirs, problem = started(folder, kernel, size, "numpy", 1, 300)
            if problem is None:
                ours, problem = started(folder, kernel, size, "weft.numpy", 1, 600)
                if problem is None:
                    problem = difference(ours["values"], theirs["values"])
                    record["fallbacks"] = ours["fallbacks"]
                    record["seconds"], record["numpy_seconds"] = ours["seconds"], theirs["seconds"]
            if problem:
                record.update(outcome="failed", message=problem)
                print(f"npbench: {kernel} at size {size}: {problem}", flush=True)
            elif record["fallbacks"]:
                print(f"npbench: {kernel} at size {size}: NumPy computed {', '.join(sorted(record['fallbacks']))}", flush=True)
            records[f"{kernel}-{size}"] = record
    return records


def largest(folder, kernel, seconds):
    """The size at which NumPy takes longest, but no longer than `seconds`."""
    found = None
    for size in SIZES:
        theirs, problem = started(folder, kernel, size, "numpy", 1, 2 * seconds + 60)
        if problem is None and theirs["seconds"] <= seconds and (found is None or theirs["seconds"] > found[1]):
            found = size, theirs["seconds"]
    return found


def compare_times(folder, args):
    """Prints times at the largest size for each kernel, and the geometric mean of their ratios."""
    records = {}
    print(f"{'kernel':26} {'size':6} {'NumPy s':>9} {'Weft s':>9} {'NumPy/Weft':>11}")
    for kernel in kernels(folder):
        found = largest(folder, kernel, args.seconds)
        if found is None:
            print(f"{kernel:26} no size takes NumPy at most {args.seconds:.0f} s", flush=True)
            continue
        size, least = found
        repeats = 5 if least < 1 else 3 if least < 5 else 1
        theirs, problem = started(folder, kernel, size, "numpy", repeats, 600)
        ours, own_problem = started(folder, kernel, size, "weft.numpy", repeats, 900)
        if problem or own_problem:
            print(f"{kernel:26} {size:6} {problem or own_problem}", flush=True)
            records[kernel] = {"outcome": "failed", "message": problem or own_problem, "fallbacks": {}}
            continue
        ratio = theirs["seconds"] / ours["seconds"]
        print(f"{kernel:26} {size:6} {theirs['seconds']:9.3f} {ours['seconds']:9.3f} {ratio:11.2f}", flush=True)
        records[kernel] = {
            "outcome": "passed", "message": None, "fallbacks": ours["fallbacks"], "size": size, "ratio": ratio,
            "seconds": ours["seconds"], "numpy_seconds": theirs["seconds"],
        }  # fmt: skip
    for name, group in (("all", records), ("without loops over elements", set(records) - ELEMENT_LOOPS)):
        ratios = [records[kernel]["ratio"] for kernel in group if "ratio" in records[kernel]]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"geometric mean, {name}: {mean:.2f} of {len(ratios)} kernels; least {min(ratios):.2f}")
    return records


def run_suite(args, least):
    """A row of the table, the records, and their problems."""
    folder = args.suites / "npbench"
    if not folder.is_dir():
        print(f"npbench: skipped: there is no folder {folder}", flush=True)
        return None
    start = time.monotonic()
    records = compare_times(folder, args) if args.time else validate(folder, args)
    failed = sum(record["outcome"] == "failed" for record in records.values())
    fallback = sum(record["outcome"] == "passed" and bool(record["fallbacks"]) for record in records.values())
    passed = len(records) - failed - fallback
    problems = [f"npbench: {passed} kernels have NumPy's values without a fallback; {least} must"] if args.check and passed < least else []
    share = f"{passed / max(len(records), 1):.1%}"
    return ["npbench", len(records), len(records), passed, fallback, failed, share, f"{time.monotonic() - start:.0f}"], records, problems


def main():
    folder, kernel, size, module, repeats, out = sys.argv[1:]
    values, seconds, fallbacks = run(pathlib.Path(folder), kernel, size, module, int(repeats))
    with open(out, "wb") as file:
        pickle.dump({"values": values, "seconds": seconds, "fallbacks": fallbacks}, file)


if __name__ == "__main__":
    main()
