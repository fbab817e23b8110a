"""Kernels that were compiled before the program runs: packing their sources, and finding them in the bundle. On emulated GPUs."""

import json
import os
import sqlite3
import subprocess
import sys

import emulated
import pytest

CG = """\
import weft.numpy as np

n = 50
d = n * n
a = np.zeros((d, d))
flat = a.reshape(-1)
step, row = d + 1, n * (d + 1)
flat[::step] = 4.0
flat[1::step] = -1.0
flat[d::step] = -1.0
flat[n : (d - n) * d : step] = -1.0
flat[n * d :: step] = -1.0
flat[(n - 1) * d + n :: row] = 0.0
flat[n * d + n - 1 :: row] = 0.0
x = np.zeros(d)
r = np.ones(d) - a @ x
p = r.copy()
old = r @ r
for i in range(1, 51):
    ap = a @ p
    alpha = old / (p @ ap)
    x += alpha * p
    r -= alpha * ap
    new = r @ r
    if i % 25 == 0:
        print(float(new) < 2500.0)
    p = r + (new / old) * p
    old = new
"""

OTHER = """\
import weft.numpy as np

print(float(np.cumsum(np.cbrt(np.arange(500.0))).max()) > 0)
"""

PACK = """\
import pathlib
import sys

from weft import _core

print(_core.kernel_compiler())
print(_core.pack_kernels(*map(pathlib.Path, sys.argv[1:])))
"""

# The additional time of each call of NVRTC.
ADDED_MS = 80


def pack(folder, variables, sources, to):
    program = folder / "pack.py"
    program.write_text(PACK)
    done = subprocess.run([sys.executable, program, sources, to], env=variables, capture_output=True, text=True, timeout=200)
    return done


def run(folder, name, variables, text=CG):
    """Runs a program with a profile; returns the rows of WEFT_COMPILE as dictionaries."""
    program = folder / f"{name}.py"
    program.write_text(text)
    flags = variables["WEFT_CONFIG"] + f" --profile --profile-name {name}"
    variables = variables | {"WEFT_CONFIG": flags, "WEFT_EMULATED_COMPILE_MS": str(ADDED_MS)}
    done = subprocess.run([sys.executable, str(program)], cwd=folder, env=variables, capture_output=True, text=True, timeout=500)
    emulated.skip_without_compiler(done)
    assert done.returncode == 0, done.stderr
    export = [emulated.COMMAND, "export", "sqlite", f"{name}_0.prof", "-o", f"{name}.sqlite"]
    subprocess.run(export, cwd=folder, check=True, capture_output=True, timeout=100)
    database = sqlite3.connect(folder / f"{name}.sqlite")
    database.row_factory = sqlite3.Row
    return [dict(row) for row in database.execute("SELECT * FROM WEFT_COMPILE ORDER BY start")]


def origins(rows):
    return {row["origin"] for row in rows}


