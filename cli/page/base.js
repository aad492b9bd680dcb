// What all of the page draws with. The files of this folder are one script: this one, the parts, page.js.
const all = JSON.parse(document.getElementById("data").textContent);
let data = all.a || all;
const main = document.querySelector("main");

// Elements; texts are never markup.
function make(tag, attributes, ...children) {
  const svg = ["svg", "g", "path", "rect", "text", "line", "title"].includes(tag) && attributes && attributes.svg;
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
  const scale = value >= 1 || value === 0 ? [1, "s"] : value >= 1e-3 ? [1e3, "ms"] : value >= 1e-6 ? [1e6, "\u00b5s"] : [1e9, "ns"];
  return Number((value * scale[0]).toPrecision(4)) + " " + scale[1];
}
function shown(value, unit) {
  if (value === null) return "\u2013";
  return unit === "s" ? seconds(value) : unit === "bytes" ? short(value) + "B" : short(value);
}
function change(before, after) {
  if (before === null || after === null) return "\u2013";
  if (!(before > 0)) return after > 0 ? "more" : "unchanged";
  const percent = 100 * (after - before) / before;
  return percent === 0 ? "unchanged" : Math.abs(percent).toFixed(1) + " % " + (percent < 0 ? "lower" : "higher");
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

// Rows are made as far as they are looked at: 20,000 of them are not drawn at once.
const PIECE = 200;
function table(id, caption, everyName, everyRow, showAll, sortedBy) {
  // A column of which nothing is known is none.
  const known = everyName.map((_, i) => i).filter((i) => !everyRow.length || everyRow.some((r) => r[i] !== ""));
  const [names, show] = [everyName, showAll].map((list) => known.map((i) => list[i])), sorted = known.indexOf(sortedBy);
  const rows = known.length === everyName.length ? everyRow : everyRow.map((r) => known.map((i) => r[i]));
  const body = make("tbody", {}), box = make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption});
  let order = rows.map((_, i) => i), drawn = 0, filter = "", column = -1, down = true;
  const text = (value, i) => show[i] ? show[i](value) : String(value);
  const numeric = names.map((_, i) => rows.some((r) => typeof r[i] === "number"));
  const heads = names.map((name, i) => make("th", {scope: "col", class: numeric[i] ? "n" : ""},
    make("button", {type: "button", onclick: () => sort(i, i === column ? !down : numeric[i])}, name)));
  function more() {
    for (const end = Math.min(order.length, drawn + PIECE); drawn < end; drawn++)
      body.append(make("tr", {}, ...rows[order[drawn]].map((v, i) => make("td", {class: numeric[i] ? "n" : ""}, text(v, i)))));
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
      const by = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", {numeric: true});
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
    const quote = (v) => v === null ? "" : /[",\n]/.test(String(v)) ? "\"" + String(v).replace(/"/g, "\"\"") + "\"" : String(v);
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
