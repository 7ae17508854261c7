// What stands around the drawing: the list of modules or hits, the details of what is selected, the tabs below.
const element = (tag, className = "", text = "") => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  return made;
};
const dot = (colour) => { const made = element("span", "dot"); made.style.background = colour; return made; };

// ---- left: modules, or what the search found ----

function matches(item) {
  if (!item.module) return state.found.has(item.id);
  return item.items.some(matches);
}

function find(text) {
  state.found = new Set();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  state.query = text;
  if (words.length)
    for (const node of state.graph.nodes) {
      const hay = [node.n, node.t, node.l, node.c, node.f, node.g, node.p, node.m, ...node.o.map((o) => o[1])].join(" ").toLowerCase();
      if (words.every((w) => hay.includes(w))) state.found.add(node.id);
    }
  state.hit = -1;
}

function listPanel() {
  const host = document.getElementById("list");
  host.replaceChildren();
  document.getElementById("hits").textContent = state.query ? String(state.found.size) : "";
  if (state.query) {
    for (const id of [...state.found].slice(0, 500)) {
      const node = state.graph.nodes[id], row = element("div", "row" + (state.selected === node ? " on" : ""));
      row.append(dot(ink[node.k]), element("span", "name", node.n), element("span", "more", node.t === node.n ? (node.o[0] || [])[1] || "" : node.t));
      row.addEventListener("click", () => selectNode(id));
      host.append(row);
    }
    return;
  }
  const rows = (module, depth) => {
    for (const item of module.items) {
      if (!item.module && (depth > 0 || module.items.length > 400) && item.k === "const") continue;
      const row = element("div", `row${item.module ? " module" : ""}${state.selected === item ? " on" : ""}`);
      row.style.paddingLeft = `${8 + depth * 13}px`;
      if (item.module) {
        const mark = element("span", "mark", item.folded ? "▸" : "▾");
        mark.addEventListener("click", (event) => { event.stopPropagation(); toggle(item); });
        row.append(mark, element("span", "name", titleOf(item)), element("span", "more", item.time ? timeText(item.time) : String(item.count)));
      } else row.append(element("span", "mark"), dot(ink[item.k]), element("span", "name", titleOf(item)), element("span", "more", item.x ? timeText(item.x) : ""));
      row.addEventListener("click", () => select(item));
      row.addEventListener("dblclick", () => item.module && toggle(item));
      host.append(row);
      if (item.module && !item.folded) rows(item, depth + 1);
    }
  };
  rows(state.root, 0);
  const chosen = host.querySelector(".on");
  if (chosen) chosen.scrollIntoView({ block: "nearest" });
}

// ---- right: details ----

function table(rows) {
  const made = element("table");
  for (const [name, value] of rows) {
    if (value === "" || value === undefined || value === null) continue;
    const row = element("tr"), right = element("td", "mono");
    if (value instanceof Node) right.append(value); else right.textContent = String(value);
    row.append(element("td", "", name), right);
    made.append(row);
  }
  return made;
}

function link(node, text) {
  const made = element("a", "mono", text || node.n);
  made.addEventListener("click", () => selectNode(node.id));
  return made;
}

