// The most novel points of the last minutes, most novel first.

import { $, h } from "./dom";
import { figure, type Store } from "./store";

const listed = 8;
const minutes = 5;

export class Strange {
  private readonly box = $("strange");

  constructor(private readonly store: Store, private readonly on: { fly(s: number): void; hover(s: number): void }) {}

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
    const found: { s: number; v: number }[] = [];
    let least = -Infinity;
    store.each((s) => {
      if (store.at[s]! < newest - minutes * 60_000) return;
      const v = rank(s);
      if (!(v > least) && found.length >= listed) return;
      if (Number.isNaN(v)) return;
      found.push({ s, v });
      found.sort((a, b) => b.v - a.v || store.at[b.s]! - store.at[a.s]!);
      found.length = Math.min(found.length, listed);
      least = found.length < listed ? -Infinity : found[found.length - 1]!.v;
    });
    const list = h("div", { class: "near" });
    for (const { s } of found)
      list.append(
        h(
          "button", { on: { click: () => this.on.fly(s), mouseenter: () => this.on.hover(s), mouseleave: () => this.on.hover(-1) } },
          h("span", {}, store.id(s) || `point ${s}`), h("b", {}, figure(Number(store.number(s, by).toFixed(4)))),
        ),
      );
    this.box.replaceChildren(h("h2", {}, newest > 0 ? `Strangest of the last ${minutes} minutes` : "Strangest"), list);
  }
}
