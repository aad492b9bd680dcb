#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap policy check: mistakes with their lines, which rule applies to a job, and whose value counts.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  export PATH=$TOPOMAP_BUILD/cli:$PATH
  cd "$BATS_TEST_TMPDIR"
  cat >rules <<'END'
# The site's rules.
Rule=debug  Partition=debug,inter*  Mode=off
rule=cfd    program=solver* \
            NODES=2-16      mode=On pattern=stencil2d:5:4x4   # a comment
Rule=quality  QOS=high  Tasks=-1024  Effort=strong  MinGain=2.5
Rule=bio  Account=bio Group=staff Contiguous=yes Bind=numa Force=Contiguous
Rule=cray Mpi=cray* Contiguous=yes Force=Contiguous
Rule="the rest" User=alice,1001 Nodes=64- Mode=auto
END
}

rule_of() { # FACT...: the rule that applies
  topomap policy check rules --json --job "$@" | jq -r .rule
}

value_of() { # NAME < JSON: "value (origin)"
  jq -r --arg n "$1" '.settings[] | select(.name == $n) | "\(.value) (\(.origin))"'
}

@test "a good file: how many rules; help tells the keys" {
  run -0 topomap policy check rules
  [ "$output" = "rules: 6 rules" ]
  run -0 topomap help policy check
  [[ $output == *"Force=yes|KEY"* ]]
}

@test "the first rule that fits applies" {
  [ "$(rule_of partition=debug)" = debug ]
  [ "$(rule_of partition=interactive qos=high)" = debug ]
  [ "$(rule_of partition=batch program=solver.x nodes=2)" = cfd ]
  [ "$(rule_of program=solver nodes=16)" = cfd ]
  [ "$(rule_of program=solver nodes=17)" = null ]
  [ "$(rule_of program=resolver nodes=4)" = null ]
  [ "$(rule_of qos=high tasks=1024)" = quality ]
  [ "$(rule_of qos=high tasks=1025)" = null ]
  [ "$(rule_of qos=high)" = null ]
  [ "$(rule_of account=bio group=wheel,staff)" = bio ]
  [ "$(rule_of account=bio group=wheel)" = null ]
  [ "$(rule_of mpi=cray_shasta nodes=64)" = cray ]
  [ "$(rule_of mpi=pmix_v4 nodes=64)" = null ]
  [ "$(rule_of user=1001 nodes=64)" = "the rest" ]
  [ "$(rule_of user=alice nodes=100000)" = "the rest" ]
}

@test "why: each rule that was looked at, and the condition that decided" {
  run -0 topomap policy check rules --job partition=batch program=solver nodes=4
  [ "${lines[0]}" = "rules:2: rule 'debug' does not fit: partition is batch, it wants debug,inter*" ]
  [ "${lines[1]}" = "rules:3: rule 'cfd' applies: program solver fits solver*, nodes 4 fits 2-16" ]
  [ "${lines[2]}" = "on: rule 'cfd' (rules:3) has mode on" ]
  [[ $output == *"graph       stencil2d:5:4x4 rule 'cfd', rules:3"* ]]
  [[ $output == *"effort      fast         default"* ]]
  run -0 topomap policy check rules --job user=bob
  has_tokens "$output" off: only-when-asked
}

@test "a user's groups are looked up where they are not said" {
  echo 'Rule=root Group=root Mode=on' >rules
  [ "$(rule_of user=root)" = root ]
  [ "$(rule_of user=nosuchuser)" = null ]
}

@test "whose value counts" {
  run -0 topomap policy check rules --json --job qos=high tasks=4 --topomap ring:4 \
    --topomap-options min-gain=9,seed=4
  echo "$output" >json
  [ "$(jq .on json)" = true ]
  [ "$(jq .asked json)" = true ]
  [ "$(value_of graph <json)" = "ring:4 (option)" ]
  [ "$(value_of min-gain <json)" = "9 (option)" ]
  [ "$(value_of seed <json)" = "4 (option)" ]
  [ "$(value_of effort <json)" = "strong (rule 'quality', rules:5)" ]
  [ "$(value_of bind <json)" = "core (default)" ]
  run -0 topomap policy check rules --json --job account=bio group=staff --topomap on \
    --topomap-options contiguous=no,bind=pu
  [ "$(value_of contiguous <<<"$output")" = "1 (rule 'bio', rules:6)" ]
  [ "$(value_of bind <<<"$output")" = "pu (option)" ]
}

