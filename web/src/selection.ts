// The selected points: highlighted on the map, and in a table below it.

import type { Camera } from "./camera";
import { $ } from "./dom";
import type { Drawer } from "./drawer";
import type { Painting } from "./painting";
import { inside, rounded, simplified, type XY } from "./select";
import { mostCorners, mostIds, type State } from "./state";
import type { Store } from "./store";

/** The origin of a selection: a polygon of the map, a search, or null for single points. */
export type Origin = { within: readonly XY[] } | { find: string } | null;

export class Selection {
  slots: Uint32Array | null = null;
  private origin: Origin = null;
  /** Slots whose points have left since the last picture. */
  private readonly gone = new Set<number>();
  /** The ids of a selection, and its origin, while all points are loaded again. */
  private kept: { ids: string[]; origin: Origin } | null = null;

  constructor(
    private readonly store: Store, private readonly camera: Camera, private readonly painting: Painting,
    private readonly drawer: Drawer, private readonly on: { uncover(slots: Uint32Array, covered: number): void; changed(count: number | null): void },
  ) {}

  /** take selects points. null or an empty list ends the selection. If uncover is set, the view moves if the drawer would hide points. */
  take(slots: Uint32Array | null, origin: Origin = null, uncover = true): void {
    this.slots = slots && slots.length > 0 ? slots : null;
    this.origin = this.slots && origin;
    this.painting.select(this.slots);
    if (this.slots) {
      this.drawer.show(this.slots);
      if (uncover) this.on.uncover(this.slots, $("drawer").offsetHeight);
    } else this.drawer.hide();
    this.on.changed(slots && slots.length);
  }

  /** keep remembers the selection by its ids, because slots and places may change. Points without ids are not remembered. */
  keep(): void {
    const ids = Array.from(this.slots ?? [], (s) => this.store.id(s)).filter((id) => id !== "");
    if (ids.length > 0 || !this.kept) this.kept = ids.length > 0 ? { ids, origin: this.origin } : null;
  }

  /** again selects the remembered points. */
  again(): void {
    const { kept } = this;
    this.kept = null;
    if (!kept) return;
    const slots = this.store.named(kept.ids);
    // As soon as points have moved, others are in a polygon.
    const within = kept.origin && "within" in kept.origin ? inside(this.store, kept.origin.within, this.painting.shown) : slots;
    const same = within.length === slots.length && within.every((s, i) => s === slots[i]);
    this.take(slots, same ? kept.origin : null, false);
  }

  /** left notes that the point of a slot has left, or that another has taken its place. */
  left(slot: number): void {
    if (this.slots || this.drawer.holds) this.gone.add(slot);
  }

  /** settle takes points that have left out of the selection. Otherwise new points in their slots would belong to it. */
  settle(): void {
    const { gone, slots } = this;
    if (gone.size === 0) return;
    const stay = slots?.filter((s) => !gone.has(s));
    this.drawer.leave(gone);
    gone.clear();
    if (!slots || !stay || stay.length === slots.length) return;
    if (stay.length === 0) return this.take(stay);
    this.slots = stay;
    this.painting.select(stay);
  }

  /** inside selects the points in a polygon of the map. */
  inside(polygon: readonly XY[], uncover = true): void {
    this.take(inside(this.store, polygon, this.painting.shown), { within: polygon }, uncover);
  }

  /** drawn selects the points in a polygon of the page. Its corners are rounded first, so that a link with these corners selects the same points. */
  drawn(polygon: readonly XY[]): void {
    const { camera } = this;
    let fine = 0.5;
    let line = simplified(polygon, fine);
    while (line.length > mostCorners) line = simplified(polygon, (fine *= 2));
    this.inside(line.map(([x, y]) => camera.toMap(x, y).map((v) => rounded(v, camera.scale)) as XY));
  }

  /** view selects the visible points. */
  view(): void {
    const { width, height } = this.camera;
    this.drawn([[0, 0], [width, 0], [width, height], [0, height]]);
  }

  /** state returns the selection's part of the address. Selections of many single points have none. */
  state(): Partial<State> {
    const { slots, origin } = this;
    if (!slots) return {};
    if (origin && "within" in origin) return { within: origin.within.flat() };
    if (origin) return { find: origin.find };
    const ids = slots.length <= mostIds ? Array.from(slots, (s) => this.store.id(s)) : [];
    return ids.length > 0 && ids.every((id) => id !== "") ? { ids } : {};
  }
}
