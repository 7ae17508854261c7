// Layered layout, module by module: inside first, then the module is one box of its surroundings.
//
// place(root) gives boxes with absolute positions and edges with the points they run through. Long edges of one source
// share their way. Within a module time is linear but for sorting, so that thousands of nodes take a moment only.
const GAP_X = 22, GAP_Y = 34, PAD = 14, HEAD = 26;
const ruler = document.createElement("canvas").getContext("2d");
const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif';

function widthOf(text, bold) {
  ruler.font = `${bold ? 600 : 400} ${bold ? 12.5 : 11}px ${FONT}`;
  return ruler.measureText(text).width;
}
const short = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
const titleOf = (item) => (item.module ? (item.label || item.path) + (item.visit > 1 ? ` (${item.visit})` : "") : item.k === "input" ? item.n : item.t.replace(/^aten::/, ""));
const secondOf = (item) => (item.module ? `${item.count} ${word("nodes")}` : item.o.length ? item.o[0][1] + (item.o.length > 1 ? ` +${item.o.length - 1}` : "") : item.n);

function sizeOf(item) {
  const small = !item.module && ["const", "host"].includes(item.k);
  const w = Math.max(small ? 60 : 92, Math.min(250, Math.max(widthOf(short(titleOf(item), 38), true), small ? 0 : widthOf(short(secondOf(item), 44), false)) + 26));
  return [w, small ? 24 : 42];
}

function place(root) {
  const key = (item) => (item.module ? item.id : item.id);
  const links = new Map(), edges = new Map(), crossing = { exits: new Map(), entries: new Map() };
  const cross = (side, module, item) => { if (!crossing[side].has(module)) crossing[side].set(module, new Set()); crossing[side].get(module).add(item); };
  for (const node of root.nodes) {
    if (!root.shown.has(node.id)) continue;
    for (const [, from] of node.i) {
      if (!root.shown.has(from)) continue;
      const a = visibleBox(root, from), b = visibleBox(root, node.id);
      if (a === b) continue;
      const name = `${key(a)}>${key(b)}`;
      if (edges.has(name)) { edges.get(name).pairs.push([from, node.id]); continue; }
      const up = [a, ...ancestors(a.module ? a.parent : a.home)], over = new Map();
      up.forEach((m, i) => over.set(m, i));
      let cb = b, lca = b.module ? b.parent : b.home;
      while (!over.has(lca)) { cb = lca; lca = lca.parent; }
      const ca = up[over.get(lca) - 1];
      edges.set(name, { a, b, ca, cb, lca, pairs: [[from, node.id]] });
      for (let item = a; item !== ca; item = item.module ? item.parent : item.home) cross("exits", item.module ? item.parent : item.home, item);
      for (let item = b; item !== cb; item = item.module ? item.parent : item.home) cross("entries", item.module ? item.parent : item.home, item);
      if (ca === cb) continue;
      if (!links.has(lca)) links.set(lca, []);
      links.get(lca).push([ca, cb]);
    }
  }
  const made = inside(root, links, crossing), boxes = [], at = new Map(), ways = new Map();
  const unfold = (inner, x, y, depth) => {
    ways.set(inner.module, { x, y, ...inner.ways });
    for (const part of inner.parts) {
      const box = { item: part.item, x: x + part.x, y: y + part.y, w: part.w, h: part.h, top: y + part.top, bottom: y + part.bottom, depth, open: Boolean(part.inner) };
      boxes.push(box);
      at.set(part.item, box);
      if (part.inner) unfold(part.inner, box.x + PAD, box.y + HEAD + 4, depth + 1);
    }
  };
  unfold(made, 0, 0, 0);
  const routed = [...edges.values()].map((edge) => route(edge, at, ways));
  spread(routed, at);
  return { boxes, at, edges: routed, w: made.w, h: made.h };
}

