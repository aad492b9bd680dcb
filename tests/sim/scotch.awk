# SPDX-License-Identifier: BSD-3-Clause
# Of a platform that `topomap db export --to simgrid` wrote: Scotch's target of its nodes, with hops for distances
# (Scotch User's Guide, "Target architecture format"): SimGrid's own tori as torusXD, its fat trees as tleaf; of
# routes, deco 0, whose domains are halves of the nodes in their order.
function word(name,   at) {
  at = index($0, " " name "=\"")
  return at ? substr($0, at + length(name) + 3, index(substr($0, at + length(name) + 3), "\"") - 1) : ""
}
function halve(low, count, domain) {
  if (count == 1) { domain_of[low] = domain; most = domain > most ? domain : most; return }
  halve(low, count - int(count / 2), 2 * domain)
  halve(low + count - int(count / 2), int(count / 2), 2 * domain + 1)
}
/<cluster / && word("topology") == "TORUS" {
  dims = split(word("topo_parameters"), size, ",")
  printf "torusXD\n%d", dims
  for (d = 1; d <= dims; d++) printf " %d", size[d]
  print ""
  done = 1
}
/<cluster / && word("topology") == "FAT_TREE" { # levels;downlinks;uplinks;cables, from the nodes upwards
  split(word("topo_parameters"), part, ";")
  levels = split(part[2], size, ",")
  for (l = levels; l; l--) kept += size[l] > 1
  printf "tleaf\n%d", kept
  for (l = levels; l; l--) if (size[l] > 1) printf " %d 2", size[l] # Scotch refuses a level of one
  print ""
  done = 1
}
/<host / { number[word("id")] = nodes++ }
/<route / {
  a = number[word("src")]; b = number[word("dst")]
  if (a > b) hops[a, b] = gsub(/<link_ctn /, "&")
}
END {
  if (done) exit
  halve(0, nodes, 1)
  printf "deco\n0\n%d %d\n", nodes, most
  for (n = 0; n < nodes; n++) print n, 1, domain_of[n]
  for (a = 1; a < nodes; a++) for (b = 0; b < a; b++) printf "%d%s", hops[a, b], b + 1 < a ? " " : "\n"
}
