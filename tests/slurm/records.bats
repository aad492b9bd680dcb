#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Records of plans: written for whom the site says, the user's alone, bounded; replayed exactly, and asked why.
bats_require_minimum_version 1.5.0
load bed

setup_file() {
  export STEP="-N4 -n16 --ntasks-per-node=4"
  cd "$BATS_FILE_TMPDIR"
  bed_up --nodes 4 --cpus 8 --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1
  cp "$BED/etc/plugstack.conf" "$BATS_FILE_TMPDIR/plugstack.conf"
  export GRAPH=$BATS_FILE_TMPDIR/far.csv
  awk 'BEGIN { for (i = 0; i < 16; i++) { print i "," (i + 8) % 16 "," 1000 + i; print i "," (i + 1) % 16 ",10" } }' >"$GRAPH"
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir -m 1777 records
  export XDG_CACHE_HOME=$PWD/cache
  site "records=$PWD/records"
}

site() { # WORDS
  sed "s,\$, $*," "$BATS_FILE_TMPDIR/plugstack.conf" >"$BED/etc/plugstack.conf"
}

launch() { # OPTION...: leaves `out`, `err` and the name of the newest record in `record`
  # shellcheck disable=SC2086 # words
  srun -v $STEP --topomap="$GRAPH" "$@" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_JOB_ID.$SLURM_STEP_ID $TOPOMAP_PLAN_ID"' \
    </dev/null 2>err | sort -n >out
  record=$(find records -name '*.plan' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2)
}

@test "a record is the user's alone, named after the step, and srun -v tells where it is" {
  launch
  cat err
  [ "$record" = "records/0/$(awk 'NR == 1 { print $3 }' out).plan" ]
  grep -q "topomap: .*$PWD/$record" err
  [ "$(stat -c '%a %u' "$record")" = "600 0" ]
  [ "$(stat -c '%a %u' records/0)" = "700 0" ]
  run -0 topomap map --replay "$(awk 'NR == 1 { print $3 }' out)" --records "$PWD/records"
  run -0 topomap why 3 --plan "$(awk 'NR == 1 { print $3 }' out)" --records "$PWD/records"
  # The site's folder is known from plugstack.conf.
  run -0 topomap why 3 --plan "$(awk 'NR == 1 { print $3 }' out)"
  run -3 topomap why 3 --plan "$(awk 'NR == 1 { print $3 }' out)" --records "$PWD"
  # Without -v nothing is said.
  # shellcheck disable=SC2086 # words
  srun $STEP --topomap="$GRAPH" true </dev/null 2>err
  run ! grep -q record err
}

@test "a replay makes the same plan, byte for byte, and its mapping is what ran" {
  local options
  for options in seed=1 effort=strong,seed=9 objective=congestion contiguous bind=pu,layout=compact bind=none min-gain=99; do
    echo "$options"
    launch --topomap-options="$options"
    run -0 topomap map --replay "$record"
    [[ $output == *"replay of "*same* ]]
    run -0 --separate-stderr topomap map --replay "$record" --json
    [ "$(jq -r .same <<<"$output")" = true ]
    [ "$(jq -r .recorded.plan_id <<<"$output")" = "$(awk 'NR == 1 { print $4 }' out)" ]
    [ "$(jq -r '.recorded.layout' <<<"$output")" = "$(jq -r '.replayed.layout' <<<"$output")" ]
    [ "$(jq -r '.recorded.bindings' <<<"$output")" = "$(jq -r '.replayed.bindings' <<<"$output")" ]
    topomap map --replay "$record" -o perm
    awk '{ print NR - 1, sprintf("node%02d", int($1 / 4) + 1) }' perm | diff <(cut -d' ' -f1,2 out) -
  done
}

@test "what differs is said: another graph, another database, what is not there" {
  cp "$GRAPH" mine.csv
  cp "$TOPOMAP_DB" mine.db
  export GRAPH=$PWD/mine.csv TOPOMAP_DB=$PWD/mine.db
  launch
  awk 'BEGIN { for (i = 0; i < 16; i += 2) print i "," i + 1 ",1000" }' >mine.csv
  run -1 topomap map --replay "$record"
  [[ $output == *"replay of "*layout* ]]
  [[ $output == *"$PWD/mine.csv"* ]]
  run -0 topomap map --replay "$record" --graph "$BATS_FILE_TMPDIR/far.csv"
  rm mine.db
  run -1 topomap map --replay "$record" --graph "$BATS_FILE_TMPDIR/far.csv"
  [[ $output == *"$PWD/mine.db"* ]]
  run -0 topomap map --replay "$record" --graph "$BATS_FILE_TMPDIR/far.csv" --db "$BED/topology.db"
}

