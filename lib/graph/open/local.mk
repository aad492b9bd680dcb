# SPDX-License-Identifier: BSD-3-Clause
# What the name of a graph stands for: a file, a folder of parts, a pattern, or a mesh that is divided.
lib_libcore_la_SOURCES += lib/graph/open/open.c lib/graph/open/open.h
