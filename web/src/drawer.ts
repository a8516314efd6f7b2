// The drawer of a selection: its rows in a sortable table, its distinguishing columns, and downloads.

import { grouped } from "./numbers";
import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { apart } from "./apart";
import { $, h, save } from "./dom";
import { keepFocus, toMap } from "./focus";
import type { Painting } from "./painting";
import type { Pictures } from "./pictures";
import { csv } from "./select";
import { Sheet } from "./sheet";
import type { Store } from "./store";

const rowHeight = 24;
/** The width of columns in pixels, as in the style sheet. */
const cellWidth = 130;

export class Drawer {
  private readonly box = $("drawer");
  private slots: Uint32Array = new Uint32Array(0);
  private order: Uint32Array = new Uint32Array(0);
  /** An earlier selection to compare with. */
  private held: Uint32Array | null = null;
  private sorted: { column: number; up: boolean } | null = null;
  private readonly sheet: Sheet;
  /** Whether the contact sheet is shown instead of the table. */
  private pictured = false;
  private rows!: HTMLElement;
  private body!: HTMLElement;

  constructor(private readonly store: Store, painting: Painting, pictures: Pictures, private readonly on: { close(): void; fly(s: number): void; hover(s: number): void }) {
    this.sheet = new Sheet(store, painting, pictures, on);
  }

  get count(): number {
    return this.slots.length;
  }

  /** Whether an earlier selection is kept to compare with. */
  get holds(): boolean {
    return this.held !== null;
  }

  /** leave takes points that have left out of the table, and out of the held ones. */
  leave(gone: ReadonlySet<number>): void {
    const stay = (s: number): boolean => !gone.has(s);
    this.held &&= this.held.filter(stay);
    const order = this.order.filter(stay);
    if (order.length === this.order.length || this.box.hidden) return;
    this.slots = this.slots.filter(stay);
    this.order = order;
    this.box.querySelector(".drawerhead strong")!.textContent = this.title();
    this.body.style.height = `${order.length * rowHeight}px`;
    this.picture(this.pictured);
  }

  private title(): string {
    const n = this.slots.length;
    return `${grouped(n)} ${n === 1 ? "point" : "points"} selected`;
  }

  hide(): void {
    if (this.box.contains(document.activeElement)) toMap();
    this.box.hidden = true;
    this.slots = new Uint32Array(0);
  }

  show(slots: Uint32Array): void {
    this.slots = this.order = slots;
    this.sorted = null;
    const act = (text: string, title: string, f: () => void): HTMLButtonElement => h("button", { title, on: { click: f } }, text);
    const head = h(
      "div", { class: "drawerhead" },
      h("strong", {}, this.title()),
      this.hold(), this.toggle(),
      act("CSV", "Save the rows as CSV", () => save("selection.csv", "text/csv;charset=utf-8", [csv(this.store, this.order)])),
      act("Arrow", "Save the rows as an Arrow file", () => save("selection.arrow", "application/vnd.apache.arrow.file", [this.arrow()])),
      act("Ids", "Save the ids, one a line", () => save("ids.txt", "text/plain;charset=utf-8", [[...this.order].map((s) => this.store.id(s)).join("\n") + "\n"])),
      h("button", { class: "close", label: "Close the selection", on: { click: () => this.on.close() } }, "✕"),
    );
    const apart = this.apart();
    this.rows = h("div", { class: "rows", on: { scroll: () => this.lay(), mouseleave: () => this.on.hover(-1) } });
    this.box.replaceChildren(head, h("div", { class: "drawerbody" }, apart, this.rows, this.sheet.box));
    this.box.hidden = false;
    this.fill();
    this.picture(this.pictured);
  }

  /** apart lists the columns in which the points differ from the held ones or, if none are held, from all others. */
  private apart(): HTMLElement {
    const other = this.held && this.held !== this.slots ? this.held.filter((s) => this.store.alive[s]) : null;
    const count = (n: number): string => `${grouped(n)} held ${n === 1 ? "point" : "points"}`;
    const box = h("div", { class: "apart" }, h("h2", {}, other ? `What sets them apart from the ${count(other.length)}` : "What sets them apart"));
    const found = apart(this.store, this.slots, other, other ? "the held" : undefined).slice(0, 12);
    for (const d of found) {
      const bar = h("i");
      bar.style.width = `${100 * Math.abs(d.effect)}%`;
      const chance = d.chance < 1e-9 ? "less than 1 in a billion" : d.chance.toExponential(0);
      box.append(h("p", { title: `effect ${d.effect.toFixed(2)} (Cliff's delta), by chance: ${chance}` }, h("b", {}, d.column), bar, d.text));
    }
    if (found.length === 0) box.append(h("p", { class: "hint" }, "No column differs more than it would by chance."));
    return box;
  }

  /** hold returns the button that keeps the selection for comparison with the next one, or releases it. */
  private hold(): HTMLButtonElement {
    const words = (): [string, string] => (this.held ? ["Release", "Compare with all other points again"] : ["Hold", "Keep this selection, and compare the next one with it"]);
    const [text, title] = words();
    const b = h("button", { title, on: { click: () => {
      this.held = this.held ? null : this.slots;
      [b.textContent, b.title] = words();
      this.box.querySelector(".apart")?.replaceWith(this.apart());
    } } }, text);
    return b;
  }

