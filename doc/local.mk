# SPDX-License-Identifier: BSD-3-Clause
# The book: `make book` and `make book-pdf`, neither a part of `all` (auto/deps --book).
book_sources = doc/conf.py doc/index.md doc/users.md doc/administrators.md doc/engineers.md doc/training.md doc/background.md \
  doc/measured.md doc/licences.md doc/reference.md
EXTRA_DIST += $(book_sources) doc/pages doc/print.css
SPHINXBUILD = sphinx-build
SPHINXFLAGS = -q -W --keep-going
.PHONY: book book-pdf
# Sphinx wants all pages in one folder: the sources, and those that doc/pages makes of the manual.
doc/source/conf.py: $(book_sources) doc/pages $(man_MANS) $(dist_man_MANS)
	$(AM_V_GEN)rm -rf doc/source && $(MKDIR_P) doc/source/reference && \
	for file in $(book_sources); do cp "$(srcdir)/$$file" doc/source || exit 1; done && \
	cp '$(srcdir)/doc/demo.svg' doc/source && $(SHELL) '$(srcdir)/doc/pages' doc/source/reference $(man_MANS) \
	  $$(for page in $(dist_man_MANS); do if test -f "$$page"; then echo "$$page"; else echo "$(srcdir)/$$page"; fi; done) && \
	sed "s/^release = .*//; \$$a release = '$(PACKAGE_VERSION)'" '$(srcdir)/doc/conf.py' >doc/source/conf.py
book: doc/source/conf.py
	$(SPHINXBUILD) $(SPHINXFLAGS) -b html doc/source doc/book
	@echo "doc/book/index.html"
book-pdf: doc/source/conf.py
	$(SPHINXBUILD) $(SPHINXFLAGS) -t pdf -b singlehtml doc/source doc/single
	weasyprint -q -s '$(srcdir)/doc/print.css' doc/single/index.html doc/topomap.pdf
	@echo "doc/topomap.pdf"
clean-local: clean-book
clean-book:
	-rm -rf doc/source doc/book doc/single doc/topomap.pdf
.PHONY: clean-book
