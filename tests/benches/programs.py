"""Ordinary NumPy programs of many fields, run by NumPy and by Weft in turn.

The programs in `programs/` are written as their authors would write them for NumPy. They are never tuned for Weft. Each is a function
`run(np, scale)` that returns named results; at scale 1 it takes NumPy about 0.2 to 1 s.

Each program has two processes, one for each library, which take turns round by round. So neither library's memory, threads or caches
serve the other, and load from other work meets both. The table shows the least wall time of all rounds but the first, and ratios of
NumPy's time to Weft's: 2 means that Weft takes half the time. The first round, which compiles kernels, has a column of its own.

Weft's results are compared with NumPy's in a further run that uses NumPy's random numbers (WEFT_RANDOM=numpy).
Needs the package of `PROFILE=python python/package.sh` on PYTHONPATH.
"""

import argparse
import functools
import importlib.util
import json
import math
import os
import pathlib
import pickle
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {path.stem: path for path in sorted((HERE / "programs").glob("*.py"))}
CORES = len(os.sched_getaffinity(0))
#: The largest difference from NumPy's values, relative to the largest magnitude of the array.
TOLERANCES = {"f8": 1e-9, "f4": 1e-4}

EXAMPLES = """examples:
  programs.py                              all programs, 5 rounds each
  programs.py heat ising --repeat 9        two programs, 9 rounds each
  programs.py --scale 0.1 --json out.json  a tenth of the work; all times to a file
  programs.py --page table.md              also write the table as Markdown
"""


def load(name):
    """Returns the module of a program."""
    spec = importlib.util.spec_from_file_location(f"program_{name}", PROGRAMS[name])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def host(results):
    """Returns the results as NumPy arrays by name."""
    return {name: numpy.asarray(value) for name, value in results.items()}


def difference(ours, theirs):
    """Returns a description of the first difference between results; `None` if all are equal within `TOLERANCES`.

    Integers, booleans, shapes, dtypes and the places of NaN and infinities must be equal.
    """
    if list(ours) != list(theirs):
        return f"results {list(ours)}; NumPy has {list(theirs)}"
    for name, other in theirs.items():
        one = ours[name]
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"{name}: {one.dtype}{one.shape}; NumPy has {other.dtype}{other.shape}"
        if one.dtype.kind in "biu":
            wrong = one != other
            if wrong.any():
                return f"{name}: {int(wrong.sum())} of {one.size} values differ"
            continue
        finite = numpy.isfinite(other)
        if not numpy.array_equal(one[~finite], other[~finite], equal_nan=True) or not numpy.isfinite(one[finite]).all():
            return f"{name}: NaN or infinite values differ"
        apart = numpy.abs(one[finite] - other[finite]).max(initial=0.0)
        largest = numpy.abs(other[finite]).max(initial=0.0)
        if apart > TOLERANCES[one.dtype.str[1:]] * largest:
            return f"{name}: differs by {apart / largest:.1e} of the largest magnitude"
    return None


def work(module):
    """Serves a process of one library: a line `run NAME SCALE` on standard input runs a program once and prints its times as JSON.

    A line `write PATH` writes the results of the last run, and the number of calls that NumPy computed for Weft since the first.
    """
    sys.path.pop(0)  # This folder; no program imports from it.
    if module == "numpy":
        np, finish, fallbacks = numpy, lambda: None, {}
    else:
        import weft
        import weft.numpy as np

        finish, fallbacks = weft.wait, np._fallback.counts
    results, loaded = None, functools.cache(load)
    for line in sys.stdin:
        command, argument, *rest = line.split()
        if command == "write":
            with open(argument, "wb") as file:
                pickle.dump((host(results), dict(fallbacks)), file)
            print("{}", flush=True)
            continue
        program, scale, results = loaded(argument), float(rest[0]), None
        wall, cpu = time.perf_counter(), time.process_time()
        results = program.run(np, scale)
        finish()
        print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]), flush=True)


