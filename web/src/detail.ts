// The description of a point: a short one at the pointer, and a full one in a panel.

import { nameOf } from "./color";
import { $, h } from "./dom";
import { isDrawn, keepFocus, Origin } from "./focus";
import { figure, when } from "./numbers";
import type { Pictures } from "./pictures";
import type { Store } from "./store";

/** A neighbour of a point with its distance. */
export interface Near {
  slot: number;
  id: string;
  distance: number;
}

/** A column that makes a point novel. */
export interface Reason {
  column: string;
  /** Its share of the distance to the neighbours, 0..1. */
  share: number;
  /** Whether the value is above or below the neighbours', or another category. */
  direction: string;
  value?: string;
  expected?: string;
}

/** Why a point is novel, or a message if that is unknown. */
export interface Why {
  reasons: readonly Reason[];
  /** Neighbours by their vectors. */
  near: readonly Near[];
  facts: readonly (readonly [string, string])[];
  note: string;
}

export class Detail {
  private readonly tip = $("tip");
  private readonly box = $("detail");
  /** The points in the panel and at the pointer, whose pictures may arrive later; -1 for none. */
  private shown = -1;
  private over = -1;
  private timer = 0;
  private origin: Origin | null = null;

  constructor(private readonly store: Store, private readonly pictures: Pictures, private readonly on: { close(): void; fly(s: number): void; hover(s: number): void }) {}

  private title(s: number): string {
    return this.store.id(s) || `point ${s}`;
  }

  private fields(s: number, most: number, first: number): HTMLElement {
    const list = h("dl");
    const order = this.store.columns.map((_, i) => i);
    if (first >= 0) order.sort((a, b) => Number(b === first) - Number(a === first));
    let n = 0;
    for (const k of order) {
      const c = this.store.columns[k]!;
      let text = this.store.text(s, k);
      if (text === "" || n++ >= most) continue;
      if (c.kind === "category") text = nameOf(c, this.store.number(s, k));
      const { name } = c;
      list.append(h("dt", { title: name }, name), h("dd", { class: text.length > 22 ? "long" : "" }, linked(text)));
    }
    return list;
  }

  /** left says on the card that its point has left. */
  left(): void {
    this.shown = -1;
    this.box.append(h("p", { class: "hint" }, "This point has left."));
  }

  hover(s: number, x: number, y: number, column: number): void {
    if (s < 0) {
      clearTimeout(this.timer);
      this.tip.hidden = true;
      this.over = -1;
      return;
    }
    if (s !== this.over) {
      // The picture of a point is requested when the pointer rests on it.
      clearTimeout(this.timer);
      const show = (): void => {
        const picture = this.over === s && !this.tip.querySelector(".picture") ? this.pictures.of(s) : null;
        if (picture) this.tip.prepend(picture);
      };
      this.timer = window.setTimeout(() => void this.pictures.want([s]).then(show), 60);
      this.tip.replaceChildren(h("strong", {}, this.title(s)), this.fields(s, 5, column));
      this.over = s;
      if (this.pictures.here(s)) show();
    }
    this.over = s;
    this.tip.hidden = false;
    const { offsetWidth: w, offsetHeight: t } = this.tip;
    this.tip.style.left = `${Math.max(4, x + 16 + w > innerWidth ? x - w - 12 : x + 16)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - t - 8))}px`;
  }

  close(): void {
    const back = this.box.contains(document.activeElement) ? this.origin : null;
    this.box.hidden = true;
    this.origin = null;
    back?.focus();
  }

  /** show shows the full description of a point, with its neighbours on the map. */
  show(s: number, near: readonly Near[], why: Why): void {
    const { store } = this;
    const fields = this.fields(s, 100, -1);
    if (store.at[s]! > 0) fields.append(h("dt", {}, "came"), h("dd", {}, when(store.at[s]!)));
    fields.append(h("dt", {}, "place"), h("dd", {}, `${figure(store.x[s]!)}, ${figure(store.y[s]!)}`));
    this.fill(this.title(s), fields, near, why);
    const place = (): void => {
      const picture = this.shown === s && !this.box.querySelector(".picture") ? this.pictures.of(s) : null;
      if (picture) this.box.querySelector("header")!.after(picture);
    };
    this.shown = s;
    place();
    void this.pictures.want([s]).then(place);
  }

  /** asked shows the answer for a record. */
  asked(title: string, why: Why): void {
    const list = h("dl");
    this.shown = -1;
    for (const [name, value] of why.facts) list.append(h("dt", {}, name), h("dd", {}, value));
    this.fill(title, list, [], why);
  }

  private fill(title: string, fields: HTMLElement, near: readonly Near[], why: Why): void {
    const close = h("button", { class: "close", label: "Close", on: { click: () => this.on.close() } }, "✕");
    close.dataset.key = "close";
    const parts: HTMLElement[] = [h("header", {}, h("h2", {}, title), close), fields];
    if (why.reasons.length > 0 || why.note !== "") parts.push(h("h3", {}, "Why it is novel"));
    parts.push(...why.reasons.map((r) => this.reason(r)));
    if (why.note !== "") parts.push(h("p", { class: "hint" }, why.note));
    if (why.near.length > 0) parts.push(h("h3", {}, "Nearest by their vectors"), this.near(why.near));
    if (near.length > 0) parts.push(h("h3", {}, "Nearest on the map"), this.near(near));
    this.origin ??= Origin.here();
    const { activeElement } = document;
    const seen = isDrawn(activeElement);
    const { scrollTop } = this.box;
    keepFocus(this.box, "key", () => this.box.replaceChildren(...parts), () => close);
    this.box.hidden = false;
    this.box.scrollTop = scrollTop;
    if (seen && !isDrawn(activeElement) && !this.box.contains(document.activeElement)) close.focus(); // the panel hides the list that it was opened from
  }

  /** reason shows a column: the values of the event and its neighbours, and its share as a bar. */
  private reason(r: Reason): HTMLElement {
    const bar = h("i");
    bar.style.width = `${Math.min(Math.max(r.share, 0), 1) * 100}%`;
    const text = reasonText(r);
    return h(
      "div", { class: "reason" },
      h("span", { title: r.column }, r.column), h("b", {}, `${Math.round(r.share * 100)}%`), bar,
      text === "" ? null : h("em", {}, text),
    );
  }

  near(near: readonly Near[]): HTMLElement {
    const list = h("div", { class: "near" });
    for (const n of near) {
      const b = h(
        "button", { disabled: n.slot < 0, on: { click: () => this.on.fly(n.slot), mouseenter: () => this.on.hover(n.slot), mouseleave: () => this.on.hover(-1) } },
        h("span", {}, n.id || `point ${n.slot}`), h("b", {}, figure(n.distance)),
      );
      b.dataset.key = `${n.slot}`;
      list.append(b);
    }
    return list;
  }
}

/** reasonText writes the value of an event and those of its neighbours, "" if they are unknown. */
export function reasonText(r: Reason): string {
  if (r.value === undefined) return "";
  const sign = r.direction === "above" ? "↑ " : r.direction === "below" ? "↓ " : "";
  const instead = r.expected === undefined ? "" : r.direction === "other" ? `, not ${r.expected}` : `, neighbours ${r.expected}`;
  return `${sign}${r.value}${instead}`;
}

/** linked returns a text, as a link if it is a web address. */
function linked(text: string): Node | string {
  if (!/^https?:\/\/[^\s]+$/.test(text)) return text;
  const a = h("a", {}, text);
  a.href = text;
  a.target = "_blank";
  a.rel = "noopener noreferrer";
  return a;
}
