# The command line, as users type it.
dist_check_SCRIPTS = tests/cli/map.bats tests/cli/db.bats tests/cli/db-crash.bats tests/cli/sources.bats tests/cli/graph.bats tests/cli/routes.bats
TESTS += tests/cli/map.bats tests/cli/db.bats tests/cli/db-crash.bats tests/cli/sources.bats tests/cli/graph.bats tests/cli/routes.bats
