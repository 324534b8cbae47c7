"""Settings of the documentation: ``make docs`` builds it, and fails on any warning."""

import importlib
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.autodoc.mock import mock
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging

import postel

HERE = Path(__file__).parent
sys.path.append(str(HERE.with_name("tools")))

from tables import uneven  # noqa: E402 - the path is set above

with mock(["django"]):  # which is not installed here
    importlib.import_module("postel.django")

LOGGER = logging.getLogger(__name__)
# Words that people search for and that these pages do not contain. They become keywords of the page, and the
# search finds them.
SEARCHED = {
    "performance": "latency, overhead, cost, speed, throughput",
    "proxies": "nginx, load balancer, CDN, CloudFront, HAProxy, Apache",
    "refused": "refused, blocked, 400, bad request, false positive",
    "roll-out": "rollout, rolling out, deploy, production, observe",
}

project = "postel"
author = "The postel developers"
copyright = "The postel developers"  # noqa: A001 - Sphinx's name for it
version = release = postel.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.doctest"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3  # a link to a heading that is not there is a warning

html_theme = "furo"
html_title = "postel"
html_static_path = ["_static"]
html_css_files = ["postel.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "xcode"  # whose colours have the contrast of WCAG 2.2, section 1.4.3
pygments_dark_style = "github-dark"

# The examples in docstrings use these names without importing them.
doctest_global_setup = """
from postel import *
from postel.cli import *
from postel.django import *
from postel.form import *
from postel.javascript import *
from postel.opentelemetry import *
from postel.prometheus import *
from postel.scan import *
from postel.uri import *
from postel.doctor._request import Request
from postel.doctor._routes import Route
"""

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
# References to names that have no entry here: those of the standard library and of protocols, and aliases.
nitpick_ignore_regex = [
    (
        r"py:.*",
        r"(collections|datetime|typing|types|enum|_typeshed|re|os|prometheus_client|opentelemetry)\..*",
    ),
    (r"py:.*", r"(bool|bytes|float|int|str|dict|list|tuple|object|frozenset|type|set)"),
    (r"py:.*", r"(Any|Callable|ClassVar|Iterable|Iterator|Literal|Mapping|Self|NoReturn)"),
    (r"py:.*", r"(MutableMapping|PathLike)"),
    (
        r"py:.*",
        r"(WSGIApplication|StartResponse|Range|Charsets|CharsetRule|Observer|Check|NameRule|Acceptance)",
    ),
    (r"py:.*", r"postel\.(?:scan|doctor|_catalogue)\._?\w+\.\w+"),
]

# The public names are defined in private modules. This loop shows them under the names that users import, and
# finds the docstrings below attributes in the private modules.
for _entrance in ("postel", "postel.uri"):
    _module = importlib.import_module(_entrance)
    _analyzer = ModuleAnalyzer.for_module(_entrance)
    _analyzer.analyze()
    for _name in _module.__all__:
        _member = vars(_module)[_name]
        if isinstance(_member, type) and _member.__module__.startswith(f"{_entrance}._"):
            _member.__module__ = _entrance
    for _, _name, _ in pkgutil.walk_packages(_module.__path__, f"{_entrance}."):
        if re.match(r"_[a-z]", _name.removeprefix(f"{_entrance}.")):
            _written = ModuleAnalyzer.for_module(_name)
            _written.analyze()
            _analyzer.attr_docs.update(_written.attr_docs)
            _analyzer.annotations.update(_written.annotations)
            _analyzer.tagorder.update(_written.tagorder)


def prepare(_: Sphinx, page: str, source: list[str]) -> None:
    """Adapt a page, which is written for the repository, to this documentation.

    The page threat-model gets the text of SECURITY.md. A link to a file outside of docs/ becomes plain text.
    A table row that has more or fewer cells than the header fails the build.
    """
    text = source[0]
    if page == "threat-model":
        text = HERE.with_name("SECURITY.md").read_text("utf-8").replace("](docs/", "](")
    for row in uneven(text):
        LOGGER.warning("a row has more or fewer cells than the header of its table: %s", row, location=page)
    text = text.replace("](../SECURITY.md", "](threat-model.md")
    text = re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", text)
    if page in SEARCHED:
        text = f'---\nmyst:\n  html_meta:\n    "keywords": "{SEARCHED[page]}"\n---\n\n{text}'
    source[0] = text


def _reachable(html: str) -> str:
    """Let the keyboard reach everything that scrolls, and give captions of page lists a heading level."""
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    return html.replace('class="caption" role="heading"', 'class="caption" role="heading" aria-level="2"')


def repair(_: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Make the HTML of Sphinx and of its theme accessible (WCAG 2.2, sections 1.3.1 and 2.1.1)."""
    for part in ("body", "furo_navigation_tree"):
        if part in context:
            context[part] = _reachable(context[part])


def setup(app: Sphinx) -> None:
    """Register the functions above."""
    app.connect("source-read", prepare)
    app.connect("html-page-context", repair, priority=900)  # after the theme
