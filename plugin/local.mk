# spank_topomap.so: libc and Slurm's own symbols, nothing else.
pluginspankdir = $(spankdir)
pluginspank_LTLIBRARIES = plugin/spank_topomap.la

# Everything but the hooks, so that tests can link it with Slurm's functions of their own.
noinst_LTLIBRARIES += plugin/libspank.la
plugin_libspank_la_SOURCES = \
  plugin/srun/async.c plugin/srun/async.h \
  plugin/node/bind.c plugin/node/bind.h \
  plugin/srun/breaker.c plugin/srun/breaker.h \
  plugin/node/cpus.c plugin/node/cpus.h \
  plugin/srun/distribution.c plugin/srun/distribution.h \
  plugin/common/environment.h \
  plugin/srun/facts.c plugin/srun/facts.h \
  plugin/common/format.c plugin/common/format.h \
  plugin/srun/job.c plugin/srun/job.h \
  plugin/srun/later.c plugin/srun/later.h \
  plugin/srun/layout.c plugin/srun/layout.h \
  plugin/srun/left.c plugin/srun/left.h \
  plugin/srun/memory.c plugin/srun/memory.h \
  plugin/srun/mpi.c plugin/srun/mpi.h \
  plugin/node/node.c plugin/node/node.h \
  plugin/node/online.c plugin/node/online.h \
  plugin/node/parts.c plugin/node/parts.h \
  plugin/srun/options.c plugin/srun/options.h \
  plugin/srun/procmap.c plugin/srun/procmap.h \
  plugin/common/preload.c plugin/common/preload.h \
  plugin/common/ranks.c plugin/common/ranks.h \
  plugin/common/report.c plugin/common/report.h \
  plugin/common/room.c plugin/common/room.h \
  plugin/srun/slurm_options.c plugin/srun/slurm_options.h \
  plugin/common/spool.c plugin/common/spool_read.c plugin/common/spool.h \
  plugin/srun/step.c plugin/srun/step.h \
  plugin/srun/wish.c plugin/srun/wish.h \
  plugin/srun/words.c plugin/srun/words.h
plugin_libspank_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) \
  -DTOPOMAP_NODE='"$(pkglibexecdir)/topomap-node"'
plugin_libspank_la_LIBADD = plugin/helper/libnode.la plugin/libsite.la plugin/libreply.la plugin/policy/libpolicy.la lib/plan/libthin.la

# Starting another program: srun the planner, the planner scontrol, slurmstepd topomap-node.
noinst_LTLIBRARIES += plugin/libchild.la
plugin_libchild_la_SOURCES = plugin/common/child.c plugin/common/child.h plugin/common/child_talk.c plugin/common/group.c plugin/common/group.h \
  plugin/common/keyring.c plugin/common/keyring.h \
  plugin/common/descriptors.c plugin/common/descriptors.h plugin/common/wall.c plugin/common/wall.h

# What plugstack.conf says, and starting the planner: without a Slurm, for `topomap doctor`, too.
noinst_LTLIBRARIES += plugin/libsite.la
plugin_libsite_la_SOURCES = plugin/common/args.c plugin/common/args.h plugin/common/launch.c plugin/common/launch.h
plugin_libsite_la_LIBADD = plugin/libchild.la
plugin_libsite_la_CPPFLAGS = $(AM_CPPFLAGS) \
  -DTOPOMAP_PLANNER='"$(pkglibexecdir)/topomap-planner"' -DTOPOMAP_PROFILER='"$(pkglibdir)"'

# Records of plans.
noinst_LTLIBRARIES += plugin/librecord.la
plugin_librecord_la_SOURCES = plugin/common/record.c plugin/common/record.h

# What the planner answers: the command line reads records of it.
noinst_LTLIBRARIES += plugin/libreply.la
plugin_libreply_la_SOURCES = plugin/common/reply.c plugin/common/reply.h plugin/common/percent.c plugin/common/percent.h

plugin_spank_topomap_la_SOURCES = plugin/spank.c
plugin_spank_topomap_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
# nodelete: Slurm looks into a plugin, lets go of it and loads it again (plugin_peek in
# src/common/plugin.c), and what the constructor found out must outlive that.
plugin_spank_topomap_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,nodelete \
  -export-symbols-regex '^(slurm_spank_.*|plugin_name|plugin_type|plugin_version|spank_plugin_version)$$'
plugin_spank_topomap_la_LIBADD = plugin/libspank.la

EXTRA_DIST += plugin/protocol.md
