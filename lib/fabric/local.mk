lib_libcore_la_SOURCES += \
  lib/fabric/between.c lib/fabric/switches.c lib/fabric/switches.h lib/fabric/ways.c lib/fabric/ways.h
