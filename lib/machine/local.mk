lib_libcore_la_SOURCES += lib/machine/machine.h lib/machine/shape.h
