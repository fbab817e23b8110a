"""Settings of the site that docs/build.sh makes. The source folder is the repository, so that links between pages work as on GitHub."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

project = "Weft"
author = "The authors of Weft"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "tests/README.md", "view/page/README.md"]
# These folders are not searched.
exclude_patterns = [
    *(f"{path.name}/**" for path in ROOT.iterdir() if path.is_dir() and path.name not in ("docs", "tests", "view")),
    "**/node_modules",
]
html_theme = "furo"
html_title = "Weft"
# Headings have the anchors that GitHub gives them.
myst_heading_anchors = 4


def read_source(app, docname, source):
    """Adapts a page to the site: adds the list of decisions to their index, and keeps only the text of links to folders."""
    folder = (ROOT / docname).parent

    def keep_text(link):
        return link[1] if (folder / link[2]).is_dir() else link[0]

    source[0] = re.sub(r"\[([^\]]*)\]\(([^)#:]+)\)", keep_text, source[0])
    if docname == "docs/decisions/README":
        source[0] += "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def setup(app):
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
