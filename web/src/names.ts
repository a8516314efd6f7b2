// The names and outlines on the map: of the colouring column's classes, else of the clusters.

import type { Camera } from "./camera";
import type { ClusterList } from "./clusters";
import { contours, everything, type Contour } from "./contours";
import { covering } from "./framing";
import { lay, peaks, type Label } from "./labels";
import type { Painting } from "./painting";
import { parts, type Parts } from "./parts";
import type { Store } from "./store";

export class Names {
  labels: readonly Label[] = [];
  contours: readonly Contour[] = [];
  /** The class that has the names of its parts, null for none. */
  near: Parts | null = null;
  /** The user's choices. */
  naming = true;
  outlining = false;

  constructor(private readonly store: Store, private readonly camera: Camera, private readonly painting: Painting, private readonly clusters: ClusterList) {}

  /** find computes them for the view. measure returns the width of a text in CSS pixels. */
  find(measure: (text: string, size: number) => number): void {
    this.labels = [];
    this.contours = [];
    this.near = null;
    const { store, camera, painting, clusters } = this;
    const { column, code } = painting.category ? painting : clusters;
    if (this.outlining) this.contours = contours(store, camera, column < 0 ? (s) => (painting.shown(s) ? everything : 0) : code);
    if (column < 0) return;
    if (this.naming) this.labels = this.named(column, code, measure);
  }

  /** named places the names of classes. A class that fills the view has the names of its parts instead, if it has parts with names. */
  private named(column: number, code: (s: number) => number, measure: (text: string, size: number) => number): Label[] {
    const { store, camera, clusters } = this;
    const near = (this.near = parts(store, camera, code, column));
    const others = peaks(store, camera, code).filter((p) => p.code !== near?.code).map((p) => ({ ...p, text: clusters.named(column, p.code) }));
    return lay(camera, [...(near?.parts.map((p) => ({ ...p, code: near.code, text: p.name })) ?? []), ...others], measure, covering());
  }
}
