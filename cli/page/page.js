// The sections.
// A measured figure has the runs that it is the median of, and what they say.
function verdict(f) {
  return f.runs && f.says === "nothing" ? "not compared yet" : f.says === "noise" ? "within the noise" : change(f.before, f.after);
}
function measuredNote(f) {
  return f.runs ? [make("br", {}), make("span", {}, "medians of " + f.runs[0] + " and " + f.runs[1] + " runs" +
    (f.says === "nothing" ? "" : ", noise " + seconds(f.noise)))] : [];
}

function cards() {
  const list = data.figures.map((f) => make("div", {class: "card"}, make("span", {}, f.name),
    make("b", {}, verdict(f)),
    make("span", {}, shown(f.before, f.unit) + " \u2192 " + shown(f.after, f.unit)), ...measuredNote(f)));
  // The table is for who has no scripts, and for who wants the figures in full.
  const table = main.querySelector("table");
  const full = make("details", {}, make("summary", {}, "The figures in full"));
  table.before(full);
  full.append(table);
  main.prepend(make("div", {class: "cards"}, ...list));
}

function levels() {
  const used = data.levels.filter((l) => l.before > 0 || l.after > 0);
  const most = Math.max(1, ...used.map((l) => Math.max(l.before, l.after)));
  const rows = used.flatMap((l) => [
    make("span", {}, l.name),
    make("div", {}, ...["before", "after"].map((w) => make("div", {class: "tools", style: "margin:0;flex-wrap:nowrap"},
      make("div", {class: "bar " + w, style: "width:" + (l[w] / most * 75) + "%" + (l[w] ? "" : ";min-width:0")}),
      make("span", {class: "note"}, short(l[w]) + "B"))))]);
  section("How far bytes travel", key(), make("div", {class: "bars"}, ...rows));
}

function histogram() {
  const links = data.links, left = 90, width = 760, height = 180, bins = links.before.bins.length, step = (width - left - 10) / bins;
  const most = Math.max(1, ...links.before.bins, ...links.after.bins);
  const svg = make("svg", {svg: 1, viewBox: "0 0 " + width + " " + (height + 40), role: "img",
    "aria-label": "How many links carry how much, before and after"});
  ["before", "after"].forEach((w, k) => links[w].bins.forEach((n, i) => {
    if (!n) return;
    const high = Math.max(1, Math.log1p(n) / Math.log1p(most) * height);
    const bar = make("rect", {svg: 1, class: w[0], x: left + i * step + k * step / 2, y: 10 + height - high, width: step / 2 - 1, height: high});
    bar.append(make("title", {svg: 1}, n + " links " + w));
    svg.append(bar);
  }));
  svg.append(make("line", {svg: 1, x1: left, x2: width - 10, y1: 10 + height, y2: 10 + height, stroke: "currentColor"}));
  for (const [x, value] of [[left, 0], [left + (width - left - 10) / 2, links.most / 2], [width - 60, links.most]])
    svg.append(make("text", {svg: 1, x, y: height + 28}, shown(value, links.unit)));
  svg.append(make("text", {svg: 1, x: 4, y: 20}, most + " links"));
  return svg;
}

// "3 \u2192 17 40 %": ranks that have most of a link's bytes.
function by(pairs) {
  return pairs.map((p) => p[0] + " \u2192 " + p[1] + " " + (100 * p[2]).toFixed(p[2] < 0.1 ? 1 : 0) + " %").join(", ");
}

function links() {
  const l = data.links;
  if (!l) return;
  section("Links", key(), make("p", {class: "note"}, l.count + " directed links; loads are " +
      (l.model === "exact" ? "by equal shares of all shortest paths, as no routes are known" : "by the ways that messages take") +
      " (model " + l.model + "); idle: " +
    l.before.idle + " before, " + l.after.idle + " after. Heights are logarithmic."), picture(), make("div", {class: "wide histogram", tabindex: "0", role: "region", "aria-label": "How many links carry how much"}, histogram()),
    table("busiest", "The busiest links" + (l.unit === "s" ? ", seconds to carry what is on them" : ", bytes a cable"),
      ["link", "before", "after", "most of it before", "most of it after"],
      l.busiest.map((b) => [b.name, b.before, b.after, by(b.by_before), by(b.by_after)]),
      [null, (v) => shown(v, l.unit), (v) => shown(v, l.unit)], 2));
}

// The name of a machine's node by its number.
const nodeName = (i) => data.names ? data.names[i] : data.node[i].name;

// Where a rank is, of too many for a table of their own.
function finder() {
  const out = make("output", {});
  const holds = (text, rank) => text.split(",").some((r) => { const [a, b] = r.split("-").map(Number); return r && rank >= a && rank <= (b === undefined ? a : b); });
  function find(event) {
    const rank = event.target.value.trim(), at = (when) => data.node.find((n) => holds(n[when], Number(rank)));
    out.textContent = rank === "" ? "" : !/^\d+$/.test(rank) || Number(rank) >= data.ranks ? "no rank is called so" :
      "rank " + rank + ": before on " + at("before").name + ", after on " + at("after").name;
  }
  return make("div", {class: "tools"}, make("label", {}, "Where is rank ", make("input", {type: "text", inputmode: "numeric", size: "8", oninput: find})), out);
}

