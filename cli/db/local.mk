# SPDX-License-Identifier: BSD-3-Clause
# `topomap db`: a file for each subcommand, or a few in db.c.
cli_topomap_SOURCES += cli/db/db.c cli/db/calibrate.c cli/db/check.c cli/db/collect.c cli/db/diff.c cli/db/distance.c cli/db/export.c \
  cli/db/node.c cli/db/node.h cli/db/refresh.c cli/db/refresh.h cli/db/refresh_conf.c cli/db/sources.c cli/db/sources.h cli/db/synth.c
