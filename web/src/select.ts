// Selections: the points in a lasso or a rectangle, and their distinguishing columns.

import { nameOf } from "./color";
import { shortest, type Store } from "./store";

/** A point of the page, in CSS pixels, or of the map. */
export type XY = [number, number];

/** inside returns the shown points within a polygon of the map. */
export function inside(store: Store, polygon: readonly XY[], shown: (s: number) => boolean): Uint32Array {
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  for (const [x, y] of polygon) {
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  }
  const n = polygon.length;
  const out: number[] = [];
  for (let s = 0; s < store.slots; s++) {
    if (!store.alive[s]) continue;
    const x = store.x[s]!;
    const y = store.y[s]!;
    if (x < x0 || x > x1 || y < y0 || y > y1 || !shown(s)) continue;
    // Even-odd rule: counts the edges that a ray to the right crosses.
    let odd = false;
    for (let i = 0, j = n - 1; i < n; j = i++) {
      const [ax, ay] = polygon[i]!;
      const [bx, by] = polygon[j]!;
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
    }
    if (odd) out.push(s);
  }
  return new Uint32Array(out);
}

/** rounded returns a coordinate of the map with as many decimals as a view of the given scale distinguishes, and a few more. */
export function rounded(v: number, scale: number): number {
  return Number(v.toFixed(Math.min(Math.max(Math.ceil(Math.log10(scale)) + 1, 0), 20))) + 0; // no -0
}

/** simplified returns a polygon without corners that are less than a distance away from the line of the others (Douglas and Peucker 1973). */
export function simplified(line: readonly XY[], distance: number): XY[] {
  const keep = new Uint8Array(line.length);
  keep[0] = keep[line.length - 1] = 1;
  const parts: [number, number][] = [[0, line.length - 1]];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [from, to] = part;
    const [ax, ay] = line[from]!;
    const [bx, by] = line[to]!;
    const long = (bx - ax) ** 2 + (by - ay) ** 2;
    let farthest = -1;
    let most = distance;
    for (let i = from + 1; i < to; i++) {
      const [x, y] = line[i]!;
      const t = long > 0 ? Math.min(Math.max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / long, 0), 1) : 0;
      const d = Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
      if (d >= most) {
        most = d;
        farthest = i;
      }
    }
    if (farthest < 0) continue;
    keep[farthest] = 1;
    parts.push([from, farthest], [farthest, to]);
  }
  return line.filter((_, i) => keep[i]);
}

/** A reason why a selection differs from the rest. */
export interface Difference {
  column: string;
  text: string;
  /** The difference in standard deviations, or twice the difference of shares. */
  weight: number;
}

/** compare ranks columns by the difference between a selection's values and all others. */
export function compare(store: Store, chosen: Uint32Array): Difference[] {
  const is = new Uint8Array(store.slots);
  for (const s of chosen) is[s] = 1;
  const out: Difference[] = [];
  store.columns.forEach((c, k) => {
    if (c.kind === "category") {
      const mine = new Uint32Array(c.values.length + 1);
      const rest = new Uint32Array(mine.length);
      let others = 0;
      store.eachNumber(k, (s, code) => {
        if (is[s]) mine[code]!++;
        else {
          rest[code]!++;
          others++;
        }
      });
      let best: Difference | null = null;
      for (const [code, n] of mine.entries()) {
        if (n === 0) continue;
        const share = n / chosen.length;
        const other = others ? rest[code]! / others : 0;
        const weight = (share - other) * 2;
        if (!best || weight > best.weight)
          best = { column: c.name, weight, text: `${nameOf(c, code)}: ${percent(share)} of these, ${percent(other)} of the rest` };
      }
      if (best) out.push(best);
    } else if (c.kind !== "text") {
      const sums = [new Moments(), new Moments()];
      store.eachNumber(k, (s, v) => sums[is[s]!]!.add(v));
      const [rest, mine] = sums as [Moments, Moments];
      if (mine.n === 0) return;
      const spread = Math.sqrt((rest.variance + mine.variance) / 2);
      const weight = rest.n === 0 || spread === 0 ? 0 : (mine.mean - rest.mean) / spread;
      const write = (v: number): string => store.written(k, v);
      out.push({ column: c.name, weight: Math.abs(weight), text: `${write(mine.mean)} on average, ${rest.n ? write(rest.mean) : "–"} in the rest` });
    }
  });
  return out.sort((a, b) => b.weight - a.weight);
}

/** Moments computes mean and variance incrementally (Welford 1962). */
class Moments {
  n = 0;
  mean = 0;
  private m2 = 0;

  add(v: number): void {
    if (!Number.isFinite(v)) return;
    this.n++;
    const d = v - this.mean;
    this.mean += d / this.n;
    this.m2 += d * (v - this.mean);
  }

  get variance(): number {
    return this.n > 1 ? this.m2 / (this.n - 1) : 0;
  }
}

export function percent(v: number): string {
  return `${(v * 100).toFixed(v > 0 && v < 0.1 ? 1 : 0)}%`;
}

/** csv writes points as CSV (RFC 4180), ids and places first. */
export function csv(store: Store, slots: Uint32Array): string {
  const quote = (v: string): string => (/[",\r\n]/.test(v) || /^[=+\-@\t]/.test(v) && Number.isNaN(Number(v)) ? `"${guard(v).replaceAll('"', '""')}"` : v);
  const lines = [["id", "x", "y", ...store.columns.map((c) => c.name)].map(quote).join(",")];
  for (const s of slots) {
    const row = [quote(store.id(s)), shortest(store.x[s]!), shortest(store.y[s]!)];
    store.columns.forEach((_, k) => row.push(quote(store.precise(s, k))));
    lines.push(row.join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

/** guard prevents spreadsheets from interpreting a text as a formula. */
function guard(v: string): string {
  return /^[=+\-@\t]/.test(v) ? "'" + v : v;
}
