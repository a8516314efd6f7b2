// Histograms of columns: an axis over the values, linear or logarithmic, and counts in equal parts of it.

import type { Store } from "./store";

export interface Axis {
  from: number;
  to: number;
  log: boolean;
}

/** axisOf returns the axis over all finite values of a column, or over the positive ones if it is logarithmic; null if there are none. */
export function axisOf(store: Store, column: number, log: boolean): Axis | null {
  let from = Infinity;
  let to = -Infinity;
  store.eachNumber(column, (_, v) => {
    if (!(v - v === 0) || (log && v <= 0)) return;
    if (v < from) from = v;
    if (v > to) to = v;
  });
  return from <= to ? { from, to, log: log && from > 0 } : null;
}

/** positionOn returns the position of a value on an axis: 0..1 within it, NaN for values without a position. */
export function positionOn(a: Axis, v: number): number {
  if (a.from === a.to) return v === a.from ? 0.5 : NaN;
  return a.log ? Math.log(v / a.from) / Math.log(a.to / a.from) : (v - a.from) / (a.to - a.from);
}

/** valueAt returns the value at a position. The ends are exact. */
export function valueAt(a: Axis, t: number): number {
  if (t <= 0) return a.from;
  if (t >= 1) return a.to;
  return a.log ? a.from * (a.to / a.from) ** t : a.from + t * (a.to - a.from);
}

/** countsOf counts the values of a column in equal parts of an axis: of all points, and of those that pass. */
export function countsOf(store: Store, column: number, a: Axis, bins: number, passes: (s: number) => boolean): { all: Uint32Array; passing: Uint32Array } {
  const all = new Uint32Array(bins);
  const passing = new Uint32Array(bins);
  store.eachNumber(column, (s, v) => {
    const t = positionOn(a, v);
    if (!(t >= 0 && t <= 1)) return;
    const k = Math.min(Math.floor(t * bins), bins - 1);
    all[k]!++;
    if (passes(s)) passing[k]!++;
  });
  return { all, passing };
}

/** codesOf counts the categories of a column by code: of all points, and of those that pass. */
export function codesOf(store: Store, column: number, passes: (s: number) => boolean): { all: Uint32Array; passing: Uint32Array } {
  const n = store.columns[column]!.values.length + 1;
  const all = new Uint32Array(n);
  const passing = new Uint32Array(n);
  store.eachNumber(column, (s, code) => {
    if (code >= n) return;
    all[code]!++;
    if (passes(s)) passing[code]!++;
  });
  return { all, passing };
}

/**
 * drawBars draws the counts of all points faintly. In front are those that pass the filters, coloured within a part of the axis, from t0 to t1. Heights
 * are square roots, so that small counts stay visible.
 */
export function drawBars(canvas: HTMLCanvasElement, { all, passing }: { all: Uint32Array; passing: Uint32Array }, filtered: boolean, t0: number, t1: number): void {
  const c = canvas.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  const { width, height } = canvas;
  const bins = all.length;
  const top = Math.sqrt(Math.max(1, ...(filtered ? passing : all)));
  const wide = width / bins;
  const bar = (i: number, n: number, color: string): void => {
    const tall = n > 0 ? Math.max(Math.min(Math.sqrt(n) / top, 1) * height, 2) : 0;
    c.fillStyle = color;
    c.fillRect(i * wide, height - tall, wide - 1, tall);
  };
  for (let i = 0; i < bins; i++) {
    const inside = (i + 1) / bins > t0 && i / bins < t1;
    bar(i, all[i]!, style.getPropertyValue("--line"));
    bar(i, passing[i]!, style.getPropertyValue(inside ? "--accent" : "--faint"));
  }
}
