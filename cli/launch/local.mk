# SPDX-License-Identifier: BSD-3-Clause
# Earlier launches, from their records and profiles: `topomap show`, `why`, `profile`.
cli_topomap_SOURCES += cli/launch/records.h cli/launch/profiles.c cli/launch/records.c cli/launch/show.c cli/launch/why.c
