# SPDX-License-Identifier: BSD-3-Clause
# The book's commands are the tests' input: what stands in doc/*.md and README.md as a block of `console`. Loaded by
# tests/cli/book.bats, which runs what needs no Slurm, and tests/slurm/book.bats, which runs all of it.
#
# A line that begins with "$ " is a command, "> " goes on with it; all other lines are what it prints, where
# [...] stands for anything, and as a line of its own for lines. A command has to succeed, shown output or not. A comment of HTML
# before the block says where it is run, and nothing stands for here:
#   <!-- testbed -->             under Slurm: contrib/testbed
#   <!-- elsewhere: REASON -->   not by a test; its options are checked against the tables
#   <!-- needs: PROGRAM -->      here, where there is such a program
# The blocks of a file are run in order, by one shell in one folder.
# shellcheck shell=bash

book_files() { printf '%s\n' "$TOPOMAP_SOURCE"/README.md "$TOPOMAP_SOURCE"/doc/*.md; }

# Every block of a file: "= LINE WHERE REASON", then its lines, each behind "| ".
book_blocks() { # FILE
  awk '
    /^<!-- (testbed|elsewhere: .*|needs: .*) -->$/ { where = $2; sub(/:$/, "", where); why = $0; sub(/^<!-- [a-z]*:? ?/, "", why); sub(/ ?-->$/, "", why); next }
    inside && /^```$/ { inside = 0; where = ""; next }
    inside { print "| " $0; next }
    /^```console$/ { inside = 1; print "= " NR " " (where == "" ? "here" : where) " " why; why = ""; next }
    /^```/ { other = !other }
    NF && !other { where = why = "" }' "$1"
}

# The commands of a file's blocks, a line each, behind "LINE WHERE ": what goes on is joined.
book_commands() { # FILE
  book_blocks "$1" | awk '
    function flush() { if (command != "") print at, where, command; command = "" }
    /^= / { flush(); at = $2; where = $3; next }
    /^\| [$] / { flush(); command = substr($0, 5); next }
    /^\| > / && command != "" { sub(/ *\\$/, "", command); command = command " " substr($0, 5); next }
    { flush() }
    END { flush() }'
}

# Whether what a command printed is what is shown of it.
book_is() { # SHOWN PRINTED
  local pattern
  pattern=$(sed 's/[][\\*?]/\\&/g; s/\\\[\.\.\.\\\]/*/g' <<<"$1" | sed -z 's/\n\*\n/\n*/g')
  # shellcheck disable=SC2053 # a pattern on purpose
  [[ $2 == $pattern ]]
}

# Runs a command in this shell, then the suite's book_after if it has one, and compares.
book_one() { # FILE:LINE COMMAND SHOWN
  local status=0 printed
  [ -n "$2" ] || return 0
  eval "$2" >"$BOOK_OUTPUT" 2>&1 </dev/null || status=$?
  if declare -F book_after >/dev/null; then book_after; fi
  # What a busy machine adds, and no page shows.
  printed=$(grep -v 'topomap-node did not start within [0-9]* ms' "$BOOK_OUTPUT") || true
  if [ "$status" -eq 0 ] && { [ -z "$3" ] || book_is "$3" "$printed"; }; then return 0; fi
  printf '%s: status %d of\n%s\nshown:\n%s\nprinted:\n%s\n' "$1" "$status" "$2" "$3" "$printed"
  return 1
}

# Runs the blocks of a file that stand for one of the words.
book_run() { # FILE WORD...
  local file=$1 line command='' shown='' at='' wanted='' where why new=$'\n'
  export BOOK_OUTPUT=$BATS_TEST_TMPDIR/output
  shift
  while IFS= read -r line; do
    case $line in
      '= '*)
        book_one "$file:$at" "$command" "$shown" || return 1
        command='' shown=''
        read -r _ at where why <<<"$line"
        wanted=
        if [[ $where == needs ]]; then
          ! command -v "$why" >/dev/null || wanted=1
        elif [[ " $* " == *" $where "* ]]; then
          wanted=1
        fi
        ;;
      '| $ '*)
        [ -n "$wanted" ] || continue
        book_one "$file:$at" "$command" "$shown" || return 1
        command=${line:4} shown=''
        ;;
      '| > '*) [ -z "$command" ] || command+=$new${line:4} ;;
      *) [ -z "$command" ] || shown+=${shown:+$new}${line:2} ;;
    esac
  done < <(book_blocks "$file")
  book_one "$file:$at" "$command" "$shown"
}
