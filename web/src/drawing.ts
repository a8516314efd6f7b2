// What is drawn in a picture of the page: the points, and the marks above them.

import type { App } from "./app";
import type { Scene } from "./draw";
import type { Page } from "./frames";
import type { Marks } from "./overlay";
import type { XY } from "./select";

export class Drawing {
  /** The lasso or rectangle that the user draws. */
  shape: readonly XY[] = [];

  constructor(private readonly app: App) {}

  /** page returns the interface that frames draw. */
  page(): Page {
    const { app } = this;
    return {
      get whole() { return app.feed.whole; },
      get live() { return app.feed.live; },
      get n() { return app.store.n; },
      get still() { return app.store.still; },
      get named() { return app.names.labels.length > 0; },
      step: (now) => [app.camera.step(now), app.compare.step(now)].includes(true),
      scene: (now, draft) => this.scene(now, draft),
      base: (s) => {
        app.surface.draw(s);
        app.compare.base(s.theme, s.draft);
      },
      over: (s, now) => {
        if (this.shape.length === 0) this.point();
        const marks = this.marks();
        app.compare.over(s.theme, marks);
        return app.overlay.draw(s, app.painting, marks, now);
      },
      legend: () => {
        app.legend.draw();
        app.clusters.recolor();
      },
      names: () => {
        app.names.find((t, s) => app.overlay.measure(t, s));
        const { column, code } = app.painting.category ? app.painting : app.clusters;
        app.compare.names(app.names.naming, (c) => app.clusters.named(column, c), column < 0 ? null : code, app.names.near);
        app.head.far();
      },
      address: () => app.address.write(),
    };
  }

  scene(now: number, draft: boolean): Scene {
    const { store, camera, theme, painting, surface } = this.app;
    return { store, camera, theme, paint: painting.paint, now: now / 1000, ratio: surface.ratio(store.n), draft };
  }

  /** point finds the point under the pointer. */
  private point(): void {
    const { chosen, surface, toolbar } = this.app;
    chosen.point();
    surface.over.classList.toggle("on", chosen.hovered >= 0 && toolbar.tool === "pan");
  }

  marks(): Marks {
    const { names, chosen, ways, search, toolbar } = this.app;
    return {
      labels: names.labels, contours: names.contours, ways: ways.visible, hover: chosen.hovered, pinned: chosen.pinned, neighbors: chosen.neighbors,
      hits: [...search.hits.subarray(0, 500)], shape: this.shape, rectangle: toolbar.tool === "rectangle", asked: chosen.asked,
    };
  }
}
