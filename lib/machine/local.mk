lib_libcore_la_SOURCES += lib/machine/machine.h lib/machine/shape.c lib/machine/shape.h \
  lib/machine/shape_hwloc.c
