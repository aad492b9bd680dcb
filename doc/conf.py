# SPDX-License-Identifier: BSD-3-Clause
# The book's settings for Sphinx (make book). The sources are copied beside the pages that the build makes of the manual.
project = "topomap"
html_title = "The topomap book"
html_short_title = "topomap"
author = "the topomap authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = []
html_theme = "alabaster"
html_theme_options = {"description": "ranks near those they talk to", "page_width": "72em", "sidebar_width": "16em"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
suppress_warnings = ["misc.highlighting_failure"]  # of commands that go on inside quotes
