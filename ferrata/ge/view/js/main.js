// The state of the page, what changes it, and the events that do.
const state = {
  programIndex: 0, graphIndex: 0, program: null, graph: null, root: null, selected: null, found: new Set(), query: "", hit: -1,
  colour: "kind", constants: false, tab: "memory", pass: 0, makers: [],
};

function show(program, graph) {
  state.programIndex = program;
  state.graphIndex = graph;
  state.program = DATA.programs[program];
  state.graph = prepare(state.program.graphs[graph]);
  state.graph.slowest = Math.max(0, ...state.graph.nodes.map((node) => node.x || 0));
  state.graph.largest = Math.max(0, ...state.graph.nodes.map((node) => (["input", "const"].includes(node.k) ? 0 : node.bytes)));
  state.makers = [...new Set(state.graph.nodes.filter((node) => !["input", "const"].includes(node.k)).map((node) => node.m || ""))];
  state.selected = null;
  find("");
  document.getElementById("search").value = "";
  relayout(true);
  everything();
}

function relayout(whole) {
  state.root = moduleTree(state.graph, state.constants);
  picture = place(state.root);
  if (whole) fit(true); else draw();
}

function everything() { head(); legend(); listPanel(); detailsPanel(); tabsPanel(); draw(); }

function select(item, move = true) {
  state.selected = item;
  if (item && move) reveal(item);
  listPanel();
  detailsPanel();
  if (redrawChart) redrawChart(); else if (["program", "text"].includes(state.tab)) tabsPanel();
  draw();
}

// Select a node by number; modules around it unfold.
function selectNode(id) {
  const node = state.graph.nodes[id];
  if (!state.root.shown.has(id)) { state.constants = true; document.getElementById("constants").checked = true; relayout(false); }
  let changed = false;
  for (const m of ancestors(state.root.homes.get(id))) if (m.folded) { m.folded = false; changed = true; }
  if (changed) relayout(false);
  select(node);
}

// Fold or unfold a module; it stays where it is on the screen.
function toggle(module) {
  if (!module || !module.parent) return;
  const before = picture.at.get(module), x = before ? (before.x + before.w / 2) * view.scale + view.x : null, y = before ? before.y * view.scale + view.y : null;
  module.folded = !module.folded;
  if (module.folded && state.selected && !state.selected.module && ancestors(state.root.homes.get(state.selected.id)).includes(module)) state.selected = module;
  relayout(false);
  const after = picture.at.get(module);
  if (before && after) { view.x = x - (after.x + after.w / 2) * view.scale; view.y = y - after.y * view.scale; }
  listPanel();
  detailsPanel();
  draw();
}

function foldAll(folded) {
  state.root.modules.forEach((m) => { m.folded = folded && m.parent === state.root ? true : folded; });
  if (state.selected && !picture.at.has(state.selected)) state.selected = null;
  relayout(true);
  everything();
}

// The next node in a direction: a producer, a reader, or the neighbour in order of execution.
function step(key) {
  const item = state.selected;
  if (!item || item.module) { const first = item ? item.items.find((x) => !x.module) || item : state.graph.nodes.find((node) => node.k !== "const"); return select(first); }
  const shown = (id) => state.root.shown.has(id);
  if (key === "ArrowUp") { const from = item.i.map(([, id]) => id).filter(shown); if (from.length) selectNode(from[0]); }
  if (key === "ArrowDown") { const to = item.users.map(([id]) => id).filter(shown); if (to.length) selectNode(to[0]); }
  const turn = { ArrowLeft: -1, ArrowRight: 1 }[key];
  for (let id = item.id + turn; turn && id >= 0 && id < state.graph.nodes.length; id += turn) if (shown(id)) { selectNode(id); break; }
}

function nextHit(turn) {
  const hits = [...state.found];
  if (!hits.length) return;
  state.hit = (state.hit + turn + hits.length) % hits.length;
  selectNode(hits[state.hit]);
}

