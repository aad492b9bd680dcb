# SPDX-License-Identifier: BSD-3-Clause
# `topomap report`: a page of HTML, with its style and script.
# These are files of their own, which the program carries as texts.
cli_topomap_SOURCES += cli/page/page.h cli/page/matrices.c cli/page/network_groups.c cli/page/node_topology.c cli/page/page_data.c cli/page/page_sheet.c \
  cli/page/page_fabric.c cli/page/page_html.c cli/page/page_links.c cli/page/page_network.c cli/page/page_report.c cli/page/page_site.c cli/page/page_site.h \
  cli/page/page_site_user.c cli/page/tables.c
nodist_cli_topomap_SOURCES = cli/page/text.c
# The files of each kind are one text, in this order.
page_css = cli/page/page.css
page_js = cli/page/base.js cli/page/matrix.js cli/page/network.js cli/page/inside.js cli/page/page.js
EXTRA_DIST += $(page_css) $(page_js)
CLEANFILES += cli/page/text.c
cli/page/text.c: $(page_css) $(page_js)
	$(AM_V_GEN)$(MKDIR_P) cli/page && text() { echo "const char page_$$1[] ="; shift; \
	  for file; do sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $(srcdir)/$$file; done; echo ';'; }; \
	{ echo '#include "cli/page/page.h"'; text css $(page_css); text js $(page_js); } >$@.tmp && mv $@.tmp $@
