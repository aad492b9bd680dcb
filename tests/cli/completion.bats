#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash, zsh and fish: the words are those of the tables.
bats_require_minimum_version 1.5.0

setup() {
  export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
  PATH=$TOPOMAP_BUILD/cli:$PATH
  completion=$TOPOMAP_SOURCE/contrib/completion
  cd "$BATS_TEST_TMPDIR"
}

# stored: two profiles of the user's, and two records.
stored() {
  local key
  mkdir -p cache/topomap/profiles cache/topomap/records
  chmod -R go-w cache
  chmod 700 cache/topomap cache/topomap/{profiles,records}
  for key in 00000000000000a1 1111ffff000000a2; do
    topomap graph generate ring:16 -o "cache/topomap/profiles/$key.tmg"
    printf 'program solver\nwords x\nid 00000000000000aa\nfamily 00000000000000bb\nranks 16\nmade 1\nlaunches 7\nprofiles 2\ntries 0\n' \
      >"cache/topomap/profiles/$key.meta"
  done
  touch cache/topomap/records/{1712.0,17.3}.plan
}

# complete LINE: what bash would offer at its end, a line each.
complete_line() {
  bash -c 'source "$1/contrib/completion/topomap-srun"
    COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=() COMP_CWORD=0
    _topomap_srun "${2%% *}" && printf "%s\n" "${COMPREPLY[@]}"' - "$TOPOMAP_SOURCE" "$1"
}

