// Two groups of samples, feature by feature: means, effect size, AUC, false-discovery rate. Pure functions of arrays.
const MISSING = 65535; // values are whole numbers from 0 to 65534 on a scale of their own

// values: Uint16Array of one feature; group: Uint8Array with 1 for A, 2 for B, 0 for neither.
function contrastOf(values, group) {
  const a = new Uint32Array(MISSING), b = new Uint32Array(MISSING);
  let na = 0, nb = 0, sumA = 0, sumB = 0, squares = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    if (value === MISSING || !group[i]) continue;
    if (group[i] === 1) { a[value] += 1; na += 1; sumA += value; } else { b[value] += 1; nb += 1; sumB += value; }
    squares += value * value;
  }
  const n = na + nb;
  if (!na || !nb) return { na, nb, a: na ? sumA / na : NaN, b: nb ? sumB / nb : NaN, effect: 0, auc: 0.5, p: 1 };
  let larger = 0, below = 0, ties = 0; // pairs in which A is larger, a tie counting half
  for (let value = 0; value < MISSING; value += 1) {
    const both = a[value] + b[value];
    if (!both) continue;
    larger += a[value] * (below + b[value] / 2);
    below += b[value];
    ties += both * (both * both - 1);
  }
  const mean = (sumA + sumB) / n, spread = Math.sqrt(Math.max(squares / n - mean * mean, 0));
  const variance = ((na * nb) / 12) * (n + 1 - ties / (n * (n - 1)));
  const z = variance > 0 ? Math.abs(larger - (na * nb) / 2) / Math.sqrt(variance) : 0;
  return {
    na, nb, a: sumA / na, b: sumB / nb,
    effect: spread > 0 ? (sumA / na - sumB / nb) / spread : 0, auc: larger / (na * nb), p: twoSided(z),
  };
}

// P(|Z| > z) of a normal variable: the complementary error function by Chebyshev's fit (Press et al.), relative error 1e-7.
function twoSided(z) {
  const x = z / Math.SQRT2, t = 1 / (1 + 0.5 * x);
  const polynomial = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  return Math.min(1, t * Math.exp(-x * x + polynomial.reduceRight((sum, c) => sum * t + c, 0)));
}

// Benjamini and Hochberg: the smallest false-discovery rate at which each test is significant.
function adjusted(ps) {
  const order = [...ps.keys()].sort((one, other) => ps[one] - ps[other]), found = new Float64Array(ps.length);
  let least = 1;
  for (let rank = ps.length; rank >= 1; rank -= 1) {
    least = Math.min(least, (ps[order[rank - 1]] * ps.length) / rank);
    found[order[rank - 1]] = least;
  }
  return found;
}

// A cell that a spreadsheet shows and does not run: text that begins like a formula gets an apostrophe.
function csvCell(value) {
  let text = String(value ?? "");
  if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const csv = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