function nodes() {
  const bytes = (v) => short(v) + "B", sums = data.ranks > 0 && data.node.length > 0 && data.node[0].sums;
  section("Nodes", ...(data.rank ? [] : [make("p", {class: "note"}, "Ranks are too many for a table of their own: " +
      (data.unit === "node" ? "this is of nodes" : "nodes, too: a row is of some (" + data.unit + ")") + "."), finder()]),
    table("nodes", "Which ranks run on each node, and what leaves and reaches it",
      [data.unit === "node" ? "node" : data.unit, "ranks", "ranks before", "bytes before", "bytes after",
        ...(sums ? ["inside before", "inside after", "J before", "J after"] : [])],
      data.node.map((n) => [n.name, n.after, n.before, n.out_before, n.out_after, ...(n.sums || [])]),
      [null, null, null, bytes, bytes, bytes, bytes, short, short], -1));
}

function tables() {
  const bytes = (v) => short(v) + "B";
  nodes();
  if (data.group.length) {
    const mean = (v) => Number(v.toFixed(2)) + "";
    section("Groups", table("groups", "Over how many nodes, leaves or other parts the groups of a training job are spread",
      ["groups", "number", "ranks each", "over", "mean before", "most before", "mean after", "most after"],
      data.group, [null, null, null, null, mean, null, mean, null], -1));
  }
  if (data.rank) {
    // Where some have GPUs, two columns more.
    const has = data.rank.some((r) => r.length > 6), or = (v) => v === null ? "\u2013" : String(v);
    section("Ranks", table("ranks", "Where each rank runs, its bytes, and its share of J",
      ["rank", "node", "CPUs", ...(has ? ["GPU", "NIC"] : []), "node before", "bytes", "J before", "J after"],
      data.rank.map((r, i) => [i, nodeName(r[1]), r[2], ...r.slice(6), nodeName(r[0]), r[3], r[4], r[5]]),
      [null, null, null, ...(has ? [or, or] : []), null, bytes, short, short], -1));
  }
  if (data.candidates.length)
    section("What was tried", table("candidates", "Candidates of the search",
      ["name", "J", "predicted time", "seconds of search"],
      data.candidates.map((c) => [c.name, c.J, c.time, c.seconds]), [null, short, (v) => v ? seconds(v) : "\u2013", (v) => v.toFixed(3)], -1));
}

function page() {
  cards();
  matrices();
  levels();
  links();
  insideNodes();
  tables();
  if (data.command)
    section("Again", make("p", {class: "note"}, "This makes the same plan:"), make("pre", {}, data.command));
  main.append(make("p", {class: "note"}, "topomap " + data.version + ", " + data.ranks + " ranks on " + data.nodes + " nodes"));
}

// Figures by name, as a plan may have some that the other has not.
function pair() {
  const {a, b} = all, names = [...new Set([...a.figures, ...b.figures].map((f) => f.name))];
  const of = (plan, name) => plan.figures.find((f) => f.name === name);
  const cell = (f, when) => f ? shown(f[when], f.unit) : "\u2013";
  section("A: " + a.title, make("p", {class: "note"}, a.line + ". " + a.ranks + " ranks on " + a.nodes + " nodes."));
  section("B: " + b.title, make("p", {class: "note"}, b.line + ". " + b.ranks + " ranks on " + b.nodes + " nodes."));
  section("Figures", table("pair", "Before and after, and B's plan against A's",
    ["figure", "A before", "A after", "B before", "B after", "B against A"],
    names.map((n) => [n, cell(of(a, n), "before"), cell(of(a, n), "after"), cell(of(b, n), "before"), cell(of(b, n), "after"),
      of(a, n) && of(b, n) ? change(of(a, n).after, of(b, n).after) : "\u2013"]), [], -1));
  const linked = a.matrices[2].ranks === b.matrices[2].ranks && linkOf(a.matrices[2]);
  const last = (plan, name) => matrix({...plan.matrices[2], name}, plan, 1, linked || linkOf(plan.matrices[2]));
  section("Who talks to whom", make("div", {class: "matrices"}, last(a, "A, by node, after"), last(b, "B, by node, after")));
  if (a.links && b.links)
    section("The busiest links", ...[a, b].map((plan, i) => table("busiest" + "AB"[i], "of " + "AB"[i],
      ["link", "before", "after"], plan.links.busiest.map((l) => [l.name, l.before, l.after]),
      [null, (v) => shown(v, plan.links.unit), (v) => shown(v, plan.links.unit)], 2)));
  section("Nodes", ...[a, b].map((plan, i) => table("nodes" + "AB"[i], "Ranks of each node of " + "AB"[i],
    ["node", "ranks", "ranks before"], plan.node.map((n) => [n.name, n.after, n.before]), [], -1)));
}

(all.a ? pair : page)();
document.body.dataset.ready = "1";