// Lay out the items of one module: {parts with x, y, w, h, chains, w, h}.
function inside(module, links, crossing) {
  const items = module.items, rank = new Map(), place = new Map();
  items.forEach((item, i) => place.set(item, i));
  const ins = new Map(items.map((item) => [item, []])), outs = new Map(items.map((item) => [item, []])), seen = new Set();
  for (const [a, b] of links.get(module) || []) {
    const name = `${place.get(a)}>${place.get(b)}`;
    if (seen.has(name)) continue;
    seen.add(name);
    ins.get(b).push(a);
    outs.get(a).push(b);
  }
  for (const item of items) rank.set(item, ins.get(item).reduce((top, a) => Math.max(top, rank.get(a) + 1), 0));
  for (let i = items.length - 1; i >= 0; i--) {
    const next = outs.get(items[i]);
    if (!ins.get(items[i]).length && next.length) rank.set(items[i], Math.max(0, Math.min(...next.map((b) => rank.get(b))) - 1));
  }
  const layers = [], cells = new Map(), ways = { chains: new Map(), exits: new Map(), entries: new Map() };
  const put = (cell, layer) => { (layers[layer] = layers[layer] || []).push(cell); };
  for (const item of items) {
    const inner = item.module && !item.folded ? inside(item, links, crossing) : null;
    const [w, h] = inner ? [Math.max(inner.w + 2 * PAD, widthOf(titleOf(item), true) + 90), inner.h + HEAD + 4 + PAD] : sizeOf(item);
    const cell = { item, w, h, inner, up: [], down: [], x: 0 };
    cells.set(item, cell);
    put(cell, rank.get(item));
  }
  const join = (a, b) => { a.down.push(b); b.up.push(a); };
  const passing = (cell, from, to, turn) => {
    const bends = [];
    for (let layer = from; layer !== to; layer += turn) {
      const bend = { w: 6, h: 0, up: [], down: [], x: 0 }, last = bends[bends.length - 1] || cell;
      if (turn > 0) join(last, bend); else join(bend, last);
      put(bend, layer);
      bends.push(bend);
    }
    return bends;
  };
  for (const item of items) {
    const targets = outs.get(item), first = rank.get(item), chain = [cells.get(item)];
    const last = Math.max(first, ...targets.map((b) => rank.get(b)));
    for (let layer = first + 1; layer < last; layer++) {
      const bend = { w: 6, h: 0, up: [], down: [], x: 0 };
      join(chain[chain.length - 1], bend);
      put(bend, layer);
      chain.push(bend);
    }
    for (const b of targets) join(chain[rank.get(b) - first - 1], cells.get(b));
    if (chain.length > 1) ways.chains.set(item, chain.slice(1));
  }
  // values that come from outside or go there pass the layers above or below their box
  const height = layers.length;
  for (const item of crossing.exits.get(module) || []) ways.exits.set(item, passing(cells.get(item), rank.get(item) + 1, height, 1));
  for (const item of crossing.entries.get(module) || []) ways.entries.set(item, passing(cells.get(item), rank.get(item) - 1, -1, -1).reverse());
  for (let i = 0; i < layers.length; i++) layers[i] = layers[i] || [];
  order(layers);
  align(layers);
  let y = 0, left = Infinity, right = -Infinity;
  for (const layer of layers) for (const cell of layer) { left = Math.min(left, cell.x - cell.w / 2); right = Math.max(right, cell.x + cell.w / 2); }
  const parts = [];
  for (const layer of layers) {
    const tall = Math.max(0, ...layer.map((cell) => cell.h));
    for (const cell of layer) {
      cell.y = y + (tall - cell.h) / 2;
      if (!cell.item) { cell.px = cell.x - left; cell.top = y; cell.bottom = y + tall; } else parts.push({ item: cell.item, x: cell.x - cell.w / 2 - left, y: cell.y, w: cell.w, h: cell.h, top: y, bottom: y + tall, inner: cell.inner });
    }
    y += tall + GAP_Y + Math.min(40, layer.length * 2);
  }
  return { module, parts, ways, w: items.length ? right - left : 0, h: Math.max(0, y - GAP_Y) };
}

// Fewer crossings: sort each layer by the mean place of its neighbours, down and up in turns.
function order(layers) {
  const number = (layer) => layer.forEach((cell, i) => { cell.at = i; });
  layers.forEach(number);
  const sweep = (layer, side) => {
    for (const cell of layer) {
      const near = cell[side];
      cell.key = near.length ? near.reduce((sum, n) => sum + n.at, 0) / near.length : cell.at;
    }
    layer.sort((a, b) => a.key - b.key || a.at - b.at);
    number(layer);
  };
  for (let turn = 0; turn < 4; turn++) {
    for (let i = 1; i < layers.length; i++) sweep(layers[i], "up");
    for (let i = layers.length - 2; i >= 0; i--) sweep(layers[i], "down");
  }
}

