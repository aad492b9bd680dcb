#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --topomap=auto on a real Slurm, with real MPI programs: profiled, stored, placed; and nothing that
# goes wrong with it reaches the job.
bats_require_minimum_version 1.5.0

load ../messages
load ../mpi/mpis
load mpis
load bed

setup_file() {
  export PROGRAMS=$TOPOMAP_BUILD/contrib/testbed/programs
  bed_up eight
  sed -i "s|\$| compare=0|" "$BED/plain" # trust.bats has the times
  # The MPI that most tests take: MPICH where it is there.
  export MPI=mpich TYPE=pmi2
  [ -x "$PROGRAMS/halo.mpich" ] || export MPI=openmpi TYPE=pmix
  [ -x "$PROGRAMS/halo.$MPI" ] || skip "needs an MPI"
}

teardown_file() { bed_down; }

setup() { bed_begin; }

# launch [OPTION...] -- PROGRAM...: topomap's lines are in `said`, the rest in `out`.
launch() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  timeout 100 srun --mpi="$TYPE" -N8 -n16 --ntasks-per-node=2 "${options[@]}" "$@" </dev/null >out 2>err
  local status=$?
  settled 30 || true
  sed -n 's/^srun: topomap: //p' err >said
  cat said
  return $status
}

halo() { # [OPTION...]: 16 ranks, shuffled on their grid
  launch "$@" -- "$PROGRAMS/halo.$MPI" 4x4 --iterations 5
  grep -q ' 0 wrong messages' out
}

profiles() { topomap profile list --json | jq -r "$1"; }

# Nothing is left of a run that is over, once what srun has left to the planner is done.
no_runs() { settled; }

# says_at_end PATTERN COMMAND...: among the lines that topomap prints for it.
says_at_end() {
  local pattern=$1
  shift
  "$@"
  sed -n 's/^srun: topomap: //p' err | grep -Eq "$pattern"
}

