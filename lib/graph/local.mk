lib_libcore_la_SOURCES += lib/graph/graph.h
