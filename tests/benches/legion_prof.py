"""Weft compared with the real legion_prof on one large profile: `python3 tests/benches/legion_prof.py [--all] [--keep FILE]`.

The profile consists of repeated copies of the real ones in ../shared/data/legate, 190 MB in all: ids, events and times of
each copy are moved so that they stay unique. Its version number is that of legion_prof 0.2603.0, whose layouts are the
same. Prints times, peak memory (of the process, by the kernel) and their ratios; with --all also for the conversions,
which take legion_prof minutes and 7 GB. Needs NumPy, zstd, and `cargo install legion_prof --version 0.2603.0`.
"""

import argparse
import csv
import importlib.util
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL = ["black_scholes", "cg", "stencil"]
SIZE = 190_000_000
NONE = 2**64 - 1
EVENTS = {
    "creator", "critical", "fevent", "result", "precondition", "pre0", "pre1", "pre2", "pre3", "wait_event", "inst_uid",
    "src_inst", "dst_inst", "previous", "next", "inst_event",
}
SPACES = {
    "unique_id", "ispace_id", "point0", "union_space", "piece_space", "index_expr", "copy_expr", "fill_expr", "src_expr",
    "dst_expr", "parent_id",
}
# Records that a file has once, in every run.
ONCE = {
    "MachineDesc", "ZeroTime", "CalibrationErr", "MaxDimDesc", "RuntimeConfig", "OpDesc", "ProcDesc", "MemDesc", "ProcMDesc",
    "MapperName", "MapperCallDesc", "RuntimeCallDesc", "MetaDesc", "TaskKind", "TaskVariant",
}


class Profile:
    """A profile's bytes, and where in them the numbers are that must differ between copies."""

    def __init__(self, data):
        import numpy

        end = data.index(b"\n\n")
        self.preamble = data[: end + 2]
        kinds = {}
        for line in data[:end].decode().split("\n")[2:]:
            name, fields = re.fullmatch(r"(\w+) \{id:(.*)\}", line).groups()
            number, *fields = fields.split(", ")
            kinds[int(number)] = name, [field.split(":") for field in fields]
        at, dimensions, self.last = end + 2, 0, 0
        once, rest, self.records = bytearray(), bytearray(), [0, 0]
        places = {"id": [], "event": [], "space": [], "time": []}
        while at < len(data):
            start = at
            name, fields = kinds[struct.unpack_from("<I", data, at)[0]]
            out = once if name in ONCE else rest
            self.records[out is rest] += 1
            at += 4
            values = {}
            for field, kind, size in fields:
                size = int(size)
                if name == "PhysicalInstanceUsage" and field == "redop" and values["mode"] != 4:
                    continue
                if size < 0:
                    at = data.index(b"\0", at) + 1
                    continue
                if kind in ("point", "array", "uuid"):
                    size = {"point": 8 * dimensions, "array": 16 * dimensions, "uuid": values.get("uuid_size", 0)}[kind]
                elif size <= 8:
                    value = values[field] = int.from_bytes(data[at:at + size], "little")
                    place = len(out) + at - start
                    if size < 8 or value in (0, NONE, 2**63):
                        pass
                    elif kind == "timestamp_t":
                        places["time"].append(place)
                        self.last = max(self.last, value)
                    elif field in EVENTS and value >> 63:
                        places["event"].append(place)
                    elif field in SPACES and (kind != "UniqueID" or "Index" in name):
                        places["space"].append(place)
                    elif kind == "UniqueID":
                        places["id"].append(place)
                at += size
            if name == "MaxDimDesc":
                dimensions = values["max_dim"]
            out += data[start:at]
        self.once = bytes(once)
        self.rest = numpy.frombuffer(bytes(rest), dtype=numpy.uint8)
        eight = numpy.arange(8)
        self.places = {what: (numpy.array(at, dtype=numpy.int64)[:, None] + eight) for what, at in places.items()}

    def copy(self, number, start):
        """The records as those of copy `number`, with times that begin at `start`."""
        import numpy

        rest = self.rest.copy()
        moves = {"id": number << 24, "event": number << 40, "space": number << 32, "time": start}
        for what, move in moves.items():
            values = rest[self.places[what]].view("<u8")
            rest[self.places[what]] = (values + numpy.uint64(move)).view(numpy.uint8)
        return rest.tobytes()


def make(path):
    """Writes the large profile; returns its number of records."""
    profiles = []
    for name in REAL:
        packed = ROOT.parent / "shared" / "data" / "legate" / f"{name}.prof.zst"
        data = subprocess.run(["zstd", "-dc", packed], check=True, capture_output=True).stdout
        profiles.append(Profile(data))
    records = number = start = 0
    with open(path, "wb") as file:
        file.write(profiles[0].preamble.replace(b" v: 1011\n", b" v: 1012\n", 1))
        file.write(profiles[0].once)
        records += profiles[0].records[0]
        while file.tell() < SIZE:
            profile = profiles[number % len(profiles)]
            file.write(profile.copy(number, start))
            records += profile.records[1]
            number += 1
            start += profile.last
    return records


