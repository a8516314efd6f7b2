// The parts of the class that fills the view, and their names: by what sets them apart from each other.

import { differences, type Difference } from "./apart";
import type { Camera } from "./camera";
import { drawn, drawnSlots } from "./drawn";
import { changedName, type Store } from "./store";

export interface Part {
  name: string;
  slots: readonly number[];
  count: number;
  x: number;
  y: number;
}

/** The parts of a class. */
export interface Parts {
  code: number;
  parts: readonly Part[];
}

const cells = 44;
/** The view is filled by a class with this share of its points, from this magnification on. */
const filling = 0.5;
const closeUp = 1.3;
/** A part has this share of the class's points in view, and this number. Its peak is this share higher than the pass to a higher one. */
const leastShare = 0.04;
const leastPoints = 30;
const leastRise = 0.25;
/** The largest number of points that are assigned to parts, and of each part that are compared. */
const most = 40_000;
const compared = 700;
/** The least effect that names a part: of a category or a word the difference of shares, of numbers Cliff's delta. */
const telling = { category: 0.25, word: 0.15, number: 0.4 };

/** Columns about a point's place say nothing about the points themselves. */
export const aboutPlaces: ReadonlySet<string> = new Set(["sigma", "variance", "novelty_local", "novelty_global", "cluster", "cluster_probability", "cluster_outlier", "class_probability", "class_entropy", "partition", changedName]);

/** parts finds the named parts of the class that fills the view, at least two; null for none. except is the column of classes. */
export function parts(store: Store, camera: Camera, code: (s: number) => number, except: number): Parts | null {
  if (camera.zoom < closeUp) return null;
  const view = filled(store, camera, code);
  if (!view) return null;
  const groups = modes(view.slots, view.cell);
  if (groups.length < 2) return null;
  const all = groups.map((g) => drawn(Uint32Array.from(g), compared));
  const skipped = new Set([...aboutPlaces, store.columns[except]?.name ?? ""]);
  const found = groups.flatMap((g, i): Part[] => {
    const name = nameBy(store, all[i]!, Uint32Array.from(all.flatMap((o, j) => (j === i ? [] : [...o]))), skipped);
    return name ? [{ name, slots: g, count: g.length, ...middle(store, g) }] : [];
  });
  return found.length > 1 && new Set(found.map((p) => p.name)).size > 1 ? { code: view.code, parts: found } : null;
}

/** filled returns the class that fills the view, with its points and their cells; null for none. */
function filled(store: Store, camera: Camera, code: (s: number) => number): { code: number; slots: number[]; cell: number[] } | null {
  const [x0, y1] = camera.toMap(0, 0);
  const [x1, y0] = camera.toMap(camera.width, camera.height);
  const { alive, x, y } = store;
  const slots: number[] = [];
  const of: number[] = [];
  const cell: number[] = [];
  const counts: number[] = [];
  for (const s of drawnSlots(store.base, store.slots, 250_000)) {
    if (!alive[s]) continue;
    const cx = ((x[s]! - x0) / (x1 - x0)) * cells;
    const cy = ((y[s]! - y0) / (y1 - y0)) * cells;
    if (!(cx >= 0 && cy >= 0 && cx < cells && cy < cells)) continue;
    const c = code(s);
    if (c <= 0) continue;
    counts[c] = (counts[c] ?? 0) + 1;
    slots.push(s);
    of.push(c);
    cell.push((cy | 0) * cells + (cx | 0));
  }
  let best = 0;
  counts.forEach((k, c) => void (k > (counts[best] ?? 0) && (best = c)));
  const n = counts[best] ?? 0;
  if (n < 2 * leastPoints || n < filling * slots.length) return null;
  const mine = drawn(Uint32Array.from(slots.keys()).filter((i) => of[i] === best), most);
  return { code: best, slots: Array.from(mine, (i) => slots[i]!), cell: Array.from(mine, (i) => cell[i]!) };
}

/**
 * modes divides points by the peaks of their density on a grid. Cells join their highest neighbour; a peak that rises little above the pass to a
 * higher one joins that (F. Chazal et al., "Persistence-based clustering in Riemannian manifolds", 2013).
 */
