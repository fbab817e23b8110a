"""Compiling kernels is a separate stage: recorded, charged to no other cost, and distinguished from loading kernels of an earlier run. On emulated GPUs."""

import json
import sqlite3
import subprocess

import emulated
import pytest

PROGRAM = """\
import weft.numpy as np

a = np.arange(4000.0)
for n in range(6):
    a = np.cumsum(a) / 2
    b = np.sin(a) + 1
print(float(b.sum()))
print(float(np.cos(b).max()))
"""


def weft(*words, folder, status=0):
    done = subprocess.run([emulated.COMMAND, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=100)
    assert done.returncode == status, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    """The databases of a run that compiles its kernels, and of one that finds them on the disk."""
    folder = tmp_path_factory.mktemp("compile")
    program = folder / "prog.py"
    program.write_text(PROGRAM)
    for name in ("first", "second"):
        variables = emulated.environment(folder, flags=f"--profile --profile-name {name}")
        emulated.run(program, folder, variables | {"WEFT_EMULATED_COMPILE_MS": "400"})
        (folder / f"{name}_0.prof").rename(folder / f"{name}.prof")
        weft("export", "sqlite", f"{name}.prof", "-o", f"{name}.sqlite", folder=folder)
    return folder


def rows(database, sql):
    return sqlite3.connect(database).execute(sql).fetchall()


def test_compiles_each_kernel_once_and_caches_it_on_disk(profiles):
    known = {}
    for name, origin in (("first", "compiled"), ("second", "disk")):
        found = rows(profiles / f"{name}.sqlite", "SELECT kernel, target, sourceHash, origin, start, made, end FROM WEFT_COMPILE")
        assert found and {row[3] for row in found} == {origin}
        assert all(start <= made <= end for *_, start, made, end in found)
        keys = [row[:3] for row in found]
        assert len(set(keys)) == len(keys), "a kernel was made ready twice"
        known[name] = set(keys)
    assert known["first"] == known["second"]
    database = profiles / "first.sqlite"
    kernels = {name for (name,) in rows(database, "SELECT DISTINCT k.name FROM WEFT_KERNEL k WHERE k.kind = 'kernel' AND k.name LIKE 'weft_%'")}
    assert kernels == {key[0] for key in known["first"]}


def test_compile_time_is_outside_of_launches_and_tasks(profiles):
    database = profiles / "first.sqlite"
    overlaps = """SELECT count(*) FROM WEFT_RUNTIME_CALL c JOIN {table} t ON t.sourceId = c.sourceId AND t.processorId = c.processorId
        AND t.start < c.end AND t.end > c.start WHERE c.kind = 'compile'"""
    for table in ("WEFT_TASK", "WEFT_LAUNCH"):
        assert rows(database, overlaps.format(table=table)) == [(0,)], table
    calls = rows(database, "SELECT opUid, start, end FROM WEFT_RUNTIME_CALL WHERE kind = 'compile' ORDER BY start")
    waited = rows(database, "SELECT opUid, end - waited, end FROM WEFT_COMPILE WHERE waited > 0 ORDER BY end - waited")
    assert calls == waited
    assert 2 <= len(waited) < rows(database, "SELECT count(*) FROM WEFT_COMPILE")[0][0]
    unknown = "SELECT count(*) FROM WEFT_COMPILE WHERE launchUid NOT IN (SELECT uid FROM WEFT_LAUNCH)"
    assert rows(database, unknown) == [(0,)]


def test_first_line_of_a_kernel_has_its_compile_time(profiles):
    table = json.loads(weft("stats", "--by", "line", "--format", "json", "first.prof", folder=profiles))
    times = {row["line"].rsplit(":", 1)[-1]: row["compile_time_ns"] for row in table}
    assert times["5"], times
    view = dict(rows(profiles / "first.sqlite", "SELECT line, compileTime FROM weft_by_line WHERE compileTime > 0"))
    assert {str(line): time for line, time in view.items()} == {line: time for line, time in times.items() if time}
    whole = rows(profiles / "first.sqlite", "SELECT sum(end - start) FROM WEFT_COMPILE")[0][0]
    assert sum(view.values()) == whole


def test_compiles_kernels_in_parallel(profiles):
    # Those of the loop, and, when its result has been printed, those of the last line.
    waited, compiled = rows(profiles / "first.sqlite", "SELECT sum(waited), sum(end - start) FROM WEFT_COMPILE")[0]
    assert waited < compiled / 2
    kernels = rows(profiles / "first.sqlite", "SELECT start, end FROM WEFT_COMPILE WHERE origin = 'compiled' ORDER BY start")
    assert sum(a[1] > b[0] for a, b in zip(kernels, kernels[1:])) >= 3, "they overlap"


def test_gaps_paths_and_advice_name_the_compiler(profiles):
    def causes(name, by, column):
        table = json.loads(weft("stats", "--by", by, "--format", "json", f"{name}.prof", folder=profiles))
        sums = {}
        for row in table:
            sums[row[column]] = sums.get(row[column], 0) + row["total_ns"]
        return sums

    gaps = causes("first", "gap", "cause")
    assert gaps["compile"] == max(gaps.values()), gaps
    path = causes("first", "critical", "kind")
    assert path["compile"] == max(path.values()), path
    advice = json.loads(weft("advise", "--format", "json", "first.prof", folder=profiles))
    assert advice["findings"][0]["rule"] == "compile", advice["findings"]
    again = json.loads(weft("advise", "--format", "json", "second.prof", folder=profiles))
    assert "compile" not in [finding["rule"] for finding in again["findings"]]


def test_joined_database_survives_a_round_trip(profiles):
    weft("export", "sqlite", "first.sqlite", "-o", "again.sqlite", folder=profiles)
    sql = "SELECT * FROM WEFT_COMPILE ORDER BY start"
    assert rows(profiles / "again.sqlite", sql) == rows(profiles / "first.sqlite", sql)