@test "profiled once, placed from then on: MPICH and Open MPI" {
  local mpi tried=0
  while read -r mpi TYPE; do
    [ -x "$PROGRAMS/halo.$mpi" ] && starts_mpi "$TYPE" || continue
    echo "$mpi"
    tried=$((tried + 1)) MPI=$mpi
    halo --topomap=auto
    [ "$(cat said)" = "no profile of this program at this size is stored: it runs with Slurm's layout and leaves one" ]
    [ "$(profiles length)" -eq "$tried" ]
    no_runs
    halo --topomap=auto --topomap-explain=explained
    [ ! -s said ]
    grep -q "^topomap: graph: .*halo.$mpi, 16 ranks" explained
    grep -q '^topomap: 16 ranks .*\<8\>.* %' explained
    [ "$(profiles ".[] | select(.program == \"halo.$mpi\") | .launches")" -eq 1 ]
    # It is the graph that the program itself says it has, but for its barrier and its reductions.
    "$PROGRAMS/halo.$mpi" --graph-only 4x4 real.csv --iterations 5
    topomap graph convert "$(profiles ".[] | select(.program == \"halo.$mpi\") | .graph")" seen.csv
    diff <(awk -F, '/^[0-9]/ && $3 > 1000 { print $1 "," $2 "," int($3 / 1000) }' real.csv | sort) \
      <(awk -F, '/^[0-9]/ && $3 > 1000 { print $1 "," $2 "," int($3 / 1000) }' seen.csv | sort)
  done <<'END'
mpich pmi2
openmpi pmix
END
  [ "$tried" -ge 1 ]
}

# One program; which MPI runs it, is what the dynamic linker finds.
@test "programs of the MPI standard's ABI, over Open MPI and over MPICH" {
  local over tried=0
  MPI=mpi-abi
  [ -x "$PROGRAMS/halo.$MPI" ] || skip "no MPI standard ABI here"
  while read -r over TYPE; do
    mpi_is_here "$over" && starts_mpi "$TYPE" || continue
    echo "$over"
    tried=$((tried + 1))
    mkdir "$over"
    ln -s "$(mpi_abi_library "$over")" "$over/libmpi_abi.so.1"
    export LD_LIBRARY_PATH=$PWD/$over
    halo --topomap=auto
    grep -q 'profile.*layout' said
    [ "$(profiles length)" -eq 1 ]
    halo --topomap=auto --topomap-explain=explained
    [ ! -s said ]
    grep -q "^topomap: graph: .*halo.$MPI, 16 ranks" explained
    grep -q '^topomap: 16 ranks .*\<8\>.* %' explained
    topomap profile rm --all
  done <<'END'
abi-openmpi pmix
abi-mpich pmi2
END
  [ "$tried" -ge 1 ]
}

# bats test_tags=campaign
@test "the phases of a program are its profile's; launches go by them, by time too" {
  mpi_compile "$MPI" -w -O0 -pthread -o phases "$TOPOMAP_SOURCE/tests/mpi/phases.c"
  launch --topomap=auto -- ./phases two
  [ "$(profiles length)" -eq 1 ]
  topomap graph info "$(profiles '.[0].graph')" --json | jq -e '.bytes == 12000000 and .phase_bytes == [8000000, 4000000]'
  topomap profile show "$(profiles '.[0].key')" | grep -qx 'phases     2: 66.7 %, 33.3 %.*'
  launch --topomap=auto --topomap-explain=explained -- ./phases two
  [ ! -s said ]
  grep -q "^topomap: graph: .*phases, 16 ranks" explained
  # The calls of a rank are most of the time, wherever it is.
  launch --topomap=auto --topomap-options=objective=time -- ./phases two
  [ ! -s said ] || [ "$(cat said)" = "Slurm's layout stays: nothing better was found" ]
  [ "$(profiles '.[0].launches')" -ge 1 ]
}

# bats test_tags=campaign
@test "other arguments, another size, another key are other profiles; a key of the user's joins" {
  halo --topomap=auto
  launch --topomap=auto -- "$PROGRAMS/halo.$MPI" 4x4 --iterations 6
  grep -q 'profile' said
  launch -n8 --ntasks-per-node=1 --topomap=auto -- "$PROGRAMS/halo.$MPI" 4x2 --iterations 5
  grep -q 'profile' said
  halo --topomap=auto --topomap-options=key=halo
  grep -q 'profile' said
  [ "$(profiles length)" -eq 4 ]
  launch --topomap=auto --topomap-options=key=halo -- "$PROGRAMS/halo.$MPI" 4x4 --iterations 7
  [ ! -s said ]
  cp "$PROGRAMS/halo.$MPI" elsewhere
  launch --topomap=auto -- ./elsewhere 4x4 --iterations 5
  [ ! -s said ]
  [ "$(profiles 'map(.launches) | add')" -eq 2 ]
}

# bats test_tags=campaign
@test "a pattern that is recognised is scaled to another size, with the confidence" {
  launch -n4 -N4 --ntasks-per-node=1 --topomap=auto --topomap-options=key=h -- "$PROGRAMS/halo.$MPI" 2x2 --order row
  launch -n16 --topomap=auto --topomap-options=key=h -- "$PROGRAMS/halo.$MPI" 4x4 --order row
  grep -q 'profile.*\<16 ranks.*\<4 ranks' said
  [ "$(profiles length)" -eq 2 ]
  topomap profile rm --all
  launch --topomap=auto --topomap-options=key=h -- "$PROGRAMS/halo.$MPI" 4x4 --order row --iterations 3
  launch -n64 --ntasks-per-node=8 --topomap=auto --topomap-options=key=h -- "$PROGRAMS/halo.$MPI" 8x8 --order row --iterations 1 --bytes 5000
  grep -q "\<64 ranks.*stencil2d:5:8x8.*halo.$MPI, 16 ranks.*stencil2d:5:4x4.*100 %.*\<64 ranks.*\<8\>" said
  [ "$(profiles 'map(.ranks) | sort' | tr -d ' \n')" = "[16,64]" ]
  # By one factor only: 4x8 or 8x4, nobody knows.
  launch -n32 --ntasks-per-node=4 --topomap=auto --topomap-options=key=h -- "$PROGRAMS/halo.$MPI" 8x4 --order row --iterations 1
  grep -q "\<32 ranks.*stencil2d:5:4x4.*Slurm's layout" said
  # Nor is a grid in shuffled order: its neighbours at another size are others.
  halo --topomap=auto --topomap-options=key=s
  launch -n64 --ntasks-per-node=8 --topomap=auto --topomap-options=key=s -- "$PROGRAMS/halo.$MPI" 8x8 --iterations 1 --bytes 5000
  grep -q 'stencil2d:5:4x4.*order' said
}

# bats test_tags=campaign
@test "profiled again on request; a changed pattern is noticed" {
  halo --topomap=auto --topomap-options=key=k
  halo --topomap=auto --topomap-options=key=k,profile
  [ "$(profiles '.[0] | .profiles')" -eq 2 ]
  halo --topomap=auto --topomap-options=key=k --topomap-explain=explained
  grep -q 'profile.*100 %' explained
  # The same program and key, with other neighbours.
  launch --topomap=auto --topomap-options=key=k,profile -- "$PROGRAMS/halo.$MPI" 4x4 --iterations 5 --seed 9
  halo --topomap=auto --topomap-options=key=k --topomap-explain=explained
  cat explained
  grep -Eq 'changed.*[0-9]+ %' explained
  # So had that run: it was counted, and is the profile from now on.
  [ "$(profiles '.[0] | .profiles')" -eq 4 ]
}

@test "list, show, rm" {
  halo --topomap=auto
  local key
  key=$(profiles '.[0].key')
  topomap profile list | grep -q "^$key     16 .* halo.$MPI 4x4 --iterations 5$"
  topomap profile show "${key:0:6}" | grep -q '^           16 ranks, [0-9]* pairs, [0-9]* bytes$'
  topomap profile show "$key" | grep -q '^pattern    stencil2d:5:4x4,'
  [ "$(topomap profile show "$key" --json | jq .ranks)" -eq 16 ]
  run -1 topomap profile show 00000000
  run -2 topomap profile rm
  topomap profile rm "$key"
  [ "$(profiles length)" -eq 0 ]
}

@test "a placement that the planner or srun refuses is a run in Slurm's layout, in all counts" {
  halo --topomap=auto
  halo --topomap=auto --topomap-options=min-gain=99
  [ "$(profiles '.[0] | "\(.launches) \(.refused) \(.runs | map(.placed))"')" = "0 1 [false,false]" ]
  has_tokens "$(topomap profile show "$(profiles '.[0].key')" | grep -E '^(launches|time|verdict) ')" \
    "0 placed" "1 refused" "2 runs" "1 in" "3 placed" "refused: 1"
  plugstack "planner=$TOPOMAP_BUILD/tests/slurm/fake-planner"
  FAKE_PLANNER=other-counts halo --topomap=auto
  grep -q "Slurm's own layout" said
  [ "$(profiles '.[0] | "\(.launches) \(.refused) \(.runs | map(.placed))"')" = "0 2 [false,false,false]" ]
}

@test "without --topomap=auto a stored profile is used too, and none is made" {
  halo -m topomap
  grep -q 'graph' said
  [ ! -e cache ]
  halo --topomap=auto
  halo -m topomap --topomap-explain=explained
  grep -q "graph: .*halo.$MPI" explained
  grep "^graph: .*halo.$MPI.*topomap profile show $(profiles '.[0].key')" said
  [ "$(profiles '.[0].profiles')" -eq 1 ]
}

@test "default=auto: MPI programs are profiled and placed without a word, others left alone" {
  plugstack default=auto
  halo
  [ ! -s said ]
  [ "$(profiles length)" -eq 1 ]
  launch --topomap-explain=explained -- "$PROGRAMS/halo.$MPI" 4x4 --iterations 5
  grep -q '\<16 ranks.*\<8\>.* %' explained
  launch -- sh -c 'echo "${LD_PRELOAD:-nothing} ${TOPOMAP_PROFILE:-nothing} ${TOPOMAP_APPLIED:-nothing}"'
  [ ! -s said ] # it may have loaded an MPI
  launch -- sh -c 'echo "${LD_PRELOAD:-nothing} ${TOPOMAP_PROFILE:-nothing} ${TOPOMAP_APPLIED:-nothing}"'
  [ "$(sort -u out)" = "nothing nothing nothing" ]
  [ ! -s said ]
  halo -m cyclic
  halo --topomap=off
  [ "$(profiles '.[0].launches')" -eq 1 ]
  echo "Rule=mine Mode=auto Compare=3" >rules
  chmod 755 . .. ; plugstack "policy=$PWD/rules"
  halo
  [ "$(profiles '.[0].profiles')" -eq 2 ]
  [ ! -s said ]
}

@test "programs that are not MPI: left alone, with the reason for whoever asked" {
  head -c 300 "$PROGRAMS/halo.$MPI" >broken
  chmod +x broken
  local reason
  while IFS='|' read -r program reason; do
    echo "$program"
    launch --topomap=auto -- $program || true
    [ "$(wc -l <said)" -eq 1 ]
    grep -q "^auto: .*: $reason (--topomap-options=mpi=openmpi|mpich|mpi-abi|nccl says .*): left alone$" said
  done <<'END'
hostname|neither it nor its libraries need an MPI that is known
./broken|its program headers are broken
END
  printf '0-15 %s 4x4 --iterations 5\n' "$PROGRAMS/halo.$MPI" >multi
  launch --topomap=auto --multi-prog -- multi
  grep -q '^auto: .*--multi-prog' said
  TOPOMAP_GRAPH=auto launch --topomap=on -- hostname
  grep -q '^auto: ' said
  [ ! -e cache ]
  # Whoever knows says so: the script's program is profiled (loaded.bats: also where nobody knows).
  printf '#!/bin/sh\nexec "%s" 4x4 --iterations 5\n' "$PROGRAMS/halo.$MPI" >wrapper
  chmod +x wrapper
  launch --topomap=auto --topomap-options=mpi=$MPI -- ./wrapper
  grep -q 'profile' said
  launch --topomap=auto --topomap-options=mpi=$MPI --topomap-explain=explained -- ./wrapper
  grep -q '\<16 ranks.*\<8\>.* %' explained
}

# What its own library does is the program's: found as the dynamic linker finds it.
# bats test_tags=campaign
@test "an MPI that only the program's own libraries need; programs that wrappers start" {
  mkdir lib
  cat >solve.c <<'END'
#include <mpi.h>
int solve(int *argc, char ***argv)
{
    int rank, size, other;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, size - 1 - rank, 0, &other, 1, MPI_INT, size - 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
END
  echo 'int solve(int *, char ***); int main(int argc, char **argv) { return solve(&argc, &argv); }' >main.c
  "mpicc.$MPI" -shared -fPIC -o lib/libsolve.so solve.c
  cc -o own main.c -Llib -lsolve -Wl,-rpath,'$ORIGIN/lib' -Wl,--allow-shlib-undefined
  ! readelf -d own | grep NEEDED | grep mpi || false
  launch --topomap=auto -- ./own
  grep -q 'profile' said
  launch --topomap=auto --topomap-explain=explained -- ./own
  grep -q 'graph: .*\<own, 16 ranks' explained
  # Site scripts that choose a GPU or a core, env, and the like.
  printf '#!/bin/sh\nexport CHOSEN=$SLURM_LOCALID\nexec "$@"\n' >choose
  chmod +x choose
  launch --topomap=auto -- ./choose env A=1 ./own 7
  grep -q 'profile' said
  launch --topomap=auto --topomap-explain=explained -- ./choose env A=1 ./own 7
  grep -q 'graph: .*\<own, 16 ranks' explained
  [ "$(profiles length)" -eq 2 ]
  # Built anew, it is another program, wrapped or not.
  sed -i 's/return solve/return 0 * argc + solve/' main.c
  cc -O1 -o own main.c -Llib -lsolve -Wl,-rpath,'$ORIGIN/lib' -Wl,--allow-shlib-undefined
  launch --topomap=auto -- ./choose env A=1 ./own 7
  grep -q 'profile' said
  [ "$(profiles length)" -eq 3 ]
}

@test "the user's LD_PRELOAD stays and comes first; what the program starts is not profiled" {
  not_sanitized "their runtime has to be loaded first"
  local libc
  libc=$(ldconfig -p | awk '/libm\.so\.6 .*x86-64/ { print $NF; exit }')
  [ -n "$libc" ] || skip "no libm.so.6"
  printf '#!/bin/sh\necho "before ${LD_PRELOAD}"\nexec "%s" 4x4 --iterations 5\n' "$PROGRAMS/halo.$MPI" >wrapper
  chmod +x wrapper
  LD_PRELOAD=$libc launch --export=ALL --topomap=auto --topomap-options=mpi=$MPI -- ./wrapper
  [ "$(grep -c "^before $libc:.*/libtopomap-profile-$MPI.so$" out)" -eq 16 ]
  [ "$(profiles length)" -eq 1 ]
  cat >starts.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, other, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, size - 1 - rank, 0, &other, 1, MPI_INT, size - 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 3 && system("echo \"child $LD_PRELOAD ${TOPOMAP_PROFILE:-none} ${TOPOMAP_PROFILE_MEMORY:-none}\"")) return 1;
    MPI_Finalize();
    return 0;
}
END
  mpicc.$MPI -o starts starts.c
  LD_PRELOAD=$libc launch --topomap=auto -- ./starts
  grep -qx "child $libc none none" out
  [ "$(profiles length)" -eq 2 ]
}

