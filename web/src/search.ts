// The search box: ids and values, ranges of columns, and the place of a record.

import { $, h } from "./dom";
import { equal, Finder, inRange, rangeOf } from "./find";
import { grouped } from "./numbers";
import type { Store } from "./store";

const shownHits = 40;
/** A piece of a search takes this number of ms. */
const piece = 60;

export class Search {
  private readonly input = $<HTMLInputElement>("search");
  private readonly box = $("hits");
  private run = 0;
  hits: Uint32Array = new Uint32Array(0);
  /** The duration of the last search in ms. */
  took = 0;
  /** Whether the server can place records, and whether points have arrival times. */
  asks = false;
  timed = false;

  constructor(private readonly store: Store, private readonly on: { hits(): void; fly(s: number): void; select(slots: Uint32Array, text: string): void; takes(text: string): "record" | "text" | null; problem(text: string): string; tell(text: string): void; learn(): Promise<void>; place(record: string): Promise<void> }) {
    this.input.addEventListener("focus", () => void (this.asks && on.learn()));
    let timer = 0;
    this.input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void this.find(this.input.value), 120);
    });
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (this.placeable === "record" || (this.placeable && this.hits.length === 0))) this.place();
      else if (e.key === "Enter" && this.hits.length > 0) on.fly(this.hits[0]!);
      if (e.key === "ArrowDown") this.box.querySelector("button")?.focus();
      if (e.key === "Escape" && this.input.value === "" && this.box.hidden) return; // the page's Escape
      if (e.key === "Escape") this.clear();
      e.stopPropagation();
    });
    this.box.addEventListener("keydown", (e) => {
      const next = e.key === "ArrowDown" ? "nextElementSibling" : e.key === "ArrowUp" ? "previousElementSibling" : null;
      if (next) ((document.activeElement as HTMLElement)[next] as HTMLElement | null)?.focus();
      if (e.key !== "Escape") return;
      this.clear();
      e.stopPropagation();
    });
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  clear(): void {
    this.run++;
    this.input.value = "";
    this.hits = new Uint32Array(0);
    if (this.box.contains(document.activeElement)) this.input.focus();
    this.box.hidden = true;
    this.on.hits();
  }

  /** placeable reports whether the input is a record or a text that can be placed. */
  private get placeable(): "record" | "text" | null {
    return this.asks ? this.on.takes(this.input.value) : null;
  }

  private place(): void {
    this.on.place(this.input.value).then(
      () => this.clear(),
      (e: unknown) => this.box.replaceChildren(h("p", { class: "hint" }, e instanceof Error ? e.message : String(e))),
    );
  }

  /** find searches a text in ids, categories and texts, ignoring case, or a range of a column. */
  async find(text: string): Promise<void> {
    const run = ++this.run;
    const want = text.trim().toLowerCase();
    if (want === "") return this.clear();
    const { store } = this;
    const begun = performance.now();
    const range = rangeOf(store, text, this.timed);
    let reason = (s: number): string => (range ? `${store.field(range.column)!.name}: ${range.column < 0 ? store.written(range.column, store.number(s, range.column)) : store.text(s, range.column)}` : "");
    let exact = -1; // comes first
    let found = range && inRange(store, range);
    if (!found) {
      const finder = new Finder(store, want);
      while (finder.step(piece)) {
        await new Promise((done) => setTimeout(done));
        if (run !== this.run) return;
      }
      found = finder.found;
      exact = finder.exact;
      reason = (s) => finder.reason(s);
      const number = found.n === 0 && equal(store, text);
      if (number) ({ found, reason } = number);
    }
    this.hits = found.slots();
    if (exact >= 0 && this.hits[0] !== exact) this.hits = Uint32Array.from([exact, ...this.hits.filter((s) => s !== exact)]);
    this.took = performance.now() - begun;
    this.list(reason);
    this.on.tell(this.hits.length === 0 ? "Nothing is found." : `${grouped(this.hits.length)} found; the down arrow leads to them.`);
    this.on.hits();
  }

  private list(reason: (s: number) => string): void {
    const { hits, store } = this;
    const n = hits.length;
    const order = [...hits.subarray(0, shownHits)];
    const rows: Node[] = order.map((s) =>
      h("button", { on: { click: () => this.on.fly(s) } }, h("span", {}, store.id(s) || `#${s}`), h("span", { class: "faint" }, reason(s))),
    );
    if (n > 1) rows.unshift(h("button", { on: { click: () => this.on.select(Uint32Array.from(this.hits), this.input.value.trim()) } }, h("span", {}, `Select all ${grouped(n)}`)));
    const { placeable } = this;
    if (placeable) rows.unshift(h("button", { on: { click: () => this.place() } }, h("span", {}, `Nearest to this ${placeable}`)));
    if (n === 0 && placeable !== "record") rows.push(h("p", { class: "hint" }, this.on.problem(this.input.value) || `Nothing has this id or value. A range is written as in: value > 0.9, value 2..5${this.asks ? "; a record to place as JSON or as values (W)" : ""}`));
    this.box.replaceChildren(...rows);
    this.box.hidden = false;
  }
}
