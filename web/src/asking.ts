// "Where would this go?": a record goes to the server, its place and why it is novel come back.

import { factsOf, nearOf, place, reasonsOf, type Placed } from "./answer";
import type { Near, Reason } from "./detail";
import { $, h } from "./dom";
import type { Store } from "./store";

export interface Answer {
  x: number;
  y: number;
  title: string;
  facts: [string, string][];
  near: Near[];
  reasons: Reason[];
}

export class Asking {
  private readonly dialog = $<HTMLDialogElement>("ask");
  private readonly text = h("textarea", { label: "A record as JSON" });
  private readonly fault = h("p", { class: "fault" });
  private last = '{"vectors": [[0.1, 0.2]]}';

  constructor(private readonly store: Store, private readonly on: (a: Answer) => void) {}

  open(): void {
    this.text.value = this.last;
    this.fault.textContent = "";
    this.dialog.replaceChildren(
      h("h2", {}, "Where would this go?"),
      h("p", { class: "faint" }, "A record as the stream has it, or vectors. It is placed, and nothing is kept of it."),
      this.text, this.fault,
      h(
        "div", { class: "acts" },
        h("button", { on: { click: () => this.dialog.close() } }, "Cancel"),
        h("button", { class: "primary", on: { click: () => void this.ask() } }, "Place it"),
      ),
    );
    this.dialog.showModal();
    this.text.focus();
    this.text.select();
  }

  private async ask(): Promise<void> {
    this.last = this.text.value;
    try {
      JSON.parse(this.last);
      const p = await place(this.last);
      if (p.x === undefined || p.y === undefined) throw new Error("it has no place in two dimensions");
      this.dialog.close();
      this.on(this.answer(p, p.x, p.y));
    } catch (e) {
      this.fault.textContent = e instanceof Error ? e.message : String(e);
    }
  }

  private answer(p: Placed, x: number, y: number): Answer {
    return { x, y, title: String(p.id ?? "the record"), facts: factsOf(p), near: nearOf(p, this.store), reasons: reasonsOf(p) };
  }
}
