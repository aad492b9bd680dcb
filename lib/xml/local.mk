# SPDX-License-Identifier: BSD-3-Clause
# Reading XML: small files of elements and attributes.
lib_libcore_la_SOURCES += lib/xml/markup.c lib/xml/markup.h lib/xml/xml.c lib/xml/xml.h
