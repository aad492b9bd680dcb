# SPDX-License-Identifier: BSD-3-Clause
# What a terminal can show: colours, its width, and a line that says how far something has come.
cli_topomap_SOURCES += cli/terminal/terminal.h cli/terminal/terminal.c
