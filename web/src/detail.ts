// What there is to say of a point: in short beside the pointer, and whole in a panel.

import { $, h } from "./dom";
import { figure, when, type Store } from "./store";

/** A neighbour of a point, and how far it is. */
export interface Near {
  slot: number;
  id: string;
  distance: number;
}

/** A column that makes a point novel. */
export interface Reason {
  column: string;
  share: number;
  value?: string;
  expected?: string;
}

export class Detail {
  private readonly tip = $("tip");
  private readonly box = $("detail");

  constructor(private readonly store: Store, private readonly on: { close(): void; fly(s: number): void; hover(s: number): void }) {}

  private title(s: number): string {
    return this.store.id(s) || `point ${s}`;
  }

  private fields(s: number, most: number, first: number): HTMLElement {
    const list = h("dl");
    const order = this.store.columns.map((_, i) => i);
    if (first >= 0) order.sort((a, b) => Number(b === first) - Number(a === first));
    let n = 0;
    for (const k of order) {
      const text = this.store.text(s, k);
      if (text === "" || n++ >= most) continue;
      const name = this.store.columns[k]!.name;
      list.append(h("dt", { title: name }, name), h("dd", {}, text));
    }
    return list;
  }

  hover(s: number, x: number, y: number, column: number): void {
    if (s < 0) {
      this.tip.hidden = true;
      return;
    }
    this.tip.replaceChildren(h("strong", {}, this.title(s)), this.fields(s, 5, column));
    this.tip.hidden = false;
    const { offsetWidth: w, offsetHeight: t } = this.tip;
    this.tip.style.left = `${Math.max(4, x + 16 + w > innerWidth ? x - w - 12 : x + 16)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - t - 8))}px`;
  }

  close(): void {
    this.box.hidden = true;
  }

  /** show states all of a point; where says which space the neighbours' distances are of. */
  show(s: number, near: readonly Near[], where: string, reasons: readonly Reason[]): void {
    const { store } = this;
    const fields = this.fields(s, 100, -1);
    if (store.at[s]! > 0) fields.append(h("dt", {}, "came"), h("dd", {}, when(store.at[s]!)));
    fields.append(h("dt", {}, "place"), h("dd", {}, `${figure(store.x[s]!)}, ${figure(store.y[s]!)}`));
    this.fill(this.title(s), fields, near, where, reasons);
  }

  private fill(title: string, fields: HTMLElement, near: readonly Near[], where: string, reasons: readonly Reason[]): void {
    const head = h("header", {}, h("h2", {}, title), h("button", { class: "close", label: "Close", on: { click: () => this.on.close() } }, "✕"));
    this.box.replaceChildren(head, fields);
    if (reasons.length > 0) {
      this.box.append(h("h3", {}, "Why it is novel"));
      for (const r of reasons)
        this.box.append(h("div", { class: "reason" }, h("span", {}, r.value ? `${r.column} ${r.value}${r.expected ? `, not ${r.expected}` : ""}` : r.column), h("b", {}, `${Math.round(r.share * 100)}%`)));
    }
    if (near.length > 0) {
      this.box.append(h("h3", {}, `Nearest ${where}`), this.near(near));
    }
    this.box.hidden = false;
  }

  /** asked states what is known of a record that was asked for. */
  asked(title: string, facts: readonly (readonly [string, string])[], near: readonly Near[], reasons: readonly Reason[]): void {
    const list = h("dl");
    for (const [name, value] of facts) list.append(h("dt", {}, name), h("dd", {}, value));
    this.fill(title, list, near, "by their vectors", reasons);
  }

  near(near: readonly Near[]): HTMLElement {
    const list = h("div", { class: "near" });
    for (const n of near)
      list.append(
        h(
          "button", { disabled: n.slot < 0, on: { click: () => this.on.fly(n.slot), mouseenter: () => this.on.hover(n.slot), mouseleave: () => this.on.hover(-1) } },
          h("span", {}, n.id || `point ${n.slot}`), h("b", {}, figure(n.distance)),
        ),
      );
    return list;
  }
}