export function modes(slots: readonly number[], cell: readonly number[]): number[][] {
  const density = blurred(cell);
  const order = Array.from(density.keys()).filter((c) => density[c]! > 0).sort((a, b) => density[b]! - density[a]! || a - b);
  const parent = new Int32Array(cells * cells).fill(-1);
  const root = (c: number): number => {
    while (parent[c] !== c) c = parent[c]!;
    return c;
  };
  for (const c of order) {
    const peaks = [...new Set(around(c).filter((o) => parent[o]! >= 0).map(root))].sort((a, b) => density[b]! - density[a]!);
    parent[c] = peaks[0] ?? c;
    for (const lower of peaks.slice(1)) if (density[lower]! - density[c]! < leastRise * density[lower]!) parent[lower] = peaks[0]!;
  }
  const groups = new Map<number, number[]>();
  slots.forEach((s, i) => {
    const r = root(cell[i]!);
    const g = groups.get(r);
    if (g) g.push(s);
    else groups.set(r, [s]);
  });
  const least = Math.max(leastPoints, leastShare * slots.length);
  return [...groups.values()].filter((g) => g.length >= least).sort((a, b) => b.length - a.length);
}

/** around returns the cells around a cell. */
function around(c: number): number[] {
  const [x, y] = [c % cells, Math.floor(c / cells)];
  const out: number[] = [];
  for (let v = Math.max(y - 1, 0); v <= Math.min(y + 1, cells - 1); v++) for (let u = Math.max(x - 1, 0); u <= Math.min(x + 1, cells - 1); u++) if (u !== x || v !== y) out.push(v * cells + u);
  return out;
}

/** blurred counts points by cell, and blurs the counts twice. */
function blurred(cell: readonly number[]): Float32Array {
  let density = new Float32Array(cells * cells);
  for (const c of cell) density[c]!++;
  for (let run = 0; run < 2; run++) {
    const next = new Float32Array(cells * cells);
    for (let c = 0; c < next.length; c++) next[c] = density[c]! * 2 + around(c).reduce((sum, o) => sum + density[o]!, 0);
    density = next;
  }
  return density;
}

/** nameBy names points by what sets them apart from others: categories, words of a text, or high or low numbers; "" if nothing does. */
function nameBy(store: Store, mine: Uint32Array, others: Uint32Array, skipped: ReadonlySet<string>): string {
  const size = (d: Difference): number => (d.category === undefined ? Math.abs(d.effect) : d.effect);
  const found = differences(store, mine, others, "").filter((d) => !skipped.has(d.column) && size(d) >= (d.category === undefined ? telling.number : telling.category));
  const [first, second] = found.sort((a, b) => size(b) - size(a));
  if (!first) return wordOf(store, mine, others);
  const both = second && second.column === first.column && second.effect > 0.6 * first.effect; // categories that share the part
  return both ? `${short(first)} / ${second.category}` : short(first);
}

function short(d: Difference): string {
  if (d.category === undefined) return `${d.column} ${d.effect > 0 ? "high" : "low"}`;
  return /^(labels?|class|category|kind|topic)$/.test(d.column) ? d.category : `${d.column}=${d.category}`;
}

/** wordOf returns the words of text columns whose shares of points differ most, two if they are about as frequent. */
function wordOf(store: Store, mine: Uint32Array, others: Uint32Array): string {
  const texts = store.columns.flatMap((c, k) => (c.kind === "text" ? [k] : []));
  const count = (slots: Uint32Array): Map<string, number> => {
    const out = new Map<string, number>();
    for (const s of slots) for (const k of texts) for (const w of new Set(store.text(s, k).toLowerCase().match(/[\p{L}\p{M}]{3,}/gu) ?? [])) out.set(w, (out.get(w) ?? 0) + 1);
    return out;
  };
  if (texts.length === 0) return "";
  const [a, b] = [count(mine), count(others)];
  const ranked = [...a].map(([w, n]) => ({ w, effect: n / mine.length - (b.get(w) ?? 0) / others.length })).sort((p, q) => q.effect - p.effect);
  const [first, second] = ranked;
  if (!first || first.effect < telling.word) return ""; // few of the texts about one thing share a word
  return second && second.effect > 0.7 * first.effect ? `${first.w}, ${second.w}` : first.w;
}

/** middle returns the mean place of points. */
function middle(store: Store, slots: readonly number[]): { x: number; y: number } {
  let x = 0, y = 0;
  for (const s of slots) {
    x += store.x[s]! / slots.length;
    y += store.y[s]! / slots.length;
  }
  return { x, y };
}