@test "--export=NONE, sbatch, salloc" {
  halo --export=NONE --topomap=auto
  [ "$(profiles length)" -eq 1 ]
  cat >job <<END
#!/bin/sh
#SBATCH -N8 -n16 --ntasks-per-node=2 --topomap=auto -o log
srun --mpi=$TYPE $PROGRAMS/halo.$MPI 4x4 --iterations 4
srun --mpi=$TYPE --topomap-explain=explained $PROGRAMS/halo.$MPI 4x4 --iterations 4
touch over
END
  sbatch job
  for _ in {1..600}; do [ ! -e over ] || break; sleep 0.1; done
  cat log
  grep -q '\<16 ranks.*\<8\>.* %' explained
  salloc -N2 -n2 --topomap=auto srun hostname </dev/null 2>err
  run ! grep topomap: err
  salloc -N8 -n16 --ntasks-per-node=2 --topomap=auto srun --mpi=$TYPE --topomap-explain=again "$PROGRAMS/halo.$MPI" 4x4 --iterations 4 </dev/null
  grep -q '\<16 ranks.*\<8\>.* %' again
}

@test "two first launches at once both end well, and one profile is there" {
  local i
  for i in 1 2; do
    srun --mpi="$TYPE" -N4 -n8 --ntasks-per-node=2 --topomap=auto "$PROGRAMS/halo.$MPI" 4x2 --iterations 5 </dev/null >out$i 2>&1 &
  done
  wait
  grep -q ' 0 wrong messages' out1
  grep -q ' 0 wrong messages' out2
  [ "$(profiles length)" -eq 1 ]
  [ "$(profiles '.[0].profiles')" -ge 1 ]
  no_runs
}

