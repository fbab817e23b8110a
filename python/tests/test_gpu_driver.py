"""The driver that a program uses is the one that `weft info` reports: `libcuda.so.1`, not a file named `libcuda.so`. On emulated GPUs."""

import pathlib
import subprocess

import emulated

#: Places of a library that has nothing to do with GPUs.
LIBRARIES = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/usr/lib/libm.so.6"]

PROGRAM = """\
import weft.numpy as np

print(float((np.arange(4000.0) * 2).sum()))
"""


def test_other_library_named_libcuda_is_not_the_driver(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(PROGRAM)
    variables = emulated.environment(tmp_path, flags="--profile --profile-name run")
    # Like the library in a toolkit's folder `stubs`, this one lacks most functions.
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    library = next(path for path in LIBRARIES if pathlib.Path(path).exists())
    (stubs / "libcuda.so").symlink_to(library)
    variables["LD_LIBRARY_PATH"] = f"{stubs}:{variables['LD_LIBRARY_PATH']}"
    assert emulated.run(program, tmp_path, variables) == "15996000.0\n"
    count = [emulated.COMMAND, "query", "SELECT count(*) > 0 AS found FROM WEFT_KERNEL WHERE name LIKE 'weft_%'", "run_0.prof"]
    done = subprocess.run(count, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.stdout.split() == ["found", "1"], done.stderr
    info = subprocess.run([emulated.COMMAND, "info"], env=variables, capture_output=True, text=True, timeout=100)
    assert "libcuda.so.1" in info.stdout or "libcuda_emulator" in info.stdout, info.stdout


TOO_OLD = """\
import weft.numpy as np

a = np.full((64, 64), 2.0)
try:
    print((a @ a)[0, 0].item())
except RuntimeError as error:
    print(error)
"""


def test_old_library_names_its_own_remedy(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(TOO_OLD)
    # A library without the functions of cuBLAS.
    library = next(path for path in LIBRARIES if pathlib.Path(path).exists())
    said = emulated.run(program, tmp_path, emulated.environment(tmp_path) | {"WEFT_CUBLAS": library})
    assert "cuBLAS is too old: it has no cublasCreate_v2" in said, said
    assert "nvidia-cublas" in said and "driver" not in said, said
