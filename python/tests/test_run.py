"""`weft run prog.py`, `weft run` and `weft check`."""

import os
import subprocess
import sys

COMMAND = os.environ.get("WEFT_COMMAND", "weft")
PROGRAM = "import sys\nimport weft.numpy as np\nprint(sys.argv[1:], np.arange(4).sum())\n"


def weft(*arguments, folder, text="", **environment):
    environment = {**os.environ, "WEFT_PYTHON": sys.executable, **environment}
    environment = {name: value for name, value in environment.items() if value is not None}
    command = [COMMAND, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, input=text, env=environment, capture_output=True, text=True, timeout=120)


def test_runs_a_script_in_python_with_arguments(tmp_path):
    (tmp_path / "prog.py").write_text(PROGRAM)
    for before in (["run"], ["run", "--cpus", "1", "--"]):
        done = weft(*before, "prog.py", "-n", "3", "--cpus=x", folder=tmp_path)
        assert (done.returncode, done.stdout) == (0, "['-n', '3', '--cpus=x'] 6\n"), done.stderr


def test_profiles_a_script(tmp_path):
    (tmp_path / "prog.py").write_text(PROGRAM)
    done = weft("run", "--profile", "prog.py", folder=tmp_path)
    assert done.returncode == 0 and "weft_0.prof" in done.stderr, done.stderr
    stats = weft("stats", "weft_0.prof", "--by", "line", "--format", "csv", folder=tmp_path)
    assert "prog.py:3" in stats.stdout, stats.stderr


def test_flags_reach_a_plain_python_program(tmp_path):
    (tmp_path / "prog.py").write_text("import weft\nfrom weft import _core\nprint(_core.processors()[0])\n")
    environment = {**os.environ, "WEFT_CONFIG": "--cpus 3 --gpus 0"}
    done = subprocess.run([sys.executable, "prog.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout == "3\n", done.stderr
    done = weft("run", "--cpus", "3", "--gpus", "0", "prog.py", folder=tmp_path)
    assert done.stdout == "3\n", done.stderr


def test_run_without_program_starts_interactive_python(tmp_path):
    done = weft("run", "--cpus", "2", "--gpus", "0", folder=tmp_path, text="from weft import _core\nprint(_core.processors())\n")
    assert (done.returncode, done.stdout) == (0, "(2, 0, 0)\n"), done.stderr


def test_uses_the_interpreter_of_the_virtual_environment(tmp_path):
    (tmp_path / "prog.py").write_text("")
    done = weft("run", "--dry-run", "prog.py", folder=tmp_path)
    assert done.stdout.endswith(f"{sys.executable} prog.py\n"), done.stdout
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    done = weft("run", "--dry-run", "prog.py", "-n", "1", folder=tmp_path, WEFT_PYTHON=None, VIRTUAL_ENV=str(tmp_path))
    assert done.stdout.endswith(f"{tmp_path}/bin/python prog.py -n 1\n"), done.stdout


def test_missing_program_or_python_gives_one_sentence(tmp_path):
    (tmp_path / "prog.py").write_text("")
    done = weft("run", "nothing.py", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "weft: the program nothing.py was not found; check the path\n")
    done = weft("run", "prog.py", folder=tmp_path, WEFT_PYTHON="/no/python")
    wanted = "weft: the Python interpreter /no/python was not found; install Python 3.11 or later, or name an interpreter in WEFT_PYTHON\n"
    assert (done.returncode, done.stderr) == (1, wanted)
    done = weft("run", "prog.py", folder=tmp_path, PYTHONPATH=None, PYTHONNOUSERSITE="1", WEFT_PYTHON=bare(tmp_path))
    assert done.returncode == 1 and "has no package weft; install weft-array there" in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1


def bare(folder):
    """An interpreter without site-packages."""
    path = folder / "bare-python"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_detects_another_package_named_weft(tmp_path):
    (tmp_path / "prog.py").write_text("")
    (tmp_path / "other" / "weft").mkdir(parents=True)
    (tmp_path / "other" / "weft" / "__init__.py").write_text("")
    done = weft("run", "prog.py", folder=tmp_path, PYTHONPATH=str(tmp_path / "other"))
    assert done.returncode == 1 and "has another package of the name weft" in done.stderr, done.stderr


def test_passes_on_the_script_status(tmp_path):
    (tmp_path / "prog.py").write_text("raise SystemExit(7)\n")
    assert weft("run", "prog.py", folder=tmp_path).returncode == 7


def test_check_lists_numpy_fallbacks(tmp_path):
    (tmp_path / "prog.py").write_text("import weft.numpy as np\nnp.poly1d([1])\nx = np.zeros(3)\nnp.no_such\n")
    done = weft("check", "prog.py", folder=tmp_path)
    assert done.returncode == 1 and "prog.py:4:1: no_such: in neither" in done.stdout, done.stdout + done.stderr
    done = weft("check", "--all", "--format", "json", "prog.py", folder=tmp_path)
    assert '"zeros"' in done.stdout
    assert weft("check", "none.py", folder=tmp_path).returncode == 2


def test_creates_the_profile_folder(tmp_path):
    (tmp_path / "prog.py").write_text(PROGRAM)
    environment = {**os.environ, "WEFT_CONFIG": "--cpus 2 --gpus 0 --profile --logdir runs/first"}
    done = subprocess.run([sys.executable, "prog.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and (tmp_path / "runs" / "first" / "weft_0.prof").is_file(), done.stderr
