# The one command. `topomap map` and the planner run the same library.
bin_PROGRAMS += cli/topomap
cli_topomap_SOURCES = cli/main.c cli/cli.h cli/options.c cli/target.c cli/target.h \
  cli/map.c cli/report.c cli/report.h cli/registry.c cli/db.c cli/graph.c
cli_topomap_LDADD = topology-db/libdb.la lib/libcore.la $(JANSSON_LIBS)
