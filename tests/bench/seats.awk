# SPDX-License-Identifier: BSD-3-Clause
# What --mapping reads, from "rank leaf" lines in order of ranks: a leaf's slots (each of them, n in all) are filled in
# that order; who finds none takes the first free one.
{ leaf[NR - 1] = $2; if (used[$2] < each) slot[NR - 1] = $2 * each + used[$2]++; else late[++lates] = NR - 1 }
END {
  for (l = 0; lates && l * each < n; l++)
    for (i = used[l] + 0; i < each && done < lates; i++) slot[late[++done]] = l * each + i
  for (r = 0; r < n; r++) print slot[r]
}