class Worker:
    """A process that runs programs with one library."""

    def __init__(self, module, **environment):
        command = [sys.executable, "-W", "ignore", str(HERE / "programs.py"), "--worker", module]
        environment = {"WEFT_FALLBACK": "quiet", **os.environ, **environment}
        self.module, self.log = module, tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment
        )

    def _ask(self, line):
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.process.wait()
            self.log.seek(0)
            lines = self.log.read().strip().splitlines()
            raise RuntimeError(f"{self.module}: {lines[-1] if lines else f'status {self.process.returncode}'}")
        return json.loads(answer)

    def run(self, name, scale):
        """Runs the program once and returns seconds of wall time and of processor time."""
        return self._ask(f"run {name} {scale}")

    def results(self):
        """Returns the results of the last run, and the functions that NumPy computed for Weft."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results"
            self._ask(f"write {path}")
            with path.open("rb") as file:
                return pickle.load(file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def measure(name, scale, rounds, is_checked):
    """Returns the record of a program: times of all rounds, ratios, fallbacks, and the difference of results."""
    with Worker("numpy") as theirs, Worker("weft.numpy") as ours:
        times = {"numpy": [], "weft": []}
        for number in range(rounds + 1):
            pair = [("numpy", theirs), ("weft", ours)]
            for key, worker in pair if number % 2 else reversed(pair):
                times[key].append(worker.run(name, scale))
        _, fallbacks = ours.results()
        expected, _ = theirs.results()
    problem = None
    if is_checked:
        with Worker("weft.numpy", WEFT_RANDOM="numpy") as checked:
            checked.run(name, scale)
            problem = difference(checked.results()[0], expected)
    least = {key: [min(column) for column in zip(*rounds[1:])] for key, rounds in times.items()}
    return {
        "name": name, "scale": scale, "times": times, "numpy": least["numpy"], "weft": least["weft"],
        "wall": least["numpy"][0] / least["weft"][0], "cpu": least["numpy"][1] / least["weft"][1],
        "first": times["numpy"][0][0] / times["weft"][0][0], "fallbacks": fallbacks, "problem": problem,
    }  # fmt: skip


HEADER = "| program | NumPy s | Weft s | NumPy / Weft | processor | first round |\n|---|---|---|---|---|---|"


def row(one):
    """Returns the row of a program; ratios below 1 are bold."""
    cells = [f"**{one[key]:.2f}**" if one[key] < 1 else f"{one[key]:.2f}" for key in ("wall", "cpu", "first")]
    return f"| {one['name']} | {one['numpy'][0]:.3f} | {one['weft'][0]:.3f} | {' | '.join(cells)} |"


def summary(records):
    """Returns the lines below the table: means, the least ratios, fallbacks and differences."""
    lines = []
    for key, what in (("wall", "wall time"), ("cpu", "processor time")):
        ratios = [one[key] for one in records]
        least = min(records, key=lambda one: one[key])
        below = sum(ratio < 1 for ratio in ratios)
        lines.append(
            f"{what}: geometric mean {statistics.geometric_mean(ratios):.2f} of {len(ratios)} programs; "
            f"least {least[key]:.2f} ({least['name']}); {below} below 1"
        )
    for one in records:
        if one["fallbacks"]:
            lines.append(f"{one['name']}: NumPy computed {', '.join(sorted(one['fallbacks']))}")
        if one["problem"]:
            lines.append(f"{one['name']}: results differ: {one['problem']}")
    return lines


def page(records):
    """Returns the table as a Markdown page, with the field of each program."""
    fields = {one["name"]: load(one["name"]).__doc__.partition("\n")[0] for one in records}
    return "\n".join([
        "# Ordinary programs compared with NumPy", "",
        f"`python3 tests/benches/programs.py --page FILE` measures and writes this page. Last on {CORES} cores with NumPy {numpy.__version__}.", "",
        "Times are the least of several rounds. Ratios are NumPy's time divided by Weft's; *processor* is the ratio of processor times,",
        "*first round* that of the first wall times, in which Weft compiles kernels. The programs are not tuned for Weft.", "",
        HEADER, *map(row, records), "", *(f"- {line}" for line in summary(records)), "",
        "## Programs", "", *(f"- `{name}`: {text}" for name, text in fields.items()), "",
    ])  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs to run, all by default: {', '.join(PROGRAMS)}")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="timed rounds of each program (default: 5)")
    parser.add_argument("--scale", type=float, default=1.0, help="amount of work; 1 takes NumPy 0.2 to 1 s (default: 1)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all times to FILE")
    parser.add_argument("--page", type=pathlib.Path, metavar="FILE", help="write the table as Markdown to FILE")
    parser.add_argument("--no-check", action="store_true", help="do not compare results")
    parser.add_argument("--worker", metavar="MODULE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"unknown program: {', '.join(unknown)}; use {', '.join(PROGRAMS)}")
    if given.repeat < 1 or not (given.scale > 0 and math.isfinite(given.scale)):
        parser.error("--repeat takes a count of at least 1, --scale a positive number")
    if given.worker:
        work(given.worker)
        return
    records, failed = [], []
    print(HEADER, flush=True)
    for name in given.names or PROGRAMS:
        try:
            records.append(measure(name, given.scale, given.repeat, not given.no_check))
            print(row(records[-1]), flush=True)
        except RuntimeError as error:
            failed.append(name)
            print(f"| {name} | {error} | | | | |", flush=True)
    if records:
        print("\n".join(["", *summary(records)]))
        if given.json:
            given.json.write_text(json.dumps(records, indent=0))
        if given.page:
            given.page.write_text(page(records))
    failed += [one["name"] for one in records if one["problem"]]
    if failed:
        sys.exit(f"{len(failed)} programs failed or differ: {', '.join(failed)}")


if __name__ == "__main__":
    main()
