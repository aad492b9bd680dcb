# SPDX-License-Identifier: BSD-3-Clause
# What a database has after an import.

summary() { # DB FIELD...
  local db=$1; shift
  topomap db show --db "$db" --summary --json | jq -c "[$(printf '.%s,' "$@" | sed 's/,$//')]"
}
hops() { topomap db distance --db "$1" "$2" "$3" --json | jq .hops; }