function detailsPanel() {
  const host = document.getElementById("details"), item = state.selected, nodes = state.graph.nodes;
  host.replaceChildren();
  const section = (title, content) => { if (content.childElementCount || content.textContent) host.append(element("h3", "", title), content); };
  if (!item) { host.append(hints()); return; }
  if (item.module) {
    host.append(element("h2", "", item.path || titleOf(item)));
    host.append(table([[word("members"), item.count], [word("again"), item.visit > 1 ? item.visit : ""], [word("timeOne"), item.time ? `${timeText(item.time)} (${((100 * item.time) / state.graph.total).toFixed(1)} %)` : ""], [word("bytes"), bytesText(item.bytes)]]));
    const button = element("button", "", item.folded ? word("unfoldAll") : word("foldAll"));
    button.addEventListener("click", () => toggle(item));
    host.append(element("p"), button);
    section(word("kind"), table(Object.entries(item.kinds).map(([k, n]) => [word(`k_${k}`), n])));
    return;
  }
  host.append(element("h2", "", item.n));
  const badge = element("span", "badge", item.t);
  badge.style.background = ink[item.k];
  host.append(badge, document.createTextNode(` ${word(`k_${item.k}`)}${item.e ? ` · ${word("effect")}` : ""}${item.result ? ` · ${word("results")}` : ""}`));
  if (item.l) {
    const pre = element("pre", "", item.c || "");
    section(word("origin"), table([[word("line"), item.l]]));
    if (item.c) host.append(pre);
  }
  const facts = table([[word("module"), item.p], [word("fx"), item.f !== item.n ? item.f : ""], [word("target"), item.g !== item.n ? item.g : ""], [word("madeBy"), item.m]]);
  if (facts.childElementCount) host.append(facts);
  const inputs = element("table");
  for (const [port, from, output] of item.i) {
    const row = element("tr"), right = element("td"), source = nodes[from];
    right.append(link(source), document.createTextNode(` ${output >= 0 && source.o[output] ? source.o[output][1] : ""}`));
    row.append(element("td", "", port), right);
    inputs.append(row);
  }
  section(word("inputs"), inputs);
  section(word("outputs"), table(item.o.map(([name, text, size]) => [name, `${text}${size ? `  ·  ${bytesText(size)}` : ""}${item.z && item.z[name] ? `  ·  ${word("shares")} ${item.z[name]}` : ""}`])));
  section(word("attributes"), table(Object.entries(item.a)));
  if (item.s) {
    const box = element("div");
    for (const [branch, place] of Object.entries(item.s)) {
      const open = element("a", "", `${branch}: ${word("open")} (${state.program.graphs[place].nodes.length})`);
      open.addEventListener("click", () => show(state.programIndex, place));
      box.append(open, element("br"));
    }
    section(word("subgraphs"), box);
  }
  section(word("measures"), table([[word("timeOne"), item.x ? `${timeText(item.x)} (${((100 * item.x) / state.graph.total).toFixed(1)} %)` : ""], [word("alive"), bytesText(state.graph.memory[item.id])], [word("count"), nodes.filter((node) => node.t === item.t).length]]));
  const readers = element("table");
  for (const [id, port] of item.users.slice(0, 60)) {
    const row = element("tr"), right = element("td");
    right.append(link(nodes[id]), document.createTextNode(` ${nodes[id].t === nodes[id].n ? "" : nodes[id].t}`));
    row.append(element("td", "", port), right);
    readers.append(row);
  }
  section(word("readers"), readers);
}

function hints() {
  const host = element("div", "hint"), list = element("dl");
  host.append(element("h2", "", state.graph.title));
  const counts = {};
  state.graph.nodes.forEach((node) => { counts[node.k] = (counts[node.k] || 0) + 1; });
  host.append(table(Object.entries(counts).sort((a, b) => b[1] - a[1]).map(([k, n]) => { const cell = element("span"); cell.append(dot(ink[k])); return [word(`k_${k}`), n]; })));
  host.append(element("h3", "", word("keys")));
  for (const [keys, text] of [["/", "keySearch"], ["↑ ↓ ← →", "keyArrows"], ["f", "keyFold"], ["0", "keyFit"], ["+ −", "keyZoom"], ["Esc", "keyEscape"]]) {
    const key = element("dt");
    keys.split(" ").forEach((k) => key.append(element("kbd", "", k), document.createTextNode(" ")));
    list.append(key, element("dd", "", word(text)));
  }
  host.append(list);
  return host;
}

// ---- below: tabs ----

const TABS = { memory: "tabMemory", times: "tabTimes", passes: "tabPasses", program: "tabProgram", text: "tabText" };
let redrawChart = null;

function tabsPanel() {
  const bar = document.getElementById("tabs"), panel = document.getElementById("panel");
  bar.replaceChildren();
  for (const [name, title] of Object.entries(TABS)) {
    const passes = name === "passes" && state.program.passes.length ? ` ${state.program.passes.length}` : "";
    const button = element("button", state.tab === name ? "on" : "", word(title) + passes);
    button.id = `tab-${name}`;
    button.addEventListener("click", () => { state.tab = state.tab === name ? "" : name; tabsPanel(); resized(); });
    bar.append(button);
  }
  panel.replaceChildren();
  panel.className = { "": "shut", memory: "", times: "tall" }[state.tab] ?? "tall";
  redrawChart = null;
  if (state.tab === "memory") redrawChart = memoryChart(panel);
  if (state.tab === "times") timeBars(panel);
  if (state.tab === "passes") passesTab(panel);
  if (state.tab === "program") codeTab(panel, state.program.source || "", word("noSource"));
  if (state.tab === "text") codeTab(panel, state.program.text, "");
}

