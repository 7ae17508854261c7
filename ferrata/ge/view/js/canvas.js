// The drawing: boxes, edges, what is under the pointer. It knows the state, and nothing of the panels.
const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
const view = { x: 0, y: 0, scale: 1 };
let picture = null;  // what place() made of the state
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let ink = {};

function readColours() {
  ink = {};
  for (const name of ["back", "card", "line", "text", "soft", "accent", "accent-soft", "edge", "edge-hot", "group", "group-line"]) ink[name] = css(`--${name}`);
  for (const kind of ["input", "const", "library", "aten", "custom", "host", "control", "cluster"]) ink[kind] = css(`--k-${kind}`);
}

const MAKERS = ["#1f9d78", "#d08a1d", "#5b8def", "#c2418d", "#7a5af0", "#0f8fb3", "#b4552d", "#68788c"];
// cold to hot on both backgrounds
const heat = (part) => `hsl(${Math.round(210 - 200 * Math.min(1, part))} 70% ${document.documentElement.classList.contains("dark") ? 58 : 46}%)`;

function colourOf(item) {
  const graph = state.graph;
  if (state.colour === "time") return item.x || item.time ? heat(Math.sqrt((item.module ? item.time : item.x) / (graph.slowest || 1))) : ink.const;
  if (state.colour === "memory") return item.bytes ? heat(Math.sqrt(item.bytes / (graph.largest || 1))) : ink.const;
  if (state.colour === "maker") return item.module ? ink.soft : MAKERS[state.makers.indexOf(item.m || "") % MAKERS.length] || ink.soft;
  if (!item.module) return ink[item.k];
  const top = Object.entries(item.kinds).filter(([k]) => !["input", "const", "host"].includes(k)).sort((a, b) => b[1] - a[1])[0];
  return top ? ink[top[0]] : ink.const;
}

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; paint(); });
}

function paint() {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  if (!picture) return;
  pen.translate(view.x, view.y);
  pen.scale(view.scale, view.scale);
  const window_ = { left: -view.x / view.scale, top: -view.y / view.scale, right: (w - view.x) / view.scale, bottom: (h - view.y) / view.scale };
  const visible = (box) => box.x < window_.right && box.x + box.w > window_.left && box.y < window_.bottom && box.y + box.h > window_.top;
  for (const box of picture.boxes) if (box.open && visible(box)) paintModule(box);
  paintEdges(window_);
  for (const box of picture.boxes) if (!box.open && visible(box)) paintBox(box);
}

function rounded(x, y, w, h, r) { pen.beginPath(); pen.roundRect(x, y, w, h, r); }

function paintModule(box) {
  const chosen = state.selected === box.item;
  rounded(box.x, box.y, box.w, box.h, 10);
  pen.fillStyle = ink.group;
  pen.globalAlpha = document.documentElement.classList.contains("dark") ? 0.75 : 0.65;
  pen.fill();
  pen.globalAlpha = 1;
  pen.lineWidth = chosen ? 2 : 1;
  pen.strokeStyle = chosen ? ink.accent : ink["group-line"];
  pen.stroke();
  if (view.scale * 12 < 5) return;
  pen.fillStyle = ink.soft;
  pen.font = `600 12px ${FONT}`;
  pen.textBaseline = "middle";
  pen.fillText(`▾ ${titleOf(box.item)}`, box.x + 10, box.y + 15);
  const name = widthOf(`▾ ${titleOf(box.item)}`, true);
  pen.font = `400 11px ${FONT}`;
  pen.fillText(`${box.item.count}${box.item.time ? ` · ${timeText(box.item.time)}` : ""}`, box.x + 18 + name, box.y + 15);
}

function paintEdges(window_) {
  const hot = [];
  const chosen = state.selected;
  const wide = new Set();
  if (chosen && !chosen.module) { wide.add(chosen.id); }
  for (const edge of picture.edges) {
    if (chosen && (edge.a === chosen || edge.b === chosen || edge.pairs.some(([f, t]) => wide.has(f) || wide.has(t)))) { hot.push(edge); continue; }
    trace(edge, window_, false);
  }
  for (const edge of hot) trace(edge, window_, true);
}

function trace(edge, window_, hot) {
  const points = edge.points, first = points[0], last = points[points.length - 1];
  const top = Math.min(first[1], last[1]), bottom = Math.max(first[1], last[1]);
  if (bottom < window_.top || top > window_.bottom) return;
  pen.beginPath();
  pen.moveTo(first[0], first[1]);
  for (let i = 1; i < points.length; i++) {
    const [px, py] = points[i - 1], [x, y] = points[i], middle = (py + y) / 2;
    if (Math.abs(px - x) < 0.5) pen.lineTo(x, y); else pen.bezierCurveTo(px, middle, x, middle, x, y);
  }
  pen.strokeStyle = hot ? ink["edge-hot"] : ink.edge;
  pen.lineWidth = (hot ? 2 : 1.1) / Math.max(0.6, Math.min(1, view.scale));
  pen.globalAlpha = hot ? 1 : points.length > 8 ? 0.45 : 0.8;
  pen.stroke();
  if (view.scale > 0.35) {
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath(); pen.moveTo(last[0], last[1]); pen.lineTo(last[0] - 3.5, last[1] - 6); pen.lineTo(last[0] + 3.5, last[1] - 6); pen.fill();
  }
  pen.globalAlpha = 1;
}

