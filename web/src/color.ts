// Colours: of classes, of numbers, of light and dark pages.

import { drawnSlots } from "./drawn";
import type { Column, Store } from "./store";

/** A colour in the format of canvases: red in the lowest byte, opacity in the highest. */
export type RGBA = number;

export function rgba(r: number, g: number, b: number, a = 255): RGBA {
  return ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function css(c: RGBA, alpha = 1): string {
  return `rgba(${c & 255}, ${(c >> 8) & 255}, ${(c >> 16) & 255}, ${alpha})`;
}

/** hex reads colours as rrggbb. */
export const hex = (list: string): RGBA[] =>
  list.split(" ").map((h) => rgba(parseInt(h.slice(0, 2), 16), parseInt(h.slice(2, 4), 16), parseInt(h.slice(4), 16)));

// S. van der Walt and N. Smith (2015), "viridis", at equal steps from small to large.
const viridis = hex("440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725");

export interface Theme {
  dark: boolean;
  background: RGBA;
  ink: string;
  halo: string;
  missing: RGBA;
}

export const light: Theme = { dark: false, background: rgba(252, 252, 251), ink: "#1c1f24", halo: "rgba(252,252,251,.85)", missing: rgba(176, 178, 182) };
export const dark: Theme = { dark: true, background: rgba(15, 17, 21), ink: "#f1f3f6", halo: "rgba(15,17,21,.82)", missing: rgba(92, 97, 107) };

/** ramp returns the colour of t in 0..1. As in pictures, 1 has most contrast with the page: it is dark on light ones, light on dark ones. */
export function ramp(t: number, theme: Theme): RGBA {
  const u = theme.dark ? 0.14 + 0.86 * t : 0.97 * (1 - t);
  const at = Math.min(Math.max(u, 0), 1) * (viridis.length - 1);
  const k = Math.min(Math.floor(at), viridis.length - 2);
  const a = viridis[k]!;
  const b = viridis[k + 1]!;
  const mix = (shift: number): number => Math.round(((a >> shift) & 255) * (1 - (at - k)) + ((b >> shift) & 255) * (at - k));
  return rgba(mix(0), mix(8), mix(16));
}

/** A scale of numbers. Values beyond its ends have the colours of the ends; below and above tell whether there are some. */
export interface Scale {
  from: number;
  to: number;
  log: boolean;
  below?: boolean;
  above?: boolean;
}

/** scaleOf returns the scale of a column: 0 to 1 for shares, else the range without the outermost hundredths. */
export function scaleOf(store: Store, column: number): Scale {
  const c = store.field(column)!;
  if (/^novelty|probability$|^neighbours changed$/.test(c.name)) return { from: 0, to: 1, log: false };
  const sample: number[] = [];
  let [low, high] = [false, false]; // infinities
  for (const s of drawnSlots(store.base, store.slots, 20_000)) {
    if (!store.alive[s]) continue;
    const v = store.number(s, column);
    if (Number.isFinite(v)) sample.push(v);
    low ||= v === -Infinity;
    high ||= v === Infinity;
  }
  if (sample.length === 0) return { from: 0, to: 1, log: false };
  sample.sort((a, b) => a - b);
  const at = (p: number): number => sample[Math.round(p * (sample.length - 1))]!;
  let from = at(0.01);
  let to = at(0.99);
  if (from === to) [from, to] = [at(0), at(1)];
  // A few large numbers among many small ones need a logarithmic scale.
  const log = c.kind === "number" && from > 0 && at(0.99) > 50 * at(0.5) && at(0.5) > 0;
  return { from, to: to === from ? from + 1 : to, log, below: low || at(0) < from, above: high || at(1) > to };
}

/** position returns the position of a value on a scale, from 0 to 1. */
export function position(v: number, s: Scale): number {
  if (s.log) return (Math.log(Math.max(v, s.from)) - Math.log(s.from)) / (Math.log(s.to) - Math.log(s.from));
  return (v - s.from) / (s.to - s.from);
}

/** nameOf returns the name of a category on the page. */
export function nameOf(c: Column, code: number): string {
  if (isNoise(c, code)) return "(none)";
  const value = c.values[code - 1];
  if (value === undefined) return `#${code}`;
  return isClusters(c) ? clusterName(value, c.names?.get(value)) : value;
}

/** clusterName returns the name of a cluster by its id and what sets it apart, if that is known. An id alone could be taken for a class. */
export function clusterName(id: string, apart?: string): string {
  return apart ? `cluster ${id}: ${apart}` : `cluster ${id}`;
}

/** isClusters says whether a column has the ids of clusters. */
export function isClusters(c: Column): boolean {
  return c.name === "cluster" || c.names !== undefined;
}

/** isNoise reports whether a code is not a class: a missing value, or noise. */
export function isNoise(c: Column, code: number): boolean {
  return code === 0 || (c.name === "cluster" && c.values[code - 1] === "-1");
}
