# SPDX-License-Identifier: BSD-3-Clause
# spank_topomap.so: libc and Slurm's own symbols, nothing else.
pluginspankdir = $(spankdir)
pluginspank_LTLIBRARIES = plugin/spank_topomap.la

# Everything but the hooks, so that tests can link it with Slurm's functions of their own.
noinst_LTLIBRARIES += plugin/libspank.la
plugin_libspank_la_SOURCES =
plugin_libspank_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) \
  -DTOPOMAP_NODE='"$(pkglibexecdir)/topomap-node"'
plugin_libspank_la_LIBADD = plugin/helper/libnode.la plugin/libsite.la plugin/libreply.la plugin/policy/libpolicy.la lib/plan/libthin.la

plugin_spank_topomap_la_SOURCES = plugin/spank.c
plugin_spank_topomap_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
# nodelete: Slurm looks into a plugin, lets go of it and loads it again (plugin_peek in
# src/common/plugin.c), and what the constructor found out must outlive that.
plugin_spank_topomap_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,nodelete \
  -export-symbols-regex '^(slurm_spank_.*|plugin_name|plugin_type|plugin_version|spank_plugin_version)$$'
plugin_spank_topomap_la_LIBADD = plugin/libspank.la

EXTRA_DIST += plugin/protocol.md

include plugin/common/local.mk
include plugin/node/local.mk
include plugin/sandbox/local.mk
include plugin/srun/local.mk