@test "bash completes srun's options, their values, and keys of profiles" {
  [ "$(complete_line 'srun -n4 --topo' | tr '\n' ' ')" = "--topomap= --topomap-options= --topomap-explain " ]
  [ "$(complete_line 'sbatch --topomap=au')" = auto ]
  [ "$(complete_line 'srun --topomap=stencil3' | head -1)" = stencil3d: ]
  [ "$(complete_line 'srun --topomap-options=verbose,eff')" = verbose,effort= ]
  touch here.tmg
  [ "$(complete_line 'srun --topomap=her')" = here.tmg ]
  stored
  [ "$(bash -c 'source "$1/contrib/completion/topomap"; COMP_WORDS=(topomap profile show 11) COMP_CWORD=3; _topomap
    printf "%s\n" "${COMPREPLY[@]}"' - "$TOPOMAP_SOURCE")" = 1111ffff000000a2 ]
  topomap help --words profile rm | grep -qx 00000000000000a1
}

@test "values of options: jobs that have records, algorithms, formats, patterns" {
  stored
  [ "$(topomap help --words why --job | sort | tr '\n' ' ')" = "17.3 1712.0 " ]
  [ "$(topomap help --words show --plan | sort | tr '\n' ' ')" = "17.3 1712.0 " ]
  topomap help --words map --replay | grep -qx 1712.0
  [ "$(topomap help --words policy check --job)" = "" ]
  topomap help --words map --algorithm | grep -qx two-stage
  topomap help --words map --graph | grep -qx stencil3d
  [ "$(topomap help --words map --color | tr '\n' ' ')" = "auto always never " ]
  topomap help --words db export --to | grep -qx scotch-arch
  diff <(topomap help --words db forget | grep -v -- ^-) <(topomap help --words db import | grep -v -- ^-)
  topomap help --words db forget | grep -qx ibnetdiscover
  topomap help --words graph convert --to | grep -qx tmg
  # read only, and an option that takes nothing: what follows is an operand
  [ "$(topomap help --words graph convert --to | wc -l)" -lt "$(topomap help --words graph convert --from | wc -l)" ]
  [ "$(topomap help --words profile show --json)" = "$(topomap help --words profile show)" ]
  while read -r words; do
    [ "$(bash -c 'source "$1/topomap"; COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)); _topomap
      printf "%s\n" "${COMPREPLY[@]}"' - "$completion" $words)" = "${words##* }2.0" ]
  done <<'END'
topomap why 3 --job 171
topomap why 3 --job = 171
topomap report --plan 171
END
}

@test "bash: srun's distribution has topomap's words beside those of whoever completes srun otherwise" {
  cat >offer <<'END'
_other() { COMPREPLY=($(compgen -W "--nodes --ntasks block cyclic" -- "${2-}")); }
_completion_loader() { complete -F _other srun; }
source "$1/topomap-srun"
COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=() COMP_CWORD=0
_topomap_srun srun "$3" "" && printf "%s\n" "${COMPREPLY[@]}"
END
  [ "$(bash offer "$completion" 'srun --nt' --nt)" = --ntasks ]
  [ "$(bash offer "$completion" 'srun -m ' '' | tr '\n' ' ')" = \
    "--nodes --ntasks block cyclic topomap topomap:block topomap:cyclic topomap:fcyclic " ]
  [ "$(bash offer "$completion" 'srun --distribution=topomap:c' x)" = cyclic ]
  [ "$(bash offer "$completion" 'srun --distribution topo' x | head -1)" = topomap ]
  [ "$(bash offer "$completion" 'srun -n 4 bl' bl)" = block ]
}

# typed LINE...: what zsh makes of each line and a tab.
typed() {
  cat >inner <<'END'
fpath=($completion $fpath)
autoload -Uz compinit && compinit -u -d $PWD/dump
show() { print -r -- "$BUFFER" >>made; BUFFER= }
zle -N show
bindkey '^Xp' show
END
  cat >outer <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT=; . ./inner; touch ready'
while [[ ! -e ready ]]; do zpty -r -t shell >/dev/null; sleep 0.1; done
for line; do zpty -w -n shell $line$'\t\x18p'; done
while [[ ! -e made || $(wc -l <made) -lt $# ]]; do zpty -r -t shell >/dev/null; sleep 0.1; done
zpty -d shell
END
  rm -f made ready
  completion=$completion timeout 60 zsh -f outer "$@"
  cat made
}

@test "zsh completes commands, keys, jobs and srun's options, and leaves the rest to who else completes srun" {
  head -1 "$completion/_topomap" | grep -qx '#compdef topomap srun sbatch salloc'
  command -v zsh >/dev/null || skip "no zsh here"
  zsh -n "$completion/_topomap"
  stored
  typed 'topomap profile lis' 'topomap profile show 11' 'topomap why 3 --job 171' 'topomap map --algorithm=two' \
    'srun --topomap=stencil3' 'srun --topomap-options=verbose,eff' 'sbatch --topomap-e' 'srun --distribution=topomap:f' >out
  cat out
  diff <(sed 's/ *$//' out) - <<'END'
topomap profile list
topomap profile show 1111ffff000000a2
topomap why 3 --job 1712.0
topomap map --algorithm=two-stage
srun --topomap=stencil3d:
srun --topomap-options=verbose,effort=
sbatch --topomap-explain
srun --distribution=topomap:fcyclic
END
  mkdir other
  printf '#compdef nothing-of-that-name\n_slurm() { compadd -- --nodelist=; }\n_slurm "$@"\n' >other/_slurm
  typed 'srun --nodel' >out # without it
  [ "$(sed 's/ *$//' out)" = "srun --nodel" ]
  mkdir both && cp "$completion/_topomap" other/_slurm both/
  completion=$PWD/both typed 'srun --nodel' >out
  [ "$(sed 's/ *$//' out)" = "srun --nodelist=" ]
}

# fished LINE: what fish offers, without what it says of each.
fished() { HOME=$PWD fish --no-config -c 'source $argv[1]/topomap.fish; complete -C $argv[2]' "$completion" "$1" | cut -f1; }

@test "fish completes commands, keys, jobs and srun's options" {
  command -v fish >/dev/null || skip "no fish here"
  fish --no-execute "$completion/topomap.fish"
  stored
  [ "$(fished 'topomap profile lis')" = list ]
  [ "$(fished 'topomap profile show 11')" = 1111ffff000000a2 ]
  [ "$(fished 'topomap why 3 --job 171')" = 1712.0 ]
  [ "$(fished 'topomap map --algorithm two' | head -1)" = two-stage ]
  [ "$(fished 'topomap map --alg')" = --algorithm ]
  [ "$(fished 'srun --topomap=stencil3')" = --topomap=stencil3d: ]
  fished 'srun --topomap-options=verbose,eff' | grep -qx -e '--topomap-options=verbose,effort='
  fished 'salloc --topo' | grep -qx -e '--topomap-explain'
  [ "$(fished 'srun --distribution=topomap:f')" = --distribution=topomap:fcyclic ]
  [ "$(fished 'srun -m topomap:f')" = topomap:fcyclic ]
}
