#!/usr/bin/env python3
"""`weft stats --by range` compared with nsys's own projection of ranges, on the same generated databases, in one run.

usage: nsys_stats.py [--nsys NSYS] [--limit SECONDS] [--kernels N] [--ranges N] [--big]

Generates databases with ../shared/tools/gen_nsys_sqlite.py (1,000,000 kernels, 200,000 ranges; three shapes), runs the
release binary, a bare read of the needed columns (SQLite sums them in its own process) and `nsys stats` on each, compares
every row, and prints seconds of the whole process and its peak memory. nsys 2022.4 takes time that grows with the square
of the ranges: after --limit seconds it is stopped, and the rows are compared on a small database instead. --nsys
names another one. --big also runs ten times the kernels and ranges, without nsys.
"""
import argparse
import csv
import itertools
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT.parent / "shared/tools/gen_nsys_sqlite.py"
SHAPES = [(8, 4), (1, 20), (1, 2)]
# Columns of both, in nsys's order: name, projected start and duration, start, duration, style, process, thread,
# operations, level, children, id, parent, stack. 2022.4 compares times in 32 bits and so loses parents.
ALL = range(14)
WITHOUT_PARENTS = [*range(9), 11]


# The columns that the projection of ranges needs.
WORK = "start end correlationId globalPid"
READ = {
    "NVTX_EVENTS": "rowid start end eventType globalTid endGlobalTid domainId textId length(text)",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end globalTid correlationId",
    "CUPTI_ACTIVITY_KIND_KERNEL": WORK,
    "CUPTI_ACTIVITY_KIND_MEMCPY": WORK,
    "CUPTI_ACTIVITY_KIND_MEMSET": WORK,
}


def build():
    """The release binary."""
    subprocess.run(["cargo", "build", "--release", "-q", "--bin", "weft"], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/weft"


def bare_read(database):
    """Reads each column of every row once, in SQLite alone. `total` adds floats, which never overflow."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    for table in tables & READ.keys():
        sums = ", ".join(f"total({column})" for column in READ[table].split())
        connection.execute(f"SELECT {sums} FROM {table}").fetchone()


def timed(command, out=os.devnull, limit=None):
    """Seconds and peak MB of a process and its children; the seconds are None if it was stopped."""
    start = time.monotonic()
    with open(out, "wb") as to:
        process = subprocess.Popen([str(word) for word in command], stdout=to, stderr=subprocess.PIPE,
                                   start_new_session=True)
        if limit is not None:
            signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
            signal.alarm(int(limit))
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if process.returncode == -signal.SIGKILL and limit is not None:
        return None, usage.ru_maxrss / 1024
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed: {error.decode(errors='replace')}")
    return seconds, usage.ru_maxrss / 1024


def best(weft, database, out, times=5):
    """The fastest of a few alternating runs of both commands, and the peak memory of the first."""
    bare = [sys.executable, __file__, "--bare-read", database]
    runs = [(timed(weft, out), timed(bare)) for _ in range(times)]
    fastest = [min(run[side][0] for run in runs) for side in range(2)]
    return *fastest, max(run[0][1] for run in runs)


def projection(nsys):
    """The command of nsys's projection, which was renamed."""
    reports = subprocess.run([nsys, "stats", "--help-reports"], capture_output=True, text=True).stdout
    new = "nvtx_gpu_proj_trace" in reports
    words = [nsys, "stats", "-q", "--report", "nvtx_gpu_proj_trace" if new else "nvtxgpuproj", "--format", "csv"]
    return lambda path: [*words, "--output", "-", path], ALL if new else WITHOUT_PARENTS


def compare(ours, theirs, columns):
    """The number of rows, equal in all these columns."""
    def rows(path):
        with open(path, newline="") as file:
            lines = csv.reader(line for line in file if line.strip())
            next(lines)
            for row in lines:
                # 2023.4 adds a row without a range for what was started in none; 2022.4 writes None for nothing.
                if row[11]:
                    yield [("" if row[column] == "None" else row[column]) for column in columns]
    count = 0
    for our, their in itertools.zip_longest(rows(ours), rows(theirs)):
        if our is None or their is None:
            sys.exit(f"row {count}: only one has it: {our} {their}")
        if our != their:
            sys.exit(f"row {count} differs:\n  weft {our}\n  nsys {their}")
        count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nsys", default="nsys")
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--ranges", type=int, default=200_000)
    parser.add_argument("--big", action="store_true")
    parser.add_argument("--bare-read", type=Path, metavar="DATABASE", help="only read the columns of a database")
    args = parser.parse_args()
    if args.bare_read:
        bare_read(args.bare_read)
        return
    if not GENERATOR.exists() or shutil.which(args.nsys) is None:
        print(f"nsys_stats: needs {GENERATOR} and {args.nsys}. Nothing was measured.")
        return
    weft = build()
    command, columns = projection(args.nsys)
    print(f"{args.kernels:,} kernels, {args.ranges:,} ranges; seconds of the whole process (best of 5), peak MB")
    print(f"{'shape':24} {'weft':>8} {'MB':>6} {'bare read':>10} {'weft/bare':>10} {'nsys':>8} {'MB':>6} "
          f"{'nsys/weft':>10}  rows")
    with tempfile.TemporaryDirectory() as folder:
        database, ours, theirs = (Path(folder) / name for name in ("t.sqlite", "ours.csv", "theirs.csv"))

        def ours_of(path):
            return [weft, "stats", "--by", "range", "--format", "csv", path]

        def generate(scale, threads, depth):
            words = [scale * args.kernels, scale * args.ranges, threads, depth]
            subprocess.run([sys.executable, GENERATOR, database, *map(str, map(int, words))], check=True,
                           stdout=subprocess.DEVNULL)

        for threads, depth in SHAPES:
            generate(1, threads, depth)
            seconds, least, memory = best(ours_of(database), database, ours)
            other, their_memory = timed(command(database), theirs, args.limit)
            if other is None:
                shown, ratio = f">{args.limit}", f">{args.limit / seconds:.0f}x"
                generate(0.01, threads, depth)
                timed(ours_of(database), ours)
                timed(command(database), theirs)
            else:
                shown, ratio = f"{other:.2f}", f"{other / seconds:.1f}x"
            equal = compare(ours, theirs, columns)
            print(f"{f'{threads} threads, depth {depth}':24} {seconds:8.2f} {memory:6.0f} {least:10.2f} "
                  f"{seconds / least:9.2f}x {shown:>8} {their_memory:6.0f} {ratio:>10}  {equal:,} equal", flush=True)
        for threads, depth in SHAPES if args.big else []:
            generate(10, threads, depth)
            seconds, least, memory = best(ours_of(database), database, ours, times=2)
            print(f"{f'10x: {threads} threads, depth {depth}':24} {seconds:8.2f} {memory:6.0f} {least:10.2f} "
                  f"{seconds / least:9.2f}x", flush=True)


if __name__ == "__main__":
    main()