function passesTab(panel) {
  const passes = state.program.passes;
  if (!passes.length) { panel.append(element("div", "empty", word("noPasses"))); return; }
  const host = element("div", "passes"), steps = element("div", "steps"), diff = element("div", "diff mono");
  const open = (i) => {
    state.pass = i;
    [...steps.children].forEach((row, at) => row.classList.toggle("on", at === i));
    diff.replaceChildren();
    for (const line of passes[i].diff.slice(2)) diff.append(element("div", { "+": "add", "-": "del", "@": "at" }[line[0]] || "", line));
  };
  passes.forEach((pass, i) => {
    const row = element("div", "row");
    row.append(element("span", "name", `${i + 1}. ${pass.name}`), element("span", "more", `${pass.nodes[0]} → ${pass.nodes[1]}`));
    row.title = pass.graph;
    row.addEventListener("click", () => open(i));
    steps.append(row);
  });
  host.append(steps, diff);
  panel.append(host);
  open(Math.min(state.pass, passes.length - 1));
}

function codeTab(panel, text, empty) {
  if (!text) { panel.append(element("div", "empty", empty)); return; }
  const host = element("div", "code mono"), name = state.selected && !state.selected.module ? state.selected.n : null;
  let first = null;
  const word_ = name && new RegExp(`(^|\\W)${name.replace(/[^\w]/g, "\\$&")}(\\W|$)`);
  text.split("\n").forEach((line, i) => {
    const row = element("div", name && word_.test(line) ? "on" : "");
    if (row.className && !first) first = row;
    row.append(element("span", "no", `${String(i + 1).padStart(5)}  `), document.createTextNode(line));
    host.append(row);
  });
  panel.append(host);
  if (first) first.scrollIntoView({ block: "center" });
}

// ---- legend and head ----

function legend() {
  const host = document.getElementById("legend");
  host.replaceChildren();
  const add = (colour, text) => { const made = element("span"); made.append(dot(colour), document.createTextNode(text)); host.append(made); };
  if (state.colour === "kind") {
    const kinds = new Set(state.graph.nodes.map((node) => node.k));
    for (const kind of ["input", "library", "custom", "aten", "control", "cluster", "host", "const"]) if (kinds.has(kind)) add(ink[kind], word(`k_${kind}`));
  } else if (state.colour === "maker") state.makers.forEach((maker, i) => add(MAKERS[i % MAKERS.length], maker || word("other")));
  else {
    const ramp = element("span", "ramp"), top = state.colour === "time" ? timeText(state.graph.slowest || 0) : bytesText(state.graph.largest || 0);
    ramp.style.background = `linear-gradient(90deg, ${heat(0)}, ${heat(0.5)}, ${heat(1)})`;
    host.append(element("span", "", "0"), ramp, element("span", "", top));
  }
}

function head() {
  const graph = state.graph, facts = document.getElementById("facts");
  facts.replaceChildren();
  const parts = [[graph.nodes.length, word("nodes")], [bytesText(graph.peak), word("peak")]];
  if (graph.total) parts.push([timeText(graph.total), word("perCall")]);
  parts.forEach(([value, text], i) => { if (i) facts.append(" · "); facts.append(element("b", "", String(value)), ` ${text}`); });
  if (state.program.device) facts.append(` · ${state.program.device}`);
  const chooser = document.getElementById("graph");
  chooser.replaceChildren();
  DATA.programs.forEach((program, p) => program.graphs.forEach((entry, g) => {
    const option = element("option", "", entry.title + (entry.role === "original" ? "" : ""));
    option.value = `${p}:${g}`;
    option.selected = p === state.programIndex && g === state.graphIndex;
    chooser.append(option);
  }));
  const colour = document.getElementById("colour");
  colour.replaceChildren();
  for (const name of ["kind", "time", "memory", "maker"]) { const option = element("option", "", word(name)); option.value = name; option.selected = name === state.colour; colour.append(option); }
  document.querySelectorAll("[data-word]").forEach((node) => { node.textContent = word(node.dataset.word); });
  document.getElementById("search").placeholder = word("search");
  document.getElementById("language").textContent = language === "en" ? "ZH" : "EN";
  document.documentElement.lang = language;
  const crumbs = document.getElementById("crumbs");
  crumbs.style.display = graph.owner ? "block" : "none";
  crumbs.replaceChildren();
  if (graph.owner) {
    const back = element("a", "", `← ${word("close")}`);
    back.href = "#";
    back.addEventListener("click", (event) => { event.preventDefault(); const [place, id] = graph.owner; show(state.programIndex, place); selectNode(id); });
    crumbs.append(back, ` ${graph.title}`);
  }
}
