#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --topomap=auto of programs whose files tell no MPI, without mpi=: interpreters, wrappers and launch scripts. The
# first launch finds out which MPI they load; what is none's runs as it would, and is left alone from then on.
bats_require_minimum_version 1.5.0

load ../mpi/mpis
load mpis
load bed

setup_file() {
  export PROGRAMS=$TOPOMAP_BUILD/contrib/testbed/programs
  bed_up eight
  sed -i "s|\$| compare=0|" "$BED/plain"
  mpi_settings
}

teardown_file() { bed_down; }

setup() { bed_begin; }

# launch TYPE WORD...: with $ASK and the words of $MORE; topomap's lines are in `said`, the rest in `out`.
launch() {
  local type=$1 status=0
  shift
  # shellcheck disable=SC2086 # words
  timeout 100 srun --mpi="$type" -N8 -n16 --ntasks-per-node=2 ${ASK---topomap=auto} ${MORE-} "$@" </dev/null >out 2>err || status=$?
  settled 50 || true
  sed -n 's/^srun: topomap: //p' err >said
  cat said
  return $status
}

profiles() { topomap profile list --json | jq -r "$1"; }
need() { [ -x "$PROGRAMS/halo.$1" ] && starts_mpi "$2" || skip "no $1 here that srun starts"; }
first() { grep -q 'no profile .*\<MPI$' said; }
again() { grep -q 'no profile .*another MPI' said; }
placed() { # TYPE PROGRAM WORD...: that has a profile is placed by it
  MORE=--topomap-explain=explained launch "${@:1:1}" "${@:3}"
  [ ! -s said ] || [ "$(cat said)" = "Slurm's layout stays: nothing better was found" ]
  grep -q "graph: .*\<$2, 16 ranks" explained
}

# learn TYPE PROGRAM WORD...: by the type the guess is right; the next launch is placed.
learn() {
  local type=$1 name=$2
  shift 2
  launch "$type" "$@"
  first
  [ "$(wc -l <said)" -eq 1 ]
  placed "$type" "$name" "$@"
}

python_here() {
  python=/usr/bin/python3 mpi=openmpi type=pmix
  "$python" -c 'import mpi4py' 2>/dev/null || skip "no mpi4py here"
  "$python" -c 'from mpi4py import MPI; raise SystemExit("Open MPI" not in MPI.Get_library_version())' || mpi=mpich type=pmi2
  starts_mpi "$type" || skip "this Slurm has no --mpi=$type"
  cat >run.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
other = world.size - 1 - world.rank
got = bytearray(9000)
for i in range(5):
    world.Sendrecv(bytearray(9000), other, 0, got, other)
print("well")
END
}

# bats test_tags=campaign
@test "mpi4py: a script, -c, -m, by its own name, behind env" {
  python_here
  learn "$type" python3 "$python" run.py
  [ "$(grep -c well out)" -eq 16 ]
  topomap profile show "$(profiles '.[0].key')" | grep -qx "MPI        $mpi, as it loads it"
  [ "$(profiles '.[0].mpi')" = "$mpi" ]
  learn "$type" python3 "$python" -c "$(cat run.py)"
  learn "$type" python3 "$python" -m run
  learn "$type" python3 env A=1 "$python" run.py
  { echo "#!$python"; cat run.py; } >own
  chmod +x own
  learn "$type" own ./own
  [ "$(profiles 'map(.profiles) | add')" -eq 5 ]
}

# bats test_tags=campaign
@test "mpi4py: virtual environments, shims" {
  python_here
  "$python" -m venv --without-pip --system-site-packages theirs 2>/dev/null || skip "no venv here"
  learn "$type" python theirs/bin/python run.py
  # As pyenv's: a script that finds out which one it is.
  mkdir shims
  printf '#!/usr/bin/env bash\nset -e\nexec "%s" exec "${0##*/}" "$@"\n' "$PWD/chooser" >shims/python3
  printf '#!/bin/sh\nshift 2\nexec "%s" "$@"\n' "$python" >chooser
  chmod +x shims/python3 chooser
  PATH=$PWD/shims:$PATH learn "$type" python3 python3 run.py 7
}

# subprocess closes what its children would inherit.
# bats test_tags=campaign
@test "a program that a Python program starts" {
  need openmpi pmix # MPICH itself needs what it would inherit
  [ -x /usr/bin/python3 ] || skip "no Python here"
  echo 'import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)' >driver.py
  learn pmix python3 /usr/bin/python3 driver.py sh -c "$PROGRAMS/halo.openmpi 4x4 --iterations 5; exit"
}

# bats test_tags=campaign
@test "what is known of a script holds for another size and folder" {
  need mpich pmi2
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$PROGRAMS/halo.mpich" >"$BATS_TEST_TMPDIR/go"
  chmod +x go
  launch pmi2 "$PWD/go" 4x4 --iterations 2
  first
  mkdir elsewhere && cd elsewhere
  launch pmi2 "$OLDPWD/go" 4x4 --iterations 2
  run ! first
  grep -q 'no profile .*layout' said
  launch pmi2 "$OLDPWD/go" 4x4 --iterations 2
  [ ! -s said ]
}

