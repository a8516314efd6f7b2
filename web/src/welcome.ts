// One sentence for those who see the page for the first time: what a point is, and what to do.

import { $, h } from "./dom";

const seen = "welcomed";

export class Welcome {
  private readonly box = $("welcome");

  /** show shows the sentence, unless it was read before. point names what one point is; asks says whether a server can say why it lies there. */
  show(point: string, asks: boolean): void {
    if (this.read()) return;
    const text = `Each dot is one ${point || "row"}. Near means alike. Click one to see ${asks ? "why it is unusual" : "its values"}.`;
    this.box.replaceChildren(h("span", {}, text), h("button", { class: "close", label: "Close", on: { click: () => this.end() } }, "✕"));
    this.box.hidden = false;
  }

  /** end hides the sentence for good. */
  end(): void {
    if (this.box.hidden) return;
    this.box.hidden = true;
    try {
      localStorage.setItem(seen, "yes");
    } catch {
      // It comes again then.
    }
  }

  private read(): boolean {
    try {
      return localStorage.getItem(seen) !== null;
    } catch {
      return false;
    }
  }
}
