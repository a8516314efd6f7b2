// The most novel points, grouped by kind: those that are at one place of the map and have the same class.

import { wholeBox } from "./framing";
import type { Store } from "./store";

/** One kind: its most novel point, and how many there are. */
export interface Strange {
  slot: number;
  count: number;
}

/** The points that are grouped. */
const looked = 240;
/** Points within this share of the map's extent are at one place. */
const near = 0.03;
const bins = 1024;

/** strangest returns the points with the largest values that came since a time, the newest of equal ones first. */
export function strangest(store: Store, value: (s: number) => number, since: number, most = looked): number[] {
  let [low, high, n] = [Infinity, -Infinity, 0];
  const each = (f: (s: number, v: number) => void): void => store.each((s) => {
    const v = value(s);
    if (store.at[s]! >= since && Number.isFinite(v)) f(s, v);
  });
  each((_, v) => {
    n++;
    low = Math.min(low, v);
    high = Math.max(high, v);
  });
  if (n === 0) return [];
  // Of many points only those in the highest bins of a histogram are sorted.
  const bin = (v: number): number => (high > low ? Math.min(Math.floor(((v - low) / (high - low)) * bins), bins - 1) : 0);
  const counts = new Uint32Array(bins);
  each((_, v) => counts[bin(v)]!++);
  let least = bins - 1;
  for (let above = counts[least]!; above < most && least > 0; above += counts[least]!) least--;
  const found: { s: number; v: number }[] = [];
  each((s, v) => void (bin(v) >= least && found.push({ s, v })));
  return found.sort((a, b) => b.v - a.v || store.at[b.s]! - store.at[a.s]! || a.s - b.s).slice(0, most).map((f) => f.s);
}

/** kinds groups points, at most so many kinds. A point that stood for its kind before still does. */
export function kinds(store: Store, slots: readonly number[], column: number, most: number, before: ReadonlySet<number> = new Set()): Strange[] {
  const box = wholeBox(store);
  if (!box) return [];
  const reach = near * Math.max(box.x1 - box.x0, box.y1 - box.y0);
  const { x, y } = store;
  const code = (s: number): number => (column >= 0 ? store.number(s, column) : 0);
  const out: (Strange & { first: number })[] = [];
  for (const s of slots) {
    const k = out.find(({ first }) => Math.hypot(x[s]! - x[first]!, y[s]! - y[first]!) <= reach && code(s) === code(first));
    if (k) {
      k.count++;
      if (before.has(s) && !before.has(k.slot)) k.slot = s;
    } else if (out.length < most) out.push({ slot: s, first: s, count: 1 });
  }
  return out.map(({ slot, count }) => ({ slot, count }));
}
