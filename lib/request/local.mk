# SPDX-License-Identifier: BSD-3-Clause
# What can be asked of a mapping: one table. libc only, as srun's plugin links it (lib/plan/local.mk, libthin).
lib_libcore_la_SOURCES += lib/request/request.c lib/request/request.h \
  lib/request/table.c
