// Density contours of classes: lines within which most of a class's points in view lie.

import type { Camera } from "./camera";
import { drawnSlots } from "./drawn";
import type { Store } from "./store";

/** Segments of the contour of a class, four numbers each: x0, y0, x1, y1 on the map. */
export interface Contour {
  code: number;
  segments: Float32Array;
}

const cols = 128;
const rows = 84;
const mostClasses = 14;
/** The density of a contour, as a share of the class's highest. */
const level = 0.16;

/** contours finds the contours of the largest classes in view; code is each slot's class, 0 for none. */
export function contours(store: Store, camera: Camera, code: (s: number) => number): Contour[] {
  // Slightly larger than the view, so that no lines run along its edge.
  const [x0, y1] = camera.toMap(-camera.width * 0.1, -camera.height * 0.1);
  const [x1, y0] = camera.toMap(camera.width * 1.1, camera.height * 1.1);
  const kx = cols / (x1 - x0);
  const ky = rows / (y1 - y0);
  const grids = new Map<number, { n: number; cells: Float32Array }>();
  for (const s of drawnSlots(store.base, store.slots, 200_000)) {
    if (!store.alive[s]) continue;
    const cx = Math.floor((store.x[s]! - x0) * kx);
    const cy = Math.floor((store.y[s]! - y0) * ky);
    if (!(cx >= 0 && cy >= 0 && cx < cols && cy < rows)) continue;
    const c = code(s);
    if (c <= 0) continue;
    let g = grids.get(c);
    if (!g) {
      if (grids.size >= 512) continue;
      grids.set(c, (g = { n: 0, cells: new Float32Array(cols * rows) }));
    }
    g.n++;
    g.cells[cy * cols + cx]!++;
  }
  const largest = [...grids].filter(([, g]) => g.n >= 8).sort((a, b) => b[1].n - a[1].n).slice(0, mostClasses);
  return largest.map(([c, g]) => {
    for (let i = 0; i < 2; i++) blur(g.cells);
    return { code: c, segments: march(g.cells, level * g.cells.reduce((a, b) => Math.max(a, b), 0), x0, y0, 1 / kx, 1 / ky) };
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
function march(g: Float32Array, at: number, x0: number, y0: number, dx: number, dy: number): Float32Array {
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
  return Float32Array.from(out);
}

const around: readonly (readonly [number, number])[] = [[0, 0], [1, 0], [1, 1], [0, 1]];
