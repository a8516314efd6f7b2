// "Where would this go?": a record goes to the server, its place and why it is novel come back.

import type { Near, Reason } from "./detail";
import { $, h } from "./dom";
import type { Store } from "./store";

/** A row's place, as POST /api/place answers. */
interface Placed {
  id?: string | number;
  x?: number;
  y?: number;
  novelty_local?: number;
  novelty_global?: number;
  class?: string;
  class_probability?: number;
  reasons?: { column: string; share: number; value?: number | string; expected?: string; expected_low?: number; expected_high?: number }[];
  neighbors?: { id: string; distance: number }[];
  error?: string;
}

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
      const r = await fetch("api/place?neighbors=8&reasons=5", { method: "POST", headers: { "Content-Type": "application/json" }, body: this.last });
      const answer = (await r.json()) as { places?: Placed[]; detail?: string; title?: string };
      const first = answer.places?.[0];
      if (!r.ok || !first) throw new Error(answer.detail ?? answer.title ?? `the server answers ${r.status}`);
      if (first.error || first.x === undefined || first.y === undefined) throw new Error(first.error ?? "it has no place in two dimensions");
      this.dialog.close();
      this.on(this.answer(first));
    } catch (e) {
      this.fault.textContent = e instanceof Error ? e.message : String(e);
    }
  }

  private answer(p: Placed): Answer {
    const slots = new Map<string, number>();
    const wanted = new Set((p.neighbors ?? []).map((n) => n.id));
    this.store.each((s) => {
      const id = this.store.id(s);
      if (wanted.has(id)) slots.set(id, s);
    });
    const facts: [string, string][] = [];
    const share = (v: number | undefined): string => (v === undefined ? "" : v.toFixed(3));
    for (const [name, v] of [["novelty, local", share(p.novelty_local)], ["novelty, global", share(p.novelty_global)], ["class", p.class ?? ""], ["its probability", share(p.class_probability)]] as const)
      if (v !== "") facts.push([name, v]);
    return {
      x: p.x!, y: p.y!, title: String(p.id ?? "the record"), facts,
      near: (p.neighbors ?? []).slice(0, 8).map((n) => ({ slot: slots.get(n.id) ?? -1, id: n.id, distance: n.distance })),
      reasons: (p.reasons ?? []).map((r) => ({
        column: r.column, share: r.share, value: r.value === undefined ? undefined : String(r.value),
        expected: r.expected ?? (r.expected_low === undefined ? undefined : `${r.expected_low} to ${r.expected_high}`),
      })),
    };
  }
}