  /** clear ends the comparison with points of an earlier map. */
  clear(): void {
    this.held = null;
  }

  /** toggle returns the button that switches between the table and the contact sheet. */
  private toggle(): HTMLButtonElement {
    const b = h("button", { title: "Show a picture or the text of each point", pressed: this.pictured, on: { click: () => { this.picture(!this.pictured); b.setAttribute("aria-pressed", String(this.pictured)); } } }, "Sheet");
    return b;
  }

  private picture(on: boolean): void {
    this.pictured = on;
    this.rows.hidden = on;
    this.sheet.box.hidden = !on;
    if (on) this.sheet.show(this.order);
    else this.lay();
  }

  private fill(): void {
    const head = h("div", { class: "row head" });
    const title = (text: string, column: number): void => {
      const mark = this.sorted?.column === column ? (this.sorted.up ? " ↑" : " ↓") : "";
      const b = h("button", { title: text, class: this.store.columns[column]?.kind === "number" ? "num" : "", on: { click: () => this.sort(column) } }, text + mark);
      b.dataset.key = `column ${column}`;
      head.append(b);
    };
    title("id", -1);
    this.store.columns.forEach((c, i) => title(c.name, i));
    this.body = h("div");
    this.body.style.height = `${this.order.length * rowHeight}px`;
    this.body.style.width = `${(this.store.columns.length + 1) * cellWidth}px`;
    keepFocus(this.rows, "key", () => this.rows.replaceChildren(head, this.body));
    this.lay();
  }

  /** lay makes the visible rows. */
  private lay(): void {
    const from = Math.max(Math.floor(this.rows.scrollTop / rowHeight) - 4, 0);
    const to = Math.min(from + Math.ceil(this.rows.clientHeight / rowHeight) + 8, this.order.length);
    const made: Node[] = [];
    for (let i = from; i < to; i++) {
      const s = this.order[i]!;
      const row = h("button", { class: "row", on: { click: () => this.on.fly(s), mouseenter: () => this.on.hover(s), focus: () => this.on.hover(s) } });
      row.dataset.key = `${s}`;
      row.style.top = `${(i + 1) * rowHeight}px`;
      row.append(h("span", {}, this.store.id(s) || `#${s}`));
      this.store.columns.forEach((c, k) => row.append(h("span", { class: c.kind === "number" ? "num" : "" }, this.store.text(s, k))));
      made.push(row);
    }
    keepFocus(this.body, "key", () => this.body.replaceChildren(...made));
  }

  private sort(column: number): void {
    const up = this.sorted?.column === column ? !this.sorted.up : true;
    this.sorted = { column, up };
    const c = this.store.columns[column];
    const order = Array.from(this.slots);
    if (c && c.kind !== "text" && c.kind !== "category") {
      const key = new Map(order.map((s) => [s, this.store.number(s, column)]));
      const rank = (s: number): number => (Number.isNaN(key.get(s)!) ? Infinity : key.get(s)! * (up ? 1 : -1));
      order.sort((a, b) => rank(a) - rank(b) || a - b);
    } else {
      const key = new Map(order.map((s) => [s, column < 0 ? this.store.id(s) : this.store.text(s, column)]));
      const compare = new Intl.Collator("en", { numeric: true }).compare;
      order.sort((a, b) => (up ? 1 : -1) * compare(key.get(a)!, key.get(b)!) || a - b);
    }
    this.order = Uint32Array.from(order);
    this.rows.scrollTop = 0;
    this.fill();
  }

  private arrow(): BlobPart {
    const columns: Record<string, (string | number | bigint | null)[] | Float32Array> = {
      id: Array.from(this.order, (s) => this.store.id(s)),
      x: Float32Array.from(this.order, (s) => this.store.x[s]!),
      y: Float32Array.from(this.order, (s) => this.store.y[s]!),
    };
    this.store.columns.forEach((c, k) => {
      let name = c.name || "column";
      while (name in columns) name += "_";
      columns[name] =
        c.kind === "number"
          ? this.numbers(k, c.exact ?? false)
          : Array.from(this.order, (s) => this.store.precise(s, k) || null);
    });
    return tableToIPC(tableFromArrays(columns), { format: "file" }) as Uint8Array<ArrayBuffer>;
  }

  /** numbers returns a column of numbers. If some of them are rounded, all are returned as 64-bit integers or, if these cannot hold them, as text. */
  private numbers(k: number, exact: boolean): (number | bigint | string | null)[] {
    const { store } = this;
    const all = Array.from(this.order, (s) => { const v = store.number(s, k); return Number.isNaN(v) ? null : v; });
    const texts = exact ? Array.from(this.order, (s) => store.precise(s, k)) : [];
    if (texts.every((t, i) => t === "" || t === String(all[i]))) return all;
    const whole = texts.every((t) => /^-?\d{0,19}$/.test(t) && BigInt.asIntN(64, BigInt(t)) === BigInt(t));
    return texts.map((t) => (t === "" ? null : whole ? BigInt(t) : t));
  }
}
