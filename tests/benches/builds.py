"""Build times and their limits: `python3 tests/benches/builds.py [NAME...]`.

Builds into its own folders, from scratch, in a copy of the checkout's files, with what cargo has downloaded. With names only rows that contain one of them are
measured; `rebuild` needs `first`. Takes a quarter of an hour on two cores, which should be idle.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST = ["cargo", "build", "--release", "--bin", "weft", "--bin", "stencil"]


def timed(command, folder, **environment):
    """Seconds that a command takes."""
    environment = {**{name: value for name, value in os.environ.items() if not name.startswith("CARGO_PROFILE")}, **environment}
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def row(what, seconds, limit, more=""):
    minutes, rest = divmod(round(seconds), 60)
    text = f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
    print(f"| {what} | {text}{more} | {limit} |", flush=True)


def changed(path):
    """Adds a function that is not called to a file: a change that the compiler has to process."""
    path.write_text(path.read_text() + "\n#[allow(dead_code)]\nfn unused() -> u64 {\n    17\n}\n")


def first(checkout, target):
    """The README's build and its first table."""
    environment = {"CARGO_TARGET_DIR": str(target)}
    subprocess.run(["cargo", "fetch", "--locked"], cwd=checkout, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    build = timed(FIRST, checkout, **environment)
    row(f"`{' '.join(FIRST)}`, from nothing", build, "5 min, to the first table")
    weft, program = target / "release/weft", target / "release/stencil"
    with tempfile.TemporaryDirectory() as folder:
        run = timed([weft, "run", "--profile", "--", program, "-n", "2000", "-i", "50"], folder)
        run += timed([weft, "stats", "weft_0.prof", "--by", "line"], folder)
    row("the profiled run of README and its table", run, "")


def rebuild(checkout, target):
    """The build after a change."""
    environment = {"CARGO_TARGET_DIR": str(target)}
    changed(checkout / "runtime/kernels/src/linear/matvec.rs")
    row("after a change in runtime/kernels/src/linear: `cargo build --release --bin stencil`", timed(FIRST[:3] + ["--bin", "stencil"], checkout, **environment), "90 s")
    timed(FIRST, checkout, **environment)
    changed(checkout / "cli/src/screen.rs")
    row("after a change in cli/src: `cargo build --release --bin weft`", timed(FIRST[:3] + ["--bin", "weft"], checkout, **environment), "10 s")


def user(checkout, target):
    """A crate of a user, in debug, with the settings that README gives."""
    readme = (checkout / "README.md").read_text()
    (settings,) = re.findall(r"# Debug builds.*?```", readme, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "src").mkdir()
        manifest = f"""[package]
name = "mine"
version = "0.1.0"
edition = "2024"

[dependencies]
weft-array = {{ path = "{checkout / 'array'}" }}
ndarray = "0.17"

{settings.removesuffix("```")}"""
        (folder / "Cargo.toml").write_text(manifest)
        (folder / "src/main.rs").write_text(PROGRAM)
        seconds = timed(["cargo", "build"], folder, CARGO_TARGET_DIR=str(target))
        size = (target / "debug/mine").stat().st_size / 1e6
        row("a user's crate in debug, with README's settings, from scratch", seconds, "3 min, 60 MB", f", binary of {size:.0f} MB")


PROGRAM = """\
fn main() -> Result<(), weft::Error> {
    let _runtime = weft::start()?;
    let a = weft::ones::<f64>(&[1000, 1000]);
    println!("{}", (&a + &a).matmul(&a).sum().item());
    Ok(())
}
"""

ROWS = {"first": first, "rebuild": rebuild, "user": user}


def main():
    names = sys.argv[1:]
    wanted = [name for name in ROWS if not names or any(one in name for one in names)]
    print("| what | time | limit |")
    print("|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        for file in filter(None, files):
            (checkout / file).parent.mkdir(parents=True, exist_ok=True)
            (checkout / file).write_bytes((ROOT / file).read_bytes())
        for name in wanted:
            ROWS[name](checkout, Path(folder) / ("user" if name == "user" else "target"))


if __name__ == "__main__":
    main()
