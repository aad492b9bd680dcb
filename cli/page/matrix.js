// Who talks to whom: a square of ranks, or of their places by node, whole or a part of it.
const SIDE_PIXELS = 512, VIEW_CELLS = 256;

// All that is known, as rows, columns and bytes in cells of `each` ranks: page's pairs.c.
function finest(m, pairs) {
  if (pairs) return pairsOf(m, pairs);
  if (m.finer) {
    const count = m.finer.cell.length / 2, made = {each: m.finer.each, rows: new Uint32Array(count), columns: new Uint32Array(count), bytes: new Float64Array(count)};
    for (let i = 0, at = 0; i < count; i++) {
      at += m.finer.cell[2 * i];
      made.rows[i] = Math.floor(at / m.finer.cells);
      made.columns[i] = at % m.finer.cells;
      made.bytes[i] = m.finer.cell[2 * i + 1];
    }
    return made;
  }
  const part = (k) => m.bytes.filter((_, i) => i % 3 === k);
  return {each: m.each, rows: part(0), columns: part(1), bytes: part(2)};
}

function pairsOf(m, pairs) {
  const count = (pairs.arc.length - m.ranks) / 2, {arc} = pairs;
  const made = {each: 1, rows: new Uint32Array(count), columns: new Uint32Array(count), bytes: new Float64Array(count)};
  for (let i = 0, rank = 0, at = 0; i < arc.length; rank++)
    for (let left = arc[i++], target = 0; left > 0; left--, at++) {
      target += arc[i++];
      made.rows[at] = m.place ? m.place[rank] : rank;
      made.columns[at] = m.place ? m.place[target] : target;
      made.bytes[at] = pairs.value.length ? pairs.value[arc[i]] : arc[i];
      i++;
    }
  return made;
}

// The part of it that a view shows: at most VIEW_CELLS a side.
function cellsOf(m, fine, view) {
  const whole = view.size === m.ranks && m.bytes, from = whole ? {each: m.each} : fine;
  const across = Math.ceil(view.size / from.each), step = whole ? 1 : Math.ceil(across / VIEW_CELLS);
  const last = Math.max(0, Math.ceil(m.ranks / from.each) - across), begin = (v) => Math.min(Math.ceil(v / from.each), last);
  const made = {each: from.each * step, side: Math.ceil(across / step), row: begin(view.row), column: begin(view.column),
    bytes: new Map(), least: Infinity, most: 0};
  if (whole) {
    for (let i = 0; i < m.bytes.length; i += 3) made.bytes.set(m.bytes[i] * made.side + m.bytes[i + 1], m.bytes[i + 2]);
  } else {
    for (let i = 0; i < fine.rows.length; i++) {
      const row = Math.floor((fine.rows[i] - made.row) / step), column = Math.floor((fine.columns[i] - made.column) / step);
      if (row < 0 || column < 0 || row >= made.side || column >= made.side || !fine.bytes[i]) continue;
      const key = row * made.side + column;
      made.bytes.set(key, (made.bytes.get(key) || 0) + fine.bytes[i]);
    }
  }
  for (const value of made.bytes.values()) { made.least = Math.min(made.least, value); made.most = Math.max(made.most, value); }
  made.row *= from.each;
  made.column *= from.each;
  return made;
}

// As many pixels as the canvas has on the screen, so that none of its thin lines falls between two.
function drawCells(canvas, m, cells, at) {
  const side = Math.max(cells.side, Math.round((canvas.clientWidth || SIDE_PIXELS) * window.devicePixelRatio)), context = canvas.getContext("2d");
  const edge = (cell) => Math.round(cell * side / cells.side);
  const square = (row, column, paint) => paint.call(context, edge(column), edge(row), edge(column + 1) - edge(column), edge(row + 1) - edge(row));
  const span = Math.log(cells.most / cells.least), ramp = Array.from({length: 256}, (_, i) => "rgb(" + colour(0.2 + 0.8 * i / 255) + ")");
  canvas.width = canvas.height = side;
  for (const [key, value] of cells.bytes) {
    context.fillStyle = ramp[span > 0 ? Math.round(255 * Math.log(value / cells.least) / span) : 255];
    square(Math.floor(key / cells.side), key % cells.side, context.fillRect);
  }
  // Domains last and in dashes: what is below them is seen, too.
  for (const [bounds, style, dash, apart] of [[m.nodes, "rgba(128,128,128,.35)", 0, 8], [m.groups, "rgba(255,90,90,.7)", 0, 8],
    [m.dragonfly, "rgba(255,170,60,.8)", 0, 16], [m.domains, "rgb(90,225,255)", 6, 8]])
    for (const [begin, box] of [[cells.row, (p, from, length) => [from, p, length, 1]], [cells.column, (p, from, length) => [p, from, 1, length]]]) {
      const seen = bounds.filter((b) => b > begin && b < begin + cells.side * cells.each), length = dash || side;
      context.fillStyle = style;
      if (seen.length * apart > side) continue;
      for (const b of seen)
        for (let from = 0; from < side; from += 2 * length) context.fillRect(...box(edge((b - begin) / cells.each), from, length));
    }
  if (!at) return;
  context.strokeStyle = "#e0559a";
  context.lineWidth = 2;
  square(at[0], at[1], context.strokeRect);
}

