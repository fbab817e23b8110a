"""Runs third-party test suites with `weft.numpy`: run.py SUITE... (array-api, cupynumeric, numpy, npbench or all).

For each it prints the numbers of tests that pass in Weft, that pass because NumPy computed (a fallback), and that fail, next to the number
that NumPy passes. The suites are expected in ../shared/suites or in --suites FOLDER; missing ones are skipped. `weft` must be
importable: python/test.sh leaves a package in target/debug/python.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import npbench
from suites import HERE, NPBENCH_LEAST, SUITES, exceptions

REPOSITORY = HERE.parent.parent
#: A test without output for this long hangs outside of Python: the process is ended, and the run
#: continues without the test.
HANG_SECONDS = 180
GOOD = {"passed", "xpassed"}
IGNORED = {"skipped", "xfailed"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="+", choices=[*SUITES, "npbench", "all"])
    parser.add_argument("--part", choices=["fixed", "all"], default="all", help="a fixed sample, or all tests")
    parser.add_argument("--suites", type=pathlib.Path, default=REPOSITORY.parent / "shared" / "suites", help="folder of the suites")
    parser.add_argument("--json", type=pathlib.Path, help="writes each test's outcome to this file")
    parser.add_argument("--check", action="store_true", help="fails if fewer tests pass than required, or an unlisted one of array-api fails")
    parser.add_argument("--jobs", type=int, default=1, help="number of suites that run at the same time")
    parser.add_argument("--shards", type=int, default=1, help="number of processes that share the tests of a suite")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds after which a suite ends; tests that did not run are left out")
    parser.add_argument("--compare", metavar="FLAGS", help="lists the tests whose outcome differs with these flags of the runtime (WEFT_CONFIG)")
    parser.add_argument("--only", metavar="EXPRESSION", help="runs the tests that match, as `pytest -k`")
    parser.add_argument("--causes", action="store_true", help="prints the most frequent failures and fallbacks")
    parser.add_argument("--size", nargs="+", default=["S", "M"], help="sizes at which npbench's values are compared")
    parser.add_argument("--time", action="store_true", help="compare npbench's times with NumPy's instead")
    parser.add_argument("--seconds", type=float, default=60, help="the longest time that NumPy may take for a timed kernel")
    parser.add_argument("--cache", type=pathlib.Path, help="where NumPy's own results are kept (target/tmp/suites)")
    args = parser.parse_args()
    if "all" in args.suite:
        args.suite = [*SUITES, "npbench"]
    if args.cache is None:
        args.cache = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "tmp" / "suites"
    return args


def folder_of(suite, args):
    if suite.folder:
        # pytest names tests by the place that links lead to.
        return (args.suites / suite.folder).resolve()
    import numpy

    return pathlib.Path(numpy.__file__).resolve().parent.parent


def run_pytest(suite, module, part, only, args, flags=None):
    """The records of one run, by test. `flags` are those of the runtime, if not the environment's."""
    with concurrent.futures.ThreadPoolExecutor(args.shards) as pool:
        runs = [pool.submit(run_shard, suite, module, part, only, args, flags, f"{shard}/{args.shards}") for shard in range(args.shards)]
        return {test: record for run in runs for test, record in run.result().items()}


