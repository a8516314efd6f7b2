// The point under the pointer and the chosen one, with its neighbours and the server's answers about it.

import { nearOf, reasonsOf, why } from "./answer";
import type { Answer } from "./asking";
import type { Camera } from "./camera";
import type { Detail, Near, Why } from "./detail";
import type { Frames } from "./frames";
import { Grid } from "./grid";
import type { Painting } from "./painting";
import type { XY } from "./select";
import type { Store } from "./store";

/** The distance in CSS pixels up to which the pointer finds points. */
const reach = 9;

export class Chosen {
  hovered = -1;
  pinned = -1;
  /** The place of a record that the user asked about. */
  asked: XY | null = null;
  /** Whether a server can answer why an event is novel. */
  asks = false;
  private pointer: XY = [-1, -1];
  /** The point under the pointer on another map, and the pointer's position on the page. */
  private beside: { slot: number; x: number; y: number } | null = null;
  private readonly grid = new Grid();
  /** Neighbours on the map, and by their vectors if these are known. */
  private near: readonly Near[] = [];
  private alike: readonly Near[] = [];
  private why = new AbortController();

  constructor(
    private readonly store: Store, private readonly camera: Camera, private readonly painting: Painting,
    private readonly detail: Detail, private readonly frames: Frames,
  ) {}

  /** pin chooses a point; -1 is none. */
  pin(s: number): void {
    this.pinned = s;
    this.asked = null;
    this.near = this.alike = [];
    this.why.abort();
    if (s < 0) this.detail.close();
    else {
      this.regrid();
      this.near = this.grid.neighbors(this.store, s, 8).map((n) => ({ ...n, id: this.store.id(n.slot) }));
      void this.explain(s);
    }
    this.frames.ask({ over: true, address: true });
  }

  /** left lets go of a chosen point that has left, or whose slot has another point now. Its card stays. */
  left(slot: number): void {
    if (slot === this.hovered) this.hovered = -1;
    if (this.pinned < 0) return;
    const stay = (n: Near): boolean => n.slot !== slot;
    [this.near, this.alike] = [this.near.filter(stay), this.alike.filter(stay)];
    if (slot !== this.pinned) return;
    this.pinned = -1;
    this.near = this.alike = [];
    this.why.abort();
    this.detail.left();
    this.frames.ask({ over: true, address: true });
  }

  /** find returns the point with an id, -1 if there is none. */
  find(id: string): number {
    return this.store.named([id])[0] ?? -1;
  }

  /** explain asks the server why a point is novel, and shows the answer. */
  private async explain(s: number): Promise<void> {
    const show = (w: Partial<Why>): void => this.detail.show(s, this.near, { reasons: [], near: [], facts: [], note: "", ...w });
    const id = this.store.id(s);
    if (!this.asks) {
      show({ note: "There is no model to ask. If unfold made this map, name its model: unfold view MAP --model FILE." });
      return;
    }
    if (id === "") {
      show({ note: "Only a point with an id can be asked about." });
      return;
    }
    const mine = (this.why = new AbortController());
    show({ note: "…" });
    try {
      const p = await why(id, mine.signal);
      if (mine.signal.aborted || this.pinned !== s) return;
      this.alike = nearOf(p, this.store).filter((n) => n.id !== id); // a point of the model is its own nearest one
      const reasons = reasonsOf(p);
      show({ reasons, near: this.alike, note: reasons.length > 0 ? "" : "No column stands out: values are missing, or it equals its neighbours." });
      this.frames.ask({ over: true });
    } catch (e) {
      if (!mine.signal.aborted && this.pinned === s) show({ note: e instanceof Error ? e.message : String(e) });
    }
  }

  /** answered shows the place of a record. */
  answered(a: Answer): void {
    this.pin(-1);
    this.reasked(a);
  }

  /** reasked shows the record's present place. */
  reasked(a: Answer): void {
    this.asked = [a.x, a.y];
    this.alike = a.near;
    this.detail.asked(a.title, { reasons: a.reasons, near: a.near, facts: a.facts, note: "" });
    this.frames.ask({ over: true });
  }

  /** neighbors returns the neighbours to draw: by their vectors if the map shows any of these, else on the map. */
  get neighbors(): number[] {
    const near = this.alike.some((n) => n.slot >= 0) ? this.alike : this.near;
    return near.map((n) => n.slot).filter((s) => s >= 0);
  }

  /** hover sets the point under the pointer, -1 for none. */
  hover(x: number, y: number): void {
    this.pointer = [x, y];
    this.beside = null;
    this.frames.ask({ over: true });
  }

  /** hoverSlot marks the point of a list entry under the pointer. */
  hoverSlot(s: number): void {
    this.beside = null;
    this.hovered = s;
    this.frames.ask({ over: true });
  }

  /** hoverBeside sets the point under the pointer on another map, -1 for none. */
  hoverBeside(slot: number, x: number, y: number): void {
    this.pointer = [-1, -1];
    this.beside = { slot, x, y };
    this.frames.ask({ over: true });
  }

  /** point finds the point under the pointer. */
  point(): void {
    if (this.beside) {
      this.hovered = this.beside.slot;
      this.detail.hover(this.hovered, this.beside.x, this.beside.y, this.painting.column);
      return;
    }
    if (this.pointer[0] < 0) {
      this.detail.hover(-1, 0, 0, -1);
      return;
    }
    this.hovered = this.pick(...this.pointer);
    this.detail.hover(this.hovered, ...this.pointer, this.painting.column);
  }

  /** pick returns the point nearest to a position on the page, -1 if none is within a distance in CSS pixels. */
  pick(x: number, y: number, within = reach): number {
    if (x < 0) return -1;
    this.regrid();
    for (let r = Math.min(reach, within); ; r = Math.min(2 * r, within)) {
      const s = this.grid.nearest(this.store, ...this.camera.toMap(x, y), r / this.camera.scale);
      if (s >= 0 || r >= within) return s;
    }
  }

  private regrid(): void {
    if (!this.frames.stale.grid) return;
    this.grid.build(this.store, this.painting.shown);
    this.frames.stale.grid = false;
  }
}
