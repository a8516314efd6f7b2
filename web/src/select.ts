// Selections: the points in a lasso or a rectangle, and their rows as CSV.

import { shortest } from "./numbers";
import type { Store } from "./store";

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

/** rounded rounds a coordinate of the map to a tenth of a pixel or less at the given scale. */
export function rounded(v: number, scale: number): number {
  return Number(v.toFixed(Math.min(Math.max(Math.ceil(Math.log10(scale)) + 1, 0), 20))) + 0; // no -0
}

/** simplified returns a polygon without corners that are closer than a distance to the simplified line (Douglas and Peucker 1973). */
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
