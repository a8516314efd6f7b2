// The contact sheet of a selection: a small picture of each point, or its text.

import { css } from "./color";
import { h } from "./dom";
import { keepFocus } from "./focus";
import type { Painting } from "./painting";
import type { Pictures } from "./pictures";
import type { Store } from "./store";

/** The sizes of cells with pictures of vectors, with files of pictures and with texts, in pixels. */
const small = { width: 66, height: 74 };
const photo = { width: 112, height: 118 };
const wide = { width: 210, height: 84 };

export class Sheet {
  readonly box = h("div", { class: "sheet", on: { scroll: () => this.lay(), mouseleave: () => this.on.hover(-1) } });
  private readonly body = h("div");
  private slots: Uint32Array = new Uint32Array(0);
  private timer = 0;
  /** The cells whose pictures are files, which are kept so that files are not requested again. */
  private cells = new Map<number, HTMLElement>();

  constructor(private readonly store: Store, private readonly painting: Painting, private readonly pictures: Pictures, private readonly on: { fly(s: number): void; hover(s: number): void }) {
    this.box.append(this.body);
    new ResizeObserver(() => this.lay()).observe(this.box);
  }

  show(slots: Uint32Array): void {
    this.slots = slots;
    this.cells.clear();
    this.box.scrollTop = 0;
    this.lay();
  }

  /** lay makes the visible cells, and requests their pictures. */
  private lay(): void {
    const { slots, store, pictures, box } = this;
    if (box.clientHeight === 0) return;
    const cell = pictures.files ? photo : pictures.likely ? small : wide;
    const across = Math.max(Math.floor(box.clientWidth / cell.width), 1);
    this.body.style.height = `${Math.ceil(slots.length / across) * cell.height}px`;
    const from = Math.max(Math.floor(box.scrollTop / cell.height) - 1, 0) * across;
    const to = Math.min(from + (Math.ceil(box.clientHeight / cell.height) + 2) * across, slots.length);
    const made: Node[] = [];
    const shown: number[] = [];
    const cells = new Map<number, HTMLElement>();
    for (let i = from; i < to; i++) {
      const s = slots[i]!;
      shown.push(s);
      const title = store.id(s) || `point ${s}`;
      const text = this.longest(s);
      const old = this.cells.get(s);
      const b = old?.querySelector("img") ? old : h(
        "button", { class: "cell", title: text ?? title, on: { click: () => this.on.fly(s), mouseenter: () => this.on.hover(s), focus: () => this.on.hover(s) } },
        pictures.of(s) ?? h("span", { class: "snippet" }, pictures.likely && !pictures.files ? "" : (text ?? this.values(s))), h("span", { class: "caption" }, title),
      );
      b.style.cssText = `left: ${(i % across) * cell.width}px; top: ${Math.floor(i / across) * cell.height}px; width: ${cell.width - 6}px; height: ${cell.height - 6}px; border-bottom-color: ${css(this.painting.solid(s))}`;
      b.dataset.key = `${s}`;
      made.push(b);
      cells.set(s, b);
    }
    this.cells = cells;
    keepFocus(this.body, "key", () => this.body.replaceChildren(...made));
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const could = pictures.likely;
      void pictures.want(shown).then((came) => {
        if (came || could !== pictures.likely) this.lay();
      });
    }, 80);
  }

  /** longest returns the longest text of a point, which usually describes it; undefined if all are short. */
  private longest(s: number): string | undefined {
    let best = "";
    this.store.columns.forEach((c, k) => {
      const text = c.kind === "text" || c.kind === "category" ? this.store.text(s, k) : "";
      if (text.length > best.length) best = text;
    });
    return best.length >= 12 ? best : undefined;
  }

  /** values returns a point's values as text. */
  private values(s: number): string {
    return this.store.columns.map((c, k) => `${c.name} ${this.store.text(s, k)}`).join(", ");
  }
}
