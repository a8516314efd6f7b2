// On a narrow page the panels share one sheet: a row of tabs shows one of them. Wide pages show all.

import { $, h } from "./dom";
import { isDrawn } from "./focus";

const names: Readonly<Record<string, string>> = {
  colors: "Colours", filters: "Filters", detail: "Point", clusters: "Clusters", strange: "Strangest", uncertain: "Ask labels",
};

export class Tabs {
  private readonly box = $("tabs");
  private readonly sections = [...document.querySelectorAll<HTMLElement>("aside > section")];
  private front = "colors";
  /** Whether the sheet shows only its tabs. */
  private folded = false;

  constructor() {
    // A chosen point comes to the front. If the front panel disappears, the colours come to the front.
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const { id, hidden } = target as HTMLElement;
        if (id === "detail" && !hidden) this.take(id);
        else if (id === this.front && hidden) this.front = "colors";
      }
      this.draw();
    }).observe($("colors").parentElement!, { attributes: true, attributeFilter: ["hidden"], subtree: true });
    this.draw();
  }

  private take(id: string): void {
    this.folded = id === this.front && !this.folded && id !== "detail";
    this.front = id;
    this.draw();
  }

  /** show brings a panel of a narrow page to the front. It reports whether the panel was not in front before. */
  show(id: string): boolean {
    if (!isDrawn(this.box) || $(id).hidden || (id === this.front && !this.folded)) return false;
    this.front = id;
    this.folded = false;
    this.draw();
    return true;
  }

  private draw(): void {
    const active = document.activeElement;
    const focused = this.box.parentElement!.contains(active) && (this.box.contains(active) || isDrawn(active));
    const shown = this.sections.filter((s) => !s.hidden);
    this.box.replaceChildren(
      ...shown.map((s) => h("button", { pressed: s.id === this.front && !this.folded, on: { click: () => this.take(s.id) } }, names[s.id] ?? s.id)),
    );
    this.box.parentElement!.classList.toggle("folded", this.folded);
    for (const s of this.sections) s.classList.toggle("front", s.id === this.front && !this.folded);
    if (focused && !isDrawn(document.activeElement)) this.box.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
  }
}
