// The second map of a comparison: its points, of which each may have a partner on the first map, its view and its drawing.

import { Camera, type Box } from "./camera";
import type { Theme } from "./color";
import type { Scene } from "./draw";
import { Grid } from "./grid";
import { lay, peaks, type Label } from "./labels";
import { Overlay, type Marks } from "./overlay";
import type { Painting } from "./painting";
import type { Parts } from "./parts";
import { inside, type XY } from "./select";
import { Store } from "./store";
import { Surface } from "./surface";

/** The distance in CSS pixels up to which the pointer finds points. */
const reach = 9;

/** The other map's points: places, and the slots of the same points on the first map, none for points that it lacks. */
export interface Others {
  slot: Uint32Array;
  x: Float32Array;
  y: Float32Array;
}

/** The slot of a point that is only on the other map. */
export const none = 0xffffffff;

export class Pane {
  readonly store = new Store();
  readonly camera = new Camera();
  readonly surface: Surface;
  shape: readonly XY[] = [];
  labels: readonly Label[] = [];
  private readonly overlay: Overlay;
  private readonly grid = new Grid();
  private gridded = false;
  /** The slot of each row on the first map, -1 for none, and the row of each slot. */
  private slots = new Int32Array(0);
  private rows = new Int32Array(0);
  private paint = new Uint32Array(0);
  private painted = -1;
  private dark = false;

  constructor(private readonly main: Store, private readonly painting: Painting, map: HTMLCanvasElement, over: HTMLCanvasElement, renderer: string | null) {
    this.surface = new Surface(renderer, map, over);
    this.overlay = new Overlay(over);
  }

  /** take shows the points of another map. */
  take(o: Others): void {
    this.slots = Int32Array.from(o.slot, (s) => (s === none || !this.main.alive[s] ? -1 : s));
    this.rows = new Int32Array(this.main.x.length).fill(-1);
    this.slots.forEach((s, row) => void (s >= 0 && (this.rows[s] = row)));
    this.store.places(o.x, o.y);
    this.paint = new Uint32Array(this.store.x.length);
    this.painted = -1;
    this.gridded = false;
    this.surface.renderer.changed({ places: true, paint: true });
  }

  /** drop forgets the partner of a slot, which has another point now. */
  drop(slot: number): void {
    const row = this.rowOf(slot);
    if (row < 0) return;
    this.slots[row] = this.rows[slot] = -1;
    this.painted = -1;
  }

  /** rowOf returns the row of a point of the first map, -1 if this map lacks it. */
  rowOf(slot: number): number {
    return slot >= 0 && slot < this.rows.length ? this.rows[slot]! : -1;
  }

  /** pick returns the slot of the point nearest to a position of the pane, -1 if none is near. */
  pick(x: number, y: number): number {
    if (!this.gridded) this.grid.build(this.store, this.shown);
    this.gridded = true;
    const row = this.grid.nearest(this.store, ...this.camera.toMap(x, y), reach / this.camera.scale);
    return row < 0 ? -1 : this.slots[row]!;
  }

  /** regrid is called after a change of the points that are shown. */
  regrid(): void {
    this.gridded = false;
  }

  /** inside returns the slots of the points in a polygon of the pane. */
  inside(polygon: readonly XY[]): Uint32Array {
    return inside(this.store, polygon.map(([x, y]) => this.camera.toMap(x, y)), this.shown).map((row) => this.slots[row]!);
  }

  private readonly shown = (row: number): boolean => this.slots[row]! >= 0 && this.painting.shown(this.slots[row]!);

  /** name finds the names of classes on this map. The class near has the names of its parts, each in the middle of the part's points on this map. */
  name(name: (code: number) => string, code: (s: number) => number, near: Parts | null, covered: readonly Box[]): void {
    const { left, top } = this.camera;
    const here = covered.map((b) => ({ x0: b.x0 - left, x1: b.x1 - left, y0: b.y0 - top, y1: b.y1 - top }));
    const found = peaks(this.store, this.camera, (row) => (this.slots[row]! >= 0 ? code(this.slots[row]!) : 0)).map((p) => ({ ...p, text: name(p.code) }));
    const named = (near?.parts ?? []).flatMap((p) => {
      const rows = p.slots.map((s) => this.rowOf(s)).filter((row) => row >= 0);
      return rows.length > 0 ? [{ code: near!.code, count: p.count, text: p.name, ...this.middle(rows) }] : [];
    });
    const others = named.length > 0 ? found.filter((p) => p.code !== near!.code) : found;
    this.labels = lay(this.camera, [...named, ...others], (text, size) => this.overlay.measure(text, size), here);
  }

  /** middle returns the median place of rows. */
  private middle(rows: readonly number[]): { x: number; y: number } {
    const median = (of: Float32Array): number => Float32Array.from(rows, (row) => of[row]!).sort()[rows.length >> 1]!;
    return { x: median(this.store.x), y: median(this.store.y) };
  }

  scene(theme: Theme, draft: boolean): Scene {
    const { store, camera, paint } = this;
    return { store, camera, theme, paint, now: performance.now() / 1000, ratio: this.surface.ratio(store.n), draft };
  }

  /** base draws the points in the colours of their partners. */
  base(theme: Theme, draft: boolean): void {
    const { painting, paint, slots } = this;
    if (this.painted !== painting.revision || this.dark !== theme.dark) {
      const alone = ((theme.missing & 0xffffff) | (0x50 << 24)) >>> 0;
      for (let row = 0; row < slots.length; row++) {
        const s = slots[row]!;
        paint[row] = s < 0 ? alone : painting.paint[s]!;
      }
      this.painted = painting.revision;
      this.dark = theme.dark;
      this.surface.renderer.changed({ places: false, paint: true });
    }
    this.surface.draw(this.scene(theme, draft));
  }

  /** over draws the overlay with the marks of the first map. */
  over(theme: Theme, m: Marks): void {
    this.overlay.draw(this.scene(theme, false), this.painting, this.marks(m), performance.now());
  }

  /** marks returns the marks of this map for those of the first one. */
  marks(m: Marks): Marks {
    const rows = (slots: readonly number[]): number[] => slots.map((s) => this.rowOf(s)).filter((row) => row >= 0);
    return {
      ...m, labels: this.labels, contours: [], ways: [], asked: null, shape: this.shape, hover: this.rowOf(m.hover), pinned: this.rowOf(m.pinned),
      neighbors: rows(m.neighbors), hits: rows(m.hits),
    };
  }
}
