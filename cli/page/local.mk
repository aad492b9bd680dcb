# `topomap report`: a page of HTML. Its style and script are files of their own, which the program
# carries as texts.
cli_topomap_SOURCES += cli/page/page.h cli/page/data.c cli/page/links.c cli/page/network.c cli/page/matrices.c cli/page/tables.c \
  cli/page/sheet.c cli/page/html.c cli/page/report.c cli/page/fabric.c cli/page/site.h cli/page/site.c cli/page/site_user.c cli/page/site_text.c
nodist_cli_topomap_SOURCES = cli/page/text.c
EXTRA_DIST += cli/page/page.css cli/page/page.js
CLEANFILES += cli/page/text.c
cli/page/text.c: cli/page/page.css cli/page/page.js
	$(AM_V_GEN)$(MKDIR_P) cli/page && { echo '#include "cli/page/page.h"'; \
	for kind in css js; do \
	  echo "const char page_$$kind[] ="; \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $(srcdir)/cli/page/page.$$kind; \
	  echo ';'; \
	done; } >$@.tmp && mv $@.tmp $@
