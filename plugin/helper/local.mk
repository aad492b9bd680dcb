# SPDX-License-Identifier: BSD-3-Clause
# What slurmstepd and topomap-node say to each other.
noinst_LTLIBRARIES += plugin/helper/libnode.la
plugin_helper_libnode_la_SOURCES = plugin/helper/question.c plugin/helper/helper.h \
  plugin/helper/answer.c

# topomap-node: started in slurmstepd by the plugin, as the user. libc and what reads bindings,
# compiled for it alone, so that its code lies elsewhere in each process.
NODE_SOURCES = plugin/helper/collect.c plugin/helper/decode_plan.c plugin/helper/decode.c plugin/helper/adapters.c plugin/sandbox/decoder_sandbox.c \
  plugin/sandbox/sandbox.h plugin/sandbox/seccomp.h \
  plugin/common/spool_read.c plugin/common/child.h plugin/common/spool.h
pkglibexec_PROGRAMS += plugin/topomap-node
plugin_topomap_node_SOURCES = plugin/helper/main.c plugin/common/oom.c $(NODE_SOURCES) \
  $(plugin_helper_libnode_la_SOURCES) \
  lib/plan/bindings_walk.c lib/plan/bindings_node.c lib/plan/node_plan.c lib/plan/nic_names.c lib/plan/sextets.c \
  lib/graph/formats/part_seal.c lib/graph/formats/part_memory.c \
  lib/plan/crc32.c lib/util/alloc.c lib/util/error.c lib/util/standard_files.c lib/util/full_io.c lib/util/safe_text.c
plugin_topomap_node_CFLAGS = $(AM_CFLAGS) -fPIE
plugin_topomap_node_LDFLAGS = $(AM_LDFLAGS) -pie
