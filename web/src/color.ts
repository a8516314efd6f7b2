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

const hex = (list: string): RGBA[] =>
  list.split(" ").map((h) => rgba(parseInt(h.slice(0, 2), 16), parseInt(h.slice(2, 4), 16), parseInt(h.slice(4), 16)));

// M. Okabe and K. Ito, "Color universal design" (2008), without the yellow that is invisible on light pages, and P. Tol, "Colour schemes" (2021), "muted"
// and, on dark pages, "light". These are the colours of pictures: a test of cmd/internal/plot compares both.
const okabeItoOnLight = hex("0072b2 e69f00 009e73 d55e00 56b4e9 cc79a7 2b2b2b");
const okabeItoOnDark = hex("56b4e9 e69f00 009e73 d55e00 f0e442 cc79a7 ededed");
const tolOnLight = hex("332288 ddcc77 117733 cc6677 88ccee 882255 44aa99 999933 aa4499 2b2b2b");
const tolOnDark = hex("77aadd ee8866 eedd88 ffaabb 99ddff 44bb99 aaaa00 d26be0 c46a2b f5f5f5");
/** The numbers of classes up to which each palette is used. */
const few = okabeItoOnLight.length;
const fixedOnLight = [...okabeItoOnLight, ...tolOnLight];
const fixedOnDark = [...okabeItoOnDark, ...tolOnDark];
const many = tolOnLight.length;

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

/** oklch returns a colour of uniform lightness, B. Ottosson, "A perceptual color space" (2020). */
export function oklch(l: number, c: number, degrees: number): RGBA {
  const h = (degrees * Math.PI) / 180;
  const a = c * Math.cos(h);
  const b = c * Math.sin(h);
  const l3 = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m3 = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s3 = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const byte = (v: number): number => {
    const t = Math.min(Math.max(v, 0), 1);
    return Math.round(255 * (t <= 0.0031308 ? 12.92 * t : 1.055 * t ** (1 / 2.4) - 0.055));
  };
  return rgba(
    byte(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3),
    byte(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3),
    byte(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.707614701 * s3),
  );
}

/** A class's colour on pages of either theme: a slot of the fixed palettes, or a hue in degrees with one of three levels of lightness. */
export type Shade = { readonly slot: number } | { readonly hue: number; readonly level: number };

/** shadeKey returns the same text for shades that look the same. */
export function shadeKey(s: Shade): string {
  return "slot" in s ? `${s.slot}` : `${s.hue}/${s.level}`;
}

/** fixedShades are those of the fixed palettes. */
export const fixedShades: readonly Shade[] = Array.from({ length: few + many }, (_, slot) => ({ slot }));

/** shadeColor returns the colour of a shade. */
export function shadeColor(s: Shade, theme: Theme): RGBA {
  if ("slot" in s) return (theme.dark ? fixedOnDark : fixedOnLight)[s.slot]!;
  const levels = theme.dark ? [0.78, 0.64, 0.86] : [0.62, 0.48, 0.72];
  return oklch(levels[s.level]!, s.level % 2 ? 0.12 : 0.17, s.hue);
}

/** byName compares names, the numbers in them by value: "2" comes before "10". Pictures have the same order. */
export function byName(a: string, b: string): number {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const m = digits.exec(a.slice(i))![0];
    const n = digits.exec(b.slice(j))![0];
    if (m === "" || n === "") {
      if (a[i] !== b[j]) return a[i]! < b[j]! ? -1 : 1;
      i++;
      j++;
      continue;
    }
    const p = m.replace(/^0+/, "");
    const q = n.replace(/^0+/, "");
    if (p !== q) return p.length - q.length || (p < q ? -1 : 1);
    i += m.length;
    j += n.length;
  }
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

const digits = /^[0-9]*/;

/**
 * classShades assigns shades to classes. If there are few, a class's shade depends on the names alone. If there are many, the hue follows the
 * direction from the middle of the map, and the lightness alternates, so that neighbours differ and regions have similar hues.
 */
export function classShades(names: readonly string[], angles: readonly number[]): Map<string, Shade> {
  const out = new Map<string, Shade>();
  const order = names.map((_, i) => i);
  if (names.length <= many) {
    const first = names.length <= few ? 0 : few;
    order.sort((a, b) => byName(names[a]!, names[b]!)).forEach((k, i) => out.set(names[k]!, { slot: first + i }));
    return out;
  }
  order.sort((a, b) => angles[a]! - angles[b]! || byName(names[a]!, names[b]!));
  order.forEach((k, i) => out.set(names[k]!, { hue: (360 * i) / order.length + 20, level: i % 3 }));
  return out;
}

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
  for (const s of drawnSlots(store.base, store.slots, 20_000)) {
    if (!store.alive[s]) continue;
    const v = store.number(s, column);
    if (Number.isFinite(v)) sample.push(v);
  }
  if (sample.length === 0) return { from: 0, to: 1, log: false };
  sample.sort((a, b) => a - b);
  const at = (p: number): number => sample[Math.round(p * (sample.length - 1))]!;
  let from = at(0.01);
  let to = at(0.99);
  if (from === to) [from, to] = [at(0), at(1)];
  // A few large numbers among many small ones need a logarithmic scale.
  const log = c.kind === "number" && from > 0 && at(0.99) > 50 * at(0.5) && at(0.5) > 0;
  return { from, to: to === from ? from + 1 : to, log, below: at(0) < from, above: at(1) > to };
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
