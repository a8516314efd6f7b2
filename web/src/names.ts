// The names and outlines on the map: of the colouring column's classes, else of the clusters.

import type { Box, Camera } from "./camera";
import type { ClusterList } from "./clusters";
import { contours, type Contour } from "./contours";
import { place, type Label } from "./labels";
import type { Painting } from "./painting";
import type { Store } from "./store";

export class Names {
  labels: readonly Label[] = [];
  contours: readonly Contour[] = [];
  /** The user's choices. */
  naming = true;
  outlining = false;

  constructor(private readonly store: Store, private readonly camera: Camera, private readonly painting: Painting, private readonly clusters: ClusterList) {}

  /** find computes them for the view. measure returns the width of a text in CSS pixels. */
  find(measure: (text: string, size: number) => number): void {
    this.labels = [];
    this.contours = [];
    const { store, camera, painting, clusters } = this;
    const { column, code } = painting.category ? painting : clusters;
    if (column < 0) return;
    if (this.outlining) this.contours = contours(store, camera, code);
    if (this.naming) this.labels = place(store, camera, code, (c) => clusters.named(column, c), measure, covered());
  }
}

/** covered returns the boxes of the page's panels, in CSS pixels. */
function covered(): Box[] {
  return [...document.querySelectorAll<HTMLElement>("header, aside > section, #drawer, footer")]
    .filter((e) => !e.hidden && e.parentElement?.id !== "detail")
    .map((e) => e.getBoundingClientRect())
    .map((r) => ({ x0: r.left, y0: r.top, x1: r.right, y1: r.bottom }));
}
