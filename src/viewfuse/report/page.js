"use strict";
(async () => {
  const element = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(element(id).textContent);
  const dark = window.matchMedia("screen and (prefers-color-scheme: dark)");

  const models = () => Bokeh.documents.flatMap((document) => [...document.all_models]);

  // Style sheets have no effect on the canvas that Bokeh draws on, so the colours of the page are set here.
  function paint() {
    const style = getComputedStyle(document.documentElement);
    const [ink, line] = ["--quiet", "--line"].map((name) => style.getPropertyValue(name).trim());
    for (const model of models()) {
      if (model.type.endsWith("Axis")) {
        Object.assign(model, {
          axis_label_text_color: ink, major_label_text_color: ink, axis_line_color: line, major_tick_line_color: line,
        });
      } else if (model.name === "points") {
        const night = dark.matches && !document.documentElement.classList.contains("printing");
        model.glyph.line_color = { value: night ? "#ffffff59" : "#00000033" }; // so that every colour of the palette is visible
      }
    }
  }

  const charts = new Map();
  for (const place of document.querySelectorAll("[id^=chart-]")) {
    const { roots } = await Bokeh.embed.embed_item(read(place.id.replace("chart-", "data-")), place.id);
    charts.set(place, [...roots][0]);
  }
  paint();
  dark.addEventListener("change", paint);

  // A canvas is printed as it was last drawn on the screen: perhaps dark, or too wide for paper. An image of it in light
  // colours is printed instead.
  window.addEventListener("beforeprint", () => {
    document.documentElement.classList.add("printing");
    paint();
    for (const [place, view] of charts) {
      const picture = new Image();
      picture.className = "printed";
      picture.src = view.export("png", true).canvas.toDataURL();
      place.append(picture);
    }
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    document.querySelectorAll(".printed").forEach((picture) => picture.remove());
    paint();
  });

  if (element("chart-embedding")) {
    const colourings = read("data-colours").map((one) => ({
      ...one, codes: Uint8Array.from(atob(one.codes), (character) => character.charCodeAt(0)),
    }));
    const source = models().find((model) => model.name === "samples");
    const points = models().find((model) => model.name === "points");
    const numbers = models().find((model) => model.name === "numbers");

    const describe = (one, i) => {
      const value = one.levels ? one.levels[one.codes[i]] : one.values[i];
      return `${one.name}: ${value === null ? "none" : value}`;
    };

    const text = (kind, content, parent) => {
      const made = document.createElement(kind);
      made.textContent = content; // not as HTML: names come from the files of the user
      parent.append(made);
      return made;
    };

    function legend(one) {
      const place = element("legend");
      place.replaceChildren();
      if (!one.levels) {
        const known = one.values.filter((value) => value !== null);
        const range = known.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
        const entry = text("span", known.length ? `${one.name} ${range[0]}` : `${one.name}: no values`, place);
        const scale = text("span", "", entry);
        scale.className = "scale";
        scale.style.background = `linear-gradient(to right, ${one.palette.slice(0, -1).filter((_, i) => i % 9 === 0).join(",")})`;
        if (known.length) entry.append(String(range[1]));
        return;
      }
      one.levels.slice(0, 24).forEach((level, i) => {
        const entry = text("span", "", place);
        const dot = text("span", "", entry);
        dot.className = "dot";
        dot.style.background = one.palette[i];
        entry.append(level);
      });
      if (one.levels.length > 24) text("span", `and ${one.levels.length - 24} more`, place);
    }

    function colour() {
      const one = colourings[Number(element("colour").value)];
      source.data = {
        ...source.data,
        colour: Array.from(one.codes, (code) => one.palette[code]),
        shown: Array.from(one.codes, (_, i) => describe(one, i)),
      };
      legend(one);
    }

    function layout() {
      const number = element("layout").value;
      for (const glyph of [points.glyph, points.selection_glyph, points.nonselection_glyph, numbers.glyph]) {
        Object.assign(glyph, { x: { field: `x${number}` }, y: { field: `y${number}` } });
      }
      source.change.emit();
    }

    function find(event) {
      event.preventDefault();
      const wanted = element("find").value.trim();
      const names = Array.from(source.data.id);
      const i = names.indexOf(wanted) >= 0 ? names.indexOf(wanted) : names.indexOf(`row ${wanted}`);
      source.selected.indices = i < 0 ? [] : [i];
      const confidence = i >= 0 && source.data.confidence ? `, confidence ${source.data.confidence[i].toFixed(2)}` : "";
      element("found").textContent = !wanted ? "" : i < 0
        ? `No sample called “${wanted}” is drawn.`
        : `${names[i]}: cluster ${source.data.cluster[i]}${confidence}, ${colourings.map((one) => describe(one, i)).slice(confidence ? 2 : 1).join(", ")}`.replace(/, $/, "");
    }

    element("colour").addEventListener("change", colour);
    element("layout").addEventListener("change", layout);
    element("controls").addEventListener("submit", find);
    element("find").addEventListener("search", find);
    colour();
  }
  document.documentElement.dataset.ready = "yes";
})();