// x of each cell: near the mean of its neighbours, in order, without overlap (least squares by pooling neighbours).
function align(layers) {
  for (const layer of layers) {
    let x = -layer.reduce((sum, cell) => sum + cell.w + GAP_X, 0) / 2;
    for (const cell of layer) { cell.x = x + cell.w / 2; x += cell.w + GAP_X; }
  }
  const wishOf = (cell) => {
    let sum = 0, weight = 0;
    for (const side of [cell.up, cell.down]) for (const near of side) {
      const w = cell.item && !near.item ? 0.15 : 1;  // a box follows boxes; ways of long edges follow it
      sum += w * near.x;
      weight += w;
    }
    return weight ? [sum / weight, cell.item ? 1 : 2] : [cell.x, 0.1];
  };
  const settle = (layer) => {
    const pools = [];
    let offset = 0;
    layer.forEach((cell, i) => {
      if (i) offset += (layer[i - 1].w + cell.w) / 2 + (cell.item && layer[i - 1].item ? GAP_X : 10);
      cell.offset = offset;
      const [wish, weight] = wishOf(cell);
      let pool = { sum: (wish - offset) * weight, weight, cells: [cell] };
      while (pools.length && pools[pools.length - 1].sum / pools[pools.length - 1].weight > pool.sum / pool.weight) {
        const last = pools.pop();
        pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, cells: last.cells.concat(pool.cells) };
      }
      pools.push(pool);
    });
    for (const pool of pools) for (const cell of pool.cells) cell.x = pool.sum / pool.weight + cell.offset;
  };
  // neighbours on both sides at once: looking to one side only, long chains would drift away
  for (let turn = 0; turn < 10; turn++) {
    for (const layer of layers) settle(layer);
    for (let i = layers.length - 1; i >= 0; i--) settle(layers[i]);
  }
}

// The points of an edge: out of its box, past the layers between, into the other box.
function route(edge, at, ways) {
  const a = at.get(edge.a), b = at.get(edge.b), way = ways.get(edge.lca), points = [[a.x + a.w / 2, a.y + a.h]];
  const homeOf = (item) => (item.module ? item.parent : item.home);
  const pass = (place, bends) => { for (const bend of bends || []) points.push([place.x + bend.px, place.y + bend.top], [place.x + bend.px, place.y + bend.bottom]); };
  // straight down to the end of its layer, where taller boxes may stand beside it
  const leave = (item) => { const box = at.get(item); if (box.bottom > box.y + box.h + 2) points.push([points[points.length - 1][0], box.bottom]); };
  leave(edge.a);
  for (let item = edge.a; item !== edge.ca; item = homeOf(item)) {
    const outer = at.get(homeOf(item));
    pass(ways.get(homeOf(item)), ways.get(homeOf(item)).exits.get(item));
    points.push([points[points.length - 1][0], outer.y + outer.h]);
    leave(homeOf(item));
  }
  const end = at.get(edge.cb);
  pass(way, (way.chains.get(edge.ca) || []).filter((bend) => way.y + bend.bottom < end.y + 1));
  const down = [];
  for (let item = edge.b; item !== edge.cb; item = homeOf(item)) down.unshift(item);
  for (const item of down) {
    const outer = at.get(homeOf(item)), place = ways.get(homeOf(item)), bends = place.entries.get(item) || [];
    const x = bends.length ? place.x + bends[0].px : at.get(item).x + at.get(item).w / 2;
    if (outer.top < outer.y - 2) points.push([x, outer.top]);
    points.push([x, outer.y]);
    pass(place, bends);
  }
  if (b.top < b.y - 2) points.push([b.x + b.w / 2, b.top]);
  points.push([b.x + b.w / 2, b.y]);
  return { ...edge, points };
}

// Edges that enter or leave a box side by side.
function spread(edges, at) {
  const into = new Map();
  for (const edge of edges) { if (!into.has(edge.b)) into.set(edge.b, []); into.get(edge.b).push(edge); }
  for (const [item, list] of into) {
    const box = at.get(item), step = Math.min(16, (box.w - 20) / list.length);
    list.sort((p, q) => p.points[p.points.length - 2][0] - q.points[q.points.length - 2][0]);
    list.forEach((edge, i) => {
      const shift = (i - (list.length - 1) / 2) * step, end = edge.points.length - 1;
      edge.points[end] = [edge.points[end][0] + shift, edge.points[end][1]];
    });
  }
}
