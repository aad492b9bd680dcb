"use strict";
(function () {
const all = JSON.parse(document.getElementById("data").textContent);
let data = all.a || all;
const main = document.querySelector("main");

// Elements; texts are never markup.
function make(tag, attributes, ...children) {
  const svg = ["svg", "path", "rect", "text", "line", "title"].includes(tag) && attributes && attributes.svg;
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === "onclick" || name === "oninput") element.addEventListener(name.slice(2), value);
    else if (name !== "svg") element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function section(title, ...children) {
  const id = "s" + document.querySelectorAll("section").length;
  main.append(make("section", {"aria-labelledby": id}, make("h2", {id}, title), ...children));
}

const units = ["", "k", "M", "G", "T", "P", "E"];
function short(value) {
  if (value === 0) return "0";
  let at = 0, v = Math.abs(value);
  while (v >= 1000 && at < units.length - 1) { v /= 1000; at++; }
  if (v < 0.001) return value.toExponential(2);
  return (value < 0 ? "-" : "") + Number(v.toPrecision(4)) + units[at];
}
function seconds(value) {
  const scale = value >= 1 || value === 0 ? [1, "s"] : value >= 1e-3 ? [1e3, "ms"] : [1e6, "\u00b5s"];
  return Number((value * scale[0]).toPrecision(4)) + " " + scale[1];
}
function shown(value, unit) {
  return unit === "s" ? seconds(value) : unit === "bytes" ? short(value) + "B" : short(value);
}
function change(before, after) {
  if (!(before > 0)) return after > 0 ? "more" : "unchanged";
  const percent = 100 * (after - before) / before;
  return percent === 0 ? "unchanged" : Math.abs(percent).toFixed(1) + " % " + (percent < 0 ? "lower" : "higher");
}

function cards() {
  const list = data.figures.map((f) => make("div", {class: "card"}, make("span", {}, f.name),
    make("b", {}, change(f.before, f.after)),
    make("span", {}, shown(f.before, f.unit) + " \u2192 " + shown(f.after, f.unit))));
  main.prepend(make("div", {class: "cards"}, ...list));
}

function key() {
  return make("p", {class: "note"}, make("span", {class: "key before"}), "before: " + data.start,
    make("span", {class: "key after"}), "after");
}

// Dark blue to yellow, ever lighter, so that grey and eyes without red and green read it alike.
const stops = [[20, 24, 82], [56, 60, 130], [97, 96, 124], [144, 136, 110], [194, 180, 84], [250, 229, 60]];
function colour(strength) {
  const at = Math.min(Math.max(strength, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i)));
}

function matrix(m) {
  const scale = Math.max(1, Math.floor(512 / m.cells)), side = m.cells * scale;
  const canvas = make("canvas", {width: side, height: side, role: "img", tabindex: "0",
    "aria-label": "Communication matrix " + m.name + ": a row sends, a column receives"});
  const context = canvas.getContext("2d"), out = make("output", {}), bytes = new Map();
  const span = Math.log(m.most / m.least);
  for (let i = 0; i < m.bytes.length; i += 3) {
    const [row, column, value] = m.bytes.slice(i, i + 3);
    bytes.set(row * m.cells + column, value);
    context.fillStyle = "rgb(" + colour(span > 0 ? Math.log(value / m.least) / span : 1) + ")";
    context.fillRect(column * scale, row * scale, scale, scale);
  }
  for (const [bounds, style] of [[m.nodes, "rgba(128,128,128,.35)"], [m.groups, "rgba(255,90,90,.8)"]]) {
    if (bounds.length * 6 > side) continue;
    context.fillStyle = style;
    for (const at of bounds) {
      context.fillRect(Math.round(at / m.each * scale), 0, 1, side);
      context.fillRect(0, Math.round(at / m.each * scale), side, 1);
    }
  }
  let at = [0, 0];
  function tell() {
    const name = (i) => m.each === 1 ? String(i) : i * m.each + "\u2013" + ((i + 1) * m.each - 1);
    out.textContent = name(at[0]) + " \u2192 " + name(at[1]) + ": " + short(bytes.get(at[0] * m.cells + at[1]) || 0) + "B";
  }
  function point(event) {
    const box = canvas.getBoundingClientRect();
    at = [event.clientY - box.top, event.clientX - box.left].map((v) =>
      Math.min(m.cells - 1, Math.max(0, Math.floor(v / box.width * m.cells))));
    tell();
  }
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("keydown", (event) => {
    const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!move) return;
    event.preventDefault();
    at = at.map((v, i) => Math.min(m.cells - 1, Math.max(0, v + move[i])));
    tell();
  });
  return make("figure", {}, make("figcaption", {}, m.name), canvas, out);
}

