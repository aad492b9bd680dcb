#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The book (doc) and the README: their commands run, what they print is what is shown, options are those of the tables, links lead
# somewhere. What needs Slurm is in tests/slurm/book.bats.
bats_require_minimum_version 1.5.0
load ../book

setup() {
  PATH=$TOPOMAP_BUILD/cli:$PATH
  cd "$BATS_TEST_TMPDIR"
  export XDG_CACHE_HOME=$PWD/cache HOME=$PWD
  unset TOPOMAP_DB TOPOMAP_GRAPH TOPOMAP
}

chapter() { book_run "$TOPOMAP_SOURCE/doc/$1.md" here; }

@test "the user's guide does what it says, but for Slurm" { chapter users; }
@test "the administrator's guide does what it says, but for Slurm" { chapter administrators; }
@test "the performance engineer's guide does what it says" { chapter engineers; }
@test "the chapter on algorithms has the numbers that they come to" { chapter background; }
@test "the README's commands that need no Slurm do what it says" { book_run "$TOPOMAP_SOURCE/README.md" here; }
@test "the chapter on training does what it says, but for Slurm" { chapter training; }

@test "a shown command that prints anything else, fails, or isn't there, is found" {
  local fence='```'
  printf '%s\n' "${fence}console" '$ echo one two' 'one [...]' "$fence" >right.md
  book_run right.md here
  sed 's/one \[/two [/' right.md >wrong.md
  run -1 book_run wrong.md here
  [[ $output == *"shown:"*"two [...]"*"printed:"*"one two"* ]]
  printf '%s\n' "${fence}console" '$ false' "$fence" >fails.md
  run -1 book_run fails.md here
  printf '%s\n' "${fence}console" '$ true &&' '> no-such-program' "$fence" >none.md
  run -1 book_run none.md here
  printf '%s\n' '<!-- elsewhere: a reason -->' "${fence}console" '$ false' "$fence" >left.md
  book_run left.md here
}

@test "commands stand in blocks that a test sees, and what is left to another machine says why" {
  local file
  while read -r file; do
    # A block of another kind shows no prompt, and has no command of ours at a line's beginning but in scripts.
    awk -v file="$file" '
      /^```./ && !inside { inside = 1; kind = $0; next }
      /^```$/ { inside = !inside; kind = ""; next }
      inside && kind !~ /console/ && /^[$] / { print file ":" FNR ": a command in a block that is not run: " $0; bad = 1 }
      /^<!-- testbed / && file !~ /(users|administrators)\.md$/ { print file ":" FNR ": not in tests/slurm/book.bats"; bad = 1 }
      /^<!-- elsewhere: *-->/ { print file ":" FNR ": no reason"; bad = 1 }
      /^<!-- / && !/^<!-- (testbed|elsewhere: .+|needs: [a-z0-9.]+) -->$/ { print file ":" FNR ": " $0; bad = 1 }
      END { exit bad }' "$file"
  done < <(book_files)
}

# The words of a command from `topomap` on, up to what ends it.
calls() { # PROGRAM
  grep -oE "(^|[ (|;])($1) [^|;&<>]*" | sed 's/^[ (|;]*//'
}

@test "options in the book are those of the commands' tables" {
  local file at where command call words option name seen=0
  sed 's/\\-/-/g' "$TOPOMAP_BUILD/cli/topomap-srun.1" >plain
  while read -r file; do
    while read -r at where command; do
      while read -r call; do
        read -ra words <<<"${call%% -- *}"
        name=${words[1]}
        case $name in
          graph | db | profile | policy) name+=" ${words[2]}" ;;
          help | --version | formats | algorithms | -*) continue ;;
        esac
        topomap help $name >help 2>&1 || { echo "$file:$at: no command $name"; return 1; }
        for option in "${words[@]}"; do
          [[ $option == --* ]] || continue
          grep -qE -- "(^| )${option%%=*}( |$)" help || { echo "$file:$at: topomap $name has no $option"; return 1; }
        done
        [[ $name != "db import" ]] || topomap formats | grep -qE "^  ${words[3]} " || [[ ${words[3]} == --* ]] ||
          { echo "$file:$at: no format ${words[3]}"; return 1; }
      done < <(calls topomap <<<"$command")
      while read -r option; do
        grep -qE -- "$option([^a-z-]|\$)" plain || { echo "$file:$at: srun has no $option"; return 1; }
        seen=$((seen + 1))
      done < <(grep -oE -- '--topomap[a-z-]*' <<<"$(calls 'srun|sbatch|salloc' <<<"$command")")
    done < <(book_commands "$file")
  done < <(book_files)
  [ "$seen" -ge 10 ]
}

