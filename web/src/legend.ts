// The legend: the colouring column, and its classes with counts or its scale.

import { css, nameOf, ramp } from "./color";
import { $, h } from "./dom";
import { keepFocus } from "./focus";
import { grouped } from "./numbers";
import type { Painting } from "./painting";
import { arrival, type Store } from "./store";

/** The number of listed classes. The number of further ones is shown. */
const listed = 120;

export class Legend {
  private readonly select = $<HTMLSelectElement>("by");
  private readonly box = $("legend");

  constructor(private readonly store: Store, private readonly painting: Painting, private readonly timed: () => boolean, private readonly on: { column(i: number): void; only(): void }) {
    this.select.addEventListener("change", () => on.column(Number(this.select.value)));
  }

  /** columns lists the columns for colouring. */
  columns(): void {
    this.select.replaceChildren(option("one colour", -1));
    this.store.columns.forEach((c, i) => {
      if (c.kind !== "text") this.select.append(option(c.name, i));
    });
    if (this.timed()) this.select.append(option("when it came", arrival));
    this.select.value = String(this.painting.column);
  }

  draw(): void {
    const redraw = (): void => {
      if (this.painting.column === -1) this.box.replaceChildren();
      else if (this.painting.category) this.classes();
      else this.bar();
    };
    keepFocus(this.box, "code", redraw, () => this.box.querySelector("button"));
  }

  private classes(): void {
    const { only, colors } = this.painting;
    const column = this.store.columns[this.painting.column]!;
    const counts = this.painting.counts();
    const order = this.painting.order(counts, only);
    const rows: Node[] = order.slice(0, listed).map((code) => {
      const dot = h("i");
      dot.style.background = css(colors[code] ?? this.painting.theme.missing);
      const name = nameOf(column, code);
      const b = h(
        "button",
        {
          class: only.size > 0 && !only.has(code) ? "off" : "", title: name, pressed: only.has(code),
          on: { click: (e) => this.toggle(code, e.shiftKey || e.ctrlKey || e.metaKey) },
        },
        dot, h("span", {}, name), h("b", {}, grouped(counts[code]!)),
      );
      b.dataset.code = String(code);
      return b;
    });
    if (order.length > listed) rows.push(h("p", { class: "hint" }, `and ${order.length - listed} more`));
    if (only.size > 0) rows.push(h("button", { on: { click: () => this.clear() } }, "Show all"));
    this.box.replaceChildren(...rows);
  }

  private toggle(code: number, more: boolean): void {
    const { only } = this.painting;
    const alone = only.size === 1 && only.has(code);
    if (more) {
      if (!only.delete(code)) only.add(code);
    } else {
      only.clear();
      if (!alone) only.add(code);
    }
    this.on.only();
  }

  private clear(): void {
    this.painting.only.clear();
    this.on.only();
  }

  private bar(): void {
    const { scale, theme } = this.painting;
    const canvas = h("canvas");
    canvas.width = 256;
    canvas.height = 1;
    const c = canvas.getContext("2d")!;
    for (let i = 0; i < 256; i++) {
      c.fillStyle = css(ramp(i / 255, theme));
      c.fillRect(i, 0, 1, 1);
    }
    const [from, to] = this.painting.ends();
    const ends = h("div", { class: "ends" }, h("span", {}, from), scale.log ? h("span", {}, "logarithmic") : null, h("span", {}, to));
    const none = this.painting.missing();
    const dot = h("i");
    dot.style.background = css(theme.missing);
    const row = none > 0 ? h("div", { class: "none" }, dot, h("span", {}, "no value"), h("b", {}, grouped(none))) : "";
    this.box.replaceChildren(canvas, ends, row);
  }
}

function option(text: string, value: number): HTMLOptionElement {
  const o = h("option", {}, text);
  o.value = String(value);
  return o;
}
