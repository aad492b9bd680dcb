# SPDX-License-Identifier: BSD-3-Clause
# The result: ranks in order, bindings of tasks, and how both travel to a node.
lib_libcore_la_SOURCES += lib/plan/plan.c lib/plan/plan.h \
  lib/plan/layout.c lib/plan/explain.c lib/plan/spread.c
lib_libcore_la_SOURCES += lib/plan/bindings.c lib/plan/bindings_decode.c lib/plan/bindings_order.c \
  lib/plan/bindings_node.c lib/plan/node_plan.c lib/plan/node_plan.h \
  lib/plan/bindings_walk.c lib/plan/bindings.h \
  lib/plan/gpu_bound.c lib/plan/nic_names.c lib/plan/crc32.c lib/plan/sextets.c

# What the launch plugin may link: libc only.
noinst_LTLIBRARIES += lib/plan/libthin.la
lib_plan_libthin_la_SOURCES = lib/request/request.c lib/request/table.c lib/graph/formats/part_memory.c lib/util/alloc.c lib/util/sorted.h lib/util/alloc.h lib/util/clock.c lib/util/clock.h \
  lib/util/error.c lib/util/standard_files.c lib/util/full_io.c lib/util/full_io.h lib/util/safe_text.c lib/util/safe_text.h \
  lib/util/hash64.h lib/util/ranges.c lib/util/hostlist.c lib/util/hostlist.h lib/plan/layout.c \
  lib/plan/bindings.c lib/plan/bindings_decode.c lib/plan/bindings_order.c \
  lib/plan/bindings_node.c lib/plan/node_plan.c lib/plan/node_plan.h \
  lib/plan/bindings_walk.c lib/plan/bindings.h \
  lib/plan/gpu_bound.c lib/plan/nic_names.c lib/plan/crc32.c lib/plan/sextets.c
