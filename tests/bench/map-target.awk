# SPDX-License-Identifier: BSD-3-Clause
# Of an instance's target: prints the words of --machine and how many slots a leaf of Scotch's target
# has, and writes that target to target.tgt. Scotch's tleaf counts levels from the root.
BEGIN {
  count = split(target, part, ",")
  for (i = 1; i <= count; i++) { split(part[i], kv, "="); v[kv[1]] = kv[2] }
  listed = 0
  if ("alloc" in v) while ((getline line < (dir v["alloc"])) > 0) node[listed++] = line + 0
  if ("S" in v) {
    levels = split(v["S"], size, ":"); split(v["D"], cost, ":")
    spec = "tree:" v["S"] "@" v["D"]
    arch = "tleaf\n" levels
    for (l = levels; l >= 1; l--) arch = arch " " size[l] " " cost[l]
    leaves = 0; slots = 1; per = 1
    if ("cores" in v) {
      per = v["cores"]
      for (l = 1; slots < per; l++) slots *= size[l]
      spec = spec ",node=" (l - 1)
    }
    each = 1
    for (i = 0; i < listed; i++)
      for (s = 0; s < per; s++) leaf[leaves++] = node[i] * per + s
  } else {
    dims = split(v["torus"], size, "x")
    spec = "torus:" v["torus"] "*" v["cores"] "@" v["din"] ":" v["dhop"]
    arch = "torus3D"
    for (d = 1; d <= dims; d++) arch = arch " " size[d]
    each = v["cores"]
    for (i = 0; i < listed; i++) leaf[leaves++] = node[i]
  }
  if ("alloc" in v) spec = spec ",alloc=" dir v["alloc"]
  if (leaves) {
    printf "sub\n%d", leaves > "target.tgt"
    for (i = 0; i < leaves; i++) printf " %d", leaf[i] > "target.tgt"
    print "" > "target.tgt"
  }
  print arch > "target.tgt"
  print spec "\t" each
}
