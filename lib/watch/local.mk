# SPDX-License-Identifier: BSD-3-Clause
# How far something long has come: counters that another thread may look at.
lib_libcore_la_SOURCES += lib/watch/watch.h
