noinst_LTLIBRARIES += topology-db/libdb.la
topology_db_libdb_la_SOURCES = topology-db/db.h
topology_db_libdb_la_LIBADD = lib/libcore.la $(SQLITE_LIBS)
