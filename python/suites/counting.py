"""A pytest plugin that records the outcome of each test, the functions that NumPy computed for Weft, and whether Weft made arrays.

Environment: SUITE_RECORDS names the file, one JSON object per line; SUITE_SAMPLE=N keeps about one test in N, chosen by name;
SUITE_SHARD=I/N keeps the tests of process I of N.
A test whose record is already in the file is skipped, so that a crashed run can be resumed.
"""

import collections
import json
import os
import zlib

import pytest

_RECORDS = os.environ["SUITE_RECORDS"]
_SAMPLE = int(os.environ.get("SUITE_SAMPLE", "1"))
_SHARD, _SHARDS = map(int, os.environ.get("SUITE_SHARD", "0/1").split("/"))

class _Weft:
    """Counts arrays and fallbacks; counts neither if the module under test is NumPy."""

    def __init__(self):
        self._zeros = None
        self._fallbacks = {}
        if os.environ.get("SUITE_MODULE") == "weft.numpy":
            import weft.numpy

            self._zeros, self._fallbacks = weft.numpy.zeros, weft.numpy._fallback.counts
        #: The step of the counter for each array: operations are counted, too.
        self._step = self._number() - self._number()

    def _number(self):
        return -self._zeros(1)._store if self._zeros else 0

    def state(self):
        """A number that grows with each array that is made or computed, and the number of fallbacks of each function."""
        return -self._number(), collections.Counter(self._fallbacks)

    def has_made(self, before, after):
        """Whether arrays were made between two states, not counting the one made by `state`."""
        return after - before > self._step


class _Plugin:
    def __init__(self):
        self._weft = _Weft()
        self._file = open(_RECORDS, "a", encoding="utf-8", buffering=1)
        self._outcome = None
        self._message = None

    def pytest_collection_modifyitems(self, config, items):
        done = set()
        with open(_RECORDS, encoding="utf-8") as file:
            for line in file:
                done.add(json.loads(line)["test"])
        kept = [item for item in items if _is_chosen(item.nodeid) and item.nodeid not in done]
        if len(kept) != len(items):
            config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
            items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self._write(test=item.nodeid, outcome="started")
        self._outcome, self._message = "passed", None
        arrays, fallbacks = self._weft.state()
        try:
            return (yield)
        finally:
            after, all_fallbacks = self._weft.state()
            self._write(
                test=item.nodeid,
                outcome=self._outcome,
                message=self._message,
                arrays=self._weft.has_made(arrays, after),
                fallbacks=dict(all_fallbacks - fallbacks),
            )

    def pytest_runtest_logreport(self, report):
        outcome = _outcome(report)
        if outcome != "passed":
            self._outcome = outcome
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr)
            self._message = text[:400]

    def pytest_collectreport(self, report):
        if report.failed:
            self._write(test=f"{report.nodeid}::(collection)", outcome="error", message=str(report.longrepr)[-400:], arrays=False, fallbacks={})

    def _write(self, **record):
        self._file.write(json.dumps(record) + "\n")


def _is_chosen(name):
    number = zlib.crc32(name.encode())
    return number % _SAMPLE == 0 and number // _SAMPLE % _SHARDS == _SHARD


def _outcome(report):
    if hasattr(report, "wasxfail"):
        return "xpassed" if report.passed else "xfailed"
    if report.when == "call" or report.skipped:
        return report.outcome
    return "passed" if report.passed else "error"


def pytest_configure(config):
    config.pluginmanager.register(_Plugin(), "suite-counting")
