"""The scripts that build wheels."""

import pathlib
import subprocess

HOST, OTHER = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
ORDER = pathlib.Path(__file__).parents[1] / "wheel-order.sh"


def order(*targets):
    done = subprocess.run([ORDER, HOST, *targets], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.split(), done.stderr


def test_wheel_of_this_machine_is_built_first():
    assert order(OTHER, HOST) == ([HOST, OTHER], "")
    assert order(HOST, OTHER, HOST) == ([HOST, OTHER], "")
    assert order() == ([HOST], "")


def test_wheels_without_a_bundle_are_reported():
    targets, said = order(OTHER)
    assert targets == [OTHER] and said.startswith("no bundle: "), said
