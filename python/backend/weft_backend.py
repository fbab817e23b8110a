"""The build backend: maturin makes the wheel, and the command `weft` is built and put into it.

maturin chooses by the interpreter: the stable ABI, or for a free-threaded interpreter its own.
The environment variable WEFT_BUILD_PROFILE names another profile of Cargo than `python`.
"""

import email
import os
import pathlib
import shlex
import tempfile

import maturin
from maturin import *  # noqa: F403  Hooks that need no change.

from source_archive import write_archive
from wheel_command import add_command, build_command, profile


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel, with the command."""
    _choose_profile()
    name = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_command(pathlib.Path(wheel_directory, name), build_command())
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that refers to the checkout, with the command."""
    _choose_profile()
    name = maturin.build_editable(wheel_directory, config_settings, metadata_directory)
    add_command(pathlib.Path(wheel_directory, name), build_command())
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The whole repository: the command is built from crates that the package itself does not need, which maturin would leave out."""
    with tempfile.TemporaryDirectory() as folder:
        info = pathlib.Path(folder, maturin.prepare_metadata_for_build_wheel(folder, config_settings))
        metadata = (info / "METADATA").read_bytes()
    version = email.message_from_bytes(metadata)["Version"]
    name = f"weft_array-{version}.tar.gz"
    write_archive(pathlib.Path(sdist_directory, name), metadata)
    return name


def _choose_profile():
    given = os.environ.get("MATURIN_PEP517_ARGS", "")
    # Who names one for maturin gets it: it takes the flag once.
    if "--profile" not in given:
        os.environ["MATURIN_PEP517_ARGS"] = f"{given} --profile {shlex.quote(profile())}".strip()
