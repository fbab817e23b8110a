"""Programs of Python on emulated GPUs; with WEFT_TEST_GPU=1 on the GPUs of this machine, as tests/gpu/wheel.sh does."""

import ctypes
import functools
import os
import pathlib
import subprocess
import sys

import pytest

# Variables that lead programs to a machine's own libraries, GPUs and kernels.
OF_A_MACHINE = [
    "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH", "WEFT_NVRTC", "WEFT_CUBLAS", "WEFT_CUFFT", "WEFT_CUSOLVER", "WEFT_CUPTI", "WEFT_KERNEL_BUNDLE",
]  # fmt: skip

COMMAND = os.environ.get("WEFT_COMMAND", "weft")


def cases(every, some):
    """The cases that run with WEFT_TEST_ALL set, or those that run for every change: kernels are compiled one by one."""
    return every if os.environ.get("WEFT_TEST_ALL") else some


#: Whether tests use GPUs of this machine.
IS_REAL = os.environ.get("WEFT_TEST_GPU") == "1"


@functools.cache
def real_gpus():
    """The number of GPUs of this machine."""
    count = ctypes.c_int(0)
    driver = ctypes.CDLL("libcuda.so.1")
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def link(folder, emulator):
    """Links the names of NVIDIA's libraries in a folder to an emulator, in place of earlier links."""
    for name, version in (("cuda", 1), ("nvrtc", 13), ("cublas", 13), ("cufft", 12), ("cusolver", 12), ("cupti", 13)):
        for end in ("", f".{version}"):
            path = folder / f"lib{name}.so{end}"
            path.unlink(missing_ok=True)
            path.symlink_to(emulator)


def link_without_geev(folder):
    """Links NVIDIA's names in a folder to an emulator whose cuSOLVER is older than CUDA 12.6; skips tests on real GPUs."""
    if IS_REAL:
        pytest.skip("a real cuSOLVER has all functions of its version")
    old = folder / "old_emulator.so"
    emulator = pathlib.Path(COMMAND).with_name("libcuda_emulator.so")
    old.write_bytes(emulator.read_bytes().replace(b"cusolverDnXgeev", b"cusolverDnXnone"))
    link(folder, old)


def environment(folder, gpus=1, seed=5, flags=""):
    """Variables for a program on a number of two emulated GPUs; `folder` holds libraries and kernels."""
    config = f"--cpus 2 --gpus {gpus} --min-gpu-chunk 64 --min-cpu-chunk 64 {flags}"
    if IS_REAL:
        if gpus > real_gpus():
            pytest.skip(f"this machine has {real_gpus()} GPUs")
        # Kernels are kept in WEFT_CACHE: compiling them takes most of the time.
        return os.environ | {"WEFT_CONFIG": config if "--fbmem" in flags else f"{config} --fbmem 2000"}
    emulator = pathlib.Path(COMMAND).with_name("libcuda_emulator.so")
    if not emulator.is_file():
        pytest.skip("the emulator of GPUs is not built: cargo build -p cuda-emulator")
    link(folder, emulator)
    kept = {name: value for name, value in os.environ.items() if name not in OF_A_MACHINE}
    return kept | {
        "LD_LIBRARY_PATH": str(folder),
        "WEFT_CACHE": str(folder / "kernels"),
        "WEFT_EMULATED_GPUS": "2",
        "WEFT_EMULATED_SEED": str(seed),
        "WEFT_CONFIG": config,
    }


def run(program, folder, variables, timeout=200):
    """Runs the program at a path for at most `timeout` seconds; returns its output."""
    done = start(program, folder, variables, timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout


def start(program, folder, variables, timeout=200):
    """Runs the program at a path for at most `timeout` seconds. Its status may be any."""
    done = subprocess.run([sys.executable, str(program)], cwd=folder, env=variables, capture_output=True, text=True, timeout=timeout)
    skip_without_compiler(done)
    return done


def skip_without_compiler(done):
    """Skips the test if a program reports that the emulator has no compiler."""
    if "C++ compiler" in done.stderr:
        pytest.skip("there is no C++ compiler for the emulator")
