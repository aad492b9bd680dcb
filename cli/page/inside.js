// What a node has inside, and which ranks have it.
const SIDE = {leaf: 46, high: 30, device: 132, gap: 6, title: 18};

function numbersOf(text) {
  return text ? text.split(",").flatMap((range) => {
    const [from, to] = range.split("-").map(Number);
    return Array.from({length: (to === undefined ? from : to) - from + 1}, (_, i) => from + i);
  }) : [];
}

// "cores 0-3": nested boxes by levels, from the outside in; a device is in the innermost box that all of its CPUs are in.
function boxesOf(shape, devices, name) {
  const root = {name, leaves: shape ? shape.cpus.map((_, i) => i) : [], inner: [], devices: []};
  function divide(box, level) {
    box.own = new Set(box.leaves);
    if (level === shape.level.length) return;
    const {name, group} = shape.level[level], parts = new Map();
    for (const leaf of box.leaves) parts.set(group[leaf], [...(parts.get(group[leaf]) || []), leaf]);
    for (const [number, leaves] of parts) {
      const inner = {name: name + " " + number, leaves, inner: [], devices: []};
      divide(inner, level + 1);
      box.inner.push(inner);
    }
  }
  if (shape) divide(root, 0);
  devices.forEach((device, number) => {
    const cpus = new Set(numbersOf(device.cpus));
    const near = root.leaves.filter((leaf) => shape.cpus[leaf].some((cpu) => cpus.has(cpu)));
    let box = root, next = near.length ? root : null;
    while (next) { box = next; next = box.inner.find((b) => near.every((leaf) => b.own.has(leaf))); }
    box.devices.push({...device, number});
  });
  return root;
}

// Boxes of one size in the rows that make the whole most like a screen.
function arrange(items, gap, wish) {
  let best = null;
  for (let columns = 1; columns <= items.length; columns++) {
    const rows = Math.ceil(items.length / columns), w = Math.max(...items.map((i) => i.w)), h = Math.max(...items.map((i) => i.h));
    const size = [columns * (w + gap) - gap, rows * (h + gap) - gap], badness = Math.abs(Math.log(size[0] / size[1] / wish)) + rows * columns / items.length;
    if (!best || badness < best.badness) best = {badness, columns, w, h, size};
  }
  items.forEach((item, i) => { item.x = i % best.columns * (best.w + gap); item.y = Math.floor(i / best.columns) * (best.h + gap); });
  return best.size;
}

function measure(box) {
  const {leaf, high, device, gap, title} = SIDE;
  let w = 0, h = title;
  box.inner.forEach(measure);
  if (!box.inner.length) box.spots = box.leaves.map((number) => ({number, w: leaf, h: high}));
  for (const items of [box.inner, box.spots || []])
    if (items.length) {
      const size = arrange(items, gap, 1.6);
      items.forEach((item) => { item.y += h; });
      w = Math.max(w, size[0]); h += size[1] + gap;
    }
  if (box.devices.length) {
    const columns = Math.max(1, Math.floor((w + gap) / (device + gap)));
    box.devices.forEach((d, i) => { d.x = i % columns * (device + gap); d.y = h + Math.floor(i / columns) * (high + gap); });
    w = Math.max(w, Math.min(columns, box.devices.length) * (device + gap) - gap);
    h += Math.ceil(box.devices.length / columns) * (high + gap);
  }
  box.w = Math.max(w, 7 * box.name.length) + 2 * gap;
  box.h = h + gap / 2;
}

const onColour = (c) => 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] > 110 ? "#000" : "#fff";

function drawBox(box, x, y, spot) {
  const {gap} = SIDE, parts = [make("rect", {svg: 1, class: "box", x, y, width: box.w, height: box.h, rx: 4}),
    make("text", {svg: 1, x: x + gap, y: y + 13}, box.name)];
  for (const inner of box.inner) parts.push(...drawBox(inner, x + gap + inner.x, y + inner.y, spot));
  for (const s of box.spots || []) parts.push(spot(s, x + gap + s.x, y + s.y, SIDE.leaf));
  for (const d of box.devices) parts.push(spot(d, x + gap + d.x, y + d.y, SIDE.device));
  return parts;
}

// Six numbers a rank: page's node_topology.c.
function ranksOn(node, when) {
  const list = [], six = node[when];
  for (let i = 0; i < six.length; i += 6)
    list.push({rank: six[i], cpus: data.inside.cpus[six[i + 1]] || "", inside: six[i + 2], outside: six[i + 3], gpu: six[i + 4],
      nic: six[i + 5] < 0 ? "" : data.inside.nic[when === "before" ? 0 : 1][six[i + 5]]});
  return list;
}

