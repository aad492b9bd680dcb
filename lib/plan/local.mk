lib_libcore_la_SOURCES += lib/plan/bindings.h lib/plan/plan.c lib/plan/plan.h \
  lib/plan/layout.c lib/plan/explain.c

# What the launch plugin may link: libc only.
noinst_LTLIBRARIES += lib/plan/libthin.la
lib_plan_libthin_la_SOURCES = lib/util/alloc.c lib/util/error.c
