# The command line, as users type it.
CLI_TESTS = tests/cli/map.bats tests/cli/db.bats tests/cli/db-crash.bats tests/cli/sources.bats \
  tests/cli/graph.bats tests/cli/routes.bats
dist_check_SCRIPTS = $(CLI_TESTS)
TESTS += $(CLI_TESTS)
