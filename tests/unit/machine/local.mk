# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of places: nodes, their shapes.
check_PROGRAMS += tests/unit/machine/test_gpus tests/unit/machine/test_machine tests/unit/machine/test_shape tests/unit/machine/test_devices
TESTS += tests/unit/machine/test_gpus tests/unit/machine/test_machine tests/unit/machine/test_shape tests/unit/machine/test_devices

tests_unit_machine_test_machine_SOURCES = tests/unit/machine/test_machine.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_machine_test_machine_LDADD = $(UNIT_LIBS)
tests_unit_machine_test_shape_SOURCES = tests/unit/machine/test_shape.c
tests_unit_machine_test_shape_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_machine_test_shape_LDADD = $(UNIT_LIBS)
tests_unit_machine_test_devices_SOURCES = tests/unit/machine/test_devices.c
tests_unit_machine_test_devices_LDADD = $(UNIT_LIBS)
tests_unit_machine_test_gpus_SOURCES = tests/unit/machine/test_gpus.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_machine_test_gpus_LDADD = $(UNIT_LIBS)