def measured(command, rounds):
    """Median seconds and most MB at peak; None if the command fails; its last words are then printed."""
    times, peaks = [], []
    for _ in range(rounds):
        with tempfile.TemporaryFile() as output:
            begin = time.perf_counter()
            child = subprocess.Popen(command, stdout=output, stderr=output)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            times.append(time.perf_counter() - begin)
            peaks.append(usage.ru_maxrss / 1000)
            if status != 0:
                output.seek(0)
                print(f"{' '.join(map(str, command))} failed:\n{output.read()[-500:].decode(errors='replace')}")
                return None
    return statistics.median(times), max(peaks)


def agree(weft, peer, profile):
    """Whether both see the same tasks: equal counts, and totals within the four digits that the peer prints."""
    ours = {}
    table = subprocess.run([weft, "stats", "--by", "task", "--format", "csv", profile], capture_output=True, text=True)
    for row in csv.DictReader(table.stdout.splitlines()):
        count, total = ours.get(row["task"], (0, 0))
        ours[row["task"]] = count + int(row["count"]), total + int(row["total_ns"])
    theirs = {}
    text = subprocess.run([peer, "statistics", profile], capture_output=True, text=True).stdout
    for task in re.findall(r"^ +Task (.*) Variant .*\n +Invocations: (\d+)\n +Total time: (\S+) us", text, re.M):
        count, total = theirs.get(task[0], (0, 0))
        theirs[task[0]] = count + int(task[1]), total + float(task[2]) * 1000
    same = ours.keys() == theirs.keys() and all(
        ours[task][0] == theirs[task][0] and abs(ours[task][1] - theirs[task][1]) <= theirs[task][1] / 1000
        for task in ours
    )
    print(f"{len(ours)} kinds of tasks, {sum(count for count, _ in ours.values()):,} tasks: "
          + ("the same counts and totals" if same else f"DIFFERENT\n{ours}\n{theirs}"))
    return same


def main():
    parser = argparse.ArgumentParser(description="Compares Weft with legion_prof.")
    parser.add_argument("--all", action="store_true", help="also measures the conversions: several minutes, 7 GB")
    parser.add_argument("--keep", type=Path, help="file for the profile; an existing one is used")
    parser.add_argument("--make", type=Path, help="only write the profile there, and print its number of records")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the quick commands (3)")
    args = parser.parse_args()
    if args.make:
        print(make(args.make))
        return
    if not importlib.util.find_spec("numpy"):
        sys.exit("legion_prof: NumPy is missing; pip install numpy. Nothing was measured.")
    if not shutil.which("zstd"):
        sys.exit("legion_prof: zstd is missing; apt-get install zstd. Nothing was measured.")
    peer = os.environ.get("LEGION_PROF") or shutil.which("legion_prof")
    if not peer:
        sys.exit("legion_prof: it is missing; cargo install legion_prof --version 0.2603.0, or LEGION_PROF=PATH. Nothing was measured.")
    subprocess.run(["cargo", "build", "--release", "--bin", "weft"], check=True, cwd=ROOT)
    weft = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "weft"
    formats = subprocess.run([weft, "export", "--help"], capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        profile = args.keep or folder / "legate_0.prof"
        if not profile.exists():
            # In its own process: a child's peak counts from its parent's.
            made = subprocess.run([sys.executable, __file__, "--make", profile], check=True, capture_output=True, text=True)
            print(f"{int(made.stdout):,} records", end=", ")
        print(f"{profile.stat().st_size / 1e6:.0f} MB")
        rows = [("statistics", ["stats", "--by", "task", profile], ["statistics", profile], args.rounds)]
        if args.all:
            rows.append((
                "archive",
                ["export", "sqlite", profile, "--force", "-o", folder / "weft.sqlite"],
                ["archive", "-o", folder / "archive", profile],
                1,
            ))
            if "perfetto" in formats:
                rows.append((
                    "trace",
                    ["export", "perfetto", profile, "--force", "-o", folder / "weft.perfetto"],
                    ["trace", "-o", folder / "trace", profile],
                    1,
                ))
        print(f"{'':12} {'weft':>10} {'':>9} {'legion_prof':>12} {'':>9}   faster  less memory")
        for name, ours, theirs, rounds in rows:
            ours, theirs = measured([weft, *ours], rounds), measured([peer, *theirs], 1)
            if ours and theirs:
                print(
                    f"{name:12} {ours[0]:8.2f} s {ours[1]:6.0f} MB {theirs[0]:10.2f} s {theirs[1]:6.0f} MB"
                    f"   {theirs[0] / ours[0]:5.1f}x  {theirs[1] / ours[1]:10.1f}x"
                )
        if not agree(weft, peer, profile):
            sys.exit(1)


main()
