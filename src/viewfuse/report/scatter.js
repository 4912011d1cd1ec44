// A scatter plot of many points in WebGL: pan, zoom, lasso, box, nearest point. It knows nothing of clusters.
class Scatter {
  static VERTEX = `
    attribute vec2 place; attribute vec4 colour; attribute float state;
    uniform vec2 scale, shift; uniform float size, picked; uniform mediump float pass;
    varying vec4 shade;
    void main() {
      bool chosen = state > 0.5;
      gl_Position = (pass > 0.5) == chosen ? vec4(place * scale + shift, 0.0, 1.0) : vec4(9.0, 9.0, 9.0, 1.0);
      gl_PointSize = chosen ? size * 1.5 : size;
      shade = vec4(colour.rgb, picked > 0.5 && !chosen ? 0.16 : 0.9);
    }`;
  static FRAGMENT = `
    precision mediump float; varying vec4 shade; uniform vec4 rim; uniform mediump float pass;
    void main() {
      float r = length(gl_PointCoord - 0.5);
      if (r > 0.5) discard;
      gl_FragColor = pass > 0.5 && r > 0.36 ? rim : vec4(shade.rgb, shade.a * (1.0 - smoothstep(0.42, 0.5, r)));
    }`;

  // Returns null where there is no WebGL.
  static make(canvas) {
    const gl = canvas.getContext("webgl", { antialias: false, alpha: true, preserveDrawingBuffer: false });
    return gl ? new Scatter(canvas, gl) : null;
  }

