"""Tables of measurements as CSV, below a description of the machine."""

import contextlib as _contextlib
import csv as _csv
import os as _os
import secrets as _secrets
import sys as _sys
import time as _time

from .info import info as _info
from .info import lines as _lines

__all__ = ("BenchmarkLog", "benchmark_log")


class BenchmarkLog(_contextlib.ExitStack):
    """A table that is being written; subclasses define the format."""

    def __init__(self, name, uid, columns, file, metadata=None):
        super().__init__()
        self.name, self.uid, self.columns, self.file, self.metadata = name, uid, columns, file, metadata

    def __enter__(self):
        super().__enter__()
        about = {"Name": self.name, "Time": _time.strftime("%Y-%m-%d %H:%M:%S"), "UID": f"{self.uid:016x}"}
        metadata = _info() if self.metadata is None else self.metadata
        self._log_metadata("\n".join(_lines({"Benchmark": about, **metadata})))
        self._log_columns(self.columns)
        return self

    def log(self, **row):
        """Adds a row with named columns."""
        self._log_row([str(row.get(column, "(missing)")) for column in self.columns])

    def _log_metadata(self, metadata):
        raise NotImplementedError

    def _log_columns(self, columns):
        raise NotImplementedError

    def _log_row(self, row):
        raise NotImplementedError


class BenchmarkLogCSV(BenchmarkLog):
    """A table as CSV, with comments above it."""

    def _log_metadata(self, metadata):
        for line in metadata.splitlines():
            self.file.write(f"# {line}\n")

    def _log_columns(self, columns):
        _csv.writer(self.file, lineterminator="\n").writerow(columns)

    def _log_row(self, row):
        _csv.writer(self.file, lineterminator="\n").writerow(row)
        self.file.flush()


class BenchmarkLogFromFilename:
    """A table in a file that is opened with it."""

    def __init__(self, path, make):
        self.path, self._make, self._stack = path, make, _contextlib.ExitStack()

    def __enter__(self):
        file = self._stack.enter_context(open(self.path, "w", newline="", encoding="utf-8"))
        return self._stack.enter_context(self._make(file))

    def __exit__(self, *error):
        return self._stack.__exit__(*error)


def benchmark_log(name, columns, out=None, metadata=None, start_runtime=True):
    """A table of measurements: on `out`, in the folder LEGATE_BENCHMARK_OUT, or on standard output."""
    uid = _secrets.randbits(64)
    metadata = _info(start_runtime) if metadata is None else metadata
    folder = _os.environ.get("LEGATE_BENCHMARK_OUT", "stdout")
    if out is not None or folder == "stdout":
        return BenchmarkLogCSV(name, uid, columns, _sys.stdout if out is None else out, metadata)
    path = _os.path.join(folder, f"{name.replace(' ', '')}_{uid:016x}.0.csv")
    return BenchmarkLogFromFilename(path, lambda file: BenchmarkLogCSV(name, uid, columns, file, metadata))
