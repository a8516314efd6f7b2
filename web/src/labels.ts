// Names of classes on the map: each at the densest place of its class, without overlaps.

import { grow, noBox, type Box, type Camera } from "./camera";
import { drawnSlots } from "./drawn";
import type { Store } from "./store";

export interface Label {
  code: number;
  text: string;
  /** The name, in a few lines if it is long. */
  lines: readonly string[];
  x: number;
  y: number;
  size: number;
  /** The offset on the page that prevents overlaps. A line connects a far label with its place. */
  dx: number;
  dy: number;
}

const cells = 40;
const most = 160;

/** A class in view: the number and the place of its points, and the box of all of them. */
interface Peak {
  code: number;
  count: number;
  x: number;
  y: number;
  box: Box;
}

/** Named is a name to place, with the number of its points. */
export interface Named {
  code: number;
  count: number;
  x: number;
  y: number;
  text: string;
  /** The box of the points on the map. No name covers all of it. */
  box?: Box;
}

/** The least and the largest size of names, in CSS pixels. Names are smaller from this number of classes on. */
const least = 11;
const largest = 20;
const plenty = 16;
/** From this number of classes on, names stand only at the nearest positions. */
const crowd = 50;
const nearby = 5;

/** A line takes at most this share of the map's width, or this number of CSS pixels. Wide letters would cover the names and points of others. */
const widest = 0.4;
const narrowest = 160;

/** within cuts a line to a width. A line that is cut ends with "…". */
function within(line: string, room: number, measure: (text: string) => number): string {
  const wide = measure(line);
  if (wide <= room) return line;
  const letters = Array.from(line);
  for (let n = Math.floor((letters.length * room) / wide); n > 1; n--) {
    const cut = letters.slice(0, n - 1).join("") + "…";
    if (measure(cut) <= room) return cut;
  }
  return "…";
}

/** lay places names without overlaps, the first of them first. A name hides no class altogether, neither its own nor another. */
export function lay(camera: Camera, found: readonly Named[], measure: (text: string, size: number) => number, covered: readonly Box[]): Label[] {
  const taken = covered.slice();
  const out: Label[] = [];
  const top = found.reduce((n, p) => Math.max(n, p.count), 1);
  // Many names are smaller, and so are those of a narrow page. Few are as far from their place that they need a line to it.
  const large = largest * Math.min(1, Math.sqrt(plenty / found.length), Math.max((globalThis.innerWidth ?? camera.width) / 700, 0.7));
  const groups = found.flatMap(({ box }): Box[] => {
    if (!box) return [];
    const [[x0, y0], [x1, y1]] = [camera.toScreen(box.x0, box.y1), camera.toScreen(box.x1, box.y0)];
    return [{ x0, y0, x1, y1 }];
  });
  const room = Math.max(camera.width * widest, narrowest);
  const places = found.length > crowd ? offsets.slice(0, nearby) : offsets;
  for (const p of found) {
    const { text } = p;
    const wrapped = wrap(text);
    if (wrapped.length === 0) continue;
    const size = Math.round(Math.max(least, (least + Math.max(large - least, 0) * Math.sqrt(p.count / top)) * (wrapped.length > 1 ? 0.85 : 1)));
    const lines = wrapped.map((line) => within(line, room, (text) => measure(text, size)));
    const wide = Math.max(...lines.map((line) => measure(line, size))) / 2 + 4;
    const high = size * (0.62 + (lineHeight / 2) * (lines.length - 1)) + 2;
    const [sx, sy] = camera.toScreen(p.x, p.y);
    for (const [ux, uy] of places) {
      const dx = ux * (wide + 6);
      const dy = uy * (high + 5);
      const box = { x0: sx + dx - wide, x1: sx + dx + wide, y0: sy + dy - high, y1: sy + dy + high };
      if (box.x0 < 2 || box.y0 < 2 || box.x1 > camera.width - 2 || box.y1 > camera.height - 2) continue;
      if (taken.some((t) => t.x0 < box.x1 && t.x1 > box.x0 && t.y0 < box.y1 && t.y1 > box.y0)) continue;
      if (groups.some((g) => box.x0 <= g.x0 && box.x1 >= g.x1 && box.y0 <= g.y0 && box.y1 >= g.y1)) continue;
      taken.push(box);
      out.push({ code: p.code, text, lines, x: p.x, y: p.y, size, dx, dy });
      break;
    }
  }
  return out;
}

/** The distance of lines in units of the font size. */
const lineHeight = 1.15;
const wide = 24;
/** A line of one word may be longer by this number of letters, rather than leave a few for the next. */
const slack = 2;
const mostLines = 3;

/** lineAt returns the distance of the middle of a line below the middle of its label. */
export function lineAt(l: Label, line: number): number {
  return (line - (l.lines.length - 1) / 2) * l.size * lineHeight;
}

