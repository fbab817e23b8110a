"""Every operation and every kernel has the line of the program that asked for it."""

import ast
import json
import pathlib

import pytest

from profiled import database

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
SIZES = {"stencil": ["-n", "700"], "cg": ["-n", "12"], "black_scholes": ["-n", "50000"], "kmeans": ["-n", "2000"], "channel": ["-n", "40"], "power": ["-n", "200"]}

#: Each line that ends in "# op" submits one operation whenever it is executed.
PROGRAM = """\
import weft.numpy as np


def half(x):
    return x * 0.5  # op


def norm(x):
    y = np.sqrt(x)  # op
    y += 1.0  # op
    y[::2] = 3.0  # op
    return (
        y
        - x  # a line of a longer expression
    )


class Growing:
    def __init__(self, start):
        self.value = start

    def grow(self):
        self.value = self.value + 1.0  # op
        return self


a = np.ones(SIZE)  # op
for i in range(7):
    a = half(a)
    if i % 2:
        a = np.exp(a)  # op
    a = norm(a)
    for _ in range(3):
        a = np.negative(a)  # op
        if i == 4:
            break
grown = Growing(a)
for _ in range(4):
    grown.grow().grow()
several = [np.absolute(x) for x in (a, a, grown.value)]  # op
square = lambda x: x * x  # op
b = square(several[0])
try:
    c = b - a  # op
    raise ValueError
except ValueError:
    c = np.floor(c)  # op
while i:
    i -= 1
    c = c / 2.0  # op
"""

#: Counts with `sys.settrace`, one instruction at a time, how often the lines in question operate on arrays.
TRACER = """\
import collections, dis, json, sys
program, out = sys.argv[1:]
text = open(program).read()
marked = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# op")}
counts = collections.Counter()
instructions = {}

def at(code, offset):
    if code not in instructions:
        instructions[code] = {one.offset: one.opname for one in dis.get_instructions(code)}
    return instructions[code].get(offset, "")

def trace(frame, event, _):
    if frame.f_code.co_filename != program:
        return None
    frame.f_trace_opcodes = True
    if event == "opcode" and frame.f_lineno in marked:
        name = at(frame.f_code, frame.f_lasti)
        # Before Python 3.12 a comprehension is a function that its line calls, too.
        calls_itself = sys.version_info < (3, 12) and frame.f_code.co_name == "<module>" and " for " in text.splitlines()[frame.f_lineno - 1]
        is_call = name == "CALL" and not calls_itself
        if name in ("BINARY_OP", "STORE_SUBSCR", "STORE_SLICE") or is_call:
            counts[frame.f_lineno] += 1
    return trace

code = compile(text, program, "exec")
sys.settrace(trace)
exec(code, {"__name__": "__main__"})
sys.settrace(None)
json.dump(counts, open(out, "w"))
"""


#: Each kernel with the place of each operation that it worked for.
KERNELS = """
SELECT k.id, p.file, p.line FROM WEFT_KERNEL k
LEFT JOIN WEFT_KERNEL_TASK t ON t.kernelId = k.id
LEFT JOIN WEFT_TASK task ON task.sourceId = t.sourceId AND task.uid = t.taskUid
LEFT JOIN WEFT_OPERATION o ON o.uid = task.opUid
LEFT JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId
"""


@pytest.mark.parametrize("size", [100, 300_000])
def test_line_operation_counts_match_the_interpreter(tmp_path, size):
    program, counts = tmp_path / "counted.py", tmp_path / "counts.json"
    program.write_text(PROGRAM.replace("SIZE", str(size)))
    found = database(TRACER, tmp_path, arguments=(program, counts))
    rows = found.execute("SELECT p.file, p.line, count(*) FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId GROUP BY 1, 2")
    operations = {}
    for file, line, number in rows:
        assert file == str(program)
        operations[line] = number
    marked = {number for number, line in enumerate(program.read_text().splitlines(), 1) if line.endswith("# op")}
    expected = {int(line): number for line, number in json.loads(counts.read_text()).items()}
    assert {line: number for line, number in operations.items() if line in marked} == expected
    assert len(expected) == len(marked)
    # The rest is the expression of several lines, which begins with `y`.
    (begin,) = [number for number, line in enumerate(program.read_text().splitlines(), 1) if line.strip() == "y"]
    assert {line for line in operations if line not in marked} == {begin} and operations[begin] == 7
    kernels = found.execute(KERNELS).fetchall()
    assert kernels and all(file == str(program) and line in operations for _, file, line in kernels)