def run_shard(suite, module, part, only, args, flags, shard):
    """The records of one process of a run, by test."""
    folder = folder_of(suite, args)
    with tempfile.TemporaryDirectory() as scratch:
        records = pathlib.Path(scratch) / "records"
        records.touch()
        environment = dict(os.environ)
        path = [str(HERE), *(str((folder / one).resolve()) for one in suite.path), environment.get("PYTHONPATH", "")]
        environment.update(
            PYTHONPATH=os.pathsep.join(one for one in path if one),
            PYTHONDONTWRITEBYTECODE="1",
            HYPOTHESIS_STORAGE_DIRECTORY=str(pathlib.Path(scratch) / "hypothesis"),
            SUITE_RECORDS=str(records),
            SUITE_MODULE=module,
            SUITE_SAMPLE=str(suite.sample if part == "fixed" else 1),
            SUITE_SHARD=shard,
            WEFT_FALLBACK="quiet",
        )
        environment.update({name: value.format(module=module) for name, value in suite.environment})
        if flags is not None:
            environment["WEFT_CONFIG"] = flags
        end = time.monotonic() + args.limit
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "counting", "--disable-warnings", "--timeout", "60"]
        command += ["--rootdir", str(folder), "--tb", "short", "--no-summary", "--show-capture", "no", *suite.arguments, *(suite.fixed if part == "fixed" else ())]
        if only:
            command += ["-k", only]
        output = pathlib.Path(scratch) / "output"
        while True:
            with output.open("w") as file:
                process = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT)
                status = watched(process, records, end)
            if time.monotonic() > end or not mark_crash(records, status):
                break
        found = {}
        for line in records.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            found[record["test"]] = record
        found = {test: record for test, record in found.items() if record["outcome"] != "started"}
        if status not in (0, 1, 5) and not found and time.monotonic() <= end:
            sys.exit(f"{suite.name}: pytest failed with status {status}:\n{output.read_text()[-4000:]}")
    return found


def watched(process, records, end):
    """Waits for a process, and ends it when its tests make no progress, or at a time."""
    size, since = 0, time.monotonic()
    while True:
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            now = records.stat().st_size
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > HANG_SECONDS:
                process.kill()
            if time.monotonic() > end:
                process.kill()
        except KeyboardInterrupt:
            process.terminate()
            raise


def mark_crash(records, status):
    """Whether the process ended within a test, which is recorded as failed."""
    lines = records.read_text(encoding="utf-8").splitlines()
    last = json.loads(lines[-1]) if lines else {}
    if last.get("outcome") != "started":
        return False
    message = f"the process ended with status {status}"
    with records.open("a", encoding="utf-8") as file:
        record = {"test": last["test"], "outcome": "failed", "message": message, "arrays": True, "fallbacks": {}}
        file.write(json.dumps(record) + "\n")
    return True


def run_numpy(suite, part, args):
    """NumPy's own results, kept between runs because they do not change."""
    import numpy

    folder = folder_of(suite, args)
    state = hashlib.sha256(f"{numpy.__version__} {sys.version} {suite.arguments}".encode())
    if suite.folder:
        for file in sorted(folder.rglob("*.py")):
            state.update(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}".encode())
    for kept in dict.fromkeys(("all", part)):
        cache = args.cache / f"{suite.name}-{kept}-{state.hexdigest()[:16]}.json"
        if cache.exists():
            return set(json.loads(cache.read_text(encoding="utf-8")))
    records = run_pytest(suite, "numpy", part, None, args)
    passed = sorted(name for name, record in records.items() if record["outcome"] in GOOD)
    args.cache.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps(passed), encoding="utf-8")
    return set(passed)


def result(record):
    """The outcome of a test: weft, fallback, failed or ignored."""
    if record["outcome"] in IGNORED:
        return "ignored"
    if record["outcome"] not in GOOD:
        return "failed"
    return "fallback" if record["fallbacks"] else "weft"


