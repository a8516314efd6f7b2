// The points whose class is least certain, which a label would teach most, least certain first.

import { $, h } from "./dom";
import { figure } from "./numbers";
import type { Store } from "./store";

const listed = 8;
/** It is asked again after so many ms: a stage predicts classes with every map. */
const every = 5000;

interface Point {
  id: string;
  entropy: number;
  classes: { class: string; probability: number | null }[];
}

export class UncertainList {
  private readonly box = $("uncertain");
  private asked = -every;

  constructor(private readonly store: Store, private readonly on: { fly(s: number): void; hover(s: number): void }) {}

  /** draw asks for the points again, unless that was a moment ago; it is hidden where no classes are predicted, and in files without a server. */
  draw(): void {
    const known = this.store.n > 0 && this.store.columns.some((c) => c.name === "class_entropy") && !document.getElementById("data");
    if (!known) this.box.hidden = true;
    if (!known || performance.now() < this.asked + every || this.box.matches(":hover, :focus-within")) return; // it stays while somebody reads it
    this.asked = performance.now();
    fetch(`api/uncertain?n=${listed}`).then((r) => (r.ok ? r.json() : { points: [] })).then((a: { points: Point[] }) => this.list(a.points), () => (this.box.hidden = true));
  }

  private list(points: Point[]): void {
    const slots = new Map(points.map((p) => [p.id, -1]));
    this.store.each((s) => {
      const id = this.store.id(s);
      if (slots.has(id)) slots.set(id, s);
    });
    const list = h("div", { class: "near" });
    for (const p of points) {
      const s = slots.get(p.id)!;
      if (s < 0) continue;
      const classes = p.classes.map((c) => `${c.class} ${c.probability === null ? "" : figure(Number(c.probability.toFixed(2)))}`).join(", ");
      list.append(
        h(
          "button", { title: classes, on: { click: () => this.on.fly(s), mouseenter: () => this.on.hover(s), mouseleave: () => this.on.hover(-1) } },
          h("span", {}, p.id), h("b", {}, p.classes.slice(0, 2).map((c) => c.class).join(" / ")),
        ),
      );
    }
    this.box.hidden = list.childElementCount === 0;
    this.box.replaceChildren(h("h2", {}, "Ask a label for"), list);
  }
}
