# SPDX-License-Identifier: BSD-3-Clause
# `topomap db`: a file for each subcommand, or a few in db.c.
cli_topomap_SOURCES += cli/db/db.c cli/db/db_calibrate.c cli/db/db_check.c cli/db/db_collect.c cli/db/db_distance.c cli/db/db_export.c \
  cli/db/db_node.c cli/db/db_node.h cli/db/refresh.c cli/db/refresh.h cli/db/refresh_conf.c cli/db/db_synth.c
