# SPDX-License-Identifier: BSD-3-Clause
# What distributions build from, and checks of it. systemd's files are installed by packages alone: `make install-systemd`.
systemd_dir = contrib/packaging/systemd
systemd_units = $(systemd_dir)/topomap-refresh.service $(systemd_dir)/topomap-refresh.timer
systemd_tmpfiles = topomap topomap-plugin
systemd_all = $(systemd_units) $(systemd_dir)/topomap.sysusers $(systemd_tmpfiles:%=$(systemd_dir)/%.tmpfiles) $(systemd_dir)/unprivileged.conf
packaging_debian = contrib/packaging/debian/control contrib/packaging/debian/copyright contrib/packaging/debian/rules \
  contrib/packaging/debian/source/format contrib/packaging/debian/topomap.postrm \
  contrib/packaging/debian/topomap-plugin.postrm contrib/packaging/debian/topomap-doc.docs \
  contrib/packaging/debian/topomap-plugin.lintian-overrides contrib/packaging/debian/topomap.lintian-overrides \
  contrib/packaging/debian/topomap-tools.lintian-overrides contrib/packaging/debian/topomap-tools.links
EXTRA_DIST += $(systemd_all) $(packaging_debian) auto/arm64 contrib/packaging/README.md \
  contrib/packaging/contents contrib/packaging/share-out contrib/packaging/check contrib/packaging/check-texts \
  contrib/packaging/build-debs contrib/packaging/try-debs \
  contrib/packaging/rpm/topomap.spec contrib/packaging/rpm/rpmlint.toml contrib/packaging/spack/package.py

# Beside Slurm's and the distribution's own.
systemdunitdir = $(prefix)/lib/systemd/system
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
.PHONY: install-systemd check-packages check-arm64
install-systemd:
	$(MKDIR_P) '$(DESTDIR)$(systemdunitdir)' '$(DESTDIR)$(sysusersdir)' '$(DESTDIR)$(tmpfilesdir)' '$(DESTDIR)$(docdir)/examples'
	for unit in $(systemd_units); do $(INSTALL_DATA) "$(srcdir)/$$unit" '$(DESTDIR)$(systemdunitdir)' || exit 1; done
	$(INSTALL_DATA) '$(srcdir)/$(systemd_dir)/topomap.sysusers' '$(DESTDIR)$(sysusersdir)/topomap.conf'
	for file in $(systemd_tmpfiles); do $(INSTALL_DATA) "$(srcdir)/$(systemd_dir)/$$file.tmpfiles" "$(DESTDIR)$(tmpfilesdir)/$$file.conf" || exit 1; done
	$(INSTALL_DATA) '$(srcdir)/$(systemd_dir)/unprivileged.conf' '$(DESTDIR)$(docdir)/examples'

# The archive, the recipes, and packages on bare roots of Debian; PARTS picks some (contrib/packaging/check --help).
check-packages:
	'$(srcdir)/contrib/packaging/check' $(PARTS)

# Built for 64-bit ARM, and the unit tests under qemu's user emulation.
check-arm64:
	'$(srcdir)/auto/arm64' $(ARM64_TESTS)
