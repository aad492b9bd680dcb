# Unit tests are cmocka programs, one per room; `make check` runs them and the bats files.
UNIT_LIBS = topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
include tests/slurm/local.mk
