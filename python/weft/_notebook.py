"""``%load_ext weft``, ``%%weft`` and ``%weft view``: the cost of each line of a notebook's cell, and the timeline of the session.

The session is recorded in a profile from its first array on. A cell's costs are those of the operations submitted by its lines, read from
the profile by the command ``weft`` during the session.
"""

import atexit
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile

from . import _core

#: The costs of a cell's lines after an operation. The time of a kernel is shared among the
#: operations that it serves.
COSTS = """\
SELECT p.line AS line, group_concat(DISTINCT o.name) AS operations, count(DISTINCT o.uid) AS count,
       CAST(coalesce(sum((k.end - k.start) * kt.share), 0) AS INTEGER) AS ns
FROM WEFT_OPERATION o
JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId
LEFT JOIN WEFT_TASK t ON t.opUid = o.uid
LEFT JOIN WEFT_KERNEL_TASK kt ON kt.taskUid = t.uid
LEFT JOIN WEFT_KERNEL k ON k.id = kt.kernelId
WHERE p.file = '{file}' AND o.uid > {after}
GROUP BY p.line ORDER BY p.line"""

#: The times when the first operation of the session, and the first after a given one, were submitted, and
#: when the last task of all ended.
TIMES = """\
SELECT (SELECT min(created) FROM WEFT_OPERATION) AS zero, min(o.created) AS first, max(coalesce(t.end, o.created)) AS last
FROM WEFT_OPERATION o LEFT JOIN WEFT_TASK t ON t.opUid = o.uid WHERE o.uid > {after}"""

#: The maximum size of a page in a notebook, which becomes part of the notebook's file.
PAGE = "4M"
HEIGHT = 560

LAST = "SELECT coalesce(max(uid), 0) AS last FROM WEFT_OPERATION"


class Costs:
    """The lines of a cell with their costs."""

    def __init__(self, source, rows):
        self.lines = source.splitlines()
        self.rows = rows
        self.total = sum(row["ns"] for row in rows)

    def table(self):
        """The rows as strings: line, time, share, operations, source."""
        by_line = {row["line"]: row for row in self.rows}
        for number, text in enumerate(self.lines, 1):
            row = by_line.get(number)
            if row is None:
                yield str(number), "", "", "", text
            else:
                share = 100 * row["ns"] / self.total if self.total else 0.0
                names = ", ".join(sorted(row["operations"].split(",")))
                yield str(number), f"{row['ns'] / 1e6:.3f} ms", f"{share:.1f} %", names, text

    def __repr__(self):
        heads = ("line", "kernels", "share", "operations", "source")
        rows = [heads, *self.table()]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = []
        for row in rows:
            cells = [row[0].rjust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2]), row[3].ljust(widths[3]), row[4]]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, f"kernels in all: {self.total / 1e6:.3f} ms"])

    def _repr_html_(self):
        style = "text-align:{}; padding:0 0.6em; white-space:pre; font-family:monospace"
        heads = "".join(f"<th>{head}</th>" for head in ("line", "kernels", "share", "operations", "source"))
        body = []
        for row in self.table():
            cells = zip(row, ("right", "right", "right", "left", "left"))
            body.append("<tr>" + "".join(f'<td style="{style.format(side)}">{html.escape(cell)}</td>' for cell, side in cells) + "</tr>")
        return f"<table><tr>{heads}</tr>{''.join(body)}</table>kernels in all: {self.total / 1e6:.3f} ms"


class View:
    """The page of ``weft view`` with the records of the session, in a frame."""

    def __init__(self, page):
        self.page = page

    def __repr__(self):
        return f"the timeline of the session: a page of {len(self.page)} characters, which needs a notebook to be shown"

    def _repr_html_(self):
        # The frame may run the page's script and nothing else: it has no origin, and its policy
        # allows no requests.
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%; height:{HEIGHT}px; border:1px solid #ccc"></iframe>'


def view(after=None):
    """The timeline of the session so far; shows the part after an operation first."""
    part = []
    if after is not None:
        times = ask(TIMES.format(after=after))[0]
        if times["first"] is not None:
            zero = times["zero"]
            part = ["--between", f"{max(0, times['first'] - zero)}ns..{max(0, times['last'] - zero) + 1}ns"]
    _core.wait_all()
    with tempfile.TemporaryDirectory(prefix="weft-view-") as folder:
        out = os.path.join(folder, "session.html")
        asked = [command(), "view", "--html", out, "--html-limit", PAGE, *part, _core.profile_path()]
        done = subprocess.run(asked, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise RuntimeError(done.stderr.strip() or f"weft view ended with status {done.returncode}")
        with open(out, encoding="utf-8") as file:
            return View(file.read())


def command():
    """The command `weft`: from WEFT_COMMAND, from the interpreter's folder, or from the path."""
    sibling = os.path.join(os.path.dirname(sys.executable), "weft")
    found = os.environ.get("WEFT_COMMAND") or (sibling if os.access(sibling, os.X_OK) else shutil.which("weft"))
    if not found:
        raise RuntimeError("the command weft was not found: install the wheel, or name it in WEFT_COMMAND")
    return found


def ask(sql):
    """The rows of a query of this session's profile."""
    _core.wait_all()
    done = subprocess.run([command(), "query", "--format", "json", sql, _core.profile_path()], capture_output=True, text=True)
    # 3: the profile is incomplete, as during every run.
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr.strip() or f"weft query ended with status {done.returncode}")
    return json.loads(done.stdout)


def load(ipython):
    """Records the session and registers the magic."""
    if not _core.has_started():
        config = os.environ.get("WEFT_CONFIG", "")
        if not any(word.split("=")[0] == "--profile" for word in config.split()):
            folder = tempfile.mkdtemp(prefix="weft-notebook-")
            atexit.register(_discard, folder)
            os.environ["WEFT_CONFIG"] = f"{config} --profile --logdir '{folder}'".strip()
        _core.start()
    if _core.profile_path() is None:
        raise RuntimeError("the runtime runs without a profile: restart the kernel and load the extension before the first array is made")
    ipython.register_magic_function(cell, "cell", "weft")
    ipython.register_magic_function(line, "line", "weft")


def _discard(folder):
    """Ends the run and removes its profile, whose folder was chosen here."""
    _core.finish()
    shutil.rmtree(folder, ignore_errors=True)


def line(text):
    """``%weft view``: the timeline of the session so far."""
    if text.split() != ["view"]:
        raise ValueError("`%weft view` shows the timeline of the session; `%%weft` at the top of a cell shows what its lines cost")
    return view()


def cell(line, text):
    """``%%weft``: runs the cell, then shows the costs of its lines; ``%%weft --view`` also shows its timeline."""
    if line.split() not in ([], ["--view"]):
        raise ValueError(f"%%weft has one flag, --view, not {line.strip()}")
    from IPython import get_ipython
    from IPython.display import display

    ipython = get_ipython()
    last = ask(LAST)[0]["last"]
    # IPython's name for the cell's code is its file in the profile.
    names, cache = [], ipython.compile.cache

    def noted(*args, **kwargs):
        names.append(cache(*args, **kwargs))
        return names[-1]

    ipython.compile.cache = noted
    try:
        done = ipython.run_cell(text, store_history=False)
    finally:
        ipython.compile.cache = cache
    if not done.success or not names:
        return
    rows = ask(COSTS.format(file=names[0].replace("'", "''"), after=last))
    display(Costs(text, rows))
    if line.split():
        display(view(last))
