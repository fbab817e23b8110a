"""The command in the wheel, and the source distribution."""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

BACKEND = pathlib.Path(__file__).resolve().parents[1] / "backend"

METADATA = "Metadata-Version: 2.1\nName: some-package\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def backend(monkeypatch):
    monkeypatch.syspath_prepend(str(BACKEND))
    import wheel_command

    return wheel_command


def test_installs_programs_next_to_the_interpreter(backend, tmp_path):
    wheel = tmp_path / "some_package-1.0-py3-none-any.whl"
    info = "some_package-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("some_package.py", "")
        made.writestr(f"{info}/METADATA", METADATA)
        made.writestr(f"{info}/WHEEL", WHEEL)
        record = f"some_package.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        made.writestr(f"{info}/RECORD", record)
    program = tmp_path / "hello"
    program.write_text("#!/bin/sh\necho hello\n")
    backend.add_command(wheel, program)
    with zipfile.ZipFile(wheel) as made:
        assert made.testzip() is None
        lines = made.read(f"{info}/RECORD").decode().splitlines()
    assert lines[-1] == f"{info}/RECORD,," and lines[-2].startswith("some_package-1.0.data/scripts/hello,sha256=")
    # pip compares the sums when it installs.
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    done = subprocess.run([*command, "--prefix", str(tmp_path / "there"), str(wheel)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    installed = tmp_path / "there" / "bin" / "hello"
    assert subprocess.run([installed], capture_output=True, text=True, timeout=10).stdout == "hello\n"


def test_source_distribution_contains_build_files(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BACKEND))
    import source_archive

    if not (source_archive.ROOT / ".git").exists():
        pytest.skip("there is no checkout of the repository to make one from")
    path = tmp_path / "weft_array-1.0.tar.gz"
    source_archive.write_archive(path, METADATA.encode())
    with tarfile.open(path) as made:
        made.extractall(tmp_path, filter="data")
    root = tmp_path / "weft_array-1.0"
    assert (root / "PKG-INFO").read_text() == METADATA
    assert os.access(root / "python" / "build-wheels.sh", os.X_OK)
    # Cargo reads the manifest of each crate, and finds the source files.
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert {"weft-python", "weft-tools"} <= {package["name"] for package in json.loads(done.stdout)["packages"]}
