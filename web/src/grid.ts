// A grid over the places, for finding points near a place.

import type { Store } from "./store";

export class Grid {
  private start = new Uint32Array(0);
  private items = new Uint32Array(0);
  private x0 = 0;
  private y0 = 0;
  private cell = 1;
  private cols = 1;
  private rows = 1;

  /** build counts points into cells, about four to each, and lists them by cell. */
  build(store: Store, shown: (s: number) => boolean): void {
    const { x, y, alive, slots } = store;
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity, n = 0;
    for (let s = 0; s < slots; s++) {
      if (!alive[s]) continue;
      n++;
      if (x[s]! < x0) x0 = x[s]!;
      if (x[s]! > x1) x1 = x[s]!;
      if (y[s]! < y0) y0 = y[s]!;
      if (y[s]! > y1) y1 = y[s]!;
    }
    if (n === 0) {
      this.items = new Uint32Array(0);
      this.start = new Uint32Array(2);
      this.cols = this.rows = 1;
      return;
    }
    const side = Math.max(x1 - x0, y1 - y0, 1e-9);
    this.cell = side / Math.min(Math.max(Math.sqrt(n / 4), 1), 1024);
    this.x0 = x0;
    this.y0 = y0;
    this.cols = Math.floor((x1 - x0) / this.cell) + 1;
    this.rows = Math.floor((y1 - y0) / this.cell) + 1;
    const start = new Uint32Array(this.cols * this.rows + 1);
    const of = new Int32Array(slots);
    for (let s = 0; s < slots; s++) {
      of[s] = -1;
      if (!alive[s] || !shown(s)) continue;
      const c = Math.floor((y[s]! - y0) / this.cell) * this.cols + Math.floor((x[s]! - x0) / this.cell);
      of[s] = c;
      start[c + 1]!++;
    }
    for (let c = 1; c < start.length; c++) start[c]! += start[c - 1]!;
    const at = start.slice();
    const items = new Uint32Array(start[start.length - 1]!);
    for (let s = 0; s < slots; s++) if (of[s]! >= 0) items[at[of[s]!]!++] = s;
    this.start = start;
    this.items = items;
  }

  /** within calls f with the points of the cells that a box touches. */
  within(x0: number, y0: number, x1: number, y1: number, f: (s: number) => void): void {
    const c0 = Math.max(Math.floor((x0 - this.x0) / this.cell), 0);
    const c1 = Math.min(Math.floor((x1 - this.x0) / this.cell), this.cols - 1);
    const r0 = Math.max(Math.floor((y0 - this.y0) / this.cell), 0);
    const r1 = Math.min(Math.floor((y1 - this.y0) / this.cell), this.rows - 1);
    for (let r = r0; r <= r1; r++)
      for (let c = c0; c <= c1; c++) {
        const k = r * this.cols + c;
        for (let i = this.start[k]!; i < this.start[k + 1]!; i++) f(this.items[i]!);
      }
  }

  /** nearest returns the point nearest to a place within a radius, -1 if there is none. */
  nearest(store: Store, x: number, y: number, radius: number): number {
    let best = -1;
    let least = radius * radius;
    this.within(x - radius, y - radius, x + radius, y + radius, (s) => {
      const d = (store.x[s]! - x) ** 2 + (store.y[s]! - y) ** 2;
      // Ties go to the point drawn last, which is on top.
      if (d <= least) {
        least = d;
        best = s;
      }
    });
    return best;
  }

  /** neighbors returns the k points nearest to a point on the map, nearest first. */
  neighbors(store: Store, of: number, k: number): { slot: number; distance: number }[] {
    const x = store.x[of]!;
    const y = store.y[of]!;
    const reach = this.cell * Math.max(this.cols, this.rows) * 2;
    for (let r = this.cell; ; r *= 2) {
      const found: { slot: number; distance: number }[] = [];
      this.within(x - r, y - r, x + r, y + r, (s) => {
        const distance = Math.hypot(store.x[s]! - x, store.y[s]! - y);
        if (s !== of && store.alive[s] && (distance <= r || r > reach)) found.push({ slot: s, distance });
      });
      if (found.length >= k || r > reach) return found.sort((a, b) => a.distance - b.distance).slice(0, k);
    }
  }
}
