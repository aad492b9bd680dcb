# SPDX-License-Identifier: BSD-3-Clause
# Lines of tests/sim/run: machine, tasks, graph, order, layout, ranks, simulated seconds, predicted seconds.
# Prints a line a case, then how well predictions order and meet what was simulated, and topomap's maps
# against the best of all other layouts.
BEGIN { FS = "\t" }
$7 == "-" { next } # took too long
{
  group = $1 " x" $2 " " $3 " " $4
  if (!(group in count)) groups[++n] = group
  i = count[group]++
  layout[group, i] = $5; simulated[group, i] = $7; predicted[group, i] = $8; at[group, $5] = i
  error[++errors] = ($8 > $7 ? $8 - $7 : $7 - $8) / $7
}
function rank(of, group, k, ranks,   i, j, less, same) {
  for (i = 0; i < k; i++) {
    less = same = 0
    for (j = 0; j < k; j++) {
      if (of[group, j] < of[group, i] * 0.99) less++
      else if (of[group, j] <= of[group, i] * 1.01) same++
    }
    ranks[i] = less + (same + 1) / 2
  }
}
# Spearman: Pearson's of the ranks; what is within 1 % is a tie.
function spearman(group, k,   i, a, b, x, y, sx, sy, sxx, syy, sxy) {
  rank(simulated, group, k, a); rank(predicted, group, k, b)
  for (i = 0; i < k; i++) { sx += a[i]; sy += b[i]; sxx += a[i] * a[i]; syy += b[i] * b[i]; sxy += a[i] * b[i] }
  x = sxx - sx * sx / k; y = syy - sy * sy / k
  return x > 0 && y > 0 ? (sxy - sx * sy / k) / sqrt(x * y) : x == y
}
function value(group, name) { return (group, name) in at ? simulated[group, at[group, name]] : 0 }
END {
  printf "%-52s %11s %11s %9s %9s %9s %9s %9s\n", "machine, tasks a node, graph, order", "block", "time", \
    "/block", "/J", "/cong.", "/others", "Spearman"
  for (g = 1; g <= n; g++) {
    group = groups[g]; k = count[group]; best = most = 0; least = 1e300
    for (i = 0; i < k; i++) {
      s = simulated[group, i]; least = s < least ? s : least; most = s > most ? s : most
      if (layout[group, i] != "time" && (!best || s < best)) best = s
    }
    time = value(group, "time"); block = value(group, "block"); J = value(group, "J"); c = value(group, "congestion")
    r = k > 2 && most > 1.05 * least ? spearman(group, k) : "-"
    if (r != "-") { sum_r += r; of_r++; worst_r = of_r == 1 || r < worst_r ? r : worst_r; good_r += r >= 0.95 }
    if (!time) continue
    cases++; logs += log(time / best); over += time > 1.01 * best; worst = time / best > worst ? time / best : worst
    if (group ~ / (random|rgg|spmv) /) { irregular += log(time / best); of_irregular++ }
    if (J && group ~ /taper|dragonfly/) { tapered += log(time / J); of_tapered++ }
    above += block && time > 1.001 * block
    printf "%-52s %11.4g %11.4g %9s %9s %9s %9.3f %9s\n", group, block, time, block ? sprintf("%.3f", time / block) : "-", \
      J ? sprintf("%.3f", time / J) : "-", c ? sprintf("%.3f", time / c) : "-", time / best, r == "-" ? r : sprintf("%.3f", r)
  }
  for (i = 2; i <= errors; i++) { # few enough
    e = error[i]
    for (j = i - 1; j > 0 && error[j] > e; j--) error[j + 1] = error[j]
    error[j + 1] = e
  }
  if (errors) printf "predicted against simulated, %d layouts: median error %.2f %%, nine tenths below %.2f %%\n", \
    errors, 100 * error[int((errors + 1) / 2)], 100 * error[int(0.9 * errors + 0.5)]
  if (of_r) printf "Spearman over layouts, %d cases: mean %.3f, worst %.3f, 0.95 and more in %d\n", of_r, sum_r / of_r, worst_r, good_r
  if (cases) printf "map for time / best of all others, %d cases: geometric mean %.3f, worst %.3f, above 1.01 in %d; above block in %d\n", \
    cases, exp(logs / cases), worst, over, above
  if (of_irregular) printf "  on irregular graphs, %d cases: geometric mean %.3f\n", of_irregular, exp(irregular / of_irregular)
  if (of_tapered) printf "map for time / map for J on tapered trees and dragonflies, %d cases: geometric mean %.3f\n", \
    of_tapered, exp(tapered / of_tapered)
}
