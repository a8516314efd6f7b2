// "Where would this go?": sends a record to the server and shows its place and why it is novel.

import { factsOf, nearOf, place, reads, reasonsOf, type Placed } from "./answer";
import type { Near, Reason } from "./detail";
import { $, h } from "./dom";
import { isRecord, recordOf, type Reads } from "./record";
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
  private readonly text = h("textarea", { label: "A record in JSON, or values separated by commas" });
  private readonly fault = h("p", { class: "fault" });
  private last = "";
  /** What the model reads, as far as known. */
  private reads: Reads | null = null;
  private learning: Promise<void> = Promise.resolve();
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

  /** learn asks what the model reads. A stage's model may have changed since the last time. */
  async learn(): Promise<void> {
    this.learning = reads().then((r) => void (this.reads = r ?? this.reads));
    await this.learning;
  }

  /** takes reports whether a searched text can be placed: as a record, or as the text that the model reads. */
  takes(text: string): "record" | "text" | null {
    if (isRecord(text, this.reads)) return "record";
    return this.reads?.columns?.length === 1 && text.trim() !== "" ? "text" : null;
  }

  /** example returns a record as the model reads it. */
  private get example(): string {
    const { columns, dim } = this.reads ?? {};
    if (columns) return `{${columns.slice(0, 3).map((name) => `${JSON.stringify(name)}: …`).join(", ")}${columns.length > 3 ? ", …" : ""}}`;
    return dim ? `[${dim} numbers]` : "";
  }

  /** problem says why a searched text that looks like the values of a record cannot be placed, "" if it does not look so. */
  problem(text: string): string {
    if (text.split(",").length < 2 || !this.reads) return "";
    try {
      recordOf(text, this.reads);
      return "";
    } catch (e) {
      return e instanceof Error ? e.message : String(e);
    }
  }

  open(): void {
    void this.learn().then(() => (this.text.placeholder = this.example));
    this.text.value = this.last;
    this.fault.textContent = "";
    this.dialog.replaceChildren(
      h("h2", {}, "Where would this go?"),
      h("p", { class: "faint" }, "A record in JSON as the stream has it, its values in the order of the columns, or the numbers of a vector. Its place and the points nearest to it are shown, and nothing is kept of it."),
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

  /** place shows the place of an input (see recordOf) and its neighbours. It throws the server's error message. */
  async place(text: string): Promise<void> {
    this.last = text;
    await this.learning;
    const record = recordOf(text, this.reads);
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
