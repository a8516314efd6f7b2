// Moves of the view: with the pointer and the keys, to a point, to several points, and back to all.

import type { Camera, View } from "./camera";
import { boxOf, usually, viewOf, wholeBox } from "./framing";
import type { Frames } from "./frames";
import type { XY } from "./select";
import type { Store } from "./store";

export class Moves {
  /** Whether all points have been in view. */
  framed = false;

  constructor(private readonly store: Store, private readonly camera: Camera, private readonly frames: Frames) {}

  pan(dx: number, dy: number): void {
    this.camera.pan(dx, dy);
    this.moved();
  }

  zoom(x: number, y: number, factor: number): void {
    this.camera.zoomAt(x, y, factor);
    this.moved();
  }

  private moved(): void {
    this.frames.moved();
    this.frames.ask({ base: true, over: true });
  }

  /** settle records the end of a move. */
  settle(): void {
    this.frames.ask({ labels: true, address: true, over: true });
  }

  /**
   * home shows all points except a share of the outermost on each side, at once or animated. 0 shows all points. Without a share, home shows all
   * points unless a few distant ones would make the rest small.
   */
  home(flying: boolean, share?: number): void {
    const box = wholeBox(this.store, share || usually);
    const whole = wholeBox(this.store, 0);
    if (!box || !whole) return;
    this.framed = true;
    const all = viewOf(this.camera, whole);
    const most = viewOf(this.camera, box);
    this.camera.least = all[2] / 5;
    const view = share === 0 || (share === undefined && most[2] < 1.5 * all[2]) ? all : most;
    if (share === undefined) this.camera.home = view[2];
    this.camera.framed = view;
    if (flying) this.camera.fly(view, performance.now());
    else this.camera.set(view);
    this.frames.ask({ base: true, over: true, labels: true, address: flying });
  }

  /** to moves the view to a place with at least the given magnification. */
  to(at: Readonly<XY>, zoom: number): void {
    this.fly([...at, Math.max(this.camera.scale, this.camera.home * zoom)]);
  }

  /** toAll moves the view to most of the given points, of which there must be some. */
  toAll(slots: readonly number[]): void {
    const [x, y, scale] = viewOf(this.camera, boxOf(this.store, slots, 0.03)!);
    this.fly([x, y, Math.min(scale * 0.6, this.camera.home * 60)]);
  }

  /** uncover moves the map up if points would be hidden by that many pixels at the bottom of the page. */
  uncover(slots: ArrayLike<number>, covered: number): void {
    const { camera, store } = this;
    if (slots.length === 0) return;
    let y = 0;
    for (let i = 0; i < slots.length; i++) y += store.y[slots[i]!]! / slots.length;
    const free = innerHeight - covered - 14 - camera.top;
    const at = camera.toScreen(camera.x, y)[1];
    if (at >= free * 0.9) this.fly([camera.x, camera.y - (at - free * 0.55) / camera.scale, camera.scale]);
  }

  private fly(view: View): void {
    this.camera.fly(view, performance.now());
    this.frames.ask({ base: true, over: true, labels: true, address: true });
  }
}