behind() { # MPI TYPE
  local program="$PROGRAMS/halo.$1 4x4 --iterations 5"
  learn "$2" bash bash -c "$program"
  grep -q ' 0 wrong messages' out
  learn "$2" sh sh -c "cd / && export A=1; $program; echo over"
  printf '#!/bin/bash\nmodule() { :; }\nmodule load solver\n%s | cat\n' "$program" >launch.sh
  chmod +x launch.sh
  learn "$2" launch.sh ./launch.sh
  learn "$2" bash bash launch.sh
  learn "$2" launch.sh env A=1 ./launch.sh
  [ "$(profiles 'map(.profiles) | add')" -eq 5 ]
}
# bats test_tags=campaign
@test "bash -c, launch scripts and wrappers: MPICH" { need mpich pmi2; behind mpich pmi2; }
# bats test_tags=campaign
@test "bash -c, launch scripts and wrappers: Open MPI" { need openmpi pmix; behind openmpi pmix; }

# With the profiler of another MPI alone: what the guess would be where that is more likely.
wrong() { # MPI TYPE OTHER
  local library=$TOPOMAP_BUILD/contrib/profile/libtopomap-profile
  [ -e "$library-$3.so" ] || skip "no other MPI here"
  mkdir lib
  ln -s "$library-$3.so" lib/
  plugstack "profiler=$PWD/lib"
  launch "$2" bash -c "$PROGRAMS/halo.$1 4x4 --iterations 5"
  grep -q ' 0 wrong messages' out
  first
  grep -q "no profile .*bash .*MPI.*$1" said
  launch "$2" bash -c "$PROGRAMS/halo.$1 4x4 --iterations 5"
  grep -q "$PWD/lib/libtopomap-profile-$1.so .*layout" said
  ln -s "$library-$1.so" lib/
  launch "$2" bash -c "$PROGRAMS/halo.$1 4x4 --iterations 5"
  again
  placed "$2" bash bash -c "$PROGRAMS/halo.$1 4x4 --iterations 5"
}
# bats test_tags=campaign
@test "the guess is another MPI: its calls go through, and the next launch knows: MPICH" { need mpich pmi2; wrong mpich pmi2 openmpi; }
# bats test_tags=campaign
@test "the guess is another MPI: its calls go through, and the next launch knows: Open MPI" { need openmpi pmix; wrong openmpi pmix mpich; }

@test "programs that are none of MPI's: once, and never again until their script changes" {
  printf '#!/bin/sh\necho "${LD_PRELOAD:+preloaded}${LD_PRELOAD:-alone}"\n' >plain.sh
  chmod +x plain.sh
  launch none ./plain.sh
  first
  [ "$(grep -c '^preloaded' out)" -eq 16 ]
  grep -q 'no profile .*plain.sh .*MPI' said
  [ "$(profiles length)" -eq 0 ]
  for _ in 1 2; do
    launch none ./plain.sh
    [ "$(sort -u out)" = alone ]
    grep -q '^auto: ./plain.sh: .*MPI.*--topomap-options=profile' said
  done
  echo : >>plain.sh
  launch none ./plain.sh
  first
  MORE=--topomap-options=profile launch none ./plain.sh
  [ "$(grep -c '^preloaded' out)" -eq 16 ]
  # One that fails may do better.
  local launch
  for launch in {1..2}; do
    run ! launch none sh -c 'exit 3'
    [[ $output == *"no profile "*MPI* ]]
    grep -q 'no profile .*\<sh .*status 3' <<<"$output"
  done
  # A container's own system has none of this one's libraries.
  printf '#!/bin/sh\necho "${LD_PRELOAD:-alone}"\n' >apptainer
  chmod +x apptainer
  launch none ./apptainer exec image.sif ./solver
  grep -q '^auto: ./apptainer: .*container' said
  [ "$(sort -u out)" = alone ]
  # Whatever somebody says of the MPI inside.
  MORE=--topomap-options=mpi=mpich launch none ./apptainer exec image.sif ./solver
  [ "$(sort -u out)" = alone ]
}

@test "containers of pyxis and of Slurm: nothing is preloaded, not even where somebody names the MPI" {
  echo "optional $TOPOMAP_BUILD/tests/slurm/.libs/pyxis.so" >>"$BED/etc/plugstack.conf"
  show='echo "${LD_PRELOAD:-alone} ${TOPOMAP_PROFILE_MEMORY:-none} ${IMAGE:-host}"'
  launch none sh -c "$show"
  grep -q '/libtopomap-profile-.* host$' out
  for image in --container-image=ubuntu '--container-image ubuntu'; do
    # shellcheck disable=SC2086 # words
    MORE="$image --topomap-options=mpi=mpich" launch none sh -c "$show"
    [ "$(sort -u out)" = 'alone none ubuntu' ]
    run ! grep -q preload err
  done
  SLURM_CONTAINER_ID=x MORE=--topomap-options=mpi=mpich launch none sh -c "$show" || true
  run ! grep -q /libtopomap-profile- out
}

