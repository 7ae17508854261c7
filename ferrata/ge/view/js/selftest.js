// With #selftest in the address the page drives itself as a person would and writes what it saw into the document.
// #set=... only sets it up: selected node, tab, theme, language; screenshots are made with it.
function selftest() {
  const seen = {}, expect = (name, value) => { seen[name] = value; };
  const press = (key, target = document) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const type = (text) => { $("search").value = text; $("search").dispatchEvent(new Event("input")); };
  const click = (item) => {
    const box = picture.at.get(item), at = canvas.getBoundingClientRect();
    const x = (box.x + box.w / 2) * view.scale + view.x, y = (box.y + 12) * view.scale + view.y;
    const event = { clientX: at.left + x, clientY: at.top + y, bubbles: true, pointerId: 1 };
    try { canvas.dispatchEvent(new PointerEvent("pointerdown", event)); } catch (failure) { if (failure.name !== "NotFoundError") throw failure; }
    canvas.dispatchEvent(new PointerEvent("pointerup", event));
  };
  expect("nodes", state.graph.nodes.length);
  expect("modules", state.root.modules.length);
  expect("overlaps", overlaps());
  const visible = () => picture.boxes.filter((box) => !box.open).length;
  expect("visibleAtFirst", visible());
  $("fold").click();
  expect("visibleFolded", visible());
  const began = performance.now();
  $("unfold").click();
  expect("layoutMs", Math.round(performance.now() - began));
  expect("visibleUnfolded", visible());
  expect("overlapsUnfolded", overlaps());
  expect("backwardEdges", picture.edges.filter((edge) => edge.points[0][1] > edge.points[edge.points.length - 1][1] + 1).length);
  const wanted = state.graph.nodes.find((node) => node.l && state.root.shown.has(node.id)) || state.graph.nodes[0];
  $("fold").click();
  type(wanted.t);
  expect("found", state.found.size);
  expect("listed", document.querySelectorAll("#list .row").length);
  press("Enter", $("search"));
  expect("selectedBySearch", state.selected.t === wanted.t);
  expect("details", document.querySelector("#details h2").textContent === state.selected.n);
  press("Escape", $("search"));
  expect("cleared", state.found.size);
  const other = picture.boxes.filter((box) => !box.open && !box.item.module).pop().item;
  reveal(other);
  click(other);
  expect("selectedByClick", state.selected === other);
  expect("line", (document.querySelector("#details").textContent || "").includes(other.l || ""));
  const before = visible();
  if (state.root.modules.length) { const module = state.root.modules.find((m) => m.items.length && picture.at.has(m)); toggle(module); expect("toggled", visible() !== before); toggle(module); }
  selectNode(state.graph.nodes[state.graph.nodes.length - 1].id);
  press("ArrowUp");
  expect("arrow", state.selected && !state.selected.module ? state.selected.n : null);
  for (const tab of Object.keys(TABS)) { if (state.tab !== tab) $(`tab-${tab}`).click(); expect(`tab_${tab}`, ($("panel").textContent || "").length + $("panel").querySelectorAll("canvas").length); }
  expect("diffLines", state.program.passes.reduce((sum, pass) => sum + pass.diff.length, 0));
  for (const colour of ["time", "memory", "maker", "kind"]) { $("colour").value = colour; $("colour").dispatchEvent(new Event("change")); paint(); }
  const start = language;
  $("language").click();
  expect("otherLanguage", $("fit").textContent);
  if (language !== start) $("language").click();
  const dark = document.documentElement.classList.contains("dark");
  $("theme").click();
  expect("themeChanged", document.documentElement.classList.contains("dark") !== dark);
  const subgraphs = state.program.graphs.map((entry, i) => [entry, i]).filter(([entry]) => entry.role === "sub");
  for (const [, i] of subgraphs) show(state.programIndex, i);
  expect("subgraphs", subgraphs.length);
  if (subgraphs.length) { document.querySelector("#crumbs a").click(); expect("back", state.graphIndex === subgraphs[subgraphs.length - 1][0].owner[0]); }
  DATA.programs.forEach((program, p) => program.graphs.forEach((entry, g) => show(p, g)));
  paint();
  expect("drawn", new Set(pen.getImageData(0, 0, canvas.width, canvas.height).data).size > 8);
  return seen;
}

// Pairs of boxes that lie over each other without one being inside the other.
function overlaps() {
  const boxes = picture.boxes.filter((box) => !box.open).sort((a, b) => a.y - b.y);
  let count = 0;
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length && boxes[j].y < boxes[i].y + boxes[i].h - 1; j++)
      if (boxes[j].x < boxes[i].x + boxes[i].w - 1 && boxes[i].x < boxes[j].x + boxes[j].w - 1) count++;
  return count;
}

function setUp(wish) {
  if (wish.theme) { setTheme(wish.theme === "dark"); }
  if (wish.language) language = wish.language;
  if (wish.unfold) foldAll(false);
  if (wish.tab !== undefined) state.tab = wish.tab;
  if (wish.colour) state.colour = wish.colour;
  everything();
  if (wish.type) { const node = state.graph.nodes.find((n) => n.t === wish.type && (!wish.module || n.p.startsWith(wish.module))); if (node) selectNode(node.id); }
  if (wish.search) { $("search").value = wish.search; find(wish.search); listPanel(); }
  if (wish.whole) fit();
  if (wish.scale) { view.scale = wish.scale; if (state.selected) reveal(state.selected); }
  paint();
}

if (location.hash === "#selftest") {
  let result;
  try { result = { ok: true, ...selftest() }; } catch (failure) { result = { ok: false, error: `${failure}`, stack: `${failure.stack}` }; }
  const made = document.createElement("pre");
  made.id = "selftest";
  made.textContent = JSON.stringify(result);
  document.body.append(made);
} else if (location.hash.startsWith("#set=")) setUp(JSON.parse(decodeURIComponent(location.hash.slice(5))));
