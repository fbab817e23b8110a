"""`%load_ext weft` and `%%weft` on a real kernel."""

import base64
import gzip
import html
import json
import os
import pathlib
import re
import sys

import pytest

nbformat = pytest.importorskip("nbformat", reason="the tests of notebooks need nbclient and ipykernel")
nbclient = pytest.importorskip("nbclient", reason="the tests of notebooks need nbclient and ipykernel")
pytest.importorskip("ipykernel", reason="the tests of notebooks need nbclient and ipykernel")

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "notebook.ipynb"

CELL = """\
%%weft
grid = np.zeros((600, 600))

total = (grid + 1.0).sum()
print(total)
"""


def execute(notebook, folder):
    # The kernel of this interpreter, not another installed one.
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    os.environ["WEFT_COMMAND"] = os.path.abspath(os.environ.get("WEFT_COMMAND", "weft"))
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute()
    return notebook


def written(*cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])


def texts(cell):
    return [output.get("text") or output["data"].get("text/plain", "") for output in cell.outputs]


def test_cells_show_line_costs(tmp_path):
    done = execute(written("%load_ext weft\nimport weft.numpy as np", "x = np.ones((900, 900)) + 2", CELL, CELL, "np.arange(3)"), tmp_path)
    for cell in done.cells[2:4]:
        printed, costs = texts(cell)
        assert printed == "360000.0\n"
        rows = {int(line): rest for line, rest in re.findall(r"^ *(\d+)  (.*)$", costs, re.MULTILINE)}
        assert set(rows) == {1, 3, 4}, costs
        assert "ms" in rows[1] and "ms" in rows[3] and "add" in rows[3], costs
        # One fill for each execution of the cell: earlier costs do not count.
        assert rows[1].endswith("grid = np.zeros((600, 600))"), costs
        assert "text/html" in cell.outputs[1]["data"]
    assert texts(done.cells[4]) == ["array([0, 1, 2])"]


def page_of(output):
    """The page that is in the frame of an output."""
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" style="[^"]*"></iframe>', output["data"]["text/html"])
    assert frame is not None
    return html.unescape(frame.group(1))


def answers_of(page):
    """The data that `weft view` has put into a page."""
    packed = re.search(r'id="weft-data">([^<]*)<', page).group(1)
    bundle = gzip.decompress(base64.b64decode(packed))
    length = int.from_bytes(bundle[:4], "little")
    return json.loads(bundle[4 : 4 + length])["answers"]


def test_shows_the_session_timeline(tmp_path):
    viewed = CELL.replace("%%weft", "%%weft --view")
    done = execute(written("%load_ext weft\nimport weft.numpy as np", "x = (np.ones((300, 300)) + 2).sum().item()", viewed, "%weft view"), tmp_path)
    printed, _, shown = done.cells[2].outputs
    assert printed["text"] == "360000.0\n"
    pages = [page_of(shown), page_of(done.cells[3].outputs[0])]
    assert all(len(page) < 5 << 20 for page in pages)
    cell, session = (answers_of(page)["info"] for page in pages)
    texts = [line["text"] for line in session["lines"]]
    assert "total = (grid + 1.0).sum()" in texts and any("np.ones((300, 300))" in (text or "") for text in texts), texts
    # The part that the cell took is shown first: the cell before it is not in it.
    assert session["part"] is None
    first, last = cell["part"]
    assert 0 < first < last <= cell["end"]


def test_unknown_command_gives_one_sentence(tmp_path):
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="shows the timeline of the session"):
        execute(written("%load_ext weft", "%weft look"), tmp_path)


def test_runtime_without_profile_gives_one_sentence(tmp_path):
    notebook = written("import weft.numpy as np\nprint(np.ones(3).sum())", "%load_ext weft")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="restart the kernel and load the extension before"):
        execute(notebook, tmp_path)


def test_interrupted_cell_leaves_a_usable_kernel(tmp_path):
    text = "import os, signal, threading\nthreading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    long = text + "x = np.random.default_rng(1).random((1200, 1200))\nfor _ in range(1000):\n    x = np.linalg.inv(x @ x + 1)\nx.sum().item()"
    notebook = written("import weft.numpy as np", f"try:\n    exec({long!r})\nexcept KeyboardInterrupt:\n    print('interrupted')", "print(np.ones(4).sum())")
    done = execute(notebook, tmp_path)
    assert texts(done.cells[1]) == ["interrupted\n"] and texts(done.cells[2]) == ["4.0\n"]


@pytest.mark.skipif(sys.platform != "linux", reason="profiles are recorded on Linux")
def test_example_notebook_runs(tmp_path):
    done = execute(nbformat.read(EXAMPLE, as_version=4), tmp_path)
    outputs = "".join(text for cell in done.cells if cell.cell_type == "code" for text in texts(cell))
    assert "is not in Weft" not in outputs and "kernels in all" in outputs


def test_keeps_requested_profiles(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CONFIG", f"--profile=true --logdir {tmp_path}")
    execute(written("%load_ext weft\nimport weft.numpy as np", CELL), tmp_path)
    assert (tmp_path / "weft_0.prof").is_file()