@test "all commands, options and keys of the tables are in the pages that the book includes" {
  local page words
  # Each command's options are in the page of its first word.
  topomap help --all | sed -n 's/^  \([a-z]*\( [a-z]*\)\{0,1\}\)   *.*/\1/p' >commands
  [ "$(wc -l <commands)" -ge 30 ]
  grep -q '^db import$' commands
  while read -r words; do
    page=$(ls "$TOPOMAP_BUILD/cli/topomap-${words%% *}".[18])
    topomap help $words | grep -oE '^ {2}(-[a-z],| {3}) --[a-z-]+' | grep -oE -- '--[a-z-]+' >options || continue
    sed 's/\\-/-/g' "$page" >plain
    while read -r option; do
      grep -qE -- "$option([^a-z-]|\$)" plain || { echo "$page: no $option of topomap $words"; return 1; }
    done <options
  done <commands
  # Keys of --topomap-options are in srun's page, words of plugstack.conf in the administrator's guide.
  sed 's/\\-/-/g' "$TOPOMAP_BUILD/cli/topomap-srun.1" >plain
  tr '\n' ' ' <"$TOPOMAP_SOURCE/lib/request/table.c" | grep -oE '\] = +\{(NULL|"[^"]*"), "[a-z-]+"' |
    sed 's/.*"\([a-z-]*\)"$/\1/; /^graph$/d' >keys # --topomap has the graph
  [ "$(wc -l <keys)" -ge 18 ]
  while read -r option; do grep -q "^\.B.*$option" plain || { echo "no key $option in topomap-srun(1)"; return 1; }; done <keys
  grep -oE '^    \{"[a-z_]+=?",' "$TOPOMAP_SOURCE/plugin/common/args.c" | grep -oE '[a-z_]+=?' >keys
  [ "$(wc -l <keys)" -ge 15 ]
  while read -r option; do
    grep -qE "^\\|.*\`$option" "$TOPOMAP_SOURCE/doc/administrators.md" || { echo "no word $option in the administrator's guide"; return 1; }
  done <keys
}

@test "all algorithms have their row in the book, and all importers in the administrator's table" {
  local name
  while read -r name; do
    grep -qE "^\\|.*\`$name\`" "$TOPOMAP_SOURCE/doc/background.md" || { echo "no algorithm $name"; return 1; }
  done < <(topomap algorithms --json | jq -r '.[].name')
  while read -r name; do
    grep -qE "^\\|.*\`$name\`" "$TOPOMAP_SOURCE/doc/administrators.md" || { echo "no importer $name"; return 1; }
  done < <(topomap formats --json | jq -r '.imports[].name')
}

# The anchors of a file's headings, as a forge and Sphinx make them.
anchors() {
  awk '/^```/ { inside = !inside } !inside && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

@test "no link inside the book, the README and their neighbours is dead" {
  local file link target anchor
  for file in "$TOPOMAP_SOURCE"/{README,HACKING,CONTRIBUTING,SECURITY}.md "$TOPOMAP_SOURCE"/doc/*.md; do
    while read -r link; do
      case $link in *://*) continue ;; esac
      target=${link%%#*} anchor=
      [[ $link != *#* ]] || anchor=${link#*#}
      target=${target:+$(dirname "$file")/$target}
      target=${target:-$file}
      [ -e "$target" ] || { echo "$file: no $link"; return 1; }
      [ -z "$anchor" ] || anchors "$target" | grep -qxF -- "$anchor" || { echo "$file: no heading for $link"; return 1; }
    done < <(awk '/^```/ { inside = !inside } !inside' "$file" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//')
  done
  # Chapters are in the table of contents, and files that are named are there.
  for file in "$TOPOMAP_SOURCE"/doc/*.md; do
    file=$(basename "$file" .md)
    [ "$file" = index ] || grep -qx "$file" "$TOPOMAP_SOURCE/doc/index.md" || { echo "no chapter $file in the contents"; return 1; }
  done
}

@test "the book is made without a warning, with the manual's pages in it" {
  local python
  python=$(sed -n '1s/^#!//p' "$(command -v sphinx-build)" 2>/dev/null) && $python -c 'import myst_parser' 2>/dev/null ||
    skip "no Sphinx with MyST here (auto/deps --book)"
  command -v mandoc >/dev/null || skip "no mandoc here (auto/deps --book)"
  mkdir -p source/reference
  cp "$TOPOMAP_SOURCE"/doc/*.{md,svg,py} source
  sh "$TOPOMAP_SOURCE/doc/pages" source/reference "$TOPOMAP_BUILD"/cli/*.1
  sphinx-build -q -W --keep-going -b html source html
  grep -q -- '--tasks-per-node' html/reference/topomap-map.html
  grep -q 'objective' html/reference/topomap-srun.html
  [ -s html/users.html ] && [ -s html/background.html ]
}

@test "SECURITY.md's table of what processes may do is the code's" {
  table() { grep -oE '\| .* \|$' "$1" | grep -A 9 '^| process | restricted by'; }
  table "$TOPOMAP_SOURCE/plugin/sandbox/sandbox.h" >code
  table "$TOPOMAP_SOURCE/SECURITY.md" >page
  [ "$(wc -l <code)" -ge 6 ]
  diff code page
  # Every way in is a function of the header.
  for function in $(grep -o 'plugin_[a-z_]*()' code | sort -u); do
    grep -q "^[a-z]* ${function%()}(" "$TOPOMAP_SOURCE/plugin/sandbox/sandbox.h"
  done
}