def run_suite(name, args):
    """A row of the table, the records, and their problems."""
    suite = SUITES[name]
    if suite.folder and not folder_of(suite, args).is_dir():
        print(f"{name}: skipped: there is no folder {folder_of(suite, args)}", flush=True)
        return None
    start = time.monotonic()
    # NumPy passes its own tests, except those that it expects to fail.
    # A comparison needs no run of NumPy, and a limited one must not be kept.
    has_theirs = suite.folder is not None and args.compare is None and args.limit == float("inf")
    theirs = run_numpy(suite, args.part, args) if has_theirs else None
    records = run_pytest(suite, "weft.numpy", args.part, args.only, args)
    counted = {
        test: result(record)
        for test, record in records.items()
        if result(record) != "ignored" and (record["arrays"] or not suite.only_with_arrays)
    }
    theirs = set(counted) if theirs is None else theirs & set(counted)
    counts = collections.Counter(counted.values())
    share = sum(counted[test] == "weft" for test in theirs) / max(len(theirs), 1)
    row = [name, len(counted), len(theirs), counts["weft"], counts["fallback"], counts["failed"], f"{share:.1%}", f"{time.monotonic() - start:.0f}"]
    problems = []
    if args.compare is not None:
        problems += differing(name, counted, run_pytest(suite, "weft.numpy", args.part, args.only, args, args.compare), args.compare)
    if args.check and counts["weft"] < suite.least and args.part == "fixed":
        problems.append(f"{name}: {counts['weft']} tests pass without a fallback; {suite.least} must")
    if name == "array-api":
        problems += unlisted(counted, theirs)
    if args.causes:
        print_causes(name, records, theirs)
    for test, record in records.items():
        record["numpy"] = test in theirs
        record["result"] = counted.get(test, "ignored")
    return row, records, problems


def differing(name, counted, others, flags):
    """Tests that ran in both runs with different outcomes, and the number of tests that were compared."""
    others = {test: result(record) for test, record in others.items()}
    both = sorted(set(counted) & set(others))
    problems = [f"{name}: {test}: {counted[test]}; with {flags}: {others[test]}" for test in both if counted[test] != others[test]]
    print(f"{name}: {len(both)} tests compared with {flags}: {len(problems)} differ", flush=True)
    return problems if both else [f"{name}: no test ran both ways"]


def unlisted(counted, theirs):
    """Tests of array-api that fail and are not listed, and listed ones that pass."""
    known = exceptions()
    failed = {test for test, how in counted.items() if how != "weft"}
    problems = [f"array-api: {test} does not pass and is not a listed exception" for test in sorted(failed - set(known))]
    for test in sorted(set(known) & set(counted) - failed):
        print(f"array-api: {test} passes, though it is listed: {known[test]}")
    return problems


def print_causes(name, records, theirs):
    failures, fallbacks = collections.Counter(), collections.Counter()
    for test, record in records.items():
        if test not in theirs:
            continue
        if result(record) == "failed":
            place = test.split("::")[0].rsplit("/", 1)[-1]
            failures[place, (record["message"] or "").split("\n")[0][:150]] += 1
        elif result(record) == "fallback":
            fallbacks.update(set(record["fallbacks"]))
    print(f"\n{name}: what fails, of what NumPy passes")
    for (place, message), count in failures.most_common(80):
        print(f"{count:6} {place}: {message}")
    print(f"{name}: what falls back, by tests")
    for cause, count in fallbacks.most_common(40):
        print(f"{count:6} {cause}")


def table(rows):
    heads = ["suite", "tests", "NumPy passes", "Weft", "fallback", "failed", "Weft of NumPy's", "s"]
    rows = [heads, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(heads))]
    for row in rows:
        print("  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))))


def main():
    args = arguments()
    try:
        import weft.numpy  # noqa: F401
    except ImportError as error:
        sys.exit(f"weft cannot be imported ({error}): build it with python/test.sh, and put target/debug/python on PYTHONPATH")
    rows, records, problems = [], {}, []
    with concurrent.futures.ThreadPoolExecutor(max(args.jobs, 1)) as pool:
        pending = {}
        for name in dict.fromkeys(args.suite):
            how = (lambda name: npbench.run_suite(args, NPBENCH_LEAST)) if name == "npbench" else (lambda name: run_suite(name, args))
            pending[name] = pool.submit(how, name)
        for name, future in pending.items():
            made = future.result()
            if made is not None:
                rows.append(made[0])
                records[name] = made[1]
                problems += made[2]
    if args.json:
        args.json.write_text(json.dumps(records, indent=1), encoding="utf-8")
    if rows:
        print()
        table(rows)
    for problem in problems:
        print(problem)
    return 1 if (args.check or args.compare is not None) and problems else 0


if __name__ == "__main__":
    sys.exit(main())
