// Density contours of classes: lines within which most of a class's points in view lie.

import type { Camera } from "./camera";
import { drawnSlots } from "./drawn";
import type { Store } from "./store";

/** Segments of the contour of a class, four numbers each: x0, y0, x1, y1 on the map. */
export interface Contour {
  code: number;
  segments: Float32Array;
}

/** The code of the contours of all points, where there are no classes. */
export const everything = 1e9;

const cols = 256;
const rows = 168;
const mostClasses = 14;
/** The densities of contours, as shares of the class's highest: of classes whose dots leave gaps, and of those whose dots cover each other and hide where they are dense. */
const sparse = [0.16];
const dense = [0.04, 0.16, 0.4, 0.7];
const all = [0.01, ...dense];

/** contours finds the contours of the largest classes in view; code is each slot's class, 0 for none. */
export function contours(store: Store, camera: Camera, code: (s: number) => number): Contour[] {
  // Slightly larger than the view, so that no lines run along its edge.
  const [x0, y1] = camera.toMap(-camera.width * 0.1, -camera.height * 0.1);
  const [x1, y0] = camera.toMap(camera.width * 1.1, camera.height * 1.1);
  const kx = cols / (x1 - x0);
  const ky = rows / (y1 - y0);
  const counts = new Map<number, number>();
  const each = (f: (c: number, cell: number) => void): void => {
    for (const s of drawnSlots(store.base, store.slots, 200_000)) {
      if (!store.alive[s]) continue;
      const cx = Math.floor((store.x[s]! - x0) * kx);
      const cy = Math.floor((store.y[s]! - y0) * ky);
      if (!(cx >= 0 && cy >= 0 && cx < cols && cy < rows)) continue;
      const c = code(s);
      if (c > 0) f(c, cy * cols + cx);
    }
  };
  each((c) => counts.set(c, (counts.get(c) ?? 0) + 1));
  const largest = [...counts].filter(([, n]) => n >= 8).sort((a, b) => b[1] - a[1]).slice(0, mostClasses);
  const grids = new Map(largest.map(([c]) => [c, new Float32Array(cols * rows)]));
  each((c, at) => {
    const g = grids.get(c);
    if (g) g[at]!++;
  });
  const share = Math.min(200_000 / Math.max(store.slots - store.base, 1), 1); // of the points that are counted
  const pixels = (1.2 * camera.width * 1.2 * camera.height) / (cols * rows);
  return largest.map(([code, n]) => {
    const g = grids.get(code)!;
    // Few points make ragged lines, so that their density is smoothed more.
    for (let i = 0; i < (n < 2000 ? 8 : n < 20_000 ? 4 : 2); i++) blur(g);
    const most = g.reduce((a, b) => Math.max(a, b), 0);
    const levels = most / share > pixels / 4 ? (code === everything ? all : dense) : sparse;
    const segments = levels.flatMap((level) => march(g, level * most, x0, y0, 1 / kx, 1 / ky));
    return { code, segments: Float32Array.from(segments) };
  });
}

/** blur is one pass of [1 2 1] / 4 in both directions. */
function blur(g: Float32Array): void {
  for (let y = 0; y < rows; y++) {
    let before = 0;
    for (let x = 0; x < cols; x++) {
      const here = g[y * cols + x]!;
      g[y * cols + x] = (before + 2 * here + (x + 1 < cols ? g[y * cols + x + 1]! : 0)) / 4;
      before = here;
    }
  }
  for (let x = 0; x < cols; x++) {
    let before = 0;
    for (let y = 0; y < rows; y++) {
      const here = g[y * cols + x]!;
      g[y * cols + x] = (before + 2 * here + (y + 1 < rows ? g[(y + 1) * cols + x]! : 0)) / 4;
      before = here;
    }
  }
}

/** march follows a level through a grid, cell by cell (marching squares, Lorensen and Cline 1987 in two dimensions). */
function march(g: Float32Array, at: number, x0: number, y0: number, dx: number, dy: number): number[] {
  const out: number[] = [];
  for (let y = 0; y + 1 < rows; y++)
    for (let x = 0; x + 1 < cols; x++) {
      const i = y * cols + x;
      const corner = [g[i]!, g[i + 1]!, g[i + cols + 1]!, g[i + cols]!];
      const crossings: [number, number][] = [];
      for (let e = 0; e < 4; e++) {
        const a = corner[e]!;
        const b = corner[(e + 1) % 4]!;
        if (a > at === b > at) continue;
        const t = (at - a) / (b - a);
        const [ux, uy] = around[e]!;
        const [vx, vy] = around[(e + 1) % 4]!;
        crossings.push([x0 + (x + 0.5 + ux + (vx - ux) * t) * dx, y0 + (y + 0.5 + uy + (vy - uy) * t) * dy]);
      }
      for (let k = 0; k + 1 < crossings.length; k += 2) out.push(...crossings[k]!, ...crossings[k + 1]!);
    }
  return out;
}

const around: readonly (readonly [number, number])[] = [[0, 0], [1, 0], [1, 1], [0, 1]];
