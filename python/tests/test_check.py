"""`python -m weft.check` finds what NumPy computes, and runs nothing."""

import json
import subprocess
import sys

PROGRAM = """\
import weft.numpy as np
from weft.numpy import asmatrix, sum as add
import numpy.linalg as la

raise SystemExit("this program is not to be run")
x = np.zeros((3, 3)) + np.linalg.norm(x)
y = np.lib.scimath.sqrt(x)
z = np.poly1d([1, 2]) if np.no_such_name else add(x)
w = la.eig(x)
"""


def check(folder, *arguments):
    (folder / "prog.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "weft.check", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_lists_numpy_fallbacks_with_lines(tmp_path):
    done = check(tmp_path, "prog.py")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert any("no_such_name: in neither" in line and ":8:" in line for line in lines), done.stdout
    assert any(line.startswith("prog.py:2:") and "asmatrix: computed by NumPy" in line for line in lines), lines
    assert not any("zeros" in line or "norm" in line or "sum" in line or "eig" in line for line in lines)


def test_lists_names_without_gpu_code(tmp_path):
    done = check(tmp_path, "prog.py", "--gpu")
    assert done.returncode == 1, done.stderr
    assert "prog.py:9:5: linalg.eig: Weft's, on the host in runs with GPUs: before CUDA 12.6" in done.stdout.splitlines(), done.stdout
    (tmp_path / "sorted.py").write_text("import weft.numpy as np\nprint(np.sort(np.arange(3)))\n")
    command = [sys.executable, "-m", "weft.check", "--gpu", "sorted.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "Weft has every name of NumPy that is used, with code for GPUs.\n")


def test_lists_all_names_as_json(tmp_path):
    done = check(tmp_path, "prog.py", "--all", "--format", "json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["zeros"]["status"] == "weft" and rows["zeros"]["line"] == 6
    assert rows["linalg.norm"]["status"] == "weft"
    assert rows["linalg.eig"]["line"] == 9


def test_unreadable_program_gives_one_sentence(tmp_path):
    done = check(tmp_path, "missing.py")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "missing.py" in done.stderr


def test_unreadable_program_gives_a_remedy(tmp_path, capsys):
    from weft import check

    latin = tmp_path / "latin.py"
    latin.write_bytes(b"x = '\xcb'\n")
    broken = tmp_path / "broken.py"
    broken.write_text("x = 1\ny = = 2\n")
    cases = [
        (tmp_path / "none.py", "No such file or directory; check the path"),
        (tmp_path, "it is a folder; give the files in it"),
        (latin, "byte 5 is not UTF-8; give the text of a Python program"),
        (broken, "in line 2; Python cannot run it either"),
    ]
    for path, words in cases:
        assert check.main([str(path)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"weft.check: cannot read {path}: ") and words in said, said
