"""Programs written for cuPyNumeric and for NumPy run as they are."""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

COMMAND = os.environ.get("WEFT_COMMAND", "weft")
SUITE = pathlib.Path(__file__).resolve().parents[3] / "shared" / "suites" / "cupynumeric" / "examples"


def run(program, *arguments, folder, compat="cupynumeric", flags=(), **environment):
    environment = {**os.environ, "WEFT_PYTHON": sys.executable, **environment}
    command = [COMMAND, "run", "--compat", compat, *flags, "--", str(program), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def written(folder, text, name="prog.py"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def test_provides_names_of_cupynumeric_and_legate(tmp_path):
    program = written(
        tmp_path,
        """\
        import cupynumeric as np
        assert np.random.uniform(size=3, dtype=np.float32).dtype == np.float32
        import cupynumeric.linalg
        from cupynumeric.random import seed
        from cupynumeric.settings import settings
        from legate.core import StoreTarget, TaskTarget, get_legate_runtime, get_machine, offload_to
        from legate.core.data_interface import offload_to as same
        from legate.timing import time
        from legate.util.has_started import runtime_has_started
        from legate.util.settings import SettingBase

        print(np.random.normal(1.0, 2.0, (2, 2)).shape)
        start = time("us")
        x = np.ones((300, 300))
        total = (x @ x).sum()
        took = (time("us") - start) / 1000.0
        print(total, 0 < took < 60_000, isinstance(start.value(), int), isinstance(time("s"), float))
        print(runtime_has_started(), type(x).__module__, np.linalg is cupynumeric.linalg, offload_to is same)
        offload_to(x, target=StoreTarget.SYSMEM)
        print(get_machine().preferred_target.name, get_machine().count(TaskTarget.CPU), x.sum())
        get_legate_runtime().issue_execution_fence(block=True)
        print(settings.warn(), settings.force_thunk(), isinstance(settings.warn, SettingBase))
        try:
            offload_to(x, target=StoreTarget.FBMEM)
        except RuntimeError as error:
            print("no such memory" if "FBMEM" in str(error) else error)
        """,
    )
    done = run(program, folder=tmp_path, flags=["--cpus", "2", "--gpus", "0"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "(2, 2)",
        "27000000.0 True True True",
        "True weft.numpy True True",
        "CPU 2 90000.0",
        "False None True",
        "no such memory",
    ]


def test_accepts_parameters_of_cupynumeric(tmp_path):
    program = written(
        tmp_path,
        """\
        import cupynumeric as np
        x = np.arange(6.0)
        print(np.convolve(x, np.array([1.0, 1.0]), mode="same", method="direct").tolist())
        print(np.full((2,), value=3).tolist(), np.full_like(x, value=2.0).sum(), np.array(obj=[1, 2]).tolist(), np.reshape(x, newshape=(2, 3)).shape)
        print(np.concatenate(inputs=[x, x]).shape, np.where(a=x > 2, x=x, y=0).tolist(), np.nan_to_num(a=x).sum(), np.isscalar(x=3))
        print([one.shape for one in np.array_split(x, indices=4)], [one.shape for one in np.array_split(x, 3, equal=True)])
        try:
            np.array_split(x, 4, equal=True)
        except ValueError as error:
            print(error)
        print(np.diagonal(np.ones((2, 2))).tolist(), np.diagonal(np.arange(2), extract=False).tolist())
        print(np.max(x, None, "f4").dtype, np.amin(x, dtype="i4").dtype, np.max(x.reshape(2, 3), axis=1, initial=4).tolist(), np.max(x))
        print(np.histogram(x=x, bins=3, weights=x)[0].tolist(), np.histogram(x, 3, None, x)[0].tolist())
        out = np.zeros(())
        np.inner(x, x, out=out), np.vdot(x, x, out=out), np.tensordot(x, x, 1, out=out)
        solution = np.zeros(2)
        np.linalg.solve(np.eye(2), np.ones(2), out=solution)
        print(out, solution.tolist(), x.dot(rhs=x), x.all(initial=False), x.any(initial=True))
        x.put(indices=[0], values=[7])
        np.put(x, indices=[1], values=[8])
        np.put_along_axis(a=x, indices=np.array([2]), values=9, axis=0)
        print(x.tolist(), np.take_along_axis(a=x, indices=np.array([0]), axis=0).tolist(), np.broadcast_to(arr=np.ones(1), shape=(2,)).shape)
        print(np.random.binomial(ntrials=5, p=0.5, size=3, dtype="u4").dtype, np.random.normal(0, 1, 3, "f4").dtype)
        print(np.random.default_rng(3).normal(size=3, dtype="f4").dtype, np.random.default_rng(3).poisson(3.0, 4, "u4").dtype)
        np.random.seed(init=3)
        try:
            np.convolve(x, x, method="guess")
        except ValueError as error:
            print(error)
        """,
    )
    done = run(program, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[0.0, 1.0, 3.0, 5.0, 7.0, 9.0]",
        "[3, 3] 12.0 [1, 2] (2, 3)",
        "(12,) [0.0, 0.0, 0.0, 3.0, 4.0, 5.0] 15.0 True",
        "[(2,), (2,), (1,), (1,)] [(2,), (2,), (2,)]",
        "array split does not result in an equal division",
        "[1.0, 1.0] [[0, 0], [0, 1]]",
        "float32 int32 [4.0, 5.0] 5.0",
        "[1.0, 5.0, 9.0] [1.0, 5.0, 9.0]",
        "55.0 [1.0, 1.0] 55.0 False True",
        "[7.0, 8.0, 9.0, 3.0, 4.0, 5.0] [7.0] (2,)",
        "uint32 float32",
        "float32 uint32",
        "unknown method 'guess'; use 'auto', 'direct' or 'fft'",
    ]


def test_logs_benchmarks_as_csv(tmp_path):
    program = written(
        tmp_path,
        """\
        import os
        from legate.util.benchmark import BenchmarkLog, benchmark_log
        from legate.util.info import info

        class Null(BenchmarkLog):
            def _log_metadata(self, metadata): pass
            def _log_columns(self, columns): pass
            def _log_row(self, row): print("null", row)

        with Null("name", 0, ["a"], os.devnull, {}) as log:
            log.log(a=1)
        with benchmark_log("two words", ["time", "size"], metadata=info()) as log:
            log.log(size=3, time=1.5)
            log.log(time=2)
        """,
    )
    done = run(program, folder=tmp_path, flags=["--gpus", "0"])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "null ['1']" and lines[-3:] == ["time,size", "1.5,3", "2,(missing)"]
    assert any(re.match(r"#   Preferred target *: +CPU", line) for line in lines), done.stdout
    done = run(program, folder=tmp_path, flags=["--gpus", "0"], LEGATE_BENCHMARK_OUT=str(tmp_path))
    (file,) = tmp_path.glob("twowords_*.0.csv")
    assert file.read_text().endswith("time,size\n1.5,3\n2,(missing)\n")


def test_accepts_legate_flags(tmp_path):
    program = written(
        tmp_path,
        """\
        import cupynumeric
        from weft import _core
        print(_core.processors(), [pool["capacity"] >> 20 for pool in _core.pool_status() if pool["memory"] == "SYSTEM_MEM"])
        """,
    )
    config = "--cpus 3 --gpus 0 --sysmem 256 --window-size 4 --utility 2"
    done = run(program, folder=tmp_path, LEGATE_CONFIG=config)
    assert (done.returncode, done.stdout) == (0, "(3, 0, 0) [256]\n"), done.stderr
    assert done.stderr == "weft: in LEGATE_CONFIG, --window-size has no effect here\n"
    done = run(program, folder=tmp_path, flags=["--cpus", "2", "--consensus", "--regmem", "4"], LEGATE_CONFIG=config)
    assert done.stdout == "(2, 0, 0) [256]\n", done.stderr
    assert "weft: --consensus, --regmem have no effect here\n" in done.stderr
    done = run(program, folder=tmp_path, LEGATE_CONFIG="--cpu 3")
    assert done.returncode == 2 and done.stderr.startswith("weft: in LEGATE_CONFIG, --cpu: no flag has this name"), done.stderr
    # Without `weft run`.
    place = subprocess.run([sys.executable, "-m", "weft.compat", "cupynumeric"], capture_output=True, text=True, timeout=60)
    path = os.pathsep.join([place.stdout.strip(), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "LEGATE_CONFIG": config, "WEFT_CONFIG": "--cpus 1", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout == "(1, 0, 0) [256]\n", done.stderr
    assert "without effect in Weft: --window-size" in done.stderr


def test_profiles_every_line_of_an_unchanged_program(tmp_path):
    program = written(
        tmp_path,
        """\
        import cupynumeric as np
        x = np.zeros((600, 600))
        y = x + 1.0
        print(y.sum())
        """,
    )
    done = run(program, folder=tmp_path, flags=["--profile", "--gpus", "0"])
    assert done.returncode == 0, done.stderr
    stats = [COMMAND, "stats", "weft_0.prof", "--by", "line", "--format", "csv"]
    text = subprocess.run(stats, cwd=tmp_path, capture_output=True, text=True, timeout=60).stdout
    assert {int(line) for line in re.findall(r"prog\.py:(\d+)", text)} == {2, 3, 4}, text


def test_compat_requires_python(tmp_path):
    done = run("/bin/true", folder=tmp_path)
    assert done.returncode == 2 and "--compat cupynumeric is for Python" in done.stderr
    done = run("prog.py", folder=tmp_path, compat="cunumeric")
    assert done.returncode == 2 and "cupynumeric or numpy" in done.stderr


NUMPY = """\
import sys
import numpy
import numpy as np
import numpy.linalg as la
from numpy import zeros, linalg
from numpy.testing import assert_allclose
import importlib
import helper
import installed_package

x = np.ones((4, 4))
print(type(x).__module__, numpy is np, la is np.linalg is linalg, type(zeros(2)).__module__)
print(type(importlib.import_module("numpy").ones(2)).__module__)
print(type(helper.make()).__module__, type(installed_package.make()).__module__)
import pickle
print(pickle.loads(pickle.dumps(installed_package.make())).sum(), sys.modules["numpy"].__name__)
assert_allclose(x @ x, installed_package.make().sum() + 0 * x)
print(np.linalg.norm(x))
"""


def test_swaps_numpy_only_in_user_files(tmp_path):
    make = "import numpy as np\n\n\ndef make():\n    return np.ones(4)\n"
    program = written(tmp_path / "own", NUMPY)
    written(tmp_path / "own", make, "helper.py")
    written(tmp_path / "lib" / "site-packages", make, "installed_package.py")
    path = os.pathsep.join([str(tmp_path / "lib" / "site-packages"), os.environ.get("PYTHONPATH", "")])
    done = run(program, folder=tmp_path, compat="numpy", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "weft.numpy True True weft.numpy",
        "weft.numpy",
        "weft.numpy numpy",
        "4.0 numpy",
        "4.0",
    ]


def test_runs_an_existing_sitecustomize(tmp_path):
    written(tmp_path / "site", "import builtins\nbuiltins.customized = True\n", "sitecustomize.py")
    program = written(tmp_path, "import numpy as np\nprint(customized, type(np.ones(1)).__module__)\n")
    path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    done = run(program, folder=tmp_path, compat="numpy", PYTHONPATH=path)
    assert done.stdout == "True weft.numpy\n", done.stderr


#: Arguments of each of cuPyNumeric's own examples.
EXAMPLES = {
    "black_scholes": ["-n", "1"],
    "cg": ["-n", "12", "-m", "5"],
    "einsum": ["-n", "20", "-i", "1"],
    "gemm": ["-n", "40", "-i", "2"],
    "indexing_routines": ["-n", "12", "-i", "2", "-w", "1"],
    "jacobi": ["-n", "50", "-i", "20"],
    "kmeans": ["-n", "3", "-m", "5"],
    "linreg": ["-n", "2", "-i", "20"],
    "lstm_forward": [],
    "scan": ["-s", "100", "--check"],
    "sort": ["-s", "1000", "--check"],
    "stencil": ["-n", "60", "-i", "20"],
}

#: Runs a program with the same random numbers for each package, and keeps the arrays that its functions end with.
KEEPER = """\
import importlib, pathlib, runpy, sys
import numpy

path, package, out, *rest = sys.argv[1:]
np = importlib.import_module("cupynumeric" if package == "legate" else "numpy")
source = numpy.random.RandomState(7)


def same(name):
    make = getattr(source, name)

    def random(*args, dtype=None, **kwargs):
        value = make(*args, **kwargs)
        return value if numpy.isscalar(value) else np.asarray(value if dtype is None else value.astype(dtype))

    return random


for name in ("rand", "randn", "random", "uniform", "randint"):
    setattr(np.random, name, same(name))
kept = {}


def keep(frame, event, value):
    if event != "return" or frame.f_code.co_filename != path:
        return
    for name, value in frame.f_locals.items():
        if isinstance(value, (np.ndarray, numpy.ndarray, numpy.generic)):
            key = f"{frame.f_code.co_name} {name}"
            number = sum(other.startswith(key + " ") for other in kept)
            kept[f"{key} {number}"] = numpy.array(value)


sys.argv = [path, *rest, "--package", package]
sys.path.insert(0, str(pathlib.Path(path).parent))
sys.setprofile(keep)
runpy.run_path(path, run_name="__main__")
sys.setprofile(None)
numpy.savez(out, **kept)
"""


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"there is no {SUITE}")
@pytest.mark.parametrize("name", EXAMPLES)
def test_unmodified_cupynumeric_examples_match_numpy(name, tmp_path):
    program = SUITE / f"{name}.py"
    done = run(program, *EXAMPLES[name], folder=tmp_path, PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stderr
    assert "is not in Weft" not in done.stderr, done.stderr
    keeper = written(tmp_path, KEEPER, "keeper.py")
    kept = {}
    for package in ("legate", "numpy"):
        out = tmp_path / f"{package}.npz"
        done = run(keeper, str(program), package, str(out), *EXAMPLES[name], folder=tmp_path, PYTHONDONTWRITEBYTECODE="1")
        assert done.returncode == 0, done.stderr
        kept[package] = np.load(out)
    both = set(kept["legate"].files) & set(kept["numpy"].files)
    assert both and len(both) >= 0.9 * len(kept["numpy"].files), set(kept["numpy"].files) ^ set(kept["legate"].files)
    for key in both:
        np.testing.assert_allclose(kept["legate"][key], kept["numpy"][key], rtol=2e-3, atol=1e-5, err_msg=key)
