#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What earlier versions wrote is read, and means the same (tests/data/compat/README.md).
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  # shellcheck source=../data/compat/ask
  . "$TOPOMAP_SOURCE/tests/data/compat/ask"
  export COMPAT_CHECK=1
}

# Unpacks a version's files to ./VERSION; nothing in them may be written by others, as a store wants it.
unpack() { # VERSION-FOLDER
  version=$(basename "$1")
  cp -r "$1" "$version"
  chmod -R u+w,go-w "$version"
  compat_here "$PWD/$version"
}

# Whether all that was said is said again; else the paths of what is not. Where a network had no routes, later
# versions may have some by rule (tori: dimension by dimension); where a graph had no pattern, they may see one,
# and a ring has its plain name. The objective that nobody names was J, and is auto; and auto is the predicted
# time where links are known, so that a record may be replayed with a gain.
readonly SAME='
  def differing($new; $where; $rule):
    if type == "object" then . as $old | keys[] as $k | $old[$k] | differing($new | if type == "object" then .[$k] else null end; $where + [$k]; if $k == "at_most" or $k == "at_least" then $k else $rule end)
    elif type == "array" then . as $old
      | if ($new | type) != "array" or ($new | length) != length then {where: $where, was: "\(length) elements", is: $new}
        else range(length) as $i | $old[$i] | differing($new[$i]; $where + [$i]; $rule) end
    elif type == "number" and ($new | type) == "number" then . as $old | (($old | fabs) * 1e-9 + if $rule then 0.002 else 0 end) as $small
      | if $rule == "at_most" then $new <= $old + $small elif $rule == "at_least" then $new >= $old - $small else ($new - $old | fabs) <= $small end
      | if . then empty else {where: $where, was: $old, is: $new} end
    elif . == $new or (. == null and ($where == ["routes"] or $where == ["info", "pattern"])) or
      (. == "J" and $new == "auto" and $where[1:] == ["settings", "objective", 0]) or
      (. == "unchanged" and $new == "applied" and $where == ["replayed", "status"]) or
      (. == false and $new == true and $where == ["replayed", "bindings"]) or
      (. == "parallel:cp=16,dp=1" and $new == "ring:16" and $where == ["info", "pattern"]) then empty
    else {where: $where, was: ., is: $new} end;
  $old[0] | differing($new[0]; []; null)'

compare() { # OLD NEW: two folders of answers
  local old differs=0
  for old in "$1"/*.json; do
    jq -n -c --slurpfile old "$old" --slurpfile new "$2/$(basename "$old")" "$SAME" >differences
    [ -s differences ] || continue
    echo "$old:"
    head -5 differences
    differs=1
  done
  return $differs
}

# all KIND PREFIX: asks about every version's files of a kind
all() {
  local folder
  for folder in "$TOPOMAP_SOURCE"/tests/data/compat/[0-9]*/; do
    unpack "$folder"
    mkdir -p old new
    cp "$version/answers/$2"* old/
    [ "$(find old -name '*.json' | wc -l)" -ge "$3" ]
    compat_answers "$PWD/$version" "$TOPOMAP_BUILD" "$PWD/new" "$1"
    compare old new
    rm -r old new
  done
}

@test "databases: nodes, ports, routes, costs of a layout" { all databases db- 20; }
@test "graphs: every number of .tmg files" { all graphs graph- 8; }
@test "requests of an earlier plugin are understood and give as good a layout" { all requests request- 13; }
@test "replies of an earlier planner bind the same CPUs on the nodes" { all nodes nodes- 10; }
@test "records are replayed, and why tells the same of them" { all records record- 8; }
@test "profiles are listed, and are of the same pattern" { all profiles profiles 2; }
@test "policies decide the same" { all policies policy- 2; }

@test "an altered answer, a damaged file and an unknown version are noticed" {
  unpack "$TOPOMAP_SOURCE/tests/data/compat/0.1.0"
  mkdir old new
  cp 0.1.0/answers/graph-weights.json old/
  compat_answers "$PWD/0.1.0" "$TOPOMAP_BUILD" "$PWD/new" graphs
  compare old new
  jq -c '.all.load[3][0] = 401' old/graph-weights.json >altered
  mv altered old/graph-weights.json
  run -1 compare old new
  [[ $output == *'{"where":["all","load",3,0],"was":401,"is":400}'* ]]
  # The version of a database (SQLite's user_version), a graph (topomap-tmg(5)), a record, a reply.
  printf '\377' | dd of=0.1.0/db/links.db bs=1 seek=60 conv=notrunc status=none
  run -3 "$TOPOMAP_BUILD/cli/topomap" db show --db 0.1.0/db/links.db
  printf '\2' | dd of=0.1.0/graph/messages16.tmg bs=1 seek=8 conv=notrunc status=none
  run -3 "$TOPOMAP_BUILD/cli/topomap" graph info 0.1.0/graph/messages16.tmg
  sed -i '1s/1$/2/' 0.1.0/records/pattern.plan
  run -3 "$TOPOMAP_BUILD/cli/topomap" map --replay 0.1.0/records/pattern.plan
  sed -i '1s/1$/2/' 0.1.0/requests/pattern.reply
  compat_answers "$PWD/0.1.0" "$TOPOMAP_BUILD" "$PWD/new" nodes
  cp 0.1.0/answers/nodes-*.json old/ && rm old/graph-*
  run -1 compare old new
  [[ $output == *nodes-pattern.json:* ]]
}
