# SPDX-License-Identifier: BSD-3-Clause
# `topomap report`: a page of HTML, with its style and script.
# These are files of their own, which the program carries as texts.
cli_topomap_SOURCES += cli/page/page.h cli/page/data.c cli/page/links.c cli/page/network.c cli/page/matrices.c cli/page/pairs.h cli/page/pairs.c cli/page/coarse.h cli/page/coarse.c cli/page/inside.c cli/page/measured.h cli/page/measured.c cli/page/units.h cli/page/units.c cli/page/tables.c \
  cli/page/sheet.c cli/page/html.c cli/page/report.c cli/page/fabric.c cli/page/site.h cli/page/site.c cli/page/site_user.c cli/page/site_text.c
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
