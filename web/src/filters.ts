// The panel of filters: a histogram of each column with a brush, or its most frequent categories. Filters act together.

import { percent } from "./apart";
import { nameOf, scaleOf } from "./color";
import { $, h } from "./dom";
import { isDrawn, keepFocus } from "./focus";
import { axisOf, codesOf, countsOf, drawBars, positionOn, valueAt, type Axis } from "./histogram";
import type { Mask } from "./mask";
import { grouped } from "./numbers";
import type { Painting } from "./painting";
import type { Filter } from "./state";
import { arrival, type Store } from "./store";

const bins = 60;
const listed = 6;
/** The number of steps of a handle. */
const steps = 500;
const tall = 40;

interface Row {
  column: number;
  box: HTMLElement;
  /** draw counts and draws the column again. */
  draw(): void;
}

export class Filters {
  private readonly box = $("filters");
  private readonly details = h("details");
  private readonly summary = h("h2");
  private readonly clearing = h("button", { on: { click: () => this.restore([], true) } }, "Show all");
  private readonly list = h("div", { on: { scroll: () => this.later() } });
  private rows: Row[] = [];
  private timer = 0;
  private waiting = 0;
  private telling = 0;

  constructor(
    private readonly store: Store, private readonly painting: Painting, private readonly mask: Mask, private readonly timed: () => boolean,
    private readonly on: { changed(): void; select(): void; tell(text: string): void },
  ) {
    this.details.append(
      h("summary", {}, this.summary),
      h("div", { class: "acts" }, this.clearing, h("button", { title: "Select the points that the filters leave", on: { click: () => on.select() } }, "Select these")), this.list,
    );
    this.details.addEventListener("toggle", () => this.later());
    this.box.addEventListener("scroll", () => this.later());
    this.details.open = innerWidth <= 760;
    this.box.append(this.details);
  }

  /** open opens the filters, or closes them if they are open, unless they must stay. */
  open(must: boolean): void {
    this.details.open = must || !this.details.open;
    this.later();
    if (this.details.open) [...this.list.querySelectorAll("input, button")].find(isDrawn)?.focus();
  }

  /** columns makes a row for each column that can filter. */
  columns(): void {
    const all = this.store.columns.flatMap((c, i) => (c.kind === "text" ? [] : [i]));
    if (this.timed()) all.unshift(arrival);
    this.rows = all.map((i) => (this.store.field(i)!.kind === "category" ? this.categories(i) : this.histogram(i)));
    this.list.replaceChildren(...this.rows.map((r) => r.box));
    this.box.hidden = all.length === 0;
    this.later();
  }

  /** restore sets exactly the given filters. */
  restore(filters: readonly Filter[], byUser = false): void {
    for (const f of this.mask.filters) this.mask.set(this.store.columnOf(f.name, this.timed()), null);
    for (const f of filters) {
      const i = this.store.columnOf(f.name, this.timed());
      const kind = this.store.field(i)?.kind;
      if (kind && "values" in f === (kind === "category")) this.mask.set(i, f);
    }
    if (byUser || filters.length > 0) this.on.changed();
    this.later();
  }

