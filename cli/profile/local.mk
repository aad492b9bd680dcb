# SPDX-License-Identifier: BSD-3-Clause
# `topomap profile`: what --topomap=auto has kept.
cli_topomap_SOURCES += cli/profile/profile.c cli/profile/case.c cli/profile/case.h