def environment(folder, name):
    """Variables for a process with an empty cache of its own."""
    return emulated.environment(folder) | {"WEFT_CACHE": str(folder / f"cache-{name}")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the profile of a first run, the sources of its kernels, and their bundle."""
    folder = tmp_path_factory.mktemp("bundle")
    # The emulator's own compiler takes seconds for a source that it sees for the first time.
    run(folder, "earlier", environment(folder, "earlier"))
    variables = environment(folder, "first") | {"WEFT_KERNEL_SOURCES": str(folder / "sources")}
    rows = run(folder, "first", variables)
    assert origins(rows) == {"compiled"}
    done = pack(folder, variables, folder / "sources", folder / "kernels.weft")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(13, 0)\n"), done.stdout
    return folder


@pytest.mark.skipif("WEFT_TEST_ALL" not in os.environ, reason="compiles for a minute: .ci/full runs it")
def test_a_first_run_stalls_for_two_compilations_at_most(folder):
    database = sqlite3.connect(folder / "first.sqlite")
    kernels = database.execute("SELECT start, end FROM WEFT_COMPILE WHERE origin = 'compiled' ORDER BY start").fetchall()
    # Compilations that had to follow each other: a round ends with its first kernel, and what begins after that is of another.
    rounds, first_end = 0, -1
    for start, end in kernels:
        if start >= first_end:
            rounds, first_end = rounds + 1, end
        first_end = min(first_end, end)
    assert len(kernels) >= 8
    assert rounds <= 2, (rounds, kernels)


def test_a_second_process_and_the_bundle_need_no_compiler(folder):
    # Which operations of an idle GPU share a kernel may differ from run to run.
    known = {path.stem for path in (folder / "sources").glob("*.cu")}
    runs = {
        "disk": run(folder, "second", environment(folder, "first")),
        "bundle": run(folder, "third", environment(folder, "third") | {"WEFT_KERNEL_BUNDLE": str(folder / "kernels.weft")}),
    }
    for origin, rows in runs.items():
        found = [row for row in rows if row["kernel"] in known]
        assert len(found) >= 8 and origins(found) == {origin}, rows


@pytest.mark.skipif("WEFT_TEST_ALL" not in os.environ, reason="compiles for a minute: .ci/full runs it")
def test_kernels_that_the_bundle_lacks_are_compiled(folder):
    rows = run(folder, "other", environment(folder, "other") | {"WEFT_KERNEL_BUNDLE": str(folder / "kernels.weft")}, OTHER)
    assert "compiled" in origins(rows), rows


@pytest.mark.skipif("WEFT_TEST_ALL" not in os.environ, reason="compiles for a minute: .ci/full runs it")
def test_a_bundle_of_another_source_or_version_is_not_used(folder):
    sources = folder / "stale"
    sources.mkdir()
    for path in (folder / "sources").glob("*.cu"):
        (sources / path.name).write_text(path.read_text() + "\n// An older version.\n")
    variables = environment(folder, "stale")
    assert pack(folder, variables, sources, folder / "stale.weft").returncode == 0
    whole = (folder / "kernels.weft").read_bytes()
    (folder / "newer.weft").write_bytes(whole.replace(b"\nnvrtc 13.0\n", b"\nnvrtc 14.0\n", 1))
    (folder / "damaged.weft").write_bytes(whole[:200])
    for name in ("stale", "newer", "damaged"):
        rows = run(folder, name, environment(folder, "first") | {"WEFT_KERNEL_BUNDLE": str(folder / f"{name}.weft")})
        assert "disk" in origins(rows) and "bundle" not in origins(rows), name


def test_without_sources_or_a_compiler_there_is_no_bundle(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    done = pack(folder, environment(folder, "none"), tmp_path / "empty", tmp_path / "none.weft")
    assert done.returncode == 1 and "holds no sources of kernels" in done.stderr
    variables = os.environ | {"WEFT_NVRTC": str(tmp_path / "libnvrtc.so")}
    done = pack(folder, variables, folder / "sources", tmp_path / "none.weft")
    assert done.stdout == "None\n" and "NVRTC was not found" in done.stderr
    assert not (tmp_path / "none.weft").exists()


def described(variables):
    """The line of `weft info` about the bundle, as an object."""
    done = subprocess.run([emulated.COMMAND, "info", "--format", "json"], env=variables, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    known = json.loads(done.stdout)["components"]
    return next(part for part in known if part["name"] == "Kernel bundle")


def test_info_names_the_bundle_and_its_targets(folder, tmp_path):
    path = folder / "kernels.weft"
    found = json.dumps(described(emulated.environment(tmp_path) | {"WEFT_KERNEL_BUNDLE": str(path)}))
    for text in (str(path), "compute_75, sm_80, sm_90, sm_100, sm_120", "NVRTC 13.0"):
        assert text in found, found


def write_bundle(path, compiler):
    """Writes a bundle of one image of 8 bytes, by an NVRTC of this version."""
    index = bytes(32) + (0).to_bytes(8, "little") + (8).to_bytes(8, "little") + bytes(32)
    path.write_bytes(f"weft kernels 1\nnvrtc {compiler}\ntargets sm_90\nimages 1\n\n".encode() + index + bytes(8))


@pytest.mark.parametrize(
    "change, why, get",
    [
        ("none", None, None),
        ("newer", "NVRTC 14.0 compiled it, which is newer than the driver (CUDA 13.0)", "install a newer driver"),
        ("no code", "lacks the code of 1 of 1 images", "python/bundle.sh"),
        ("no index", "its index is not whole", "python/bundle.sh"),
        ("missing", "No such file", "python/bundle.sh"),
        ("off", "switched off: WEFT_KERNEL_BUNDLE is empty", "unset WEFT_KERNEL_BUNDLE"),
    ],
)
def test_info_explains_why_a_bundle_is_unusable(tmp_path, change, why, get):
    path = tmp_path / "kernels.weft"
    write_bundle(path, "14.0" if change == "newer" else "13.0")
    kept = {"no code": -4, "no index": -40}.get(change)
    path.write_bytes(path.read_bytes()[:kept])
    if change == "missing":
        path.unlink()
    part = described(emulated.environment(tmp_path) | {"WEFT_KERNEL_BUNDLE": "" if change == "off" else str(path)})
    assert part["found"] == (why is None), part
    if why is not None:
        assert why in part["why"] and get in part["get"], part
        assert change == "off" or str(path) in part["why"], part


@pytest.mark.parametrize("change", ["newer", "missing"])
def test_a_given_bundle_that_cannot_be_used_is_reported_once(tmp_path, change):
    path = tmp_path / "kernels.weft"
    if change == "newer":
        write_bundle(path, "14.0")
    program = tmp_path / "prog.py"
    program.write_text("import weft.numpy as np\nprint((np.arange(500.0) * 2).sum().item())\n")
    variables = emulated.environment(tmp_path)
    done = emulated.start(program, tmp_path, variables | {"WEFT_KERNEL_BUNDLE": str(path)})
    assert done.stdout == "249500.0\n", done.stderr
    said = [line for line in done.stderr.splitlines() if "WEFT_KERNEL_BUNDLE" in line]
    reason = "newer than the driver" if change == "newer" else "No such file"
    assert len(said) == 1 and str(path) in said[0] and reason in said[0], done.stderr
    assert emulated.start(program, tmp_path, variables | {"WEFT_KERNEL_BUNDLE": ""}).stderr == ""