function nodePicture(node, when, most) {
  const shape = data.inside.shape[node.shape], devices = node.device < 0 ? [] : data.inside.device[node.device];
  const ranks = ranksOn(node, when), box = boxesOf(shape, devices, node.name), on = new Map();
  const put = (key, rank) => on.set(key, [...(on.get(key) || []), rank]);
  for (const rank of ranks) {
    const cpus = new Set(numbersOf(rank.cpus));
    box.leaves.forEach((leaf) => { if (shape.cpus[leaf].some((cpu) => cpus.has(cpu))) put("leaf" + leaf, rank); });
    devices.forEach((d, i) => { if (d.kind === "GPU" ? i === rank.gpu : rank.nic && d.name === rank.nic) put("device" + i, rank); });
  }
  const loose = ranks.filter((rank) => !rank.cpus || !box.leaves.length).map((rank) => rank.rank);
  const words = (list) => list.map((r) => r.rank).join(",");
  function spot(s, x, y, width) {
    const has = on.get((s.kind ? "device" : "leaf") + s.number) || [], out = Math.max(0, ...has.map((r) => r.outside));
    const fill = has.length ? colour(0.15 + 0.85 * out / most) : null, what = s.kind || shape.leaf;
    const name = s.kind === "GPU" ? "GPU " + s.number + (s.model ? " " + s.model : "") : s.kind ? "NIC " + s.name : what + " " + s.number;
    const label = s.kind === "GPU" ? "GPU " + s.number : s.kind ? s.name || "NIC" : "";
    const text = label ? label + (has.length ? ": " + words(has) : "") : words(has), room = Math.floor((width - 6) / 6.6);
    const part = make("g", {svg: 1}, make("rect", {svg: 1, class: has.length ? "" : "empty", x, y, width, height: SIDE.high, rx: 3,
      ...(fill ? {fill: "rgb(" + fill + ")"} : {})}),
      make("text", {svg: 1, x: x + width / 2, y: y + 19, "text-anchor": "middle", ...(fill ? {style: "fill:" + onColour(fill)} : {})},
        text.length > room ? text.slice(0, room - 1) + "\u2026" : text),
      make("title", {svg: 1}, name + (s.kind || shape.leaf !== "core" ? "" : ", CPUs " + shape.cpus[s.number].join(",")) +
        (has.length ? has.map((r) => "; rank " + r.rank + ": " + short(r.inside) + "B on the node, " + short(r.outside) + "B with others").join("") : ": no rank")));
    return part;
  }
  measure(box);
  const svg = make("svg", {svg: 1, class: "inside", viewBox: "-1 -1 " + (box.w + 2) + " " + (box.h + 2),
    style: "max-width:" + Math.round(box.w) + "px;min-width:" + Math.round(0.7 * box.w) + "px",
    role: "img", "aria-label": "The inside of " + node.name + ", " + when + ": the table below has the same"}, ...drawBox(box, 0, 0, spot));
  return make("figure", {}, make("figcaption", {}, when === "before" ? "before: " + data.start : "after"),
    make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "Picture of " + node.name + ", " + when}, svg),
    loose.length ? make("p", {class: "note"}, "Bound to no CPUs that are known: ranks " + loose.join(", ")) : "");
}

function nodeTable(node) {
  const [before, after] = ["before", "after"].map((when) => new Map(ranksOn(node, when).map((r) => [r.rank, r])));
  const ranks = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  const has = [...before.values(), ...after.values()], or = (r, value) => r ? value(r) || "\u2013" : "\u2013";
  const bytes = (r, part) => r ? r[part] : null, shownBytes = (v) => v === null ? "\u2013" : short(v) + "B";
  const columns = [["rank", (r) => r],
    ["inside before", (r) => bytes(before.get(r), "inside"), shownBytes], ["inside after", (r) => bytes(after.get(r), "inside"), shownBytes],
    ["outside before", (r) => bytes(before.get(r), "outside"), shownBytes], ["outside after", (r) => bytes(after.get(r), "outside"), shownBytes],
    [data.inside.database ? "CPUs before" : "place before", (r) => or(before.get(r), (x) => x.cpus)],
    [data.inside.database ? "CPUs after" : "place after", (r) => or(after.get(r), (x) => x.cpus)],
    ...(has.some((r) => r.gpu >= 0) ? [["GPU before", (r) => or(before.get(r), (x) => x.gpu < 0 ? "" : String(x.gpu))],
      ["GPU after", (r) => or(after.get(r), (x) => x.gpu < 0 ? "" : String(x.gpu))]] : []),
    ...(has.some((r) => r.nic) ? [["NIC after", (r) => or(after.get(r), (x) => x.nic)]] : [])];
  return table("inside", "Ranks of " + node.name + ": what they send and receive inside of the node and outside",
    columns.map((c) => c[0]), ranks.map((r) => columns.map((c) => c[1](r))), columns.map((c) => c[2]), -1);
}

function insideNodes() {
  const inside = data.inside;
  if (!inside || !inside.node.length) return;
  if (inside.node.every((n) => n.shape < 0 && n.device < 0)) {
    section("Inside a node", make("p", {class: "note"},
      "The database does not know what these nodes have inside: lstopo's XML tells it (topomap db import hwloc)."));
    return;
  }
  let most = 1;
  for (const node of inside.node)
    for (const when of ["before", "after"])
      for (let i = 3; i < node[when].length; i += 6) most = Math.max(most, node[when][i]);
  const select = make("select", {id: "node"}, ...inside.node.map((n, i) => make("option", {value: i}, n.name)));
  const step = (by) => { select.selectedIndex = Math.min(inside.node.length - 1, Math.max(0, select.selectedIndex + by)); show(); };
  const place = make("div", {id: "inside-of"});
  function show() {
    const node = inside.node[select.selectedIndex];
    place.replaceChildren(make("div", {class: "pair"}, ...["before", "after"].map((when) => nodePicture(node, when, most))), nodeTable(node));
  }
  select.addEventListener("change", show);
  section("Inside a node", make("p", {class: "note"}, "Numbers in boxes are ranks; a box is lighter the more its rank sends to other nodes and receives from them, up to " +
      short(most) + "B." + (inside.left_out ? " The " + inside.left_out + " nodes that send and receive least are left out." : "")),
    make("div", {class: "tools"}, make("label", {}, "Node ", select), make("button", {type: "button", onclick: () => step(-1)}, "Previous node"),
      make("button", {type: "button", onclick: () => step(1)}, "Next node")), place);
  show();
}
