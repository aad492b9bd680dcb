lib_libcore_la_SOURCES += lib/metric/cost.c lib/metric/bound.c lib/metric/bound.h
