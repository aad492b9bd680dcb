# SPDX-License-Identifier: BSD-3-Clause
# Geometric means of a table of map-rivals, after the recorded peers; `unit`: CPU seconds of the
# calibration in this run, 0 where there was none.
function mean(sum, count) { return count ? sprintf("%.3f", exp(sum / count)) : "-" }
function put(name) {
  printf "%-22s %9s %9.4f %9s %9s\n", name, mean(best[name], count[name]), worst[name], mean(live[name], lives[name]), mean(metis[name], metises[name])
}
function add(name) {
  if (!(name in count)) order[++names] = name
  best[name] += log($6); count[name]++
  if ($6 > worst[name]) worst[name] = $6
  if ($7 != "-") { live[name] += log($3 / $7); lives[name]++ }
  if ($9 != "-") { metis[name] += log($3 / $9); metises[name]++ }
}
FNR == NR {
  if ($6 + 0 > 0) recorded[$1, $2 " " $3] = $6
  if ($6 + 0 > 0 && !(($2 " " $3) in rival) && $2 != "anneal-ref") { rival[$2 " " $3] = 1; rivals[++last] = $2 " " $3 }
  next
}
FNR == 1 { next }
{
  add($2); add("all")
  if ($2 ~ /^quotient/) add("quotient-*")
  ours = $4 > 0.001 ? $4 : 0.001
  if ($8 != "-") { scotch += log(ours / ($8 > 0.001 ? $8 : 0.001)); scotches++ }
  if ($4 > longest) longest = $4
  for (i = 1; unit > 0 && i <= last; i++)
    if (($1, rivals[i]) in recorded) { time[i] += log(ours / (recorded[$1, rivals[i]] * unit)); times[i]++ }
}
END {
  printf "\n%-22s %9s %9s %9s %9s   (geometric means of J)\n", "family", "/best", "worst", "/scotch", "/metis"
  for (i = 1; i <= names; i++) if (order[i] != "all") put(order[i])
  put("all")
  printf "\nCPU time: longest %.2f s; against Scotch in this run %s (%d instances)\n", longest, mean(scotch, scotches), scotches
  if (unit > 0) {
    printf "against what was recorded, by gpmetis on the calibration graph (%.3f s here):\n", unit
    for (i = 1; i <= last; i++) if (times[i]) printf "  %-20s %s (%d instances)\n", rivals[i], mean(time[i], times[i]), times[i]
  }
}