// `plan` is what the matrix is of; `which` of its moments, -1: ranks in their own order; views of one `link` move together.
function matrix(m, plan, which, link) {
  const least = Math.min(m.ranks, Math.max(8 * (plan.pairs ? 1 : m.finer ? m.finer.each : m.each), 8)), view = link.view;
  const canvas = make("canvas", {role: "img", tabindex: "0", "aria-label": "Communication matrix " + m.name +
    ": a row sends, a column receives. Arrow keys point at a cell, plus and minus zoom, 0 shows the whole"});
  const out = make("output", {});
  let fine = null, cells, at = null, rankAt = null, grip = null;
  function draw() {
    if ((view.size < m.ranks || !m.bytes) && !fine) fine = finest(m, plan.pairs);
    cells = cellsOf(m, fine, view);
    at = at && at.map((v) => Math.min(v, cells.side - 1));
    drawCells(canvas, m, cells, document.activeElement === canvas ? at : null);
  }
  // A rank, its node; or several.
  function nameOf(cell, begin) {
    const first = begin + cell * cells.each, last = Math.min(m.ranks, first + cells.each) - 1;
    if (which < 0) return (first === last ? "rank " : "ranks ") + first + (first === last ? "" : "\u2013" + last);
    if (first < last || !m.place) return "place" + (first === last ? " " : "s ") + first + (first === last ? "" : "\u2013" + last);
    if (!rankAt) { rankAt = []; m.place.forEach((p, rank) => { rankAt[p] = rank; }); }
    const rank = rankAt[first], node = plan.rank && plan.rank[rank][which];
    return "rank " + rank + (plan.rank ? " on " + (plan.names ? plan.names[node] : plan.node[node].name) : "");
  }
  function tell() {
    const part = view.size < m.ranks ? "; " + Math.min(view.size, m.ranks) + " of " + m.ranks + " a side" : "";
    out.textContent = (at ? nameOf(at[0], cells.row) + " \u2192 " + nameOf(at[1], cells.column) + ": " +
      short(cells.bytes.get(at[0] * cells.side + at[1]) || 0) + "B" : "") + (at ? part : part.slice(2));
  }
  const again = () => { for (const one of link.draw) one(); };
  function look(row, column, size) {
    view.size = size;
    view.row = Math.round(Math.min(Math.max(0, row), m.ranks - size));
    view.column = Math.round(Math.min(Math.max(0, column), m.ranks - size));
    again();
  }
  // Around a spot, which stays where it is; by default what is pointed at, else the middle.
  function zoom(by, spot) {
    const size = Math.round(Math.min(m.ranks, Math.max(least, view.size * by)));
    const share = spot || (at ? at.map((v) => (v + 0.5) / cells.side) : [0.5, 0.5]);
    if (size !== view.size) look(view.row + share[0] * (view.size - size), view.column + share[1] * (view.size - size), size);
  }
  const shares = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientY - box.top) / box.height, (event.clientX - box.left) / box.width].map((v) => Math.min(0.9999, Math.max(0, v)));
  };
  function point(event) {
    if (!cells) return;
    const share = shares(event);
    if (grip && event.buttons === 1 && view.size < m.ranks) {
      look(grip.row + (grip.share[0] - share[0]) * view.size, grip.column + (grip.share[1] - share[1]) * view.size, view.size);
      return;
    }
    at = share.map((v) => Math.floor(v * cells.side));
    tell();
  }
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", (event) => { grip = {row: view.row, column: view.column, share: shares(event)}; point(event); });
  canvas.addEventListener("pointerup", () => { grip = null; });
  canvas.addEventListener("dblclick", (event) => zoom(0.5, shares(event)));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return; // the page's own scrolling
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, shares(event));
  }, {passive: false});
  canvas.addEventListener("keydown", (event) => {
    const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    const by = {"+": 0.5, "=": 0.5, "-": 2, "0": Infinity}[event.key];
    if ((!move && !by) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!cells) draw();
    if (by) { zoom(by); tell(); return; }
    const to = (at || [0, 0]).map((v, i) => v + (at ? move[i] : 0));
    if (to.some((v) => v < 0 || v >= cells.side)) look(view.row + move[0] * cells.each, view.column + move[1] * cells.each, view.size);
    at = to.map((v) => Math.min(cells.side - 1, Math.max(0, v)));
    draw();
    tell();
  });
  canvas.addEventListener("focus", draw);
  canvas.addEventListener("blur", draw);
  link.draw.push(() => { draw(); tell(); });
  setTimeout(() => { if (!cells) draw(); }); // the page is there first
  window.addEventListener("resize", () => { if (cells) draw(); });
  const button = (text, by) => make("button", {type: "button", "aria-label": text + ": " + m.name, onclick: () => zoom(by)}, text);
  return make("figure", {}, make("figcaption", {}, m.name), canvas, out,
    make("div", {class: "tools"}, button("Zoom in", 0.5), button("Zoom out", 2), button("Whole", Infinity)));
}

const linkOf = (m) => ({view: {row: 0, column: 0, size: m.ranks}, draw: []});

function matrices() {
  const m = data.matrices[0], both = linkOf(m);
  section("Who talks to whom", make("p", {class: "note"}, "A row sends, a column receives, as light as it is much" +
    (m.most > 0 ? ": " + short(m.least) + "B to " + short(m.most) + "B a cell, on a logarithmic scale" : "") +
    (m.each > 1 ? "; " + m.each + " ranks a cell of the whole" : "") +
    ". Grey lines are between nodes, red ones between switches" +
    (data.matrices.some((one) => one.dragonfly.length) ? ", orange ones between a dragonfly's groups" : "") +
    (data.matrices.some((one) => one.domains.length) ? ", dashed blue ones between NVLink domains" : "") + ". Point at a cell, or use the arrow keys; zoom with the buttons, plus and minus, or the wheel (once clicked, or with Ctrl), and drag."),
    make("div", {class: "matrices"}, ...data.matrices.map((one, i) => matrix(one, data, i - 1, i ? both : linkOf(m)))));
}
