// The most novel points of the last minutes, one for each kind of them, with the reason in words.

import { reasonsOf, why } from "./answer";
import { nameOf } from "./color";
import { reasonText } from "./detail";
import { $, h } from "./dom";
import { firstColumn } from "./first";
import { kinds, strangest } from "./kinds";
import { figure, grouped } from "./numbers";
import type { Store } from "./store";
import type { MapState } from "./wire";

const listed = 8;
const minutes = 5;
/** Reasons are requested after so many ms at the earliest: while events stream in, the list changes every second. */
const every = 4000;
const mostKnown = 200;

export class StrangeList {
  /** Whether the server can answer why an event is novel. */
  asks = false;
  private readonly box = $("strange");
  private shown: ReadonlySet<number> = new Set();
  /** The reasons by id, "" for none. */
  private readonly reasons = new Map<string, string>();
  private asked = -every;
  private map = "";

  constructor(private readonly store: Store, private readonly on: { fly(s: number): void; hover(s: number): void }) {}

  /** clear begins with other points, or with the same ones on another map: the reasons on an earlier map are forgotten. */
  clear(m: MapState): void {
    const map = `${m.id ?? ""} ${m.epoch ?? 0} ${m.version ?? 0}`;
    if (map !== this.map) this.reasons.clear();
    this.map = map;
    this.shown = new Set();
  }

  /** draw updates the list. It is hidden without a column of novelty. */
  draw(): void {
    const { store } = this;
    const global = store.columns.findIndex((c) => c.name === "novelty_global");
    const local = store.columns.findIndex((c) => c.name === "novelty_local");
    const by = global >= 0 ? global : local;
    this.box.hidden = by < 0 || store.n === 0;
    if (this.box.hidden || this.box.matches(":hover, :focus-within")) return; // it does not change while the pointer is on it
    let newest = 0;
    store.each((s) => (newest = Math.max(newest, store.at[s]!)));
    const rank = (s: number): number => store.number(s, by) + (local >= 0 && by !== local ? 1e-3 * store.number(s, local) : 0);
    const column = firstColumn(store, newest > 0, []);
    const classes = store.columns[column]?.kind === "category" ? column : -1;
    const found = kinds(store, strangest(store, rank, newest - minutes * 60_000), classes, listed, this.shown);
    this.shown = new Set(found.map((k) => k.slot));
    const list = h("div", { class: "near" });
    for (const { slot, count } of found) {
      const id = store.id(slot);
      const c = store.columns[classes];
      const kind = c ? nameOf(c, store.number(slot, classes)) : "";
      const more = count > 1 ? `${grouped(count - 1)} alike` : "";
      const words = [kind, more, this.reasons.get(id) ?? ""].filter(Boolean).join(" · ");
      list.append(
        h(
          "button", { title: words, on: { click: () => this.on.fly(slot), mouseenter: () => this.on.hover(slot), mouseleave: () => this.on.hover(-1) } },
          h("span", {}, id || `point ${slot}`), h("b", {}, figure(Number(store.number(slot, by).toFixed(4)))), words ? h("em", {}, words) : null,
        ),
      );
    }
    this.box.replaceChildren(h("h2", {}, newest > 0 ? `Strangest of the last ${minutes} minutes` : "Strangest"), list);
    void this.explain(found.map((k) => store.id(k.slot)));
  }

  /** explain asks for the reasons that are not known, one after the other. */
  private async explain(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => id !== "" && !this.reasons.has(id));
    if (!this.asks || unknown.length === 0 || performance.now() < this.asked + every) return;
    this.asked = Infinity;
    if (this.reasons.size > mostKnown) this.reasons.clear();
    for (const id of unknown) {
      const { map } = this;
      const most = await why(id, new AbortController().signal).then((p) => reasonsOf(p)[0], () => undefined);
      if (map === this.map) this.reasons.set(id, most ? `${most.column} ${reasonText(most)}`.trim() : "");
    }
    this.asked = performance.now();
    this.draw();
  }
}
