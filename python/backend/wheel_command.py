"""Adds the command `weft` and files of the package to a wheel that maturin made."""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import shlex
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def profile(default="python"):
    """The profile of Cargo that the package, or the command with another default, is built with."""
    return os.environ.get("WEFT_BUILD_PROFILE") or default


def build_command(*arguments, cargo=("cargo", "build")):
    """Builds the command, without the link-time optimization that shortens calls of the extension, and returns its path."""
    command = [*cargo, "--profile", profile("release"), "-p", "weft-tools", "--bin", "weft", *arguments]
    done = subprocess.run([*command, "--message-format", "json-render-diagnostics"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    for line in done.stdout.splitlines():
        message = json.loads(line) if line.startswith(b"{") else {}
        if message.get("executable") and message["target"]["name"] == "weft":
            return pathlib.Path(message["executable"])
    raise RuntimeError(f"{shlex.join(command)} made no program")


def add_command(wheel, binary):
    """Adds a program to a wheel, to be installed next to the interpreter."""
    _add(wheel, lambda name: f"{name}.data/scripts/{binary.name}", binary.read_bytes(), 0o100755)


def add_to_package(wheel, file):
    """Puts a file into the wheel's package."""
    _add(wheel, lambda name: f"weft/{file.name}", file.read_bytes(), 0o100644)


def _add(wheel, path_of, content, mode):
    """Adds an entry to a wheel, and its line to the wheel's record. `path_of` makes the entry's path from the distribution's name and version."""
    made = wheel.with_suffix(".partial")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        record = next(name for name in old.namelist() if name.endswith(".dist-info/RECORD"))
        for entry in old.infolist():
            if entry.filename != record:
                new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED)
        entry = zipfile.ZipInfo(path_of(record.removesuffix(".dist-info/RECORD")), (2020, 1, 1, 0, 0, 0))
        entry.external_attr = mode << 16
        new.writestr(entry, content, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        row = io.StringIO()
        csv.writer(row, lineterminator="\n").writerow([entry.filename, f"sha256={digest}", len(content)])
        rows = old.read(record).decode().rstrip("\n").splitlines()
        text = "\n".join([*rows[:-1], row.getvalue().rstrip("\n"), rows[-1]]) + "\n"
        new.writestr(old.getinfo(record), text, zipfile.ZIP_DEFLATED)
    made.replace(wheel)
