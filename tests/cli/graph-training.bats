#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Graphs of training without MPI: logs of NCCL in the forms of its releases, traces of PyTorch.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
}

# A line of rank $1 of the communicator that has two ranks a node: line RANK TEXT...
line() { printf 'node%d:%d:%d [%d] NCCL INFO %s\n' $(($1 / 2)) $((100 + $1)) $((200 + $1)) $(($1 % 2)) "${*:2}"; }

# What a rank says of joining: join RANK POINTER RANK-THERE SIZE ID START|COMPLETE
join() {
  line "$1" "ncclCommInitRank comm $2 rank $3 nranks $4 cudaDev $(($1 % 2)) nvmlDev $(($1 % 2)) busId 9d000 commId $5 - Init $6"
}

# Four ranks with a ring 0 1 3 2, as rank 0 and each of them tell it, and a tree.
world() {
  local next=(1 3 0 2) before=(2 0 3 1) tree=('1/-1/-1->0->-1' '3/-1/-1->1->0' '-1/-1/-1->2->3' '2/-1/-1->3->1')
  for rank in 0 1 2 3; do join $rank 0xa $rank 4 0xfeed START; done
  for rank in 3 1 0 2; do
    line $rank "comm 0xa rank $rank nRanks 4 nNodes 2 localRanks 2 localRank $((rank % 2)) MNNVL 0"
    [ $rank != 0 ] || line 0 "Channel 00/01 : 0 1 3 2"
    line $rank "Ring 00 : ${before[rank]} -> $rank -> ${next[rank]}"
    line $rank "Trees [0] ${tree[rank]}"
    line $rank "Channel 00/0 : $rank[0] -> ${next[rank]}[1] via P2P/CUMEM"
  done
  for rank in 0 1 2 3; do join $rank 0xa $rank 4 0xfeed COMPLETE; done
}

arcs() { topomap graph convert "$1" - --to edges 2>/dev/null | grep '^[0-9]' | tr '\n' ' '; }

@test "a log: each connection of rings and trees once, whoever tells it, and a note that these are no bytes" {
  world >run.log
  [ "$(arcs run.log)" = "0,1,2 1,0,1 1,3,2 2,0,1 2,3,1 3,1,1 3,2,2 " ]
  run -0 --separate-stderr topomap graph info run.log
  warns_with NCCL_DEBUG_SUBSYS
  world | sort -s -t: -k2,2 >other.log
  cmp <(arcs run.log) <(arcs other.log)
  sed 's/^/[2026-11-25 10:00:00] /; s/$/\r/' run.log >stamped.log
  cmp <(arcs run.log) <(arcs stamped.log)
}

@test "logs of old releases: rings by rank 0 alone, trees upside down and in pairs" {
  for rank in 0 1 2; do
    line $rank "Trees [0] $((rank - 1))->$rank->$(((rank + 1) % 3))/-1/-1" | sed 's/->0\/-1\/-1/->-1\/-1\/-1/'
    [ $rank != 0 ] || line 0 "Channel 00 :    0   2   1"
    line $rank "Ring 00 : $rank[0] -> $(((rank + 2) % 3))[1] via P2P/IPC"
    line $rank "comm 0xb rank $rank nranks 3 cudaDev $((rank % 2)) nvmlDev 0 - Init COMPLETE"
  done >old.log
  [ "$(arcs old.log)" = "0,1,1 0,2,1 1,0,2 1,2,1 2,1,2 " ]
  line 0 "Trees [0] 1/-1/-1->0->-1|-1->0->1/-1/-1 [1] 2/-1/-1->0->-1|-1->0->2/-1/-1" >pairs.log
  line 0 "comm 0xb rank 0 nranks 3 cudaDev 0 busId 1000 - Init COMPLETE" >>pairs.log
  [ "$(arcs pairs.log)" = "0,1,1 0,2,1 1,0,1 2,0,1 " ]
  # Lines of the subsystem GRAPH alone.
  printf 'n:1:2 [0] NCCL INFO Ring 00 : 6 -> 7 -> 0\nn:1:3 [1] NCCL INFO Trees [0] 26->25->-1/-1/-1\n' >graph.log
  [ "$(arcs graph.log)" = "6,7,1 7,0,1 25,26,1 26,25,1 " ]
}

