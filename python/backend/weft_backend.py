"""The build backend: maturin makes the wheel, and the command `weft` is built and put into it.

maturin chooses by the interpreter: the stable ABI, or for a free-threaded interpreter its own.
The environment variable WEFT_BUILD_PROFILE names another profile of Cargo than `release`.
"""

import os
import pathlib
import shlex

import maturin
from maturin import *  # noqa: F403  Hooks that need no change.

from wheel_command import add_command, build_command


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
    """There is none: the command is built from crates that the package itself does not need, which maturin leaves out."""
    raise RuntimeError("weft-array has no source distribution: build a wheel from a checkout of the repository")


def _choose_profile():
    profile = os.environ.get("WEFT_BUILD_PROFILE")
    if profile:
        given = os.environ.get("MATURIN_PEP517_ARGS", "")
        os.environ["MATURIN_PEP517_ARGS"] = f"{given} --profile {shlex.quote(profile)}".strip()