@pytest.mark.parametrize("name", SIZES)
def test_every_example_kernel_has_a_line_of_its_file(tmp_path, name):
    program = EXAMPLES / f"{name}.py"
    found = database(program, tmp_path, arguments=SIZES[name], WEFT_FALLBACK="error")
    assert found.execute("SELECT count(*) FROM WEFT_UNMATCHED").fetchone() == (0,)
    assert found.execute("SELECT count(*) FROM WEFT_LOSS WHERE severity <> 'note' AND value > 0").fetchone() == (0,)
    kernels = found.execute(KERNELS).fetchall()
    assert kernels and {file for _, file, _ in kernels} == {str(program)}
    # Only lines on which an expression begins can have asked for something.
    begins = {node.lineno for node in ast.walk(ast.parse(program.read_text())) if isinstance(node, ast.expr)}
    assert {line for _, _, line in kernels} <= begins


NUMBERS = """\
import weft.numpy as np
x = np.ones(10)
s, n = x.sum(), x[3]
float(s), float(n)
q = n + 1
made = [np.stack([s, n, q]), np.reshape(n, (1,)), np.broadcast_to(q, (3,)), np.where(x > 0, q, s), np.atleast_1d(q)]
made += [np.full((3,), q), np.array([q, s]), q.copy(), np.transpose(q), q.ravel(), np.array(5.0).reshape(1)]
out = np.zeros(())
np.add(n, q, out=out)
x[2] = q
x[np.array([1])] = q
print([float(one.sum()) for one in made], float(out), float(x.sum()))
"""


def test_arrays_from_scalars_have_the_creating_line(tmp_path):
    program = tmp_path / "of_numbers.py"
    program.write_text(NUMBERS)
    connection = database(program, tmp_path)
    files = connection.execute("SELECT DISTINCT p.file FROM WEFT_OPERATION o LEFT JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId")
    assert {pathlib.Path(file).name for (file,) in files} == {"of_numbers.py"}


#: Calls whose operations are made by several functions, some of them while modules are imported.
CALLS = """\
import weft.numpy as np
x = np.arange(100000.0)
x[np.array([5])] = 1
x[np.array([5, 6])] = np.array([1, 2])
x[[7, 8]] = np.int8(3)
x[x > 5] = np.arange((x > 5).sum())
np.put(x, np.array([1, 2]), 3)
np.putmask(x, x > 7, np.arange(10))
np.place(x, x > 7, np.arange(10))
y = np.arange(100000).reshape(100, 1000)
y[:, np.array([1, 2])] = 2.0
y[np.array([1]), np.array([2])] = True
z = np.where(y > 3, 1, x.reshape(100, 1000))
try:
    y.T.shape = (100000,)
except AttributeError:
    pass
p = np.polynomial.Polynomial([1, 2, 3])
x += np.array([1, 2, 3], dtype="f4").sum()
print(float(x.sum()), p(2.0))
"""


def test_operations_of_composed_calls_have_lines_of_the_program(tmp_path):
    # Nothing is done at once, so that every operation is recorded.
    found = database(CALLS, tmp_path, "--max-inline-chunk", "0")
    files = found.execute("SELECT DISTINCT p.file FROM WEFT_OPERATION o LEFT JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId")
    assert {file for (file,) in files} == {str(tmp_path / "prog.py")}
