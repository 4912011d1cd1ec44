"""The documentation's configuration; ``make docs`` builds it with warnings as errors."""

import os
import runpy
from pathlib import Path

import matplotlib as mpl
from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.addnodes import literal_emphasis, pending_xref

import viewfuse

mpl.use("Agg")

project = "viewfuse"
author = project_copyright = "the viewfuse developers"
version = release = viewfuse.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "matplotlib.sphinxext.plot_directive",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "viewfuse"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#0072B2"},
    "dark_css_variables": {"color-brand-primary": "#6cbcf0", "color-brand-content": "#6cbcf0"},
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
copybutton_prompt_text = "$ "

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True

plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 110)]
plot_include_source = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "capture_repr": (),
    "show_memory": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "default_thumb_file": str(Path(__file__).parent / "digits.png"),
}
suppress_warnings = ["config.cache", "toc.not_included"]
html_math_renderer = "mathml"
# The real data of the gallery; where they are absent the example says so.
shared = Path(__file__).resolve().parents[2] / "shared" / "datasets"
if shared.is_dir():
    os.environ.setdefault("VIEWFUSE_DATA", str(shared))


def unlink_sizes(app, doctree):
    """Make text of names such as ``n_views`` in ``(n_views,) array``, which Sphinx takes for references to an attribute."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and node["reftype"] in ("class", "obj") and node["reftarget"].islower():
            node.replace_self(literal_emphasis("", node["reftarget"]))


def write_reports(app):
    """The reports that ``reports.md`` links to."""
    folder = Path(__file__).parent
    runpy.run_path(str(folder / "reports.py"))["write"](folder / "_static" / "reports")


def setup(app):
    """Formulas as MathML, which every browser draws by itself: no script, no network."""
    app.connect("doctree-read", unlink_sizes)
    app.connect("builder-inited", write_reports)

    def inline(writer, node):
        writer.body.append(convert(node.astext()))
        raise SkipNode

    def block(writer, node):
        writer.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
        raise SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (block, None))
