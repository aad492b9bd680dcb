// SPDX-License-Identifier: BSD-3-Clause
// What can be checked of a page by a script, after WCAG 2.1 AA (https://www.w3.org/TR/WCAG21/): contrast (1.4.3), names of
// controls and pictures (1.1.1, 4.1.2), headings in order (1.3.1), what scrolls or acts is reached by keys (2.1.1). What is
// wrong is listed in <pre id="checks">, as JSON.
"use strict";
(function () {
const wrong = [];
const say = (what, element) => wrong.push(what + ": " + (element.outerHTML || element.nodeName).slice(0, 160));
const all = (selector) => [...document.querySelectorAll(selector)];
const isSeen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden";

// ---- Contrast: relative luminance and its ratio, as WCAG defines them.
function parse(colour) {
  const c = (colour.match(/[\d.]+/g) || []).map(Number);
  return {rgb: c.slice(0, 3), alpha: colour === "transparent" ? 0 : c.length > 3 ? c[3] : 1};
}
function luminance(rgb) {
  const [r, g, b] = rgb.map((v) => { const s = v / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ratio(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
const over = (top, below) => top.rgb.map((v, i) => v * top.alpha + below[i] * (1 - top.alpha));
function behind(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
}
// Of a text in a picture: the shape that is drawn last below its middle.
function behindText(text) {
  const box = text.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  let below = behind(text.ownerSVGElement);
  for (const shape of text.ownerSVGElement.querySelectorAll("rect,circle")) {
    if (shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_PRECEDING) continue;
    const at = shape.getBoundingClientRect(), fill = getComputedStyle(shape).fill;
    if (fill !== "none" && x >= at.left && x <= at.right && y >= at.top && y <= at.bottom) below = over(parse(fill), below);
  }
  return below;
}
function contrasts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), done = new Set();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || done.has(element) || !isSeen(element) || ["SCRIPT", "STYLE", "TITLE", "OPTION"].includes(element.tagName.toUpperCase())) continue;
    done.add(element);
    const svg = element instanceof SVGElement, style = getComputedStyle(element);
    const ground = svg ? behindText(element) : behind(element), ink = over(parse(svg ? style.fill : style.color), ground);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio(ink, ground) < (large ? 3 : 4.5)) say("contrast " + ratio(ink, ground).toFixed(2), element);
  }
}

// ---- Names, headings, keys.
const isNamed = (e) => (e.getAttribute("aria-label") || "").trim() ||
  (e.getAttribute("aria-labelledby") || "").split(" ").some((id) => id && document.getElementById(id) && document.getElementById(id).textContent.trim());
function names() {
  for (const e of all("input,select,textarea")) if (!isNamed(e) && !(e.labels && [...e.labels].some((l) => l.textContent.trim()))) say("no label", e);
  for (const e of all("button,a[href]")) if (!isNamed(e) && !e.textContent.trim()) say("no name", e);
  for (const e of all("svg,canvas")) if (!e.closest("svg svg") && e.getAttribute("aria-hidden") !== "true" && (e.getAttribute("role") !== "img" || !isNamed(e))) say("picture without a name", e);
  for (const e of all("img")) if (!e.hasAttribute("alt")) say("no alt", e);
  for (const e of all("table")) if (!e.querySelector("caption") && !isNamed(e) && !e.closest("section[aria-labelledby],section:has(> h2)")) say("table without a name", e);
  for (const e of all("th")) if (!["col", "row"].includes(e.getAttribute("scope"))) say("th without scope", e);
  for (const e of all("[aria-labelledby]")) if (!isNamed(e)) say("aria-labelledby names nothing", e);
  const ids = all("[id]").map((e) => e.id);
  ids.forEach((id, i) => { if (ids.indexOf(id) !== i) wrong.push("id twice: " + id); });
  if (!document.documentElement.lang || !document.title.trim()) wrong.push("no lang or title");
  if (all("main").length !== 1) wrong.push("not one main");
}
function headings() {
  let last = 0;
  for (const e of all("h1,h2,h3,h4,h5,h6")) {
    const level = Number(e.tagName[1]);
    if (level > last + 1 || !e.textContent.trim()) say("heading out of order", e);
    last = level;
  }
  if (all("h1").length !== 1) wrong.push("not one h1");
}
function keys() {
  for (const e of all("[tabindex]")) if (Number(e.getAttribute("tabindex")) > 0) say("tabindex above 0", e);
  for (const e of all("[role=region],[role=application]")) if (!isNamed(e)) say("region without a name", e);
  for (const e of all("button,input,select,a[href],[tabindex='0']")) {
    if (!isSeen(e)) continue;
    e.focus();
    if (document.activeElement !== e) say("not reached by keys", e);
  }
  for (const e of all("main *")) {
    const style = getComputedStyle(e), scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
    if (scrolls && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.tabIndex < 0) say("scrolls, but not by keys", e);
  }
  // Nothing makes the whole page wider than the window.
  if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push("the page is " + document.documentElement.scrollWidth + " wide in a window of " + innerWidth);
}

contrasts();
names();
headings();
keys();
const list = document.createElement("pre");
list.id = "checks";
list.textContent = JSON.stringify(wrong);
document.body.append(list);
})();
