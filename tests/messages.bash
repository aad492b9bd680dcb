# SPDX-License-Identifier: BSD-3-Clause
# Assertions about messages: tests check the facts of a message, its sentences are free to change. A token is a fact:
# FILE:LINE, an option, a key, a name, a number. Loaded by suites with `load ../messages`.
# shellcheck shell=bash

# message_contains TEXT TOKEN: whether TEXT contains TOKEN as it would name it. A number matches as a whole word; any
# other token that begins or ends with a digit does not match inside a longer number (node1 is not in node12), and an
# option does not match inside a longer one (--time is not in --time-costs).
message_contains() {
  local before=' ' rest=$1 left='[0-9]' right='[0-9]|\.[0-9]'
  [[ ! $2 =~ ^[0-9.]+$ ]] || left='[[:alnum:]_]' right='[[:alnum:]_]|\.[0-9]'
  [[ $2 == [0-9]* ]] || left=
  if [[ $2 == --*[a-z] ]]; then right='[[:alnum:]-]'; elif [[ $2 != *[0-9] ]]; then right=; fi
  while [[ $rest == *"$2"* ]]; do
    before+=${rest%%"$2"*} rest=${rest#*"$2"}
    if { [ -z "$left" ] || [[ ! $before =~ ($left|[0-9]\.)$ ]]; } && { [ -z "$right" ] || [[ ! $rest =~ ^($right) ]]; }; then
      return 0
    fi
    before+=$2
  done
  return 1
}

# has_tokens TEXT TOKEN...: fails, and prints TEXT and the missing tokens, unless TEXT contains every TOKEN.
has_tokens() {
  local text=$1 token missing=
  shift
  [ $# -gt 0 ] || { echo "has_tokens: no TOKEN given"; return 1; }
  for token; do message_contains "$text" "$token" || missing+=" '$token'"; done
  [ -z "$missing" ] || { printf 'missing:%s\nfound:\n%s\n' "$missing" "$text"; return 1; }
}

# fails_with STATUS TOKEN...: after bats' run, with or without --separate-stderr: the command's status is STATUS and its
# message contains every TOKEN. A message of topomap begins a line with the command's name. bats 1.8 keeps the standard
# error of an earlier run: it is the message only if the output has none.
fails_with() {
  local message=$output line=$'(^|\n)(\e\\[[0-9;]*m)?topomap( [a-z-]+)*:'
  [[ -n $message && $message =~ $line ]] || message=${stderr:-$output}
  [ "$status" -eq "$1" ] || { printf 'status %s, expected %s\nfound:\n%s\n' "$status" "$1" "$message"; return 1; }
  if [[ $BATS_RUN_COMMAND == topomap\ * && ! $message =~ $line ]]; then
    printf 'no message that begins with topomap:\n%s\n' "$message"
    return 1
  fi
  has_tokens "$message" "${@:2}"
}

# warns_with TOKEN...: after bats' run --separate-stderr: the command succeeds and its standard error contains every TOKEN.
warns_with() {
  [ "$status" -eq 0 ] || { printf 'status %s, expected 0\nfound:\n%s\n' "$status" "${stderr-}"; return 1; }
  has_tokens "${stderr-}" "$@"
}
