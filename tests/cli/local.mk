# The command line, as users type it.
dist_check_SCRIPTS = tests/cli/map.bats tests/cli/db.bats tests/cli/sources.bats tests/cli/routes.bats tests/cli/db-check.bats tests/cli/db-diff.bats tests/cli/db-export.bats tests/cli/graph.bats
TESTS += tests/cli/map.bats tests/cli/db.bats tests/cli/sources.bats tests/cli/routes.bats tests/cli/db-check.bats tests/cli/db-diff.bats tests/cli/db-export.bats tests/cli/graph.bats
EXTRA_DIST += tests/cli/fabric.awk
