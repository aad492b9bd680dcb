# SPDX-License-Identifier: BSD-3-Clause
# Prints COUNT random steps, the same for the same SEED: "RANKS FORM OPTION...".
#   FORM    alone: srun makes the job; shared: --overlap beside a step that has the job's CPUs
#   CPUS    of a node, NODES of them
function random(n) { seed = seed * 16807 % 2147483647; return seed % n } # Park and Miller, CACM 31 (1988)
function one_in(n) { return random(n) == 0 }
function pick(list, words, n) { n = split(list, words, "|"); return words[1 + random(n)] }

# What is bound, and how: mostly nobody says.
function binding(text) {
  if (one_in(5)) text = text " --topomap-options=" pick("bind=core|bind=pu|bind=none|layout=compact|layout=spread")
  if (one_in(6)) text = text " --cpu-bind=" pick("none|rank|cores|threads|sockets|ldoms|quiet|verbose")
  if (one_in(6)) text = text " --mem-bind=" pick("none|local|prefer,local|verbose,local")
  if (one_in(6)) text = text " --threads-per-core=1"
  else if (one_in(6)) text = text " --hint=" pick("nomultithread|multithread|compute_bound|memory_bound")
  return text
}

# At least four tasks, so that there is something to gain. Slurm refuses more than CPUS --ntasks-per-node, and
# --exclusive with -O.
function step(nodes, each, tasks, threads, over, text) {
  nodes = one_in(4) ? 1 : 1 + random(NODES)
  each = 1 + random(CPUS)
  tasks = one_in(2) ? nodes * each : nodes + random(nodes * (CPUS + 1))
  if (tasks < 4) tasks = 4
  threads = one_in(4) ? 1 + random(CPUS) : 0
  over = tasks * (threads ? threads : 1) > nodes * CPUS || one_in(4)
  text = tasks " " pick("alone|alone|shared") " -N" nodes " -n" tasks (threads ? " -c" threads : "") (over ? " -O" : "")
  if (tasks == nodes * each && one_in(2)) text = text " --ntasks-per-node=" each
  if (one_in(5)) text = text " " pick(over ? "--oversubscribe|--ntasks-per-core=2" : "--exclusive|--exact|--ntasks-per-core=1")
  if (one_in(5)) text = text " -m topomap:" pick("block|cyclic|fcyclic")
  return text binding()
}

BEGIN {
  seed = SEED
  while (count++ < COUNT) print step()
}
