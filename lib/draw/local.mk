# SPDX-License-Identifier: BSD-3-Clause
# Pictures as a list of what is drawn, where vertices stand in them, and the list as SVG.
lib_libcore_la_SOURCES += lib/draw/draw.h lib/draw/draw.c lib/draw/svg.c
