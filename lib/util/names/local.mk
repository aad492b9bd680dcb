# SPDX-License-Identifier: BSD-3-Clause
# Names: their numbers in the order in which they come, and which one is near a mistyped one.
lib_libcore_la_SOURCES += lib/util/names/known.c lib/util/names/known.h lib/util/names/near.c lib/util/names/near.h
