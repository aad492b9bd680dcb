# SPDX-License-Identifier: BSD-3-Clause
# What any program needs: files written whole, text made safe, host lists, errors, random numbers.
lib_libcore_la_SOURCES += \
  lib/util/alloc.c lib/util/alloc.h lib/util/clock.c lib/util/clock.h \
  lib/util/cores.c lib/util/cores.h lib/util/error.c lib/util/full_io.c lib/util/full_io.h \
  lib/util/random.h lib/util/tournament.h lib/util/ranges.c \
  lib/util/hash64.h lib/util/hostlist.c lib/util/hostlist.h \
  lib/util/input.c lib/util/input.h lib/util/folder.c lib/util/folder.h lib/util/output.c lib/util/output.h \
  lib/util/publish.c lib/util/safe_stream.c lib/util/safe_text.c lib/util/safe_text.h \
  lib/util/struct_size.c lib/util/sorted.h lib/util/keyed.h \
  lib/util/standard_files.c \
  lib/util/text.c lib/util/text.h lib/util/unpack.c lib/util/unpack.h
include lib/util/names/local.mk
