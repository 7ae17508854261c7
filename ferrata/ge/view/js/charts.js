// The memory timeline: live bytes after each node, in order of execution; the place under the pointer, and the selected.
function memoryChart(host) {
  const graph = state.graph;
  const chart = document.createElement("canvas");
  host.append(chart);
  const c = chart.getContext("2d"), left = 70, bottom = 22, top = 12;
  const values = graph.memory, n = values.length;
  const paintChart = (hover) => {
    const ratio = window.devicePixelRatio || 1, w = chart.clientWidth, h = chart.clientHeight;
    chart.width = w * ratio; chart.height = h * ratio;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const peak = graph.peak || 1, x = (i) => left + ((w - left - 16) * i) / Math.max(1, n), y = (v) => top + (h - top - bottom) * (1 - v / peak);
    c.font = `11px ${FONT}`; c.textBaseline = "middle";
    for (const part of [0, 0.5, 1]) {
      c.strokeStyle = ink.line; c.lineWidth = 1;
      c.beginPath(); c.moveTo(left, Math.round(y(peak * part)) + 0.5); c.lineTo(w - 16, Math.round(y(peak * part)) + 0.5); c.stroke();
      c.fillStyle = ink.soft; c.textAlign = "right"; c.fillText(bytesText(peak * part), left - 8, y(peak * part));
    }
    c.beginPath(); c.moveTo(x(0), y(0));
    values.forEach((v, i) => { c.lineTo(x(i), y(v)); c.lineTo(x(i + 1), y(v)); });
    c.lineTo(x(n), y(0)); c.closePath();
    c.fillStyle = ink.accent; c.globalAlpha = 0.22; c.fill(); c.globalAlpha = 1;
    c.strokeStyle = ink.accent; c.lineWidth = 1.5; c.stroke();
    const mark = (id, colour) => { c.fillStyle = colour; c.globalAlpha = 0.35; c.fillRect(x(id), top, Math.max(2, x(id + 1) - x(id)), h - top - bottom); c.globalAlpha = 1; };
    if (state.selected && !state.selected.module) mark(state.selected.id, ink.custom);
    c.textAlign = "left"; c.fillStyle = ink.soft;
    let caption = `${word("live")}: ${word("peak")} ${bytesText(graph.peak)}, ${word("planned")} ${bytesText(graph.plan.peak)}`;
    if (hover !== undefined && hover >= 0 && hover < n) { mark(hover, ink.soft); const node = graph.nodes[hover]; caption = `${hover + 1}. ${node.t} ${node.n}: ${bytesText(values[hover])}`; }
    if (graph.plan.guessed.length) caption += `  (${word("assumed")}: ${graph.plan.guessed.slice(0, 6).join(", ")})`;
    c.fillText(caption, left, h - 9);
  };
  const under = (event) => { const box = chart.getBoundingClientRect(); return Math.floor(((event.clientX - box.left - left) / (box.width - left - 16)) * n); };
  chart.addEventListener("mousemove", (event) => paintChart(under(event)));
  chart.addEventListener("mouseleave", () => paintChart());
  chart.addEventListener("click", (event) => { const id = under(event); if (id >= 0 && id < n) selectNode(id); });
  paintChart();
  return paintChart;
}

// The slowest nodes as bars, and the time by type.
function timeBars(host) {
  const graph = state.graph;
  const timed = graph.nodes.filter((node) => node.x).sort((a, b) => b.x - a.x);
  if (!timed.length) { host.append(element("div", "empty", word("noTimes"))); return; }
  const bars = element("div", "bars");
  for (const node of timed.slice(0, 200)) {
    const bar = element("div", "bar");
    const fill = element("div", "fill");
    fill.style.width = `${Math.max(0.5, (100 * node.x) / timed[0].x)}%`;
    fill.style.background = ink[node.k];
    const track = element("div", "track");
    track.append(fill);
    bar.append(element("div", "name mono", `${node.t}  ${node.n}`), track, element("div", "value", `${timeText(node.x)}  ${((100 * node.x) / graph.total).toFixed(1)} %`));
    bar.title = node.l ? `${node.l}  ${node.c || ""}` : node.n;
    bar.addEventListener("click", () => selectNode(node.id));
    bars.append(bar);
  }
  host.append(bars);
}
