"use strict";
(async () => {
  const element = (id) => document.getElementById(id);
  const make = (kind, content = "", parent = null, attributes = {}) => {
    const made = document.createElement(kind);
    made.textContent = content; // not as HTML: names come from the files of the user
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (parent) parent.append(made);
    return made;
  };
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  };
  const shown = (value) => {
    if (value === null || Number.isNaN(value)) return "missing";
    return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
  };
  const say = (text) => { element("said").textContent = text; };
  const debug = (window.viewfuse = {}); // for tests

  if (!element("data")) { document.documentElement.dataset.ready = "yes"; return; }
  const data = JSON.parse(element("data").textContent);
  const n = data.drawn;
  const labels = new Uint16Array(await unpack(data.labels)); // of all samples, or of the drawn ones
  const rows = data.rows ? new Uint32Array(await unpack(data.rows)) : null; // the drawn samples among all
  const names = data.names ? JSON.parse(new TextDecoder().decode(await unpack(data.names))) : null;
  const cluster = new Uint16Array(n);
  for (let i = 0; i < n; i += 1) cluster[i] = labels[rows && data.all ? rows[i] : i];
  const nameOf = (i) => (names ? names[rows && data.all ? rows[i] : i] : `row ${rows ? rows[i] : i}`);
  const k = data.clusters.length;

  // What the reader has changed is kept in the browser, by the checksum of the data.
  const key = `viewfuse ${data.checksum}`;
  const kept = (() => { try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; } })();
  const keep = () => { try { localStorage.setItem(key, JSON.stringify(kept)); } catch { /* private window */ } };
  kept.names ??= {};
  kept.colours ??= {};
  const clusterName = (c) => kept.names[c] || data.clusters[c].name;
  const clusterColour = (c) => kept.colours[c] || data.clusters[c].colour;

  // Colours

  const values = data.features ? new Uint16Array(await unpack(data.features.values)) : null;
  const featureAt = (f) => values.subarray(f * n, (f + 1) * n);
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const NONE = "#8a8f98";
  const scaleColours = data.scale.map(rgb);
  const onScale = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (scaleColours.length - 1), low = Math.floor(at), high = Math.min(low + 1, scaleColours.length - 1);
    return scaleColours[low].map((value, c) => Math.round(value + (scaleColours[high][c] - value) * (at - low)));
  };
  const columns = await Promise.all(data.columns.map(async (one) => {
    const held = await unpack(one.data);
    return { ...one, values: one.levels ? new Uint8Array(held) : one.double ? new Float64Array(held) : new Float32Array(held) };
  }));

  // A colouring: {name, colour(i) → [r, g, b], text(i), legend}
  function colouring(choice) {
    const [kind, number] = choice.split(":");
    if (kind === "cluster") {
      const palette = data.clusters.map((_, c) => rgb(clusterColour(c)));
      return {
        name: "cluster", colour: (i) => palette[cluster[i]], text: (i) => clusterName(cluster[i]),
        legend: data.clusters.map((_, c) => [clusterColour(c), clusterName(c)]),
      };
    }
    if (kind === "column" && columns[number].levels) {
      const one = columns[number], palette = one.palette.map(rgb);
      return {
        name: one.name, colour: (i) => palette[one.values[i]], text: (i) => one.levels[one.values[i]],
        legend: one.levels.map((level, c) => [one.palette[c], level]),
      };
    }
    let at, name;
    if (kind === "column") {
      const one = columns[number];
      at = (i) => one.values[i];
      name = one.name;
    } else {
      const some = featureAt(Number(number)), low = data.features.low[number], high = data.features.high[number];
      at = (i) => (some[i] === MISSING ? NaN : low + (some[i] / (MISSING - 1)) * (high - low));
      name = `${data.features.names[number]} (${data.views[data.features.view[number]]})`;
    }
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < n; i += 1) { const value = at(i); if (value < low) low = value; if (value > high) high = value; }
    const none = rgb(NONE);
    return {
      name, low, high, text: (i) => shown(at(i)),
      colour: (i) => { const value = at(i); return Number.isNaN(value) ? none : onScale(high > low ? (value - low) / (high - low) : 0.5); },
    };
  }

  const canvas = element("map");
  let scatter = null;
  try { scatter = Scatter.make(canvas); } catch (error) { console.info(`no WebGL: ${error.message}`); }
  document.documentElement.classList.add(scatter ? "with-webgl" : "without-webgl");
  let colours = colouring("cluster");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function paint() {
    colours = colouring(element("colour").value);
    legend();
    if (!scatter) return;
    const rgba = new Uint8Array(4 * n);
    const lift = dark.matches ? 0.25 : 0; // towards white, so that dark colours are seen on a dark page
    for (let i = 0; i < n; i += 1) {
      const colour = colours.colour(i);
      for (let c = 0; c < 3; c += 1) rgba[4 * i + c] = colour[c] + lift * (255 - colour[c]);
      rgba[4 * i + 3] = 255;
    }
    scatter.rim = dark.matches ? [1, 1, 1, 1] : [0.08, 0.1, 0.13, 1];
    scatter.setColours(rgba);
    tags();
  }
  function legend() {
    const place = element("legend");
    place.replaceChildren();
    if (!colours.legend) {
      const entry = make("span", `${colours.name}: ${shown(colours.low)}`, place);
      const bar = make("span", "", entry, { class: "scale" });
      bar.style.background = `linear-gradient(to right, ${data.scale.join(",")})`;
      entry.append(shown(colours.high));
      return;
    }
    colours.legend.slice(0, 30).forEach(([colour, text]) => {
      const entry = make("span", "", place);
      make("span", "", entry, { class: "dot" }).style.background = colour;
      entry.append(text);
    });
    if (colours.legend.length > 30) make("span", `and ${colours.legend.length - 30} more`, place);
  }

  // The map

  const layouts = await Promise.all(data.layouts.map(async (one) => ({ ...one, places: new Uint16Array(await unpack(one.places)) })));
  const tagPlace = element("tags");
  let centres = [];
  function layout() {
    const one = layouts[Number(element("layout").value)];
    element("layout-note").textContent = one.note;
    const members = data.clusters.map(() => []);
    for (let i = 0; i < n; i += 1) members[cluster[i]].push(i);
    const middle = (some, axis) => { const at = some.map((i) => one.places[2 * i + axis]).sort((a, b) => a - b); return at[at.length >> 1] / 65535; };
    // The sample nearest to the medians: a cluster may lie around its middle and not in it.
    centres = members.map((some) => {
      if (!some.length) return null;
      const [x, y] = [middle(some, 0), middle(some, 1)];
      const far = (i) => Math.hypot(one.places[2 * i] / 65535 - x, one.places[2 * i + 1] / 65535 - y);
      const best = some.reduce((least, i) => (far(i) < far(least) ? i : least));
      return [one.places[2 * best] / 65535, one.places[2 * best + 1] / 65535];
    });
    if (scatter) scatter.setPlaces(one.places);
  }
  function tags() {
    tagPlace.replaceChildren(...data.clusters.map((_, c) => make("span", clusterName(c))));
    move();
  }
  function move() {
    [...tagPlace.children].forEach((tag, c) => {
      if (!centres[c]) { tag.hidden = true; return; }
      const [left, top] = scatter.toScreen(...centres[c]);
      tag.hidden = left < 0 || top < 0 || left > scatter.width || top > scatter.height || !element("tagged").checked;
      tag.style.transform = `translate(${left}px, ${top}px) translate(-50%, -50%)`;
    });
  }
  if (scatter) scatter.onView = move;

  // Selections: A, and B to compare it with

  let a = new Set(kept.a ?? []), b = new Set(kept.b ?? []);
  const listOf = (set) => [...set].sort((one, other) => one - other);
  function select(found, { add = false, quiet = false } = {}) {
    a = add ? new Set([...a, ...found]) : new Set(found);
    selected(quiet);
  }
  function selected(quiet = false) {
    for (const i of a) b.delete(i);
    kept.a = a.size < 20000 ? listOf(a) : [];
    kept.b = b.size < 20000 ? listOf(b) : [];
    keep();
    if (scatter) {
      const states = new Uint8Array(n);
      for (const i of b) states[i] = 2;
      for (const i of a) states[i] = 1;
      scatter.setStates(states, a.size + b.size > 0);
    }
    const counts = new Map();
    for (const i of a) counts.set(cluster[i], (counts.get(cluster[i]) ?? 0) + 1);
    const parts = [...counts].sort((one, other) => other[1] - one[1]).slice(0, 3)
      .map(([c, count]) => `${Math.round((100 * count) / a.size)} % of cluster ${clusterName(c)}`);
    const text = a.size ? `${a.size.toLocaleString("en")} of ${n.toLocaleString("en")} samples selected (${parts.join(", ")})${b.size ? `; B has ${b.size.toLocaleString("en")}` : ""}.` : "No samples are selected.";
    element("selection-text").textContent = text;
    if (!quiet) say(text);
    for (const id of ["export", "to-b", "clear"]) element(id).disabled = a.size + b.size === 0;
    element("to-b").disabled = a.size === 0;
    table();
    compare();
  }
  function table() {
    const body = element("selected-rows"), most = 200, some = listOf(a).slice(0, most);
    body.replaceChildren(...some.map((i) => {
      const row = document.createElement("tr");
      make("th", nameOf(i), row, { scope: "row" });
      make("td", clusterName(cluster[i]), row);
      for (const one of columns.slice(0, 6)) make("td", one.levels ? one.levels[one.values[i]] : shown(one.values[i]), row);
      return row;
    }));
    element("selected-more").textContent = a.size > most ? `The first ${most} of ${a.size.toLocaleString("en")}; the exported file has all.` : "";
    element("selected").hidden = a.size === 0;
  }
  function compare() {
    element("compared").hidden = !data.features || a.size === 0 || a.size === n;
    if (element("compared").hidden) return;
    const group = new Uint8Array(n).fill(b.size ? 0 : 2);
    for (const i of b) group[i] = 2;
    for (const i of a) group[i] = 1;
    const f = data.features, results = f.names.map((_, at) => contrastOf(featureAt(at), group));
    const rates = adjusted(results.map((one) => one.p));
    const order = results.map((_, at) => at).sort((one, other) => Math.abs(results[other].effect) - Math.abs(results[one].effect)).slice(0, 25);
    const against = b.size ? `B (${b.size.toLocaleString("en")})` : `the other ${(n - a.size).toLocaleString("en")} samples`;
    element("compared-text").textContent = `Selection A (${a.size.toLocaleString("en")}) against ${against}, largest differences first.`;
    const back = (value, at) => f.low[at] + (value / (MISSING - 1)) * (f.high[at] - f.low[at]);
    const mean = (value, at) => {
      if (f.kinds[at] === "category") return `${Math.round(100 * back(value, at))} %`;
      if (f.kinds[at] === "date") return new Date(86400000 * Math.round(back(value, at))).toISOString().slice(0, 10);
      const unit = f.names[at].match(/\S\s*(?:\[([^[\]]{1,12})\]|\(([^()]{1,12})\))$/);
      return unit ? `${shown(back(value, at))} ${unit[1] || unit[2]}` : shown(back(value, at));
    };
    element("compared-rows").replaceChildren(...order.map((at) => {
      const one = results[at], row = document.createElement("tr");
      make("th", f.names[at], row, { scope: "row" });
      make("td", data.views[f.view[at]], row);
      make("td", mean(one.a, at), row, { class: "number" });
      make("td", mean(one.b, at), row, { class: "number" });
      make("td", `${one.effect > 0 ? "+" : ""}${one.effect.toFixed(2)}`, row, { class: "number" });
      make("td", one.auc.toFixed(2), row, { class: "number" });
      make("td", rates[at] < 1e-4 ? "< 0.0001" : rates[at].toFixed(4), row, { class: "number" });
      return row;
    }));
    debug.compared = order.map((at) => ({ name: f.names[at], ...results[at], rate: rates[at] }));
  }

  // Files

  function download(name, rowsOfFile) {
    const link = make("a", "", null, { download: name });
    const text = csv(rowsOfFile);
    debug.downloaded = { name, text };
    link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  element("export").addEventListener("click", () => {
    const head = ["id", "cluster", "name", "selection", ...columns.map((one) => one.name)];
    const line = (i, which) => [nameOf(i), data.clusters[cluster[i]].label, clusterName(cluster[i]), which, ...columns.map((one) => (one.levels ? one.levels[one.values[i]] : one.values[i]))];
    download("selected.csv", [head, ...listOf(a).map((i) => line(i, "A")), ...listOf(b).map((i) => line(i, "B"))]);
  });
  element("labels-file").addEventListener("click", () => {
    const whole = data.all || !rows;
    const name = (i) => (names ? names[i] : `row ${whole || !rows ? i : rows[i]}`);
    download("labels.csv", [["id", "label", "name"], ...Array.from(labels, (c, i) => [name(i), data.clusters[c].label, clusterName(c)])]);
  });
  element("compared-file").addEventListener("click", () => {
    download("compared.csv", [["feature", "effect", "auc", "fdr"], ...debug.compared.map((one) => [one.name, one.effect, one.auc, one.rate])]);
  });

  // Names and colours of clusters

  data.clusters.forEach((_, c) => {
    const row = element("cluster-list").children[c];
    const [name, colour, button] = [row.querySelector("input[type=text]"), row.querySelector("input[type=color]"), row.querySelector("button")];
    name.value = kept.names[c] ?? "";
    colour.value = clusterColour(c);
    name.addEventListener("change", () => { kept.names[c] = name.value.trim(); keep(); rename(); });
    colour.addEventListener("input", () => { kept.colours[c] = colour.value; keep(); rename(); });
    button.addEventListener("click", () => select(Array.from(cluster.keys()).filter((i) => cluster[i] === c)));
  });
  function rename() {
    document.querySelectorAll("[data-cluster]").forEach((place) => { place.textContent = clusterName(Number(place.dataset.cluster)); });
    document.querySelectorAll("[data-cluster-dot]").forEach((place) => { place.style.background = clusterColour(Number(place.dataset.clusterDot)); });
    paint();
    selected(true);
  }
  element("forget").addEventListener("click", () => {
    Object.assign(kept, { names: {}, colours: {}, a: [], b: [] });
    a = new Set();
    b = new Set();
    keep();
    [...element("cluster-list").children].forEach((row, c) => {
      row.querySelector("input[type=text]").value = "";
      row.querySelector("input[type=color]").value = data.clusters[c].colour;
    });
    rename();
    say("Names, colours and selections are as they were.");
  });

  // Controls

  element("colour").addEventListener("change", paint);
  element("layout").addEventListener("change", () => { layout(); if (scatter) move(); });
  element("tagged").addEventListener("change", () => scatter && move());
  element("to-b").addEventListener("click", () => { b = new Set(a); a = new Set(); selected(); say("The selection is now B. Select A to compare it with."); });
  element("clear").addEventListener("click", () => { b = new Set(); select([]); });
  element("controls").addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = element("find").value.trim();
    let at = -1;
    for (let i = 0; i < n && at < 0; i += 1) if (nameOf(i) === wanted) at = i;
    for (let i = 0; i < n && at < 0; i += 1) if (nameOf(i) === `row ${wanted}`) at = i;
    if (at < 0) {
      element("found").textContent = wanted ? `No sample called “${wanted}” is drawn.` : "";
      return;
    }
    if (scatter) scatter.goTo(at);
    select([at], { quiet: true });
    element("found").textContent = describe(at);
  });
  const describe = (i) => [`${nameOf(i)}: cluster ${clusterName(cluster[i])}`, ...columns.slice(0, 8).map((one) => `${one.name} ${one.levels ? one.levels[one.values[i]] : shown(one.values[i])}`)].join(", ");

  if (scatter) {
    const mode = () => document.querySelector("input[name=mode]:checked").value;
    const area = element("area"), tip = element("tip"), pen = element("pen");
    const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    const fingers = new Map();
    let path = null;
    const outline = () => {
      if (!path) { pen.setAttribute("points", ""); return; }
      const [[x0, y0], [x1, y1]] = [path[0], path.at(-1)];
      pen.setAttribute("points", (mode() === "box" ? [[x0, y0], [x1, y0], [x1, y1], [x0, y1]] : path).map((point) => point.join(",")).join(" "));
    };
    document.querySelectorAll("input[name=mode]").forEach((one) => one.addEventListener("change", () => { area.dataset.mode = mode(); }));
    area.dataset.mode = mode();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, at(event));
      if (mode() !== "move" && fingers.size === 1) { path = [at(event)]; event.preventDefault(); }
      if (fingers.size > 1) { path = null; outline(); }
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = at(event);
      if (path && fingers.has(event.pointerId)) {
        const last = path.at(-1);
        if (Math.hypot(now[0] - last[0], now[1] - last[1]) > 3) { path.push(now); outline(); }
      } else if (fingers.size === 1 && fingers.has(event.pointerId)) {
        const last = fingers.get(event.pointerId);
        scatter.pan(now[0] - last[0], now[1] - last[1]);
        fingers.set(event.pointerId, now);
      } else if (fingers.size === 2 && fingers.has(event.pointerId)) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1], last = fingers.get(event.pointerId);
        const before = Math.hypot(last[0] - other[0], last[1] - other[1]), after = Math.hypot(now[0] - other[0], now[1] - other[1]);
        scatter.zoomBy(after / Math.max(before, 1), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
        fingers.set(event.pointerId, now);
      } else {
        const i = scatter.nearest(...now);
        tip.hidden = i < 0;
        if (i >= 0) {
          tip.textContent = `${nameOf(i)} · cluster ${clusterName(cluster[i])}${colours.name === "cluster" ? "" : ` · ${colours.name} ${colours.text(i)}`}`;
          const [left, top] = scatter.toScreen(...scatter.place(i));
          tip.style.transform = `translate(${Math.min(left + 10, scatter.width - 160)}px, ${top + 10}px)`;
        }
      }
    });
    const lift = (event) => {
      fingers.delete(event.pointerId);
      if (!path) return;
      const shape = mode() === "box" ? (([x0, y0], [x1, y1]) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]])(path[0], path.at(-1)) : path;
      path = null;
      outline();
      if (event.type === "pointerup") select(shape.length > 2 ? scatter.inside(shape) : [], { add: event.shiftKey });
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return; // else the page scrolls
      event.preventDefault();
      scatter.zoomBy(Math.exp(-event.deltaY / 300), ...at(event));
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => { const i = scatter.nearest(...at(event)); if (i >= 0) select([i], { add: event.shiftKey }); });
    const keys = {
      ArrowLeft: () => scatter.pan(40, 0), ArrowRight: () => scatter.pan(-40, 0), ArrowUp: () => scatter.pan(0, 40),
      ArrowDown: () => scatter.pan(0, -40), "+": () => scatter.zoomBy(1.3), "=": () => scatter.zoomBy(1.3), "-": () => scatter.zoomBy(1 / 1.3),
      0: () => scatter.home(), Escape: () => { b = new Set(); select([]); },
      // What is in the middle of the map, for those who cannot draw a lasso.
      Enter: () => { const [w, h] = [scatter.width, scatter.height]; select(scatter.inside([[w / 4, h / 4], [(3 * w) / 4, h / 4], [(3 * w) / 4, (3 * h) / 4], [w / 4, (3 * h) / 4]])); },
    };
    canvas.addEventListener("keydown", (event) => { if (keys[event.key]) { keys[event.key](); event.preventDefault(); } });
    element("nearer").addEventListener("click", () => scatter.zoomBy(1.5));
    element("farther").addEventListener("click", () => scatter.zoomBy(1 / 1.5));
    element("home").addEventListener("click", () => scatter.home());
    dark.addEventListener("change", paint);
  }

  layout();
  rename();
  Object.assign(debug, { scatter, cluster, columns, nameOf, colours: () => colours, selection: () => [listOf(a), listOf(b)], n });
  document.documentElement.dataset.ready = "yes";
})();