@test "a step of another job on other nodes, an own part of the nodes: its cores are in the record" {
  sbatch -o /dev/null -w node01 -n 3 --wrap 'sleep 1000' >/dev/null
  for _ in {1..600}; do [ "$(squeue -h -o %t)" != R ] || break; sleep 0.1; done
  launch
  scancel --user=root
  grep -qx 'cores 3-6;0-3(x3)' "$record"
  run -0 topomap map --replay "$record"
}

@test "a planner that failed is recorded, and fails again" {
  GRAPH=/nonexistent launch
  run -0 topomap map --replay "$record"
  [[ $output == *"/nonexistent"*same*failed* ]]
}

@test "who is recorded: plugstack.conf, a rule, the user" {
  count() { find records -name '*.plan' | wc -l; }
  launch --topomap-options=records=no
  [ "$(count)" -eq 0 ]
  echo 'Rule=all Records=no Effort=fast' >rules
  site "records=$PWD/records policy=$PWD/rules"
  launch
  [ "$(count)" -eq 0 ]
  launch --topomap-options=records
  [ "$(count)" -eq 1 ]
  echo 'Rule=all Records=yes Force=Records' >rules
  launch --topomap-options=records=no
  [ "$(count)" -eq 2 ]
  # Where the site keeps none, who asks has one in a place of their own.
  site
  launch
  [ "$(count)" -eq 2 ]
  [ ! -e cache/topomap/records ]
  launch --topomap-options=records
  [ "$(count)" -eq 2 ]
  record=$(awk 'NR == 1 { print $3 }' out)
  grep -q "topomap: .*$PWD/cache/topomap/records/$record.plan" err
  run -0 topomap why 3
  [[ $output == *"$record"* ]] || run -0 topomap why 3 --plan "$record"
}

@test "age and size are bounded; what is not a record stays" {
  launch
  touch -d '40 days ago' "$record"
  touch records/0/note.txt records/0/x.plan
  touch -d '40 days ago' records/0/note.txt records/0/x.plan
  local old=$record
  launch
  [ ! -e "$old" ]
  [ -e "$record" ]
  [ -e records/0/note.txt ]
  [ -e records/0/x.plan ]
  site "records=$PWD/records record_megabytes=1 record_days=3"
  head -c 900000 /dev/zero >records/0/1.0.plan
  head -c 900000 /dev/zero >records/0/2.0.plan
  touch -d '1 day ago' records/0/1.0.plan
  touch -d '1 hour ago' records/0/2.0.plan
  launch
  [ ! -e records/0/1.0.plan ]
  [ -e records/0/2.0.plan ]
  [ -e "$record" ]
}

