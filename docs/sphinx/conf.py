"""Settings of Sphinx; `build.py` puts this file beside the pages that it prepares. Nothing is loaded from the network."""

from pathlib import Path

import bricard

HERE = Path(__file__).resolve().parent

project = "Bricard"
author = "The Bricard developers"
copyright = "2026, the Bricard developers"
version = release = bricard.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
default_role = "code"
highlight_language = "text"

methods = [
    f"{folder}/{page.stem}" for folder in ("formulations", "integrators") for page in HERE.glob(f"{folder}/*.md")
]
WIDE = ["index", "gallery", "problems", "formulations", "integrators", *methods]  # pages without a bar on the right

html_theme = "pydata_sphinx_theme"
html_title = "Bricard"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_logo = html_favicon = "static/logo.svg"
html_extra_path = ["bricard.schema.json"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "tutorial": [], "gallery": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "Bricard"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in WIDE}},
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "friendly",
    "pygments_dark_style": "monokai",
}

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
templates_path = ["templates"]
