// The header's texts: the title, how many points there are, and a button that reveals those outside the view.

import type { Camera } from "./camera";
import { $ } from "./dom";
import { isEmpty, outside } from "./framing";
import { grouped } from "./numbers";
import type { Store } from "./store";
import type { Hello } from "./wire";

export class Head {
  /** The announced number of points, and the number of rows without a place. */
  private announced = 0;
  unplaced = 0;

  constructor(private readonly store: Store, private readonly camera: Camera) {}

  get title(): string {
    return $("title").textContent ?? "";
  }

  begin(m: Hello): void {
    this.announced = m.points;
    this.unplaced = m.unplaced ?? 0;
    $("title").textContent = $("title").title = m.title || "unfold";
    document.title = m.title ? `${m.title} – unfold` : "unfold";
  }

  /** draw writes the number of points: of those announced until all have arrived, then with what else is known. */
  draw(whole: boolean, version?: number): void {
    const { n, under } = this.store;
    if (!whole) {
      if (n < this.announced) $("count").textContent = `${grouped(n)} of ${grouped(this.announced)} points`;
      return;
    }
    const parts = [`${grouped(n)} ${n === 1 ? "point" : "points"}`];
    if (this.unplaced > 0) parts.push(`${grouped(this.unplaced)} without a place`);
    if (under > 0) parts.push(`${grouped(under)} learnt from`);
    if (version) parts.push(`version ${version}`);
    $("count").textContent = $("count").title = parts.join(" · ");
  }

  /** far shows a button that reveals all points if some are outside the usual view, or all outside any other. */
  far(): void {
    const n = this.camera.atFrame || isEmpty(this.store, this.camera) ? outside(this.store, this.camera) : 0;
    $("far").hidden = n === 0;
    $("far").textContent = `${grouped(n)} outside the view`;
  }
}