function paintBox(box) {
  const item = box.item, colour = colourOf(item), chosen = state.selected === item, found = state.found.size > 0;
  const dim = found && !matches(item);
  pen.globalAlpha = dim ? 0.3 : 1;
  rounded(box.x, box.y, box.w, box.h, box.h < 30 ? 12 : 7);
  pen.fillStyle = ink.card;
  pen.fill();
  if (item.module) { pen.globalAlpha *= 0.14; pen.fillStyle = colour; pen.fill(); pen.globalAlpha = dim ? 0.3 : 1; }
  pen.lineWidth = chosen ? 2.5 : found && !dim ? 2 : 1;
  pen.strokeStyle = chosen || (found && !dim) ? ink.accent : item.module ? colour : ink.line;
  if (item.module && !chosen) pen.setLineDash([5, 3]);
  pen.stroke();
  pen.setLineDash([]);
  pen.save();
  rounded(box.x, box.y, box.w, box.h, box.h < 30 ? 12 : 7);
  pen.clip();
  pen.fillStyle = colour;
  pen.fillRect(box.x, box.y, item.module ? 0 : 4, box.h);
  pen.restore();
  if (view.scale * 12 >= 4.5) {
    pen.textBaseline = "middle";
    pen.fillStyle = ink.text;
    pen.font = `600 12.5px ${FONT}`;
    const lines = box.h < 30 ? 1 : 2;
    pen.fillText(`${item.module ? "▸ " : ""}${short(titleOf(item), item.module ? 36 : 38)}`, box.x + (item.module ? 9 : 13), box.y + (lines === 1 ? box.h / 2 : 14));
    if (lines === 2) {
      pen.fillStyle = ink.soft;
      pen.font = `400 11px ${FONT}`;
      const extra = state.colour === "time" && (item.x || item.time) ? timeText(item.module ? item.time : item.x) : "";
      pen.fillText(short(extra || secondOf(item), 44), box.x + (item.module ? 9 : 13), box.y + 30);
    }
    if (item.s) { pen.fillStyle = ink.control; pen.fillText("⧉", box.x + box.w - 16, box.y + 14); }
  }
  pen.globalAlpha = 1;
}

// The box at a place of the window, innermost first.
function boxAt(px, py) {
  const x = (px - view.x) / view.scale, y = (py - view.y) / view.scale;
  let hit = null;
  for (const box of picture.boxes) if (x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h && (!hit || box.depth >= hit.depth)) hit = box;
  return hit;
}

// The whole graph; at the start, if that would be too small to read, its top at a readable size.
function fit(readable = false) {
  const w = canvas.clientWidth, h = canvas.clientHeight, margin = 26, wide = (w - 2 * margin) / picture.w;
  const whole = Math.min(1.2, wide, (h - 2 * margin) / picture.h);
  view.scale = Math.max(0.02, readable ? Math.max(whole, Math.min(0.8, Math.max(wide, 0.45))) : whole);
  view.x = (w - picture.w * view.scale) / 2;
  view.y = picture.h * view.scale > h ? margin : (h - picture.h * view.scale) / 2;
  if (readable && picture.w * view.scale > w) { const first = picture.boxes.find((box) => !box.open); if (first) view.x = w / 2 - (first.x + first.w / 2) * view.scale; }
  draw();
}

// Bring a box into the middle unless it can be seen well.
function reveal(item) {
  const box = picture.at.get(item);
  if (!box) return;
  const w = canvas.clientWidth, h = canvas.clientHeight;
  const x = box.x * view.scale + view.x, y = box.y * view.scale + view.y;
  if (view.scale < 0.5) view.scale = 0.8;
  else if (x > 60 && y > 40 && x + box.w * view.scale < w - 60 && y + Math.min(box.h * view.scale, 60) < h - 60) return draw();
  view.x = w / 2 - (box.x + box.w / 2) * view.scale;
  view.y = h / 2 - (box.y + Math.min(box.h / 2, 40)) * view.scale;
  draw();
}

function zoom(factor, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) {
  const scale = Math.min(3, Math.max(0.02, view.scale * factor));
  view.x = px - (px - view.x) * (scale / view.scale);
  view.y = py - (py - view.y) * (scale / view.scale);
  view.scale = scale;
  draw();
}
