// "Where would this go?": sends a record to the server and shows its place and why it is novel.

import { factsOf, nearOf, place, reasonsOf, type Placed } from "./answer";
import type { Near, Reason } from "./detail";
import { $, h } from "./dom";
import type { Store } from "./store";
import type { MapState } from "./wire";

/** The server may be about to publish another map than it places on, so it is asked again after this number of ms. */
const patience = 400;

export interface Answer {
  x: number;
  y: number;
  /** The map of the place. */
  map: MapState;
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
  /** The record whose place is shown, "" for none, and the timer of the next request. */
  private shown = "";
  private timer = 0;

  constructor(private readonly store: Store, private readonly on: { answered(a: Answer): void; moved(a: Answer): void }) {}

  /** follow asks again for the record's place, because the page shows another map. */
  follow(): void {
    const record = this.shown;
    clearTimeout(this.timer);
    if (record === "") return;
    void place(record).then(
      (p) => {
        if (this.shown === record && p.x !== undefined && p.y !== undefined) this.on.moved(this.answer(p, p.x, p.y));
      },
      () => this.later(),
    );
  }

  /** later calls follow after a delay. */
  later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.follow(), patience);
  }

  /** forget removes the record's place. */
  forget(): void {
    this.shown = "";
    clearTimeout(this.timer);
  }

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

  /** place shows the place of a record and its neighbours. It throws the server's error message. */
  async place(record: string): Promise<void> {
    this.last = record;
    JSON.parse(record);
    const p = await place(record);
    if (p.x === undefined || p.y === undefined) throw new Error("it has no place in two dimensions");
    this.on.answered(this.answer(p, p.x, p.y));
    this.shown = record;
  }

  private async ask(): Promise<void> {
    try {
      await this.place(this.text.value);
      this.dialog.close();
    } catch (e) {
      this.fault.textContent = e instanceof Error ? e.message : String(e);
    }
  }

  private answer(p: Placed, x: number, y: number): Answer {
    return { x, y, map: p.map, title: String(p.id ?? "the record"), facts: factsOf(p), near: nearOf(p, this.store), reasons: reasonsOf(p) };
  }
}
