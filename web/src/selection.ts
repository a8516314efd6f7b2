// The selected points: highlighted on the map, and in a table below it.

import type { Camera } from "./camera";
import { $ } from "./dom";
import type { Drawer } from "./drawer";
import type { Moves } from "./moves";
import type { Painting } from "./painting";
import { inside, rounded, simplified, type XY } from "./select";
import { mostCorners, mostIds, type State } from "./state";
import type { Store } from "./store";

/** The origin of a selection: a polygon of the map, a search, or null for single points. */
export type Origin = { within: readonly XY[] } | { find: string } | null;

export class Selection {
  slots: Uint32Array | null = null;
  private origin: Origin = null;

  constructor(
    private readonly store: Store, private readonly camera: Camera, private readonly painting: Painting,
    private readonly drawer: Drawer, private readonly moves: Moves, private readonly changed: (count: number | null) => void,
  ) {}

  /** take selects points. null or an empty list ends the selection. If uncover is set, the view moves if the drawer would hide points. */
  take(slots: Uint32Array | null, origin: Origin = null, uncover = true): void {
    this.slots = slots && slots.length > 0 ? slots : null;
    this.origin = this.slots && origin;
    this.painting.select(this.slots);
    if (this.slots) {
      this.drawer.show(this.slots);
      if (uncover) this.moves.uncover(this.slots, $("drawer").offsetHeight);
    } else this.drawer.hide();
    this.changed(slots && slots.length);
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
