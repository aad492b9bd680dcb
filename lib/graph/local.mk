# SPDX-License-Identifier: BSD-3-Clause
# Communication graphs: the graph itself.
lib_libcore_la_SOURCES += \
  lib/graph/graph.h lib/graph/core.c lib/graph/build.c lib/graph/weights.c lib/graph/transform.c lib/graph/blocks.c \
  lib/graph/likeness.c lib/graph/matrix.c
include lib/graph/formats/local.mk
include lib/graph/formats/training/local.mk
include lib/graph/patterns/local.mk
include lib/graph/recognise/local.mk
include lib/graph/open/local.mk