@test "a tree's line that NCCL has cut: its last entry may be half of one, and is left out" {
  line 0 "comm 0xb rank 0 nranks 400 cudaDev 0 busId 1000 - Init COMPLETE" >tail
  long=$(for i in $(seq 10 68); do printf ' [%d] 1/-1/-1->0->-1' "$i"; done)
  line 0 "Trees${long:0:960} [9] 2/-1/-1->0->39" | cat - tail >whole.log
  line 0 "Trees$(printf '%s' "$long" | head -c 1003) [9] 2/-1/-1->0->39" | cat - tail >cut.log
  [[ "$(arcs whole.log)" == *"0,39,1"* ]]
  [[ "$(arcs cut.log)" != *"0,39,1"* ]]
}

@test "several communicators: ranks of the smaller ones are those of the largest" {
  {
    world
    # Pairs 0-2 and 1-3, which are 0 and 1 there.
    for rank in 0 1 2 3; do
      join $rank 0xc $((rank / 2)) 2 0xbee$((rank % 2)) START
      line $rank "Ring 00 : $((1 - rank / 2)) -> $((rank / 2)) -> $((1 - rank / 2))"
      join $rank 0xc $((rank / 2)) 2 0xbee$((rank % 2)) COMPLETE
    done
  } >two.log
  [ "$(arcs two.log)" = "0,1,2 0,2,1 1,0,1 1,3,3 2,0,2 2,3,1 3,1,2 3,2,2 " ]
  # The same by ncclCommSplit, which has no id.
  sed -E 's/comm 0xc (.*) commId 0xbee([01])/comm 0xc \1 parent 0xa splitCount 1 color \2 key 0/' two.log >split.log
  cmp <(arcs two.log) <(arcs split.log)
  # Releases without either: two communicators look alike, and are left out, with a note.
  sed -E 's/(comm 0x[ac] .*) commId 0x[a-z0-9]+/\1/' two.log >none.log
  [ "$(arcs none.log)" = "0,1,2 1,0,1 1,3,2 2,0,1 2,3,1 3,1,1 3,2,2 " ]
  run -0 --separate-stderr topomap graph info none.log
  warns_with 1
}

@test "calls of the subsystem COLL: their bytes, over the rings of their communicator" {
  {
    world
    for rank in 0 1 2 3; do
      line $rank "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 1000 datatype 7 op 0 root 0 comm 0xa [nranks=4] stream 0x2"
      line $rank "[$rank] AllGather: opCount 1 sendbuff 0x1 recvbuff 0x1 count 10 datatype 9 op 0 root 0 comm 0xa [nranks=4] stream 0x2"
    done
    line 2 "Send: opCount 2 sendbuff 0x1 recvbuff (nil) count 7 datatype 0 op 0 root 1 comm 0xa [nranks=4] stream 0x2"
    line 1 "Recv: opCount 2 sendbuff (nil) recvbuff 0x1 count 7 datatype 0 op 0 root 2 comm 0xa [nranks=4] stream 0x2"
  } >coll.log
  # 2 * 3/4 * 4000 and 3 * 20 bytes from each to the next of the ring 0 1 3 2; 7 from 2 to 1.
  [ "$(arcs coll.log)" = "0,1,6060 1,3,6060 2,0,6060 2,1,7 3,2,6060 " ]
  run -0 --separate-stderr topomap graph info coll.log
  [ -z "$stderr" ]
  line 0 "AlltoAll: opCount 2 sendbuff 0x1 recvbuff 0x1 count 5 datatype 4 op 0 root 0 comm 0xa [nranks=4] stream 0x2" >all
  world | cat - all >all.log
  [ "$(arcs all.log)" = "0,1,40 0,2,40 0,3,40 " ]
}

@test "no communicator of all ranks: labels of srun tell them; without labels it is refused" {
  for rank in 0 1 2 3; do
    join $rank 0xc $((rank / 2)) 2 0xbee$((rank % 2)) START
    line $rank "Ring 00 : $((1 - rank / 2)) -> $((rank / 2)) -> $((1 - rank / 2))"
  done >plain.log
  run -3 topomap graph info plain.log
  fails_with 3 plain.log: 4 'srun --label'
  awk -F'[: ]' '{ print ($2 - 100) ": " $0 }' plain.log >labelled.log
  [ "$(arcs labelled.log)" = "0,2,1 1,3,1 2,0,1 3,1,1 " ]
  printf 'n:1:2 [0] NCCL INFO NCCL version 2.20.5\n' >nothing.log
  run -3 topomap graph info nothing.log
  fails_with 3 NCCL_DEBUG=INFO
  printf 'n:1:2 [0] NCCL INFO comm 0xa rank 4 nranks 4 cudaDev 0 - Init COMPLETE\n' >bad.log
  run -3 topomap graph info bad.log
  [[ $output == *"bad.log:1: rank 4 of 4 ranks"* ]]
  printf 'hello\n' >plain.log
  run -3 topomap graph info plain.log
}