# bats test_tags=campaign
@test "default=auto: nobody hears of it" {
  need mpich pmi2
  plugstack default=auto
  export ASK=
  launch pmi2 sh -c true
  [ ! -s said ]
  launch pmi2 sh -c "$PROGRAMS/halo.mpich 4x4 --iterations 5"
  [ ! -s said ]
  launch pmi2 sh -c "$PROGRAMS/halo.mpich 4x4 --iterations 5"
  [ ! -s said ]
  MORE=--topomap-explain=explained launch pmi2 sh -c "$PROGRAMS/halo.mpich 4x4 --iterations 5"
  [ "$(profiles length)" -eq 1 ]
  grep -q '\<sh, 16 ranks' explained
}

@test "an MPI that is linked statically: said once" {
  echo 'int MPI_Init(void *, void *); int PMPI_Init(void *a, void *b) { return !a + !b; } int MPI_Init(void *a, void *b) { return PMPI_Init(a, b); } int main(int argc, char **argv) { (void)argv; return MPI_Init(&argc, &argv); }' >own.c
  local how
  for how in -static -O1; do
    cc $how -o own own.c || continue
    launch none ./own
    [ "$(cat said)" = "auto: ./own: its MPI is linked statically: nobody sees what it sends (--topomap=FILE or a pattern places it): left alone" ]
    launch none ./own
    [ ! -s said ]
    MORE=--topomap-options=mpi=mpich launch none ./own
    [ ! -s said ]
    [ "$(profiles length)" -eq 0 ]
  done
}

# A step of one task a node, whose task starts four workers, which talk to those that are 16 of 32 ranks away. NUMBER: the
# task's among the nodes.
workers() { # NUMBER
  cat >workers.sh <<END
#!/bin/bash
for i in 0 1 2 3; do
  export RANK=\$(($1 * 4 + i)) WORLD_SIZE=32
  "$TOPOMAP_BUILD/tests/unit/contrib/nccl-host" 5 "comm0:7:32:\$RANK" \\
    "comm1:\$((20 + RANK % 16)):2:\$((RANK / 16))" 1:AllReduce:ncclFloat32:100000:0 &
done
wait
END
  chmod +x workers.sh
  srun -N8 -n8 --topomap=auto --topomap-explain=explained ./workers.sh </dev/null >out 2>err
  settled 50 || true
  sed -n 's/^srun: topomap: //p' err >said
  cat said
}

@test "NCCL in the workers of one task a node: the profile has all of them, and is folded" {
  workers SLURM_PROCID
  first
  [ "$(profiles '.[0] | "\(.ranks) \(.workers) \(.mpi) \(.profiles)"')" = '8 4 nccl 1' ]
  topomap profile show "$(profiles '.[0].key')" | grep -qx 'ranks      8, each with 4 workers'
  [ "$(topomap graph info "$XDG_CACHE_HOME"/topomap/profiles/*.tmg --json | jq .ranks)" -eq 32 ]
  rm -f explained
  workers SLURM_PROCID
  cat explained
  grep -q 'graph: .*workers.sh, 8 ranks.*\<4 workers.*\<32\>' explained
  grep -q 'nearer\|better' explained said
  # What it sends now is judged by its own graph, and is as the profile says.
  [ "$(profiles '.[0].profiles')" -eq 1 ]
  # Numbers that do not follow the tasks (c10d's go by the names of hosts) leave none.
  workers '(7 - SLURM_PROCID)'
  [ "$(ls "$XDG_CACHE_HOME"/topomap/profiles/*.tmg | wc -l)" -eq 1 ]
}

@test "NCCL without an MPI: the plugin that it loads leaves a profile, whichever library was preloaded" {
  cat >train.sh <<END
#!/bin/bash
exec "$TOPOMAP_BUILD/tests/unit/contrib/nccl-host" 5 "comm0:7:16:\$SLURM_PROCID" \\
  "comm1:\$((20 + SLURM_PROCID % 8)):2:\$((SLURM_PROCID / 8))" 1:AllReduce:ncclFloat32:100000:0
END
  chmod +x train.sh
  learn pmi2 train.sh ./train.sh
  [ "$(profiles '.[0].mpi')" = nccl ]
  # Who says so beforehand has the profile of the first run.
  { cat train.sh; echo "# another one"; } >said.sh && chmod +x said.sh
  MORE=--topomap-options=mpi=nccl launch pmi2 ./said.sh
  [[ $(cat said) == *" is stored: "*" leaves one" ]]
  [ "$(profiles '.[] | select(.program == "said.sh") | .ranks')" = 16 ]
  # A plugin that the user names stays.
  NCCL_PROFILER_PLUGIN=/users/own.so MORE=--topomap-options=profile launch pmi2 bash -c 'echo "$NCCL_PROFILER_PLUGIN"'
  [ "$(sort -u out)" = /users/own.so ]
}
