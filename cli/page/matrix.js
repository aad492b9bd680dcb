// Who talks to whom.
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