@test "modes" {
  echo 'Rule=never Mode=off Force=yes' >rules
  [ "$(topomap policy check rules --json --topomap on | jq .on)" = false ]
  echo 'Rule=softly Mode=off' >rules
  [ "$(topomap policy check rules --json --topomap on | jq .on)" = true ]
  [ "$(topomap policy check rules --json --default on | jq .on)" = false ]
  echo 'Rule=seed Seed=4' >rules
  [ "$(topomap policy check rules --json --default on | jq .on)" = true ]
  [ "$(topomap policy check rules --json --default auto | jq -r ".on, (.settings[] | select(.name == \"graph\").value)" | tr "\n" " ")" = "true auto " ]
  [ "$(topomap policy check rules --json --topomap off --default on | jq .on)" = false ]
}

@test "every mistake is named with its line" {
  cat >bad <<'END'
Partition=x Mode=on
Rule=a Mode=maybe
Rule=b Nodes=4-x Mode=on
Rule=c Mode=on Mode=off
Rule=d Partition=x
Rule=e MinGain=101
Rule=f Graph=relative.csv
Rule=g Graph=/a Pattern=ring:4
Rule=h Pattern=ring
Rule=i Colour=red Mode=on

Rule=i Mode=on
Rule=j Mode=on \
  Bind=cores
Rule=k Mode=on Force=Effort
Rule=l Mode=on Force=Nonsense
Rule=m "Mode=on
Rule=n on
Rule= Mode=on
Rule=o Partition= Mode=on
Rule=p Effort=fast Effort=fast
END
  run -3 topomap policy check bad
  diff <(sed 's/^topomap policy check: bad:\([0-9]*\): .*/\1/' <<<"$output") \
    <(printf '%s\n' 1 2 3 4 5 6 7 8 9 10 12 13 15 16 17 18 19 20 21)
  has_tokens "$(grep ' bad:2: ' <<<"$output")" Mode on off auto only-when-asked maybe
  has_tokens "$(grep ' bad:12: ' <<<"$output")" "'i'" 10
  has_tokens "$(grep ' bad:13: ' <<<"$output")" Bind=cores core pu numa none gpu
}

@test "files from other systems, and comments as slurm.conf has them" {
  printf '\xef\xbb\xbfRule=a Mode=on \\\r\n\tNodes=2 Seed=3\r\n# a comment \\\r\nRule=b Seed=4 Nodes=3 # more \\\n' >rules
  printf 'Rule=c Seed=5#6 Nodes=4\nRule=d Seed=7 Capacity="/a#b"\n' >>rules
  run -0 --separate-stderr topomap policy check rules
  [ "$output" = "rules: 4 rules" ]
  [ "$(topomap policy check rules --json --job nodes=2 | value_of seed)" = "3 (rule 'a', rules:1)" ]
  [ "$(rule_of nodes=3)" = b ]
  [ "$(rule_of nodes=9)" = c ]
  sed -i /=c/d rules
  [ "$(topomap policy check rules --json | value_of capacity)" = "/a#b (rule 'd', rules:5)" ]
}

@test "what Slurm knows under two names: small letters of accounts and QOS, numbers of users and groups" {
  printf 'Rule=a Account=CFD* Mode=on\nRule=q QOS=High Mode=on\nRule=u User=0 Tasks=2 Mode=on\n' >rules
  printf 'Rule=g Group=root Mode=on\nRule=p Program=solver Mode=on\n' >>rules
  [ "$(rule_of account=cfd2)" = a ]
  [ "$(rule_of qos=high)" = q ]
  [ "$(rule_of user=root tasks=2)" = u ]
  [ "$(rule_of user=0)" = g ]
  [ "$(rule_of group=0)" = g ]
  [ "$(rule_of group=nosuchgroup,1)" = null ]
  [ "$(rule_of program=/opt/bin/solver)" = p ]
}

@test "what would fail at every launch: ranges that are empty, patterns that are none, graphs that are not there" {
  echo 'Rule=a Nodes=16-2 Mode=on' >rules
  run -3 topomap policy check rules
  [ "$output" = "topomap policy check: rules:1: nodes=16-2 is no range: the first number is the smaller one" ]
  printf 'Rule=a Nodes=2-2 Pattern=ring:8\nRule=b Nodes=3 Pattern=stencil2d:7:4x4\nRule=c Pattern=rang:4\n' >rules
  run -3 topomap policy check rules --job nodes=2
  [ "${#lines[@]}" -eq 2 ]
  [[ ${lines[0]} == *"rules:2: rule 'b': "* ]]
  has_tokens "${lines[1]}" rules:3: "'c'" 'pattern ring'
  echo 'Rule=a Graph=/nonexistent' >rules
  run -0 --separate-stderr topomap policy check rules
  warns_with rules:1: "'a'" '/nonexistent: No such file or directory'
}

@test "a file that is none" {
  run -3 topomap policy check /nonexistent
  fails_with 3 '/nonexistent: No such file or directory'
  run -3 topomap policy check .
  mkfifo fifo
  run -3 timeout 5 topomap policy check fifo
  head -c 2000000 /dev/zero >big
  run -3 topomap policy check big
  printf 'Rule=a Mode=on\0\n' >zero
  run -3 topomap policy check zero
  : >empty
  run -0 topomap policy check empty
  seq -f 'Rule=r%.0f Mode=on' 4097 >many
  run -3 topomap policy check many
  fails_with 3 many:4097: 4096
}

@test "a rule that is never reached is a warning" {
  printf 'Rule=all Mode=on\nRule=more Partition=x Mode=off\n' >rules
  run -0 --separate-stderr topomap policy check rules
  [ "$stderr" = "topomap policy check: rules:2: rule 'more' is never reached: rule 'all' in line 1 fits every step" ]
}

@test "bad usage" {
  run -2 topomap policy check
  run -2 topomap policy check rules --job colour=red
  run -2 topomap policy check rules --job nodes=many
  run -2 topomap policy check rules partition=x
  run -2 topomap policy check rules --default maybe
}
