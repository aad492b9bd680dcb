# SPDX-License-Identifier: BSD-3-Clause
# Earlier launches, from their records and profiles: `topomap show`, `why`, `profile`.
cli_topomap_SOURCES += cli/launch/launch.h cli/launch/profile.c cli/launch/records.c cli/launch/show.c cli/launch/why.c