# A call of a trace: call NAME TYPE ELEMENTS GROUP RANK [MORE-ATTRIBUTES]
call() {
  printf '{"id": 9, "name": "record_param_comms", "ctrl_deps": 1, "inputs": {"values": [[[7,8,0,%s,4,"cuda:0"]],[3,false],["%s","d"],%s,"%s"], "shapes": []}, "outputs": {"values": []}, "attrs": [{"name": "rf_id", "type": "uint64", "value": 7},{"name": "collective_name", "type": "string", "value": "%s"},{"name": "dtype", "type": "string", "value": "%s"},{"name": "in_msg_nelems", "type": "uint64", "value": %s},{"name": "pg_name", "type": "string", "value": "%s"}%s]}' \
    "$3" "$4" "$5" "$1" "$1" "$2" "$3" "$4" "$6"
}

trace() {
  printf '{"schema": "1.1.1-chakra.0.0.4", "pid": 5, "time": "x", "start_ts": 1, "nodes": [\n'
  printf '{"id": 2, "name": "## process_group:init ##", "inputs": {"values": ["[{\\"pg_name\\": \\"0\\", \\"pg_desc\\": \\"default_pg\\", \\"ranks\\": [], \\"group_size\\": 8}, {\\"pg_name\\": \\"3\\", \\"ranks\\": [1, 3, 5, 7], \\"group_size\\": 4}%s"]}, "attrs": []}' "$1"
  shift
  [ $# = 0 ] || printf ',\n%s' "$@"
  printf ',\n{"id": 1, "name": "aten::mm", "inputs": {"values": [[1,2]]}, "attrs": []}\n], "finish_ts": 3}\n'
}

@test "a trace of PyTorch: what its rank sends in its process groups" {
  trace ']' "$(call allreduce Float 1000 0 3)" "$(call _allgather_base BFloat16 10 3 1)" \
    "$(call send Half 6 0 7)" "$(call recv Half 6 0 2)" "$(call wait Float 0 0 3)" "$(call broadcast Float 400 3 0)" >3.json
  # rank 3: 2*7/8*4000 to 4; 3*20 and 3/4*1600 to 5, the next of its group; 12 to 7
  [ "$(arcs 3.json)" = "3,4,7000,1 3,5,1260,2 3,7,12,1 " ]
  run -0 --separate-stderr topomap graph info 3.json --json
  jq -e '.ranks == 8 and .messages == 4' <<<"$output"
  warns_with 'rank 3' 'graph merge'
  # A cut text of groups: the ones that are whole, else what the call says of its own.
  more=',{"name": "pg_size", "type": "uint64", "value": 2},{"name": "global_rank_start", "type": "uint64", "value": 2},{"name": "global_rank_stride", "type": "uint64", "value": 1}'
  trace ', {\"pg_name\": \"4\", \"ra' "$(call all_to_allv Byte 900 3 1 ',{"name": "in_split_size", "type": "string", "value": "[1,2,0,6]"}')" \
    "$(call all_reduce Float 4 9 1 "$more")" >cut.json
  [ "$(arcs cut.json)" = "3,1,100,1 3,2,16,1 3,7,600,1 " ]
}

@test "traces that do not tell whose they are, or have no calls" {
  trace ']' "$(call send Half 6 0 7)" >send.json
  run -3 topomap graph info send.json
  [[ $output == *"--option rank=N"* ]]
  topomap graph convert send.json x.csv --option rank=2
  grep -qx 2,7,12,1 x.csv
  run -3 topomap graph info send.json --option rank=8
  run -2 topomap graph info send.json --option rank=x
  trace ']' "$(call allreduce Float 4 0 3)" "$(call allreduce Float 4 0 4)" >two.json
  run -3 topomap graph info two.json
  fails_with 3 'rank 3' 'rank 4'
  trace ']' "$(call allreduce Float 4 0 3)" "$(call allreduce Float 4 unknown 0)" >unknown.json # a group of which nothing is said
  [ "$(arcs unknown.json)" = "3,4,28,1 " ]
  trace ']' >none.json
  run -3 topomap graph info none.json
  fails_with 3 none.json 2
  for rank in 0 1 2 3 4 5 6 7; do trace ']' "$(call allreduce Float 8 0 $rank)" >r$rank.json; done
  topomap graph merge r?.json -o all.csv
  topomap graph info all.csv --json | jq -e '.edges == 8 and .bytes == 8 * 56'
}
