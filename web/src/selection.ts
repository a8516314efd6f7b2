// The selected points: highlighted on the map, and in a table below it.

import type { Camera } from "./camera";
import { $ } from "./dom";
import type { Drawer } from "./drawer";
import type { Moves } from "./moves";
import type { Painting } from "./painting";
import { inside, type XY } from "./select";
import type { Store } from "./store";

export class Selection {
  slots: Uint32Array | null = null;
  /** The polygon of the map with which it was made, if any. */
  within: readonly XY[] = [];

  constructor(
    private readonly store: Store, private readonly camera: Camera, private readonly painting: Painting,
    private readonly drawer: Drawer, private readonly moves: Moves, private readonly changed: (count: number | null) => void,
  ) {}

  /** take selects points. null or an empty list ends the selection. */
  take(slots: Uint32Array | null): void {
    this.slots = slots && slots.length > 0 ? slots : null;
    this.within = [];
    this.painting.select(this.slots);
    if (this.slots) {
      this.drawer.show(this.slots);
      this.moves.uncover(this.slots, $("drawer").offsetHeight);
    } else this.drawer.hide();
    this.changed(slots && slots.length);
  }

  /** inside selects the points in a polygon of the map. */
  inside(polygon: readonly XY[]): void {
    this.take(inside(this.store, polygon, this.painting.shown));
    if (this.slots) this.within = polygon;
  }

  /** drawn selects the points in a polygon of the page. */
  drawn(polygon: readonly XY[]): void {
    this.inside(polygon.map(([x, y]) => this.camera.toMap(x, y)));
  }

  /** view selects the visible points. */
  view(): void {
    const { width, height } = this.camera;
    this.drawn([[0, 0], [width, 0], [width, height], [0, height]]);
  }
}
