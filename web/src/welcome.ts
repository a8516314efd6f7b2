// A sentence for first-time visitors about points and what to do.

import { $, h } from "./dom";

const seen = "welcomed";

export class Welcome {
  private readonly box = $("welcome");

  /** show shows the sentence, unless it was closed before. point is the name of one point. asks is set if the server can explain why a point is unusual. */
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
      // Without storage the sentence is shown again next time.
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
