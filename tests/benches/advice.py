#!/usr/bin/env python3
"""Predicted and measured savings of pairs of programs before and after a known fix: the table of docs/advice.md.

    tests/benches/advice.py [--weft COMMAND] [--python PYTHON] [--runs 5] [--launcher mpirun] [--only PROGRAM]

Each side is recorded several times. The run of the least length stands for it, since other processes only make a run longer. The prediction is that
of `weft advise` on the recording before the fix, of the finding that the fix answers. Needs PYTHONPATH set to the package that python/package.sh
made; with --launcher, which starts the pairs of several ranks, to one that was made with FEATURES=weft-python/mpi.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAIRS = ROOT / "examples" / "advice"
# Workers leave a core to the program, except in examples about workers. A fix can be a flag.
ONE = ["--cpus", "1"]
RANKS = ["--ranks-per-node", "2", "--cpus", "1"]
# Program, rule that its fix addresses, flags before, flags after.
PROGRAMS = [
    ("threshold", "tiny-tasks", ONE, ONE),
    ("small_operations", "tiny-tasks", ONE, ONE),
    ("blocking", "blocking-value", ONE, ONE),
    ("run_ahead", "blocking-value", ONE, ONE),
    ("unfused", "blocking-value", ONE, ONE),
    ("elements", "element-loop", ONE, ONE),
    ("host", "slow-host", ONE, ONE),
    ("one_tile", "little-parallelism", ["--cpus", "2"], ["--cpus", "2", "--min-cpu-chunk", "8192"]),
    ("rolls", "copied-data", ONE, ONE),
    # Nothing is found, and the change gains nothing.
    ("steps", None, ONE, ONE),
    ("uneven", "skew", ["--cpus", "2"], ["--cpus", "2"]),
    ("skew", "collective-wait", RANKS, RANKS),
]
GOOD = [
    ("stencil.py", ["-n", "1000", "-i", "60"]),
    ("black_scholes.py", []),
    ("cg.py", ["-n", "60"]),
]


def record(args, folder, flags, program):
    """The advice on a new recording of a program."""
    launcher = ["--launcher", args.launcher] if "--ranks-per-node" in flags else []
    command = [args.weft, "run", "--profile", "--force", *flags, *launcher, "--", args.python, *program]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    profiles = sorted(path.name for path in pathlib.Path(folder).glob("weft_*.prof"))
    advise = [args.weft_advise or args.weft, "advise", "--format", "json", "--top", "20", *profiles]
    return json.loads(subprocess.run(advise, cwd=folder, check=True, capture_output=True).stdout)


def length(advice):
    return advice["replay"]["measured_ns"]


def shortest(args, folder, *sides):
    """The advice on the shortest of several runs of each side, which take turns."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        runs = [[record(args, own, *side) for side in sides] for _ in range(args.runs)]
    return [min(side, key=length) for side in zip(*runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default="weft", help="the command that records")
    parser.add_argument("--weft-advise", help="the command that gives the advice, if it differs")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--launcher", help="the launcher of ranks, such as mpirun; without it pairs of several ranks are left out")
    parser.add_argument("--only", help="the only pair to measure")
    args = parser.parse_args()
    for name in ("weft", "weft_advise"):
        path = getattr(args, name)
        if path and os.sep in path:
            setattr(args, name, str(pathlib.Path(path).resolve()))
    within = 0
    alone = [row for row in PROGRAMS if args.launcher or row[2] is not RANKS]
    programs = [row for row in alone if args.only in (None, row[0])]
    if not programs:
        names = ", ".join(row[0] for row in alone)
        parser.error(f"--only {args.only}: the pairs are {names}; with --launcher also those of several ranks")
    print("| program | rule | before | after | measured saving | predicted | off by | replay error |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, rule, first, second in programs:
            program = str(PAIRS / f"{name}.py")
            sides = (first, [program, "before"]), (second, [program, "after"])
            before, after = shortest(args, folder, *sides)
            saved = length(before) - length(after)
            found = [one for one in before["findings"] if one["rule"] == rule]
            predicted = sum(one["alone"]["saving_ns"] for one in found[:1])
            off = abs(predicted - saved) / saved if saved > 0 else float("inf")
            within += off <= 0.25
            row = [length(before), length(after), saved, predicted]
            cells = " | ".join(f"{nanos / 1e6:.1f} ms" for nanos in row)
            print(f"| {name} | {rule or 'none'} | {cells} | {off:.0%} | {before['replay']['error']:.1%} |", flush=True)
        print(f"\n{within} of {len(programs)} within 25 %.\n")
        for name, flags in GOOD if args.only is None else []:
            program = [str(ROOT / "examples" / "python" / name), *flags]
            (advice,) = shortest(args, folder, (ONE, program))
            rules = [one["rule"] for one in advice["findings"]]
            print(f"{name}: {', '.join(rules) or 'no finding'} ({length(advice) / 1e6:.1f} ms)", flush=True)


if __name__ == "__main__":
    main()
