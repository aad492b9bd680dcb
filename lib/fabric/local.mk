# Switches and the cables between them: shapes that are made, ways through them, distances.
lib_libcore_la_SOURCES += \
  lib/fabric/between.c lib/fabric/shapes.c lib/fabric/shapes.h lib/fabric/switches.c lib/fabric/switches.h lib/fabric/ways.c lib/fabric/ways.h
