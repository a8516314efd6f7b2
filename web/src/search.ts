// Search by id and by value, in pieces, so that the page stays quick.

import { nameOf } from "./color";
import { $, h } from "./dom";
import type { Store } from "./store";

export interface Hit {
  slot: number;
  what: string;
}

const shownHits = 40;
const mostHits = 5000;

export class Search {
  private readonly input = $<HTMLInputElement>("search");
  private readonly box = $("hits");
  private run = 0;
  hits: number[] = [];

  constructor(private readonly store: Store, private readonly on: { hits(): void; fly(s: number): void; select(slots: Uint32Array, text: string): void }) {
    let timer = 0;
    this.input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void this.find(this.input.value), 120);
    });
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && this.hits.length > 0) on.fly(this.hits[0]!);
      if (e.key === "Escape") this.clear();
      if (e.key === "ArrowDown") this.box.querySelector("button")?.focus();
      e.stopPropagation();
    });
    this.box.addEventListener("keydown", (e) => {
      const next = e.key === "ArrowDown" ? "nextElementSibling" : e.key === "ArrowUp" ? "previousElementSibling" : null;
      if (next) ((document.activeElement as HTMLElement)[next] as HTMLElement | null)?.focus();
      if (e.key === "Escape") this.clear();
    });
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  clear(): void {
    this.run++;
    this.input.value = "";
    this.hits = [];
    this.box.hidden = true;
    this.on.hits();
  }

  /** find searches a text in ids, categories and texts, ignoring case. */
  async find(text: string): Promise<void> {
    const run = ++this.run;
    const want = text.trim().toLowerCase();
    if (want === "") return this.clear();
    const { store } = this;
    const classes = store.columns.map((c) => (c.kind === "category" ? new Set(c.values.flatMap((_, i) => (nameOf(c, i + 1).toLowerCase().includes(want) ? [i + 1] : []))) : null));
    const found: Hit[] = [];
    for (let from = store.base; from < store.slots && found.length < mostHits; from += 20_000) {
      for (let s = from; s < Math.min(from + 20_000, store.slots) && found.length < mostHits; s++) {
        if (!store.alive[s]) continue;
        if (store.id(s).toLowerCase().includes(want)) {
          found.push({ slot: s, what: "id" });
          continue;
        }
        for (let k = 0; k < store.columns.length; k++) {
          const c = store.columns[k]!;
          const is = c.kind === "category" ? classes[k]!.size > 0 && classes[k]!.has(store.number(s, k)) : c.kind === "text" && store.text(s, k).toLowerCase().includes(want);
          if (is) {
            found.push({ slot: s, what: `${c.name}: ${c.kind === "category" ? nameOf(c, store.number(s, k)) : store.text(s, k)}` });
            break;
          }
        }
      }
      await new Promise((done) => setTimeout(done));
      if (run !== this.run) return;
    }
    // Exact ids first.
    found.sort((a, b) => Number(store.id(b.slot).toLowerCase() === want) - Number(store.id(a.slot).toLowerCase() === want));
    this.hits = found.map((f) => f.slot);
    this.list(found);
    this.on.hits();
  }

  private list(found: Hit[]): void {
    const rows: Node[] = found.slice(0, shownHits).map((f) =>
      h("button", { on: { click: () => this.on.fly(f.slot) } }, h("span", {}, this.store.id(f.slot) || `#${f.slot}`), h("span", { class: "faint" }, f.what === "id" ? "" : f.what)),
    );
    const n = found.length;
    if (n > 1) rows.unshift(h("button", { on: { click: () => this.on.select(Uint32Array.from(this.hits), this.input.value.trim()) } }, h("span", {}, `Select all ${n.toLocaleString("en")}${n >= mostHits ? " (the first)" : ""}`)));
    this.box.replaceChildren(...(n ? rows : [h("p", { class: "hint" }, "Nothing has this id or value.")]));
    this.box.hidden = false;
  }
}
