// The data of the page: graphs with edges both ways, and the tree of modules that folding works on.
//
// A module is a run of nodes in execution order with a common path, so that edges between modules always go forward.
const DATA = JSON.parse(document.getElementById("data").textContent);

const bytesText = (n) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let u = 0;
  while (n >= 1024 && u < units.length - 1) { n /= 1024; u++; }
  return `${u && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[u]}`;
};
const timeText = (us) => us >= 1e6 ? `${(us / 1e6).toFixed(2)} s` : us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(us < 10 ? 1 : 0)} µs`;

// A graph as the rest of the page sees it; made when it is first shown.
function prepare(entry) {
  if (entry.ready) return entry;
  const nodes = entry.nodes;
  nodes.forEach((node, id) => {
    node.id = id; node.users = []; node.i = node.i || []; node.a = node.a || {}; node.p = node.p || "";
    node.bytes = node.o.reduce((sum, o) => sum + o[2], 0);
  });
  nodes.forEach((node) => node.i.forEach(([port, from, output]) => nodes[from].users.push([node.id, port, output])));
  entry.results.forEach(([id]) => { nodes[id].result = true; });
  entry.total = nodes.reduce((sum, node) => sum + (node.x || 0), 0);
  entry.peak = Math.max(0, ...entry.memory);
  entry.trees = new Map();
  entry.ready = true;
  return entry;
}

// Sources stand right before their first reader: they belong to its module.
function displayOrder(entry, constants) {
  const source = (node) => !node.i.length && ["input", "const"].includes(node.k);
  const waiting = new Map();
  for (const node of entry.nodes)
    if (source(node) && (constants || node.k !== "const")) {
      const first = Math.min(Infinity, ...node.users.map(([id]) => id));
      if (!waiting.has(first)) waiting.set(first, []);
      waiting.get(first).push(node);
    }
  const order = [];
  for (const node of entry.nodes) {
    if (source(node)) continue;
    order.push(...(waiting.get(node.id) || []), node);
  }
  return [...order, ...(waiting.get(Infinity) || [])];
}

// The path of each node; a node without one lies in the module that surrounds it.
function modulePaths(order) {
  const paths = order.map((node) => (node.p && node.i.length ? node.p.split(".") : node.p ? node.p.split(".") : null));
  for (let i = order.length - 1; i >= 0; i--) if (!order[i].i.length && i + 1 < order.length && order[i].k !== "library") paths[i] = paths[i + 1];
  let before = null;
  const after = new Array(paths.length).fill(null);
  for (let i = paths.length - 1, next = null; i >= 0; i--) { if (paths[i]) next = paths[i]; after[i] = next; }
  return paths.map((path, i) => {
    if (path) { before = path; return path; }
    const left = before, right = after[i];
    if (!left || !right) return [];
    let n = 0;
    while (n < left.length && n < right.length && left[n] === right[n]) n++;
    return left.slice(0, n);
  });
}

// {path, label, items: [node or module], count, time, bytes, folded}
function moduleTree(entry, constants) {
  const key = constants ? 1 : 0;
  if (entry.trees.has(key)) return entry.trees.get(key);
  const order = displayOrder(entry, constants), paths = modulePaths(order);
  const root = { path: "", label: "", items: [], parent: null, module: true, folded: false, id: "" };
  const stack = [root], visits = new Map();
  order.forEach((node, at) => {
    const path = paths[at];
    let depth = 0;
    while (depth < path.length && depth + 1 < stack.length && stack[depth + 1].name === path[depth]) depth++;
    stack.length = depth + 1;
    for (; depth < path.length; depth++) {
      const full = path.slice(0, depth + 1).join("."), visit = (visits.get(full) || 0) + 1;
      visits.set(full, visit);
      const made = { path: full, name: path[depth], label: path[depth], visit, items: [], parent: stack[depth], module: true, folded: false, id: `${full}#${visit}` };
      stack[depth].items.push(made);
      stack.push(made);
    }
    stack[stack.length - 1].items.push(node);
  });
  tidy(root);
  measureModule(root);
  root.modules = [];
  const collect = (m) => { m.items.forEach((item) => { if (item.module) { item.parent = m; root.modules.push(item); collect(item); } else item.home = m; }); };
  collect(root);
  root.nodes = entry.nodes;
  root.homes = new Map(order.map((node) => [node.id, node.home]));
  root.shown = new Set(order.map((node) => node.id));
  entry.trees.set(key, root);
  foldToFit(root, 70);
  return root;
}

// A module of one node is that node; a module of one module is that module under both names.
function tidy(module) {
  module.items = module.items.flatMap((item) => {
    if (!item.module) return [item];
    tidy(item);
    if (item.items.length === 1 && !item.items[0].module) return item.items;
    if (item.items.length === 1) { const only = item.items[0]; only.label = `${item.label}.${only.label}`; return [only]; }
    return [item];
  });
}

function measureModule(module) {
  module.count = 0; module.time = 0; module.bytes = 0; module.kinds = {};
  for (const item of module.items) {
    if (item.module) measureModule(item);
    module.count += item.module ? item.count : 1;
    module.time += item.module ? item.time : item.x || 0;
    module.bytes += item.module ? item.bytes : ["input", "const"].includes(item.k) ? 0 : item.bytes;
    for (const [k, n] of item.module ? Object.entries(item.kinds) : [[item.k, 1]]) module.kinds[k] = (module.kinds[k] || 0) + n;
  }
}

// Unfold modules, outermost and smallest first, as long as about `limit` boxes are visible.
function foldToFit(root, limit) {
  root.modules.forEach((m) => { m.folded = true; });
  let visible = root.items.length;
  const open = root.items.filter((item) => item.module);
  while (open.length) {
    open.sort((a, b) => a.items.length - b.items.length);
    const next = open.shift();
    if (visible - 1 + next.items.length > limit && visible >= 12) break;  // better many boxes than one that says nothing
    next.folded = false;
    visible += next.items.length - 1;
    open.push(...next.items.filter((item) => item.module));
  }
}

const ancestors = (module) => { const chain = []; for (let m = module; m; m = m.parent) chain.push(m); return chain; };
// The box that shows a node: itself, or the outermost folded module around it.
function visibleBox(root, id) {
  let box = root.nodes ? root.nodes[id] : null;
  for (const m of ancestors(root.homes.get(id))) if (m.folded) box = m;
  return box;
}
