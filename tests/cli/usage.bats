#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the command says to somebody who mistypes, and where help is.
bats_require_minimum_version 1.5.0

# says WORDS TEXT: `topomap WORDS` is refused with that text.
says() {
  # shellcheck disable=SC2086 # words
  run -2 --separate-stderr "$TOPOMAP_BUILD/cli/topomap" $1
  [ "$stderr" = "topomap$2" ] || { echo "$stderr"; return 1; }
  [ -z "$output" ]
}

@test "a command that is near" {
  says 'mpa' ": no command 'mpa' (did you mean 'map'?); see \`topomap help\`"
  says 'help mpa' ": no command 'mpa' (did you mean 'map'?); see \`topomap help\`"
  says 'db imprt fabric' ": no command 'db imprt' (did you mean 'db import'?); see \`topomap help db\`"
  says 'help db imprt' ": no command 'db imprt' (did you mean 'db import'?); see \`topomap help db\`"
  says 'import fabric' ": no command 'import' (did you mean 'db import'?); see \`topomap help\`"
  says 'grph show' ": no command 'grph' (did you mean 'graph'?); see \`topomap help\`"
}

@test "no command is near" {
  says 'xyzzy' ": no command 'xyzzy'; see \`topomap help\`"
  says 'db xyzzy' ": no command 'db xyzzy'; see \`topomap help db\`"
  says "$(printf 'map%.0s' {1..400})" ": no command '$(printf 'map%.0s' {1..400})'; see \`topomap help\`"
  says 'db' ": which command of 'db'; see \`topomap help db\`"
}

@test "an option that is near, and none that is" {
  says 'map --nodse=3' " map: unknown option '--nodse=3' (did you mean '--nodes'?); see \`topomap help map\`"
  says 'map --xyzzy' " map: unknown option '--xyzzy'; see \`topomap help map\`"
  says 'map -x' " map: unknown option '-x'; see \`topomap help map\`"
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