function resized() { draw(); if (redrawChart) redrawChart(); }

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  readColours();
}

// ---- events ----

const $ = (id) => document.getElementById(id);
$("graph").addEventListener("change", (event) => show(...event.target.value.split(":").map(Number)));
$("colour").addEventListener("change", (event) => { state.colour = event.target.value; legend(); draw(); });
$("constants").addEventListener("change", (event) => { state.constants = event.target.checked; state.selected = null; relayout(true); everything(); });
$("fold").addEventListener("click", () => foldAll(true));
$("unfold").addEventListener("click", () => foldAll(false));
$("fit").addEventListener("click", () => fit());
$("language").addEventListener("click", () => { language = language === "en" ? "zh" : "en"; relayout(false); everything(); });
$("theme").addEventListener("click", () => { setTheme(!document.documentElement.classList.contains("dark")); everything(); });
$("search").addEventListener("input", (event) => { find(event.target.value); listPanel(); draw(); });
$("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { nextHit(event.shiftKey ? -1 : 1); event.target.focus(); }
  if (event.key === "Escape") { event.target.value = ""; find(""); listPanel(); draw(); canvas.focus(); }
  event.stopPropagation();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "INPUT"].includes(document.activeElement.tagName)) return;
  const acts = {
    "/": () => { $("search").focus(); $("search").select(); }, f: () => toggle(state.selected && (state.selected.module ? state.selected : state.root.homes.get(state.selected.id))),
    0: () => fit(), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), Escape: () => { $("search").value = ""; find(""); select(null); },
    n: () => nextHit(1), Enter: () => nextHit(1),
  };
  if (event.key.startsWith("Arrow")) step(event.key); else if (acts[event.key]) acts[event.key](); else return;
  event.preventDefault();
});

let drag = null;
canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, moved: false }; canvas.setPointerCapture(event.pointerId); canvas.focus(); });
canvas.addEventListener("pointermove", (event) => {
  const hit = boxAt(event.offsetX, event.offsetY), tip = $("tip");
  if (drag) {
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (drag.moved || Math.abs(dx) + Math.abs(dy) > 4) { drag.moved = true; view.x += dx; view.y += dy; drag.x = event.clientX; drag.y = event.clientY; canvas.classList.add("drag"); draw(); }
  }
  canvas.classList.toggle("over", Boolean(hit));
  tip.style.display = hit && !hit.open && !drag ? "block" : "none";
  if (hit && !hit.open) {
    const item = hit.item;
    tip.textContent = item.module ? `${item.path}: ${item.count} ${word("nodes")}` : `${item.n} = ${item.t} → ${item.o.map((o) => o[1]).join(", ")}${item.l ? `\n${item.l}  ${item.c || ""}` : ""}`;
    tip.style.whiteSpace = "pre-wrap";
    tip.style.left = `${Math.min(event.offsetX + 14, canvas.clientWidth - 300)}px`;
    tip.style.top = `${Math.min(event.offsetY + 14, canvas.clientHeight - 70)}px`;
  }
});
canvas.addEventListener("pointerup", (event) => {
  const moved = drag && drag.moved;
  drag = null;
  canvas.classList.remove("drag");
  if (moved) return;
  const hit = boxAt(event.offsetX, event.offsetY);
  select(hit ? hit.item : null, false);
});
canvas.addEventListener("dblclick", (event) => {
  const hit = boxAt(event.offsetX, event.offsetY);
  if (hit && hit.item.module) toggle(hit.item);
  else if (hit && hit.item.s) show(state.programIndex, Object.values(hit.item.s)[0]);
});
canvas.addEventListener("pointerleave", () => { $("tip").style.display = "none"; });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey || Math.abs(event.deltaX) < Math.abs(event.deltaY)) zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY);
  else { view.x -= event.deltaX; draw(); }
}, { passive: false });
window.addEventListener("resize", resized);

setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
show(0, 0);
