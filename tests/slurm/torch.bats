#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The lines of doc/training.md for PyTorch, with gloo: each rank that it says it is runs where topomap has put that rank.
# TOPOMAP_PYTHON has torch (Debian: python3-torch); skipped where none has.
bats_require_minimum_version 1.5.0
load bed

# bats 1.8 takes a teardown_file() behind a skip in setup_file() for a failure.
setup_file() {
  export PYTHON=${TOPOMAP_PYTHON:-python3} TORCH=
  "$PYTHON" -c 'import torch.distributed as d; raise SystemExit(not d.is_gloo_available() if hasattr(d, "is_gloo_available") else 0)' 2>/dev/null ||
    return 0
  TORCH=1
  bed_up --nodes 4 --cpus 8
}

teardown_file() {
  if [ -n "$TORCH" ]; then bed_down; fi
}

setup() {
  [ -n "$TORCH" ] || skip "no torch here"
  bed_begin
  export GLOO_SOCKET_IFNAME=lo
  # What the page has: rank; and a program that tells all ranks where they are.
  sed -n '/^# rank COMMAND/,/^exec/p' "$TOPOMAP_SOURCE/doc/training.md" |
    sed '1i #!/bin/bash' | sed 's/^export MASTER_ADDR=.*/export MASTER_ADDR=127.0.0.1/' >rank # the nodes' names are nobody's
  grep -q SLURM_PROCID rank
  chmod +x rank
  cat >where.py <<'END'
import os, datetime, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=20))
told = [None] * dist.get_world_size()
dist.all_gather_object(told, (dist.get_rank(), os.environ["SLURM_PROCID"], os.environ["SLURMD_NODENAME"]))
if dist.get_rank() == 0:
    print("\n".join("%s %s %s" % row for row in told))
dist.destroy_process_group()
END
}

@test "one task a GPU: PyTorch's ranks are Slurm's tasks, and are where the plan has them" {
  printf '0 4 1000\n1 5 1000\n2 6 1000\n3 7 1000\n' >pairs.edges # those that Slurm puts on different nodes
  srun -N4 -n8 --ntasks-per-node=2 -m topomap --topomap=pairs.edges --topomap-options=pin=0:first,verbose \
    ./rank "$PYTHON" where.py </dev/null >out 2>err || { cat err; false; }
  [ "$(wc -l <out)" -eq 8 ]
  awk '$1 != $2 || $1 != NR - 1 { exit 1 }' out
  # Pairs are together, and rank 0 is on the first node.
  awk '{ node[$1] = $3 } END { for (r = 0; r < 4; r++) if (node[r] != node[r + 4]) exit 1; exit node[0] != "node01" && node[0] != "node1" }' out
}

@test "torchrun with a static rendezvous numbers its processes by the nodes that topomap chose" {
  printf '0 3 1000\n1 2 10\n' >nodes.edges
  # Of no process that there is: Debian 12's PyTorch fails over its own default for them under Python 3.11.
  quiet="--redirects 9:1 --tee 9:1"
  srun -N4 -n4 -m topomap --topomap=nodes.edges --topomap-options=pin=0:node03 bash -c "exec '$PYTHON' -m torch.distributed.run \
    $quiet --nnodes=4 --nproc_per_node=1 --node_rank=\$SLURM_PROCID --master_addr=127.0.0.1 --master_port=29517 where.py" </dev/null >out 2>err ||
    { cat err; false; }
  [ "$(wc -l <out)" -eq 4 ]
  awk '$1 != $2 || $1 != NR - 1 { exit 1 }' out
  head -n 1 out | grep -q 'node03$'
}
