"""The ends of programs, their messages about failures, and the lines in profiles."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

COMMAND = os.environ.get("WEFT_COMMAND", "weft")


def run(text, folder, *command, **environment):
    program = folder / "prog.py"
    program.write_text(textwrap.dedent(text))
    environment = {**os.environ, **environment}
    return subprocess.run(
        [*command, sys.executable, str(program)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def test_failure_names_the_requesting_line(tmp_path):
    done = run(
        """\
        import weft.numpy as np
        x = np.arange(10)
        at = np.full(3, 20)
        y = x[at]
        try:
            print(y[0].item())
        except IndexError as error:
            print(error)
        """,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "prog.py:4" in done.stdout and "20" in done.stdout


def test_reports_unread_failures_at_the_end(tmp_path):
    done = run("import weft.numpy as np\nx = np.arange(10)[np.full(3, 20)]\n", tmp_path)
    assert done.returncode == 1
    assert "prog.py:2" in done.stderr


def test_uncaught_error_prints_its_array(tmp_path):
    # The interpreter prints it when no frame of the program is left.
    done = run("import weft.numpy as np\nraise AssertionError(np.arange(3))\n", tmp_path)
    assert done.returncode == 1
    assert "AssertionError: [0 1 2]" in done.stderr


def test_exhausted_memory_raises_memory_error(tmp_path):
    text = """\
    import weft.numpy as np
    try:
        x = np.ones(1 << 40)
        x[0].item()
    except MemoryError as error:
        print("memory:", error)
    """
    done = run(text, tmp_path)
    assert "memory:" in done.stdout and "SYSTEM_MEM" in done.stdout, done.stderr


def test_address_space_limit_leaves_room_for_other_libraries(tmp_path):
    text = """\
    import numpy, resource, weft.numpy as np
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + (2 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    x = np.ones(10_000_000)
    y = numpy.ones(150_000_000)
    print(float((2 * x).sum()), y.sum())
    try:
        np.array(y)
    except MemoryError as error:
        print("memory:", error)
    print(float(x.sum()))
    """
    done = run(text, tmp_path, WEFT_CONFIG="--cpus 2")
    first, second, last = done.stdout.splitlines()
    assert first == "20000000.0 150000000.0", done.stderr
    assert second.startswith("memory: load: ") and "1200000000 bytes" in second, done.stderr
    assert last == "10000000.0", done.stderr


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "import os; os._exit(4)", "1 / 0"])
def test_programs_end_as_in_python(tmp_path, end):
    done = run(f"import weft.numpy as np\nx = np.ones(100000) + 1\n{end}\n", tmp_path)
    expected = {"": 0, "raise SystemExit(3)": 3, "import os; os._exit(4)": 4, "1 / 0": 1}
    assert done.returncode == expected[end], done.stderr


#: Calls that wait within the runtime, with `x` that takes long to compute and `mask` of it.
WAITS = {
    "a value": "x.sum().item()",
    "nonzero": "np.nonzero(mask)",
    "a mask as an index": "len(x[mask])",
    "values for a mask": "values[mask] = np.arange(mask.size)",
    "unique": "np.unique(x)",
    "counts": "np.bincount(x.astype(int).ravel())",
    "a histogram": "np.histogram(x)",
    "a comparison": "np.array_equal(x, x.T)",
    "a copy of NumPy's": "numpy.asarray(x)",
    "everything": "weft.wait()",
    "the end": "weft.finish()",
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS.keys())
def test_interrupts_end_a_wait(tmp_path, wait):
    program = tmp_path / "prog.py"
    program.write_text(
        textwrap.dedent(
            f"""\
            import os
            import numpy
            import weft
            import weft.numpy as np
            x = w = np.random.default_rng(1).random((1000, 1000))
            values = np.zeros((1000, 1000))
            for _ in range(300):
                x = x @ w / 500
            mask = x > 0
            print("begins", flush=True)
            try:
                {wait}
                print("done", flush=True)
            except KeyboardInterrupt:
                print("interrupted", np.ones(3).sum().item(), int(values[:3].sum()), flush=True)
            os._exit(0)
            """
        )
    )
    child = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted 3.0 0\n"
    finally:
        child.kill()
        child.wait()


def test_interrupt_ends_the_final_wait(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(
        textwrap.dedent(
            """\
            import weft.numpy as np
            x = w = np.random.default_rng(1).random((1000, 1000))
            for _ in range(300):
                x = x @ w / 500
            print("ends", flush=True)
            """
        )
    )
    child = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ends\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=20) == -signal.SIGINT
    finally:
        child.kill()
        child.wait()


SUBINTERPRETERS = """\
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import threading

INSIDE = '''
try:
    import weft.numpy
    print("imported", flush=True)
except ImportError as error:
    print(error, flush=True)
'''


def inside():
    other = interpreters.create()
    interpreters.run_string(other, INSIDE)
    interpreters.destroy(other)


inside()
import weft.numpy as np
x = np.ones(10)
inside()
thread = threading.Thread(target=inside)
thread.start()
y = x + 1
thread.join()
left = interpreters.create()
print(y.sum().item())
"""


def test_rejects_subinterpreters_and_continues_in_the_main_one(tmp_path):
    done = run(SUBINTERPRETERS, tmp_path, COMMAND, "run", "--profile", "--")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and all("cannot be imported in a subinterpreter" in line for line in lines[:3]), lines
    assert lines[3] == "20.0"
    command = [COMMAND, "stats", "weft_0.prof", "--by", "line", "--format", "json"]
    stats = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert stats.returncode == 0, stats.stderr
    line = 1 + SUBINTERPRETERS.splitlines().index("y = x + 1")
    assert f"prog.py:{line}" in stats.stdout


def test_fork_raises_instead_of_hanging(tmp_path):
    text = """\
    import os
    import weft.numpy as np
    x = np.ones(10)
    x.sum().item()
    child = os.fork()
    if child == 0:
        try:
            x + 1
        except RuntimeError as error:
            print("child:", error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print((x + 1).sum().item())
    """
    done = run(text, tmp_path)
    assert done.returncode == 0 and "child:" in done.stdout and "20.0" in done.stdout, done.stdout + done.stderr


PROGRAM = """\
import weft.numpy as np


def step(grid):
    center = grid[1:-1, 1:-1]
    average = center + grid[:-2, 1:-1]
    average = 0.5 * average
    center[:] = average


grid = np.zeros((602, 602))
grid[0, :] = 100.0
for _ in range(5):
    step(grid)
total = np.mean(grid)
print(total.item())
"""


def test_profiles_name_program_lines(tmp_path):
    done = run(PROGRAM, tmp_path, COMMAND, "run", "--profile", "--")
    assert done.returncode == 0, done.stderr
    stats = subprocess.run(
        [COMMAND, "stats", "weft_0.prof", "--by", "line", "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert stats.returncode == 0, stats.stderr
    lines = {row["line"].rsplit("prog.py:", 1)[1] for row in json.loads(stats.stdout)}
    wanted = {
        str(number)
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if any(word in line for word in ("center + ", "0.5 *", "center[:]", "np.zeros", "100.0", "np.mean", "total.item"))
    }
    assert lines == wanted
