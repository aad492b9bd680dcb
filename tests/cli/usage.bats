#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the command says to somebody who mistypes, and where help is.
bats_require_minimum_version 1.5.0

load ../messages

# says WORDS TOKEN...: `topomap WORDS` is refused with these facts, and with a question where something is near.
says() {
  # shellcheck disable=SC2086 # words
  run -2 --separate-stderr "$TOPOMAP_BUILD/cli/topomap" $1
  [ -z "$output" ]
  has_tokens "$stderr" "${@:2}"
}
says_no_more() {
  says "$@"
  [[ $stderr != *\?* ]]
}

@test "a command that is near" {
  says 'mpa' "topomap: " "'mpa'" "'map'" 'topomap help'
  says 'help mpa' "topomap: " "'mpa'" "'map'" 'topomap help'
  says 'db imprt fabric' "topomap: " "'db imprt'" "'db import'" 'topomap help db'
  says 'help db imprt' "topomap: " "'db imprt'" "'db import'" 'topomap help db'
  says 'import fabric' "topomap: " "'import'" "'db import'" 'topomap help'
  says 'grph show' "topomap: " "'grph'" "'graph'" 'topomap help'
}

@test "no command is near" {
  says_no_more 'xyzzy' "topomap: " "'xyzzy'" 'topomap help'
  says_no_more 'db xyzzy' "topomap: " "'db xyzzy'" 'topomap help db'
  says_no_more "$(printf 'map%.0s' {1..400})" "topomap: " "'$(printf 'map%.0s' {1..400})'" 'topomap help'
  says_no_more 'db' "topomap: " "'db'" 'topomap help db'
}

@test "an option that is near, and none that is" {
  says 'map --nodse=3' "topomap map: " "'--nodse=3'" "'--nodes'" 'topomap help map'
  says_no_more 'map --xyzzy' "topomap map: " "'--xyzzy'" 'topomap help map'
  says_no_more 'map -x' "topomap map: " "'-x'" 'topomap help map'
}

@test "help of a command, of a group and of all" {
  run -0 "$TOPOMAP_BUILD/cli/topomap" db --help
  [ "${lines[0]}" = "usage: topomap COMMAND [OPTION...] [OPERAND...]" ]
  [ "$(grep -c '^  db ' <<<"$output")" -eq $((${#lines[@]} - 2)) ]
  local group=$output
  run -0 "$TOPOMAP_BUILD/cli/topomap" help db
  [ "$output" = "$group" ]
  run -0 "$TOPOMAP_BUILD/cli/topomap" db import --help
  [[ ${lines[0]} == "usage: topomap db import "* ]]
  run -0 "$TOPOMAP_BUILD/cli/topomap" --help
  [[ $output == *$'\n  map '* && $output == *$'\n  db import '* ]]
}

# names TEXT: the commands that an overview lists.
names() { sed -n 's/^  \([a-z ]*[a-z]\)  .*/\1/p' <<<"$1"; }

@test "--help lists twelve commands in five groups, --help --all all of them in the same groups" {
  run -0 "$TOPOMAP_BUILD/cli/topomap" --help
  local short=$output groups
  groups=$(grep -E '^[A-Z].*:$' <<<"$short")
  [ "$(names "$short" | wc -l)" -eq 12 ]
  [ "$(wc -l <<<"$groups")" -eq 5 ]
  has_tokens "$short" 'topomap help' 'topomap --help --all'
  run -0 "$TOPOMAP_BUILD/cli/topomap" --help --all
  [ "$(grep -E '^[A-Z].*:$' <<<"$output")" = "$groups" ]
  [ "$(names "$output" | wc -l)" -ge 30 ]
  [ -z "$(comm -13 <(names "$output" | sort) <(names "$short" | sort))" ]
  [ "$(names "$output" | sed 's/ .*//' | sort -u)" = "$("$TOPOMAP_BUILD/cli/topomap" help --words | sort -u)" ]
  run -0 "$TOPOMAP_BUILD/cli/topomap" help --all
  [ "$(names "$output" | sort -u | wc -l)" -ge 30 ]
}

@test "expert options stand behind a heading, in the help and in the manual page" {
  local expert option
  for option in cores slurm-order background pin color; do
    expert=$("$TOPOMAP_BUILD/cli/topomap" help map | sed -n '/^Expert options:$/,/^[^ E]/p')
    grep -q -e "^ *--$option " <<<"$expert"
    expert=$("$TOPOMAP_BUILD/cli/topomap" help --man map | sed 's/\\-/-/g' | sed -n '/^Expert options:$/,$p')
    grep -q -e "^\.B --$option " <<<"$expert"
  done
  run -0 "$TOPOMAP_BUILD/cli/topomap" help map
  for option in graph nodes objective output; do
    sed '/^Expert options:$/,$d' <<<"$output" | grep -q -e "--$option "
  done
  run -0 "$TOPOMAP_BUILD/cli/topomap" help db import
  [[ $output != *"Expert options"* ]] # wording: the heading itself
}