/** wrap splits a long name into a few lines, between words if possible. A name that is still too long ends with "…". */
export function wrap(text: string): string[] {
  const lines: string[] = [];
  for (let rest = text.replace(/\s+/g, " ").trim(); rest !== ""; ) {
    const letters = Array.from(rest);
    if (letters.length <= wide || (letters.length <= wide + slack && !rest.includes(" "))) {
      lines.push(rest);
      break;
    }
    if (lines.length === mostLines - 1) {
      lines.push(letters.slice(0, wide - 1).join("") + "…");
      break;
    }
    const head = letters.slice(0, wide + 1).join("");
    const space = head.lastIndexOf(" ");
    const line = space > wide / 3 ? head.slice(0, space) : letters.slice(0, wide).join("");
    lines.push(line);
    rest = rest.slice(line.length).trim();
  }
  return lines;
}

// Positions to try for a label: at its place, then around it, then farther away.
const offsets: readonly (readonly [number, number])[] = [
  [0, 0], [0, -1.2], [0, 1.2], [0.9, 0], [-0.9, 0], [0.8, -1.4], [-0.8, -1.4], [0.8, 1.4], [-0.8, 1.4], [0, -2.6], [0, 2.6], [1.3, -2.4], [-1.3, -2.4], [1.3, 2.4], [-1.3, 2.4],
];

/**
 * peaks finds the densest cell of each class in view, classes with most points first. It leaves out classes that are mixed with others everywhere: a
 * name at any one place would be untrue.
 */
export function peaks(store: Store, camera: Camera, code: (s: number) => number): Peak[] {
  const [x0, y1] = camera.toMap(0, 0);
  const [x1, y0] = camera.toMap(camera.width, camera.height);
  const kx = cells / (x1 - x0);
  const ky = cells / (y1 - y0);
  const { alive, x, y, slots } = store;
  const some = drawnSlots(0, slots, 250_000);
  // The points in view: slot, class and cell of each.
  const room = some.length;
  const slot = new Uint32Array(room);
  const of = new Uint32Array(room);
  const cellOf = new Uint16Array(room);
  let n = 0;
  let highest = 0;
  for (const s of some) {
    if (!alive[s]) continue;
    const cx = (x[s]! - x0) * kx;
    const cy = (y[s]! - y0) * ky;
    if (!(cx >= 0 && cy >= 0 && cx < cells && cy < cells)) continue;
    const c = code(s);
    if (!(c > 0)) continue;
    slot[n] = s;
    of[n] = c;
    cellOf[n++] = (cy | 0) * cells + (cx | 0);
    if (c > highest) highest = c;
  }
  const counts = new Uint32Array(highest + 1);
  for (let i = 0; i < n; i++) counts[of[i]!]!++;
  const order = [...counts.entries()].filter(([, k]) => k > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
  const index = new Int32Array(highest + 1).fill(-1);
  order.forEach(([c], i) => (index[c] = i));
  const grid = new Uint32Array(order.length * cells * cells);
  for (let i = 0; i < n; i++) {
    const k = index[of[i]!]!;
    if (k >= 0) grid[k * cells * cells + cellOf[i]!]!++;
  }
  const everything = new Uint32Array(cells * cells);
  for (let i = 0; i < n; i++) everything[cellOf[i]!]!++;
  const found = order.map(([c, count], i) => {
    const g = grid.subarray(i * cells * cells, (i + 1) * cells * cells);
    let best = -1;
    let at = 0;
    for (let cy = 0; cy < cells; cy++)
      for (let cx = 0; cx < cells; cx++) {
        let sum = 0;
        for (let y = Math.max(cy - 1, 0); y <= Math.min(cy + 1, cells - 1); y++)
          for (let x = Math.max(cx - 1, 0); x <= Math.min(cx + 1, cells - 1); x++) sum += g[y * cells + x]!;
        sum += g[cy * cells + cx]! * 0.5;
        if (sum > best) {
          best = sum;
          at = cy * cells + cx;
        }
      }
    return { code: c, count, cell: at, n: 0, x: 0, y: 0, box: noBox(), apart: standsOut(around(g, at), around(everything, at), count / n) };
  });
  // The label is centred on the points around that cell, not on the cell.
  for (let i = 0; i < n; i++) {
    const p = found[index[of[i]!]!];
    if (p) grow(p.box, x[slot[i]!]!, y[slot[i]!]!);
    const cell = cellOf[i]!;
    if (!p || Math.abs((cell % cells) - (p.cell % cells)) > 1 || Math.abs(Math.floor(cell / cells) - Math.floor(p.cell / cells)) > 1) continue;
    p.n++;
    p.x += (x[slot[i]!]! - p.x) / p.n;
    p.y += (y[slot[i]!]! - p.y) / p.n;
  }
  return found.filter((p) => p.apart);
}

/** around sums a cell of a grid and its neighbours. */
function around(g: Uint32Array, cell: number): number {
  const [x, y] = [cell % cells, Math.floor(cell / cells)];
  let sum = 0;
  for (let v = Math.max(y - 1, 0); v <= Math.min(y + 1, cells - 1); v++) for (let u = Math.max(x - 1, 0); u <= Math.min(x + 1, cells - 1); u++) sum += g[v * cells + u]!;
  return sum;
}

/** A class stands out where it has three quarters of the points, or more than chance has: this factor, and this number of standard deviations. */
const excess = 1.3;
const deviations = 2;

/** standsOut reports whether k of n points are many for a class with a share of all points. */
function standsOut(k: number, n: number, share: number): boolean {
  return 4 * k >= 3 * n || k > excess * share * n + deviations * Math.sqrt(share * n);
}
