"""Contents of Python programs' profiles: scopes, stacks of calls, the text of sources, fallbacks."""

import subprocess
import sys

from profiled import COMMAND, database as profile

SCOPES = """\
import weft
import weft.numpy as np
with weft.annotate("solve"):
    a = np.ones(100000)
    with weft.annotate("assembly"):
        b = a * 3

@weft.annotate("step")
def step(x, depth):
    return step(x, depth - 1) if depth else x - 1

c = step(b, 1)
d = c / 2
d[0].item()
"""


def test_operations_have_the_scope_of_their_call(tmp_path):
    database = profile(SCOPES, tmp_path)
    rows = database.execute(
        "SELECT p.line, s.path FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId"
        " LEFT JOIN WEFT_SCOPE s ON s.id = o.scopeId"
    )
    found = dict(rows)
    assert found[4] == "solve" and found[6] == "solve/assembly"
    assert found[10] == "step/step" and found[13] is None
    stats = [COMMAND, "stats", "weft_0.prof", "--by", "scope", "--format", "csv", "--columns", "scope,operations"]
    shown = subprocess.run(stats, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "solve/assembly,multiply" in shown and "step/step,subtract" in shown


CALLS = """\
import weft.numpy as np

def inner(x):
    return x + 1

def outer(x):
    return inner(x)

a = np.ones(100000)
b = outer(a)
c = inner(a)
print(float(b[0] + c[0]))
"""


def test_records_call_stacks_on_request(tmp_path):
    database = profile(CALLS, tmp_path, "--provenance-depth", "3")
    rows = database.execute(
        "WITH RECURSIVE calls(op, stack, line, depth) AS ("
        " SELECT o.uid, s.parentId, p.line, 1 FROM WEFT_OPERATION o JOIN WEFT_STACK s ON s.id = o.stackId"
        "  JOIN WEFT_PROVENANCE p ON p.id = s.provenanceId WHERE o.name = 'add'"
        " UNION ALL SELECT c.op, s.parentId, p.line, c.depth + 1 FROM calls c JOIN WEFT_STACK s ON s.id = c.stack"
        "  JOIN WEFT_PROVENANCE p ON p.id = s.provenanceId)"
        " SELECT op, group_concat(line) FROM (SELECT * FROM calls ORDER BY op, depth) GROUP BY op"
    )
    assert sorted(line for _, line in rows) == ["11", "7,10"]
    lines = database.execute("SELECT count(*) FROM WEFT_PROVENANCE WHERE line = 4").fetchone()
    assert lines == (1,)


def test_records_no_stacks_by_default(tmp_path):
    database = profile(CALLS, tmp_path)
    assert database.execute("SELECT count(*) FROM WEFT_STACK").fetchone() == (0,)


def test_records_the_program_text(tmp_path):
    database = profile(CALLS, tmp_path)
    rows = database.execute("SELECT file, text, bytes, newer FROM WEFT_SOURCE_TEXT").fetchall()
    assert rows == [(str(tmp_path / "prog.py"), CALLS, len(CALLS), 0)]


def test_omits_the_program_text_on_request(tmp_path):
    database = profile(CALLS, tmp_path, "--profile-sources=false")
    assert database.execute("SELECT count(*) FROM WEFT_SOURCE_TEXT").fetchone() == (0,)


def test_records_the_text_of_cells(tmp_path):
    program = """\
    import linecache
    text = "import weft.numpy as np\\nx = np.ones(100000) * 2\\nx[0].item()\\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    exec(compile(text, "<cell 1>", "exec"))
    """
    database = profile(program, tmp_path)
    rows = dict(database.execute("SELECT file, text FROM WEFT_SOURCE_TEXT"))
    assert rows["<cell 1>"].splitlines()[1] == "x = np.ones(100000) * 2"


FALLBACK = """\
import numpy
import weft.numpy as np
from weft.numpy import _fallback
gradient = _fallback.function("gradient", numpy.gradient)
a = np.linspace(0, 1, 50000) * 2
b = gradient(a)
print(float(b[0]))
"""


def test_fallback_is_an_operation_with_bytes_and_times(tmp_path):
    database = profile(FALLBACK, tmp_path, WEFT_FALLBACK="quiet")
    rows = database.execute(
        "SELECT p.line, k.name, k.bytesRead, k.bytesWritten, t.'end' - t.start, o.uid FROM WEFT_OPERATION o"
        " JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId JOIN WEFT_TASK t ON t.opUid = o.uid"
        " JOIN WEFT_KERNEL_TASK l ON l.taskUid = t.uid JOIN WEFT_KERNEL k ON k.id = l.kernelId WHERE o.name = 'fallback'"
    ).fetchall()
    [(line, name, read, written, time, uid)] = rows
    assert (line, name, read, written) == (6, "numpy.gradient", 400_000, 400_000)
    assert time > 0
    parts = database.execute("SELECT name FROM WEFT_OPERATION WHERE parentUid = ?", (uid,)).fetchall()
    assert ("read",) in parts and ("load",) in parts


FAILING = """\
import numpy
import weft.numpy as np
from weft.numpy import _fallback
gradient = _fallback.function("gradient", numpy.gradient)
a = np.linspace(0, 1, 50000) * 2
try:
    gradient(a, axis=7)
except numpy.exceptions.AxisError:
    pass
print(float(a[1]))
"""


def test_records_failed_fallbacks(tmp_path):
    database = profile(FAILING, tmp_path, WEFT_FALLBACK="quiet")
    rows = database.execute(
        "SELECT p.line, o.uid FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId WHERE o.name = 'fallback'"
    ).fetchall()
    assert [line for line, _ in rows] == [7]
    lost = "SELECT count(*) FROM WEFT_OPERATION WHERE parentUid NOT IN (SELECT uid FROM WEFT_OPERATION)"
    assert database.execute(lost).fetchone() == (0,)


HALF = """\
import weft.numpy as np
a = np.random.default_rng(3).random((512, 100))
b = a @ a.T
print(float(b[0, 511] - b[511, 0]))
"""


def test_product_with_transpose_computes_half(tmp_path):
    database = profile(HALF, tmp_path, "--cpus", "2")
    query = "SELECT uid, o.name, parentUid FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId WHERE p.line = 3 ORDER BY uid"
    operations = database.execute(query).fetchall()
    first = operations[0][0]
    assert [name for _, name, _ in operations] == ["matmul"] * 8 + ["copy"] * 7
    assert {parent for _, _, parent in operations[1:]} == {first}


INTERRUPTED = """\
import weft.numpy as np
a = np.ones(1000)
print(float((a + 1).sum()))
raise KeyboardInterrupt
"""


def test_ctrl_c_leaves_a_complete_profile(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(INTERRUPTED)
    done = subprocess.run([COMMAND, "run", "--profile", "--", sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 130 and "incomplete" not in done.stderr, done.stderr
    stats = [COMMAND, "stats", "weft_0.prof", "--by", "line", "--format", "csv", "--columns", "line,operations"]
    shown = subprocess.run(stats, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert shown.returncode == 0 and "prog.py:3" in shown.stdout, shown
