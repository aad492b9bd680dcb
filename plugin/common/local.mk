# SPDX-License-Identifier: BSD-3-Clause
# What srun, slurmstepd and the planner share: plugstack.conf, starting a process, records, spools, replies.
plugin_libspank_la_SOURCES += \
  plugin/common/environment.h plugin/common/format.c plugin/common/format.h plugin/common/preload.c \
  plugin/common/preload.h plugin/common/ranks.c plugin/common/ranks.h plugin/common/report.c \
  plugin/common/report.h plugin/common/environment_size.c plugin/common/environment_size.h plugin/common/spool.c \
  plugin/common/spool_read.c plugin/common/spool.h

# Starting another program: srun the planner, the planner scontrol, slurmstepd topomap-node.
noinst_LTLIBRARIES += plugin/libchild.la
plugin_libchild_la_SOURCES = plugin/common/child.c plugin/common/child.h plugin/common/child_talk.c \
  plugin/common/keyring.c \
  plugin/common/descriptors.c plugin/sandbox/drop_privileges.c plugin/sandbox/sandbox.h

# What plugstack.conf says, and starting the planner: without a Slurm, for `topomap doctor`, too.
noinst_LTLIBRARIES += plugin/libsite.la
plugin_libsite_la_SOURCES = plugin/common/args.c plugin/common/args.h plugin/common/run_planner.c plugin/common/run_planner.h
plugin_libsite_la_LIBADD = plugin/libchild.la
plugin_libsite_la_CPPFLAGS = $(AM_CPPFLAGS) \
  -DTOPOMAP_PLANNER='"$(pkglibexecdir)/topomap-planner"' -DTOPOMAP_PROFILER='"$(pkglibdir)"'

# Records of plans.
noinst_LTLIBRARIES += plugin/librecord.la
plugin_librecord_la_SOURCES = plugin/common/record.c

# What the planner answers: the command line reads records of it.
noinst_LTLIBRARIES += plugin/libreply.la
plugin_libreply_la_SOURCES = plugin/common/reply.c plugin/common/reply.h
