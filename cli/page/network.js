// The network with its loads.
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
  // In a wide picture spots would be too small to be seen, or to be pointed at.
  const large = Math.max(1, p.width / 1600), edge = 4 * (large - 1);
  const svg = make("svg", {svg: 1, viewBox: -edge + " " + -edge + " " + (p.width + 2 * edge) + " " + (p.height + 2 * edge), role: "img", class: p.width > 4 * p.height ? "network flat" : "network",
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
      "stroke-width": load > 0 ? (0.6 + 2.4 * load / most).toFixed(2) : 0.3});
    path.append(make("title", {svg: 1}, a[0] + " \u2013 " + b[0] + ": " + shown(load, data.links.unit)));
    svg.append(path);
  }
  for (const [name, x, y, node] of p.vertex) {
    const size = node ? 5 * Math.min(large, 2) : 8 * large;
    const spot = make("rect", {svg: 1, x: x - size / 2, y: y - size / 2, width: size, height: size,
      class: node ? "node" : "switch"});
    spot.append(make("title", {svg: 1}, name));
    svg.append(spot);
  }
  return make("figure", {}, make("figcaption", {}, when === "before" ? "before: " + data.start : "after"),
    make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "The network " + when}, svg));
}

function picture() {
  const p = data.links.picture;
  if (!p) return "";
  return make("div", {}, make("p", {class: "note"}, "Cables are wider and lighter the more they carry" +
    (p.vertex.length < p.of ? "; " + p.of + " switches and nodes are drawn as " + p.vertex.length +
      " groups, and between two of them the cable that carries most" : "") + (p.left_out ? "; " + p.left_out + " that carry less are left out" : "") + ". Point at one."),
    make("div", {class: p.width > 2 * p.height ? "" : "pair"}, network("before"), network("after")));
}