  /** set sets or removes a filter, at most once per animation frame. */
  private set(column: number, filter: Filter | null): void {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => {
      if (!this.mask.set(column, filter)) this.on.tell("There are too many filters.");
      this.on.changed();
      this.later();
      clearTimeout(this.telling);
      this.telling = window.setTimeout(() => this.on.tell(this.mask.filters.length > 0 ? this.share() : "No filter is left."), 600);
    });
  }

  /** later schedules new counts with a low priority. */
  later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.draw(), 40);
  }

  private draw(): void {
    const filtered = this.mask.filters.length > 0;
    this.summary.textContent = filtered ? this.share() : "Filters";
    if (!filtered && document.activeElement === this.clearing) this.details.querySelector("summary")!.focus();
    this.clearing.hidden = !filtered;
    if (!this.details.open || this.box.offsetHeight === 0) return;
    // Only columns in view are drawn, one per task, so that the page of a large map stays responsive.
    const { top, bottom } = this.box.getBoundingClientRect();
    const due = this.rows.filter((r) => {
      const b = r.box.getBoundingClientRect();
      return b.bottom >= top && b.top <= bottom;
    });
    const next = (): void => {
      due.shift()?.draw();
      if (due.length > 0) this.timer = window.setTimeout(next);
    };
    next();
  }

  /** share returns the number and the share of points that pass all filters, as text. */
  private share(): string {
    const { bits } = this.mask;
    let shown = 0;
    this.store.each((s) => {
      if (!bits[s]) shown++;
    });
    const { n } = this.store;
    return `${grouped(shown)} of ${grouped(n)} (${percent(n > 0 ? shown / n : 0)}) shown`;
  }

  /** passes returns a function that reports whether a point passes the time and the filters of all other columns. */
  private passes(column: number): (s: number) => boolean {
    const others = ~this.mask.bit(column);
    const { bits } = this.mask;
    const { at } = this.store;
    const { upto } = this.painting;
    return (s) => !((bits[s] ?? 0) & others) && at[s]! <= upto;
  }

  private histogram(column: number): Row {
    const { name, kind } = this.store.field(column)!;
    const canvas = h("canvas", { class: "hist" });
    canvas.setAttribute("aria-hidden", "true"); // the handles and their values have the same information
    const low = h("input", { type: "range", label: `${name}: from` });
    const high = h("input", { type: "range", label: `${name}: to` });
    const from = h("span");
    const to = h("span");
    let log: boolean | undefined; // chosen from the values when the column is first in view
    let axis: Axis | null = null;
    const range = (): Extract<Filter, { from: number }> | undefined => {
      const f = this.mask.of(column);
      return f && "from" in f ? f : undefined;
    };
    // An end of the axis includes all values beyond it, also later ones. The exception is the lower end of a logarithmic axis.
    const brush = (a: number, b: number): void => {
      if (!axis) return;
      const t0 = Math.min(a, b);
      const t1 = Math.max(a, b);
      if (t0 <= 0 && t1 >= 1) return this.set(column, null);
      this.set(column, { name, from: t0 <= 0 && !axis.log ? -Number.MAX_VALUE : valueAt(axis, t0), to: t1 >= 1 ? Number.MAX_VALUE : valueAt(axis, t1) });
    };
    for (const e of [low, high]) {
      e.max = String(steps);
      e.addEventListener("input", () => brush(Number(low.value) / steps, Number(high.value) / steps));
    }
    const clear = h("button", { class: "close", label: `End the filter of ${name}`, on: { click: () => this.set(column, null) } }, "✕");
    const switching = h("button", { class: "log", pressed: false, title: "A logarithmic axis", on: { click: () => { log = !log; row.draw(); } } }, "log");
    if (kind === "time") switching.hidden = true;
    let begun = NaN;
    const at = (e: PointerEvent): number => {
      const r = canvas.getBoundingClientRect();
      return (e.clientX - r.left) / r.width;
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      begun = at(e);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!Number.isNaN(begun) && Math.abs(at(e) - begun) > 0.01) brush(begun, at(e));
    });
    canvas.addEventListener("pointerup", (e) => {
      if (Math.abs(at(e) - begun) <= 0.01 && range()) this.set(column, null); // a click removes the filter
      begun = NaN;
    });
    const box = h("div", { class: "filter" }, h("div", { class: "filterhead" }, h("span", { title: name }, column === arrival ? "when it came" : name), switching, clear), h("div", { class: "handles" }, canvas, low, high), h("div", { class: "ends" }, from, to));
    const draw = (): void => {
      log ??= kind === "number" && scaleOf(this.store, column).log;
      axis = axisOf(this.store, column, log);
      switching.setAttribute("aria-pressed", String(log));
      const f = range();
      if (!f && document.activeElement === clear) low.focus();
      clear.hidden = !f;
      box.classList.toggle("on", f !== undefined);
      low.disabled = high.disabled = !axis;
      const { width } = canvas.getBoundingClientRect();
      canvas.width = Math.max(Math.round(width * 2), 1);
      canvas.height = 2 * tall;
      if (!axis) {
        from.textContent = "no values";
        to.textContent = "";
        return;
      }
      const t0 = f ? Math.min(Math.max(positionOn(axis, Math.max(f.from, axis.from)), 0), 1) : 0;
      const t1 = f ? Math.min(Math.max(positionOn(axis, Math.min(f.to, axis.to)), 0), 1) : 1;
      if (document.activeElement !== low) low.value = String(Math.round(t0 * steps));
      if (document.activeElement !== high) high.value = String(Math.round(t1 * steps));
      const write = (v: number): string => this.store.brief(column, v);
      from.textContent = write(f ? Math.max(f.from, axis.from) : axis.from);
      to.textContent = write(f ? Math.min(f.to, axis.to) : axis.to);
      low.setAttribute("aria-valuetext", from.textContent);
      high.setAttribute("aria-valuetext", to.textContent);
      drawBars(canvas, countsOf(this.store, column, axis, bins, this.passes(column)), this.mask.filters.length > 0, t0, t1);
    };
    const row: Row = { column, box, draw };
    return row;
  }

  private categories(column: number): Row {
    const c = this.store.columns[column]!;
    const box = h("div", { class: "filter" });
    const toggle = (value: string): void => {
      const f = this.mask.of(column);
      const values = new Set(f && "values" in f ? f.values : []);
      if (!values.delete(value)) values.add(value);
      this.set(column, values.size > 0 ? { name: c.name, values: [...values] } : null);
    };
    const draw = (): void => {
      const f = this.mask.of(column);
      const chosen = new Set(f && "values" in f ? f.values : []);
      const { all, passing } = codesOf(this.store, column, this.passes(column));
      const order = [...all.keys()].filter((code) => code > 0 && all[code]! > 0).sort((a, b) => Number(chosen.has(c.values[b - 1]!)) - Number(chosen.has(c.values[a - 1]!)) || all[b]! - all[a]! || a - b);
      const top = Math.max(1, ...order.map((code) => all[code]!));
      const made = order.slice(0, Math.max(listed, chosen.size)).map((code) => {
        const value = c.values[code - 1]!;
        const bar = h("i");
        bar.style.width = `${(100 * passing[code]!) / top}%`;
        const b = h("button", { title: nameOf(c, code), pressed: chosen.has(value), on: { click: () => toggle(value) } }, bar, h("span", {}, nameOf(c, code)), h("b", {}, grouped(passing[code]!)));
        b.dataset.value = value;
        return b;
      });
      box.classList.toggle("on", f !== undefined);
      const clear = f ? h("button", { class: "close", label: `End the filter of ${c.name}`, on: { click: () => this.set(column, null) } }, "✕") : null;
      const more = order.length - made.length;
      const hint = more > 0 ? [h("p", { class: "hint" }, `and ${grouped(more)} more: search, or colour by it`)] : [];
      const head = h("div", { class: "filterhead" }, h("span", { title: c.name }, c.name), clear);
      keepFocus(box, "value", () => box.replaceChildren(head, ...made, ...hint), () => made[0] ?? null);
    };
    box.append(h("div", { class: "filterhead" }, c.name));
    return { column, box, draw };
  }
}
