#!/usr/bin/env python3
"""Recordings with wrong bytes, given to the profile tools: each command ends with a status and a sentence, and none panics.

    tests/benches/mutations.py [--weft COMMAND] [--data FOLDER] [--cases 200] [--seed 1]

Each recording of the folder (.prof, .sqlite, packed with zstd or not) is changed in a few places: single bits, words on which arithmetic
may fail, parts that are missing, doubled or zero. In databases single values change, so that they still open. Prints each failure with
the command that shows it, keeps its input, and exits with 1 if there was one.
"""

import argparse
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

EDGES = [0, 1, 2**64 - 1, 2**63 - 1, 2**63, 2**62, 2**61, 2**32 - 1, 2**31, 0x7F80000000000001]
TIMEOUT = 300
# Status 0: done; 1: refused; 3: done, with losses.
STATUS = {0, 1, 2, 3}


def unpack(path, folder):
    """Unpacks the recording in a folder; returns its path."""
    if path.suffix != ".zst":
        return pathlib.Path(shutil.copy(path, folder))
    out = folder / path.stem
    subprocess.run(["zstd", "-q", "-d", "-f", str(path), "-o", str(out)], check=True)
    return out


def mutate_bytes(path, rng):
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data))
        kind = rng.randrange(8)
        size = min(rng.randint(1, 64), len(data) - at)
        if kind < 3:
            data[at] ^= 1 << rng.randrange(8)
        elif kind < 6:
            data[at:at + 8] = rng.choice(EDGES).to_bytes(8, "little")
        elif kind == 6:
            data[at:at + size] = rng.choice([b"", bytes(size), data[at:at + size] * 2])
        else:
            del data[rng.randrange(len(data) // 2, len(data)):]
        if not data:
            break
    path.write_bytes(data)


def mutate_values(path, rng):
    database = sqlite3.connect(path)
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    values = [None, 0, -1, "text", b"\x00\xff", 1e300, -(2**63), 2**63 - 1, 2**62, 2**61, 10**9]
    for _ in range(rng.randint(1, 12)):
        name = rng.choice(names)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{name}")')]
        (rows,) = database.execute(f'SELECT max(rowid) FROM "{name}"').fetchone()
        if not columns or not rows:
            continue
        column = rng.choice(columns)
        try:
            database.execute(f'UPDATE "{name}" SET "{column}" = ? WHERE rowid = ?', (rng.choice(values), rng.randint(1, rows)))
        except sqlite3.Error:
            continue
    database.commit()
    database.close()


def commands(weft, path, folder):
    """The commands that are run on an input."""
    out = str(folder / "out")
    return [
        [weft, "stats", str(path)],
        [weft, "stats", "--by", "gap", str(path)],
        [weft, "advise", str(path)],
        [weft, "diff", str(path), "--", str(path)],
        [weft, "simulate", str(path)],
        [weft, "view", "--svg", out + ".svg", str(path)],
        [weft, "export", "sqlite", "--force", str(path), "-o", out + ".sqlite"],
    ]


def failure(command):
    """The error in the outcome of a command; None if there is none."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT} s"
    error = done.stderr.decode(errors="replace")
    if "panicked at" in error or done.returncode not in STATUS:
        return f"status {done.returncode}: {error[-2000:]}"
    if done.returncode in {1, 2} and not error.strip():
        return f"status {done.returncode} without a sentence"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default="weft")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data")
    parser.add_argument("--cases", type=int, default=200, help="number of mutated inputs for each recording")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=16 << 20, help="maximum size of an unpacked recording, in bytes")
    args = parser.parse_args()
    packed = sorted(path for path in args.data.rglob("*") if ".prof" in path.suffixes or ".sqlite" in path.suffixes)
    if not packed:
        print(f"skipped: there are no recordings in {args.data}")
        return 0
    failures = inputs = 0
    kept = pathlib.Path(tempfile.mkdtemp(prefix="weft-mutations-"))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for number, path in enumerate(packed):
            original = unpack(path, scratch)
            if original.stat().st_size > args.largest:
                continue
            for case in range(args.cases):
                rng = random.Random(f"{args.seed} {number} {case}")
                (scratch / "case").mkdir(exist_ok=True)
                changed = pathlib.Path(shutil.copy(original, scratch / "case" / original.name))
                is_database = original.suffix == ".sqlite" and rng.random() < 0.8
                (mutate_values if is_database else mutate_bytes)(changed, rng)
                inputs += 1
                for command in commands(args.weft, changed, scratch / "case"):
                    wrong = failure(command)
                    if wrong is not None:
                        failures += 1
                        keep = shutil.copy(changed, kept / f"{number}-{case}-{original.name}")
                        print(f"{' '.join(command[:-1])} {keep}: {wrong}", flush=True)
                shutil.rmtree(scratch / "case")
            original.unlink()
    print(f"{inputs} inputs, {failures} failures; inputs of failures are in {kept}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
