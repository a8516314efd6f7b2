// The columns in which some points differ from others, the largest effect first, without differences that chance explains.

import { nameOf } from "./color";
import { drawn } from "./drawn";
import type { Store } from "./store";

/** A column in which points differ. */
export interface Difference {
  column: string;
  /** The category, undefined for numbers. */
  category?: string;
  text: string;
  /**
   * Cliff's delta (N. Cliff, "Dominance statistics", 1993), -1..1: the probability that a value of these is larger than one of
   * the others, minus that it is smaller. For a category it is the difference of shares.
   */
  effect: number;
  /** The probability of such a difference by chance, times the number of tests. */
  chance: number;
}

/** The largest number of points of each side that are compared. */
const most = 20_000;
/** Differences that are smaller, or more probable by chance, are left out. */
const leastEffect = 0.1;
const mostChance = 0.01;
/** Categories with fewer points are not tested. */
const leastCount = 5;

/** apart compares points with some others, or with all others. It returns the largest difference of each column. */
export function apart(store: Store, chosen: Uint32Array, others: Uint32Array | null, rest = others ? "the others" : "the rest"): Difference[] {
  const best = new Map<string, Difference>();
  for (const d of differences(store, chosen, others, rest)) {
    const known = best.get(d.column);
    if (!known || Math.abs(d.effect) > Math.abs(known.effect) || (Math.abs(d.effect) === Math.abs(known.effect) && d.effect > known.effect)) best.set(d.column, d);
  }
  return [...best.values()].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect) || a.chance - b.chance);
}

/** differences compares points with some others, or with all others, in all numbers and categories. */
export function differences(store: Store, chosen: Uint32Array, others: Uint32Array | null, rest: string): Difference[] {
  const mine = drawn(chosen, most);
  const theirs = drawn(others ?? except(store, chosen), most);
  const found: Difference[] = [];
  let tests = 0;
  store.columns.forEach((c, k) => {
    const add = (effect: number, chance: number, text: string, category?: string): void => void found.push({ column: c.name, category, text, effect, chance });
    const shares = (name: string, a: number, b: number): void => {
      if (a + b < leastCount) return;
      tests++;
      const [p, q] = [a / mine.length, b / theirs.length];
      add(p - q, proportions(a, mine.length, b, theirs.length), `${name}: ${percent(p)} of these, ${percent(q)} of ${rest}`, name);
    };
    if (c.kind === "category") {
      const counts = [mine, theirs].map((slots) => {
        const n = new Uint32Array(c.values.length + 1);
        for (const s of slots) n[store.number(s, k)]!++;
        return n;
      }) as [Uint32Array, Uint32Array];
      for (let code = 0; code <= c.values.length; code++) shares(code === 0 ? "no value" : nameOf(c, code), counts[0][code]!, counts[1][code]!);
    } else if (c.kind !== "text") {
      const [a, b] = [mine, theirs].map((slots) => Float64Array.from(slots, (s) => store.number(s, k)).filter((v) => v - v === 0).sort()) as [Float64Array, Float64Array];
      shares("no value", mine.length - a.length, theirs.length - b.length);
      if (a.length === 0 || b.length === 0) return;
      tests++;
      const { delta, chance } = ranks(a, b);
      const median = (v: Float64Array): string => store.written(k, v[v.length >> 1]!);
      add(delta, chance, `median ${median(a)}, ${median(b)} in ${rest}`);
    }
  });
  for (const d of found) d.chance = Math.min(d.chance * tests, 1);
  return found.filter((d) => Math.abs(d.effect) >= leastEffect && d.chance <= mostChance);
}

/** except returns all points that are not chosen. */
function except(store: Store, chosen: Uint32Array): Uint32Array {
  const is = new Uint8Array(store.slots);
  for (const s of chosen) is[s] = 1;
  const out: number[] = [];
  store.each((s) => void (is[s] || out.push(s)));
  return Uint32Array.from(out);
}

/** ranks compares sorted numbers by the rank-sum test (H. B. Mann and D. R. Whitney, 1947), by its normal approximation, corrected for ties. */
export function ranks(a: Float64Array, b: Float64Array): { delta: number; chance: number } {
  const [n, m] = [a.length, b.length];
  let above = 0; // 2 for each pair in which a is larger, 1 for each tie
  let ties = 0;
  let i = 0;
  let j = 0;
  while (i < n || j < m) {
    const v = j >= m || (i < n && a[i]! <= b[j]!) ? a[i]! : b[j]!;
    let x = 0;
    let y = 0;
    while (i + x < n && a[i + x] === v) x++;
    while (j + y < m && b[j + y] === v) y++;
    above += x * (2 * j + y);
    ties += (x + y) ** 3 - (x + y);
    i += x;
    j += y;
  }
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * Math.max(total - 1, 1)));
  const z = variance > 0 ? Math.max(Math.abs(above / 2 - (n * m) / 2) - 0.5, 0) / Math.sqrt(variance) : 0;
  return { delta: above / (n * m) - 1, chance: tails(z) };
}

/** proportions returns the p-value of the difference of two shares, a/n and b/m, with Yates's correction. */
export function proportions(a: number, n: number, b: number, m: number): number {
  const p = (a + b) / (n + m);
  const variance = p * (1 - p) * (1 / n + 1 / m);
  if (!(variance > 0)) return 1;
  return tails(Math.max(Math.abs(a / n - b / m) - (1 / n + 1 / m) / 2, 0) / Math.sqrt(variance));
}

/** tails returns the probability that a standard normal variable is beyond z or -z (M. Abramowitz and I. Stegun, 1964, 7.1.26; above 5 the tail's first terms). */
export function tails(z: number): number {
  if (z > 5) return (Math.exp((-z * z) / 2) / z) * Math.sqrt(2 / Math.PI) * (1 - 1 / (z * z));
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  return t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x);
}

export function percent(v: number): string {
  return `${(v * 100).toFixed(v > 0 && v < 0.1 ? 1 : 0)}%`;
}