function matrices() {
  const m = data.matrices[0];
  section("Who talks to whom", make("p", {class: "note"}, "A row sends, a column receives, as light as it is much" +
    (m.most > 0 ? ": " + short(m.least) + "B to " + short(m.most) + "B a cell, on a logarithmic scale" : "") +
    (m.each > 1 ? "; " + m.each + " ranks a cell" : "") +
    ". Grey lines are between nodes, red ones between switches. Point at a cell, or use the arrow keys."),
    make("div", {class: "matrices"}, ...data.matrices.map(matrix)));
}

function levels() {
  const used = data.levels.filter((l) => l.before > 0 || l.after > 0);
  const most = Math.max(1, ...used.map((l) => Math.max(l.before, l.after)));
  const rows = used.flatMap((l) => [
    make("span", {}, l.name),
    make("div", {}, ...["before", "after"].map((w) => make("div", {class: "tools", style: "margin:0;flex-wrap:nowrap"},
      make("div", {class: "bar " + w, style: "width:" + (l[w] / most * 75) + "%"}),
      make("span", {class: "note"}, short(l[w]) + "B"))))]);
  section("How far bytes travel", key(), make("div", {class: "bars"}, ...rows));
}

function histogram() {
  const links = data.links, width = 720, height = 180, bins = links.before.bins.length, step = (width - 60) / bins;
  const most = Math.max(1, ...links.before.bins, ...links.after.bins);
  const svg = make("svg", {svg: 1, viewBox: "0 0 " + width + " " + (height + 40), role: "img",
    "aria-label": "How many links carry how much, before and after"});
  ["before", "after"].forEach((w, k) => links[w].bins.forEach((n, i) => {
    if (!n) return;
    const high = Math.max(1, Math.log1p(n) / Math.log1p(most) * height);
    const bar = make("rect", {svg: 1, class: w[0], x: 50 + i * step + k * step / 2, y: 10 + height - high, width: step / 2 - 1, height: high});
    bar.append(make("title", {svg: 1}, n + " links " + w));
    svg.append(bar);
  }));
  svg.append(make("line", {svg: 1, x1: 50, x2: width - 10, y1: 10 + height, y2: 10 + height, stroke: "currentColor"}));
  for (const [x, value] of [[50, 0], [50 + (width - 60) / 2, links.most / 2], [width - 60, links.most]])
    svg.append(make("text", {svg: 1, x, y: height + 28}, shown(value, links.unit)));
  svg.append(make("text", {svg: 1, x: 4, y: 20}, most + " links"));
  return svg;
}

function stroke(from, by) { return "M" + from[1] + " " + from[2] + "l" + by[0] + " " + by[1]; }

// In a grid, what does not go to the next spot is a stub at either end: aslant to another slice, straight where a ring closes.
function wire(a, b, slice) {
  const apart = [1, 2].map((d) => Math.floor((b[d] - 1) / slice[d - 1]) - Math.floor((a[d] - 1) / slice[d - 1]));
  const by = [b[1] - a[1], b[2] - a[2]], is_far = Math.max(...by.map(Math.abs)) > 30;
  if (!is_far) return stroke(a, by);
  const turn = (v) => v.map((x) => -x), ring = by.map((x) => -9 * Math.sign(x));
  if (!apart[0] && !apart[1]) return stroke(a, ring) + stroke(b, turn(ring));
  const out = apart[0] ? [7, -7] : [7, 7], next = Math.abs(apart[0] || apart[1]) === 1 ? out : turn(out);
  return stroke(a, next) + stroke(b, turn(next));
}

// The network with what its cables carry, wider and lighter the more; both moments on one scale.
function network(when) {
  const p = data.links.picture, most = data.links.most || 1, at = when === "before" ? 2 : 3;
  const svg = make("svg", {svg: 1, viewBox: "0 0 " + p.width + " " + p.height, role: "img", class: "network",
    "aria-label": "The network, " + when + ": what its cables carry"});
  const lines = [];
  for (let i = 0; i < p.cable.length; i += 4) {
    const [a, b] = [p.vertex[p.cable[i]], p.vertex[p.cable[i + 1]]], load = p.cable[i + at];
    lines.push([load, a, b]);
  }
  lines.sort((x, y) => x[0] - y[0]);
  for (const [load, a, b] of lines) {
    const path = make("path", {svg: 1, d: p.shape === "grid" ? wire(a, b, p.slice) : stroke(a, [b[1] - a[1], b[2] - a[2]]),
      fill: "none", stroke: load > 0 ? "rgb(" + colour(0.25 + 0.75 * load / most) + ")" : "#3c3f55",
      "stroke-width": load > 0 ? 0.8 + 3 * load / most : 0.5});
    path.append(make("title", {svg: 1}, a[0] + " \u2013 " + b[0] + ": " + shown(load, data.links.unit)));
    svg.append(path);
  }
  for (const [name, x, y, node] of p.vertex) {
    const spot = make("rect", {svg: 1, x: x - (node ? 2.5 : 4), y: y - (node ? 2.5 : 4), width: node ? 5 : 8, height: node ? 5 : 8,
      class: node ? "node" : "switch"});
    spot.append(make("title", {svg: 1}, name));
    svg.append(spot);
  }
  return make("figure", {}, make("figcaption", {}, when === "before" ? "before: " + data.start : "after"), svg);
}

