# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of reading XML.
check_PROGRAMS += tests/unit/xml/test_xml
TESTS += tests/unit/xml/test_xml
tests_unit_xml_test_xml_SOURCES = tests/unit/xml/test_xml.c
tests_unit_xml_test_xml_LDADD = $(UNIT_LIBS)
