# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: `make docs` writes build/docs/index.html.

Sphinx with MyST, because both are maintained (MkDocs had its last release in 2024), read the pages
as they are, check links between pages and to headings, and search without a server or a network.
The folder of the sources is the repository, so that links from docs/ to other folders hold.
"""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = "docs/README"
SECTIONS = {
    "Start": ["docs/README", "docs/glossary"],
    "Tutorials": ["docs/tutorials/"],
    "Guide": ["docs/guide/"],
    "Reference": ["docs/methods/", "docs/python/", "docs/reproductions/", "docs/pitfalls"],
    "Theory": ["docs/theory/"],
    "Evidence": ["docs/evidence/", "bench/"],
    "Development": [""],
}

project = "Equinoise"
author = "The Equinoise maintainers"
version = release = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1]
copyright = "Apache-2.0"

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "bench/**.md", "data/**.md", "docs/**.md", "examples/**.md"]
exclude_patterns = ["**/node_modules", "build", "third_party"]
myst_heading_anchors = 6
highlight_language = "none"
nitpicky = True

html_theme = "furo"
html_title = "Equinoise"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_css_files = ["site.css"]
html_static_path = ["static"]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "cpp.html",
        "sidebar/scroll-end.html",
    ]
}


def add_navigation(app, name, source):
    """Appends lists of pages to the first page and to each README.

    The README of a folder lists the pages beside it, the first page all others by section. A page
    belongs to the first section that has it or a folder above it; pages of a section have the
    order in which the index links to them. A page that is in no list is an error of the build.
    """
    readmes = {page for page in app.env.found_docs if page.endswith("/README")} - {INDEX}
    beside = {page: page.rpartition("/")[0] + "/README" for page in app.env.found_docs}
    below = {page for page, readme in beside.items() if readme in readmes - {page}}
    if name in readmes:
        lists = {"Pages": sorted(page for page in below if beside[page] == name)}
    elif name == root_doc:
        linked = re.findall(r"\]\(([\w/-]+)\.md", (ROOT / f"{INDEX}.md").read_text())
        place = {f"docs/{page}": i for i, page in reversed(list(enumerate(linked)))}
        left = sorted(
            app.env.found_docs - below, key=lambda page: (place.get(page, len(linked)), page)
        )
        left.remove(root_doc)
        lists = {}
        for title, starts in SECTIONS.items():
            lists[title] = [page for start in starts for page in left if page.startswith(start)]
            left = [page for page in left if page not in lists[title]]
    else:
        return
    for title, pages in lists.items():
        lines = "\n".join("/" + page for page in pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}\n```\n"


def finish(app, exception):
    if exception is None:
        shutil.copyfile(app.outdir / "README.html", app.outdir / "index.html")


def setup(app):
    app.connect("source-read", add_navigation)
    app.connect("build-finished", finish)