  constructor(canvas, gl) {
    Object.assign(this, { canvas, gl, n: 0, step: 1, zoom: 1, centre: [0.5, 0.5], picked: false, rim: [0, 0, 0, 1], onView: () => {} });
    const compile = (kind, source) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      return shader;
    };
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl.VERTEX_SHADER, Scatter.VERTEX));
    gl.attachShader(program, compile(gl.FRAGMENT_SHADER, Scatter.FRAGMENT));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    this.uniform = Object.fromEntries(["scale", "shift", "size", "pass", "picked", "rim"].map((name) => [name, gl.getUniformLocation(program, name)]));
    this.buffer = {};
    this.attributes = [["place", 2, gl.UNSIGNED_SHORT, true, 4], ["colour", 4, gl.UNSIGNED_BYTE, true, 4], ["state", 1, gl.UNSIGNED_BYTE, false, 1]];
    for (const one of this.attributes) {
      this.buffer[one[0]] = gl.createBuffer();
      one.push(gl.getAttribLocation(program, one[0]));
      gl.enableVertexAttribArray(one.at(-1));
    }
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  upload(name, values) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer[name]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
    this.draw();
  }

  // places: x0, y0, x1, y1, … from 0 to 65535
  setPlaces(places) {
    this.places = places;
    this.n = places.length / 2;
    this.cells = null;
    this.upload("place", places);
  }
  setColours(rgba) { this.upload("colour", rgba); }
  setStates(states, picked) { this.picked = picked; this.upload("state", states); }

  get width() { return this.canvas.clientWidth || 1; }
  get height() { return this.canvas.clientHeight || 1; }
  // pixels per unit of the map, whose sides are 1
  get unit() { return 0.94 * Math.min(this.width, this.height) * this.zoom; }
  toScreen(x, y) { return [this.width / 2 + (x - this.centre[0]) * this.unit, this.height / 2 - (y - this.centre[1]) * this.unit]; }
  toMap(left, top) { return [this.centre[0] + (left - this.width / 2) / this.unit, this.centre[1] - (top - this.height / 2) / this.unit]; }
  place(i) { return [this.places[2 * i] / 65535, this.places[2 * i + 1] / 65535]; }

  // While the map moves, at most 150,000 points are drawn, every so many of all; then all of them.
  moving() {
    this.step = Math.min(Math.max(Math.ceil(this.n / 150000), 1), 60);
    clearTimeout(this.still);
    if (this.step > 1) this.still = setTimeout(() => { this.step = 1; this.draw(); }, 250);
    this.draw();
  }
  pan(right, down) { this.centre = [this.centre[0] - right / this.unit, this.centre[1] + down / this.unit]; this.moving(); }
  zoomBy(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.toMap(left, top);
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.5), 400);
    const [x1, y1] = this.toMap(left, top);
    this.centre = [this.centre[0] + x - x1, this.centre[1] + y - y1];
    this.moving();
  }
  home() { this.zoom = 1; this.centre = [0.5, 0.5]; this.draw(); }
  goTo(i) { this.centre = this.place(i); this.zoom = Math.max(this.zoom, 4); this.draw(); }

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.drawNow(); });
  }
  drawNow() {
    const { gl, canvas, uniform } = this, ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [sx, sy] = [2 * this.unit / this.width, 2 * this.unit / this.height];
    gl.uniform2f(uniform.scale, sx, sy);
    gl.uniform2f(uniform.shift, -this.centre[0] * sx, -this.centre[1] * sy);
    const size = Math.min(Math.max(260 / Math.sqrt(this.n || 1), 2.2), 9) * Math.min(1 + Math.log2(Math.max(this.zoom, 1)) / 3, 3);
    gl.uniform1f(uniform.size, size * ratio);
    gl.uniform1f(uniform.picked, this.picked ? 1 : 0);
    gl.uniform4fv(uniform.rim, this.rim);
    for (const [name, parts, kind, normal, bytes, at] of this.attributes) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer[name]);
      gl.vertexAttribPointer(at, parts, kind, normal, this.step * bytes, 0);
    }
    for (const pass of this.picked ? [0, 1] : [0]) {
      gl.uniform1f(uniform.pass, pass);
      gl.drawArrays(gl.POINTS, 0, Math.floor(this.n / this.step));
    }
    this.onView();
  }

  // The points inside a polygon of screen positions.
  inside(polygon) {
    const corners = polygon.map(([left, top]) => this.toMap(left, top).map((value) => value * 65535));
    const xs = corners.map((c) => c[0]), ys = corners.map((c) => c[1]);
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const found = [];
    for (let i = 0; i < this.n; i += 1) {
      const x = this.places[2 * i], y = this.places[2 * i + 1];
      if (x < left || x > right || y < low || y > high) continue;
      let odd = false;
      for (let a = 0, b = corners.length - 1; a < corners.length; b = a, a += 1) {
        if ((ys[a] > y) !== (ys[b] > y) && x < ((xs[b] - xs[a]) * (y - ys[a])) / (ys[b] - ys[a]) + xs[a]) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return found;
  }

  // The nearest point within some pixels, or −1. Points are kept in 256 × 256 cells.
  nearest(left, top, within = 9) {
    const [x, y] = this.toMap(left, top).map((value) => value * 65535), reach = (within / this.unit) * 65535;
    if (!this.cells) this.index();
    let best = -1, least = reach * reach;
    const cell = (value) => Math.min(Math.max(value >> 8, 0), 255);
    for (let cy = cell(y - reach); cy <= cell(y + reach); cy += 1) {
      for (let cx = cell(x - reach); cx <= cell(x + reach); cx += 1) {
        for (let at = this.starts[cy * 256 + cx]; at < this.starts[cy * 256 + cx + 1]; at += 1) {
          const i = this.cells[at], dx = this.places[2 * i] - x, dy = this.places[2 * i + 1] - y;
          if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = i; }
        }
      }
    }
    return best;
  }
  index() {
    this.starts = new Uint32Array(65537);
    const cell = (i) => (this.places[2 * i + 1] >> 8) * 256 + (this.places[2 * i] >> 8);
    for (let i = 0; i < this.n; i += 1) this.starts[cell(i) + 1] += 1;
    for (let c = 0; c < 65536; c += 1) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    this.cells = new Uint32Array(this.n);
    for (let i = 0; i < this.n; i += 1) { this.cells[next[cell(i)]] = i; next[cell(i)] += 1; }
  }
}