function picture() {
  const p = data.links.picture;
  if (!p) return "";
  return make("div", {}, make("p", {class: "note"}, "Cables are wider and lighter the more they carry" +
    (p.left_out ? "; " + p.left_out + " that carry less are left out" : "") + ". Point at one."),
    make("div", {class: p.width > 2 * p.height ? "" : "pair"}, network("before"), network("after")));
}

// "3 \u2192 17 40 %": ranks that have most of a link's bytes.
function by(pairs) {
  return pairs.map((p) => p[0] + " \u2192 " + p[1] + " " + (100 * p[2]).toFixed(p[2] < 0.1 ? 1 : 0) + " %").join(", ");
}

function links() {
  const l = data.links;
  if (!l) return;
  section("Links", key(), make("p", {class: "note"}, l.count + " directed links, model " + l.model + "; idle: " +
    l.before.idle + " before, " + l.after.idle + " after. Heights are logarithmic."), picture(), make("div", {class: "wide"}, histogram()),
    table("busiest", "The busiest links" + (l.unit === "s" ? ", seconds to carry what is on them" : ", bytes a cable"),
      ["link", "before", "after", "most of it before", "most of it after"],
      l.busiest.map((b) => [b.name, b.before, b.after, by(b.by_before), by(b.by_after)]),
      [null, (v) => shown(v, l.unit), (v) => shown(v, l.unit)], 2));
}

// Rows are made as far as they are looked at: 20,000 of them are not drawn at once.
const PIECE = 200;
function table(id, caption, names, rows, show, sorted) {
  const body = make("tbody", {}), box = make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption});
  let order = rows.map((_, i) => i), drawn = 0, filter = "", column = -1, down = true;
  const text = (value, i) => show[i] ? show[i](value) : String(value);
  const heads = names.map((name, i) => make("th", {scope: "col", class: typeof (rows[0] || [])[i] === "number" ? "n" : ""},
    make("button", {type: "button", onclick: () => sort(i, i === column ? !down : typeof (rows[0] || [])[i] === "number")}, name)));
  function more() {
    for (const end = Math.min(order.length, drawn + PIECE); drawn < end; drawn++)
      body.append(make("tr", {}, ...rows[order[drawn]].map((v, i) => make("td", {class: typeof v === "number" ? "n" : ""}, text(v, i)))));
  }
  function again() {
    body.replaceChildren();
    drawn = 0;
    more();
    count.textContent = order.length === rows.length ? rows.length + " rows" : order.length + " of " + rows.length + " rows";
  }
  function sort(i, falling) {
    column = i; down = falling;
    heads.forEach((h, k) => k === i ? h.setAttribute("aria-sort", down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    order.sort((a, b) => {
      const x = rows[a][i], y = rows[b][i];
      const by = typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", {numeric: true});
      return (down ? -by : by) || a - b;
    });
    again();
  }
  function choose(event) {
    filter = event.target.value.toLowerCase();
    order = rows.map((_, i) => i).filter((i) => !filter || rows[i].some((v, k) => text(v, k).toLowerCase().includes(filter)));
    if (column >= 0) sort(column, down); else again();
  }
  function save() {
    const quote = (v) => /[",\n]/.test(String(v)) ? "\"" + String(v).replace(/"/g, "\"\"") + "\"" : String(v);
    const lines = [names, ...order.map((i) => rows[i])].map((r) => r.map(quote).join(","));
    const link = make("a", {download: id + ".csv", href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}))});
    link.click();
  }
  const count = make("span", {class: "note", role: "status"});
  box.append(make("table", {id}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...heads)), body));
  box.addEventListener("scroll", () => { if (box.scrollTop + box.clientHeight > box.scrollHeight - 400) more(); });
  window.addEventListener("beforeprint", () => { while (drawn < Math.min(order.length, 5000)) more(); });
  if (sorted >= 0) sort(sorted, true); else again();
  return make("div", {}, make("div", {class: "tools"}, make("label", {}, "Filter ", make("input", {type: "search", oninput: choose})),
    make("button", {type: "button", onclick: save}, "Save as CSV"), count), box);
}

function tables() {
  const bytes = (v) => short(v) + "B";
  section("Nodes", table("nodes", "Which ranks run on each node, and what leaves and reaches it",
    ["node", "ranks", "ranks before", "bytes before", "bytes after"],
    data.node.map((n) => [n.name, n.after, n.before, n.out_before, n.out_after]), [null, null, null, bytes, bytes], -1));
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
      data.rank.map((r, i) => [i, data.node[r[1]].name, r[2], ...r.slice(6), data.node[r[0]].name, r[3], r[4], r[5]]),
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
  const last = (plan, name) => matrix({...plan.matrices[2], name});
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
})();
