"""The source distribution: all tracked files of the checkout. The command is built from them too."""

import gzip
import io
import pathlib
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tracked_files():
    """The paths of the repository's files, relative to its root.

    Raises:
        RuntimeError: this is not a checkout.
    """
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        raise RuntimeError(f"a source distribution needs a git checkout of the repository, and {ROOT} is not one: build a wheel")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return [name for name in done.stdout.decode().split("\0") if name]


def write_archive(path, metadata):
    """Writes the files and the package's metadata, in a folder of the archive's name; the same bytes for the same files."""
    folder = path.name.removesuffix(".tar.gz")
    with path.open("wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:

            def add(name, content, mode):
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.size, entry.mode, entry.mtime = len(content), mode, 1577836800
                archive.addfile(entry, io.BytesIO(content))

            add("PKG-INFO", metadata, 0o644)
            for name in tracked_files():
                source = ROOT / name
                if not source.is_file():
                    raise RuntimeError(f"git tracks {name}, which is not a file in {ROOT}: restore it, or remove it with `git rm`")
                add(name, source.read_bytes(), 0o755 if source.stat().st_mode & 0o100 else 0o644)