@test "a site's folder holds one for each user" {
  mkdir -m 1777 site
  plugstack "store=$PWD/site"
  halo --topomap=auto
  [ "$(topomap profile list --store "$PWD/site" --json | jq length)" -eq 1 ]
  [ "$(ls site)" = "$EUID" ]
  [ ! -e cache ]
  # Who was there first shuts nobody out, and nobody hears of it.
  rm -rf site/*
  ln -s "$PWD" "site/$EUID"
  halo --topomap=auto
  [ "$(cat said)" = "no profile of this program at this size is stored: it runs with Slurm's layout and leaves one" ]
  [ "$(profiles length)" -eq 1 ]
  plugstack "store=$PWD/site default=auto"
  halo
  [ ! -s said ]
  [ "$(profiles '.[0].launches')" -eq 1 ]
}

# ---- What goes wrong ------------------------------------------------------------------------

# bats test_tags=campaign
@test "a node without the library, or without the folder: nobody waits, no profile, and after three tries none is tried" {
  mkdir lib
  cp "$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-$MPI.so" lib
  plugstack "profiler=$PWD/lib"
  # A node's tasks see its own mounts: there the folder of the library is empty.
  local slurmd
  # Other testbeds may have nodes of that name.
  for slurmd in $(pgrep -f "slurmd.*-N node05( |\$)") none; do
    ! grep -qs "$BED/" "/proc/$slurmd/cmdline" "/proc/$slurmd/environ" || break
  done
  [ "$slurmd" != none ]
  mkdir empty
  nsenter -t "$slurmd" -m mount --bind "$PWD/empty" "$PWD/lib"
  local launch
  for launch in {1..3}; do
    halo --topomap=auto
    grep -q "no profile .*halo.$MPI" said
    no_runs
  done
  halo --topomap=auto
  grep -q '\<3 runs' said
  nsenter -t "$slurmd" -m umount "$PWD/lib"
  halo --topomap=auto --topomap-options=profile
  [ "$(profiles '.[0].profiles')" -eq 1 ]
  topomap profile rm --all
  mkdir -p cache/topomap/run
  nsenter -t "$slurmd" -m mount --bind "$PWD/empty" "$PWD/cache/topomap/run"
  local failed=0
  says_at_end 'no profile' halo --topomap=auto || failed=1
  nsenter -t "$slurmd" -m umount "$PWD/cache/topomap/run"
  [ "$failed" -eq 0 ]
}

# bats test_tags=campaign
@test "no library at all, no home, a read-only one, a full one: the job runs" {
  plugstack profiler=/nonexist
  halo --topomap=auto
  grep -q '/nonexist/libtopomap-profile-.*.so' said
  plugstack
  # The user's own profile, of the user's own preloading.
  TOPOMAP_PROFILE=$PWD/own.tmg halo --topomap=auto
  grep -q 'TOPOMAP_PROFILE' said
  mkdir -p others/topomap
  chown nobody others/topomap
  XDG_CACHE_HOME=$PWD/others halo --topomap=auto
  grep -q "/others/topomap: .*layout" said
  XDG_CACHE_HOME=$PWD/others halo -m topomap
  [ -z "$(ls others/topomap)" ]
  XDG_CACHE_HOME=/proc/self halo --topomap=auto
  grep -q "/proc/self/topomap.*layout" said
  XDG_CACHE_HOME=/proc/self halo -m topomap
  XDG_CACHE_HOME=relative HOME=/dev/null halo --topomap=auto
  grep -q '/dev/null/.cache' said
  mkdir full
  mount -t tmpfs -o size=16k,nr_inodes=8 none full
  local status=0
  XDG_CACHE_HOME=$PWD/full halo --topomap=auto || status=$?
  umount full
  [ "$status" -eq 0 ]
}

# bats test_tags=campaign
@test "profiles that are damaged, or of something else, are replaced" {
  halo --topomap=auto
  local graph
  graph=$(profiles '.[0].graph')
  printf 'garbage' >"$graph"
  halo --topomap=auto --topomap-options=required
  grep -q "profile.*Slurm's layout" said
  [ "$(profiles '.[0].profiles')" -eq 2 ]
  topomap graph generate ring:12 -o "$graph"
  halo --topomap=auto
  grep -q 'profile.*ranks' said
  dd if=/dev/urandom of="${graph%.tmg}.meta" bs=100 count=1 2>/dev/null
  halo --topomap=auto --topomap-explain=explained
  grep -q '\<16 ranks.*\<8\>.* %' explained
  rm -rf cache/topomap/profiles/*
  mkdir "$graph" "${graph%.tmg}.meta"
  halo --topomap=auto
}

@test "an ordinary user: the profile is that user's, and so is what reads it" {
  id nobody >/dev/null || skip "no user nobody"
  local theirs
  theirs=$(mktemp -d /tmp/topomap-theirs.XXXXXX) # bats's folders are root's alone
  chown nobody "$theirs"
  chmod 755 "$theirs"
  chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file" "$BATS_FILE_TMPDIR"
  as() {
    (cd "$theirs" && timeout 100 setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$PWD" XDG_CACHE_HOME="$PWD/cache" \
      srun --mpi="$TYPE" -N8 -n16 --ntasks-per-node=2 "$@" "$PROGRAMS/halo.$MPI" 4x4 --iterations 3 </dev/null) >out 2>err || { cat err; return 1; }
  }
  as --topomap=auto
  grep -q ' 0 wrong messages' out
  as --topomap=auto --topomap-explain=explained
  grep -q '\<16 ranks.*\<8\>.* %' "$theirs/explained"
  [ "$(find "$theirs/cache" -not -user nobody | wc -l)" -eq 0 ]
  [ "$(stat -c %a "$theirs/cache/topomap")" = 700 ]
  rm -rf "$theirs"
}

@test "programs that never call MPI, abort, or are killed leave no profile and end as they would" {
  run_help() { launch --topomap=auto -- "$PROGRAMS/halo.$MPI" --help || [ $? -eq 2 ]; }
  says_at_end "no profile .*halo.$MPI .*status 2$" run_help
  cat >aborts.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
  mpicc.$MPI -o aborts aborts.c
  run_aborts() { run ! launch --topomap=auto -- ./aborts; }
  says_at_end 'no profile|status|signal' run_aborts
  [ "$(profiles 'map(select(.graph)) | length')" -eq 0 ]
  no_runs
  srun --mpi="$TYPE" -N4 -n8 -J killed --topomap=auto "$PROGRAMS/halo.$MPI" 4x2 --iterations 1000000 </dev/null >out 2>err &
  local i
  for i in {1..600}; do [ "$(pgrep -fc "$PROGRAMS/[h]alo.$MPI 4x2 --iterations 1000000")" -lt 8 ] || break; sleep 0.1; done
  ls cache/topomap/run/*
  scancel -n killed
  wait || true
  [ "$(profiles 'map(select(.graph)) | length')" -eq 0 ]
  no_runs
}
