# SPDX-License-Identifier: BSD-3-Clause
# Compares the CPUs and the memory of a step's tasks with those of the same step without topomap. Both files have a line
# "RANK NODE CPUS POLICY ..." for each task: the kernel's Cpus_allowed_list (0-3,8) and the policy of
# /proc/self/numa_maps (default, bind:1). NUMA has the CPUs of each NUMA node: "0:0-7 1:8-15".
#   - On each node, either no two tasks share a CPU, or the tasks have the CPUs that they have without topomap.
#   - A task has at least EACH CPUs (--cpus-per-task), or as many as the node's smallest task has without topomap.
#   - If all tasks have the memory of their CPUs' NUMA nodes without topomap, they have it with topomap.
# Prints what differs; exit status 1 if anything does.
# Fills cpu[] with the CPUs of a list. Returns their number.
function expand(list, cpu, parts, range, n, i, c, count) {
  split("", cpu)
  n = split(list, parts, ",")
  for (i = 1; i <= n; i++) {
    if (split(parts[i], range, "-") < 2) range[2] = range[1]
    for (c = range[1] + 0; c <= range[2] + 0; c++) { cpu[c]; count++ }
  }
  return count
}

# Whether another task of the node has one of the CPUs.
function is_shared(list, node, cpu, c, found) {
  expand(list, cpu)
  for (c in cpu) if (used[node, c]++) found = 1
  return found
}

# The NUMA nodes of CPUs, as the kernel lists them: "0-1".
function numa_of(list, cpu, c, found, n, text) {
  expand(list, cpu)
  for (c in cpu) if (c in numa) found[numa[c]]
  for (n = 0; n < most; n++) if (n in found) text = text (text == "" ? "" : "-") n
  return text
}
function is_local() { return substr($4, index($4, ":") + 1) == numa_of($3) }
function wrong(text) { print text; failed = 1 }

BEGIN {
  local = 1
  nodes = split(NUMA, word, " ")
  for (n = 1; n <= nodes; n++) {
    expand(substr(word[n], index(word[n], ":") + 1), cpu)
    for (c in cpu) numa[c] = word[n] + 0
    if (word[n] + 0 >= most) most = word[n] + 1
  }
}
NR == FNR {
  plain[$2, $3]++
  tasks[$2]++
  n = expand($3, cpu)
  if (!($2 in least) || n < least[$2]) least[$2] = n
  if (!is_local()) local = 0
  next
}
{
  tasks[$2]--
  if (is_shared($3, $2)) shares[$2] = 1
  if (--plain[$2, $3] < 0) differs[$2] = 1
  wanted = EACH < least[$2] ? EACH : least[$2]
  if (expand($3, cpu) < wanted) wrong("rank " $1 " on " $2 " has CPUs " $3 ", fewer than " wanted)
  if (local && !is_local()) wrong("rank " $1 " on " $2 " has CPUs " $3 " and memory " $4)
}
END {
  for (node in tasks) if (tasks[node]) wrong(node " has another number of tasks")
  for (node in shares) if (node in differs) wrong(node ": tasks share CPUs that they do not share without topomap")
  exit failed
}