# bats test_tags=campaign
@test "a folder that is not the user's own: the record is in the user's own place, and only -v says so" {
  export XDG_CACHE_HOME=$PWD/cache
  elsewhere_is() { # what the site has
    rm -rf cache
    launch
    cat err
    [ "$(find cache/topomap/records -name '*.plan' | wc -l)" -eq 1 ]
    grep -q "topomap: .*$PWD/cache/topomap/records/.*\.plan" err
    [ "$(stat -c '%a %u' cache/topomap/records)" = "700 0" ]
    [ "$(awk '$4 != ""' out | wc -l)" -eq 16 ]
    run -0 topomap map --replay cache/topomap/records/*.plan
    run -0 topomap map --replay "$(awk 'NR == 1 { print $3 }' out)"
    run -0 topomap why 3 --plan "$(awk 'NR == 1 { print $3 }' out)" --records "$PWD/records"
    # shellcheck disable=SC2086 # words
    srun $STEP --topomap="$GRAPH" true </dev/null 2>err
    run ! grep -q record err
  }
  mkdir records/0
  chown 65534 records/0
  elsewhere_is "another's"
  rmdir records/0
  mkdir -m 777 elsewhere
  ln -s "$PWD/elsewhere" records/0
  elsewhere_is "a link"
  [ -z "$(ls -A elsewhere)" ]
  rm records/0
  touch records/0
  elsewhere_is "a file"
  rm records/0
  mkdir -m 770 records/0
  chmod 770 records/0
  elsewhere_is "one that others write"
  rmdir records/0
  site records=/nonexist
  elsewhere_is "nothing"
}

@test "no place at all, or no room: no record, the step runs placed" {
  no_record() {
    launch
    cat err
    grep -q "topomap: .*record.*$1" err
    [ "$(wc -l <out)" -eq 16 ]
    [ "$(awk '$4 != ""' out | wc -l)" -eq 16 ]
  }
  site records=/nonexist
  XDG_CACHE_HOME=/proc/self no_record "/proc/self/topomap"
  site "records=$PWD/records"
  mount -t tmpfs -o size=8k,mode=1777 tmpfs records
  mkdir -m 700 records/0
  head -c 8000 /dev/zero >records/0/filler 2>/dev/null || true
  launch
  cat err
  umount records
  grep -q 'topomap: .*record.*No space left' err
}

# bats test_tags=campaign
@test "a job that runs again, and steps at once, have records of their own" {
  salloc -Q $STEP bash -c 'for i in 1 2 3 4 5 6 7 8; do
    srun --overlap --topomap="$GRAPH" true </dev/null & done; wait' </dev/null
  [ "$(find records -name '*.plan' | wc -l)" -eq 8 ]
  for record in records/0/*.plan; do topomap map --replay "$record" >/dev/null; done
  sbatch -o /dev/null --requeue $STEP --wrap "srun --topomap=$GRAPH true; [ -n \"\$SLURM_RESTART_COUNT\" ] || sleep 60" >id
  local id
  id=$(awk '{ print $4 }' id)
  for _ in {1..600}; do [ ! -e "records/0/$id.0.plan" ] || break; sleep 0.1; done
  scontrol requeue "$id"
  # It waits for two minutes, counted from when its nodes are free of it, unless it is told not to.
  for _ in {1..90}; do
    [ ! -e "records/0/$id.0-1.plan" ] || break
    [ "$(squeue -h -o %t)" != PD ] || scontrol update "jobid=$id" StartTime=now
    sleep 1
  done
  topomap map --replay "records/0/$id.0.plan" >/dev/null
  topomap map --replay "records/0/$id.0-1.plan" >/dev/null
  scancel --user=root
}

@test "what is no record is refused" {
  launch
  head -c 300 "$record" >cut
  sed 's/^gain .*/gain 99.000/' "$record" >changed
  sed 's,^nodes .*,nodes [,' "$record" >bad
  : >empty
  head -c 4096 /dev/urandom >noise
  local file
  for file in cut changed bad empty noise /nonexistent .; do
    echo "$file"
    run -3 topomap map --replay "$file"
    run -3 topomap why 0 --plan "$file"
  done
  run -2 topomap map --replay "$record" --machine torus:4
}

@test "why: the partners, where they are, and what they cost before and after" {
  launch
  run -0 topomap why 3 --plan "$record"
  echo "$output"
  [[ ${lines[0]} == "rank 3 of step $(awk 'NR == 1 { print $3 }' out): $(awk '$1 == 3 { print $2 }' out) CPU "* ]]
  [[ $output == *"  11 "*" 2014 "* ]]
  run -0 topomap why 3 --plan "$record" --json
  [ "$(jq -r .node <<<"$output")" = "$(awk '$1 == 3 { print $2 }' out)" ]
  [ "$(jq -r '[.partners[].rank] | join(" ")' <<<"$output")" = "11 2 4" ]
  [ "$(jq -r '.partners[0].bytes' <<<"$output")" = 2014 ]
  local rank
  for rank in 11 2 4; do
    [ "$(jq -r --argjson rank $rank '.partners[] | select(.rank == $rank).node' <<<"$output")" \
      = "$(awk -v rank=$rank '$1 == rank { print $2 }' out)" ]
  done
  # Each rank's share, summed, is J twice.
  sum() { for rank in {0..15}; do topomap why $rank --plan "$record" --json | jq ".$1"; done | jq -s 'add / 2'; }
  topomap map --replay "$record" >explained
  [ "$(sum J)" = "$(awk '$1 == "cost" { print $4 }' explained)" ]
  [ "$(sum J_before)" = "$(awk '$1 == "cost" { print $3 }' explained)" ]
  jq -e '.J == ([.partners[] | .bytes * .distance] | add)' <<<"$output"
  run -2 topomap why 16 --plan "$record"
  run -2 topomap why x --plan "$record"
  local id; id=$(awk 'NR == 1 { print $3 }' out)
  XDG_CACHE_HOME=$PWD/none run -3 topomap why 3 --records "$PWD"
  [[ $output == *records* ]]
  export XDG_CACHE_HOME=$PWD/none
  [ "$(topomap why 3 --records "$PWD/records" | head -1)" = "$(topomap why 3 --job "$id" --records "$PWD/records" | head -1)" ]
  [[ $(topomap show --records "$PWD/records" | head -1) == "step ${id}: "* ]]
  run -0 topomap map --replay "${id%.*}" --records "$PWD/records"
}
