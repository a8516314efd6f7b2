// The frames of the server whose rows are in use, and the row of each slot.

import type { Texts } from "./find";
import { alike, nameless, type Frame, type Values32 } from "./wire";

/** The rows of one frame. live is the number of those in use. */
interface Batch {
  frame: Frame;
  live: number;
}

export class Rows {
  /** The number of a slot's frame, 0 for none, and its row there. */
  batch: Int32Array;
  row: Int32Array;
  /** The frames by number; 0 is none, and free numbers are reused. */
  private batches: (Batch | null)[] = [null];
  private free: number[] = [];
  private held = 0;

  constructor(slots: number) {
    this.batch = new Int32Array(slots);
    this.row = new Int32Array(slots);
  }

  clear(): void {
    this.batches = [null];
    this.free = [];
    this.held = 0;
  }

  /** add keeps a frame whose rows are all in use, and returns its number. */
  add(frame: Frame): number {
    const number = this.free.pop() ?? this.batches.length;
    this.batches[number] = { frame, live: frame.slot.length };
    this.held += frame.slot.length;
    return number;
  }

  /** release frees the row of a slot, and its frame with the last of them. */
  release(s: number): void {
    const number = this.batch[s]!;
    const b = this.batches[number];
    this.batch[s] = 0;
    if (b && --b.live === 0) {
      this.batches[number] = null;
      this.free.push(number);
      this.held -= b.frame.slot.length;
    }
  }

  /** wasteful reports whether far more rows are in use than n points need. All points are then loaded again. */
  wasteful(n: number): boolean {
    return this.held > 4 * n + 200_000;
  }

  /** size is the number of frames, some of which may be out of use. */
  get size(): number {
    return this.batches.length;
  }

  /** numbered returns a frame by its number. */
  numbered(number: number): Frame | undefined {
    return this.batches[number]?.frame;
  }

  /** frame returns the frame of a slot. */
  frame(s: number): Frame | undefined {
    return this.batches[this.batch[s]!]?.frame;
  }

  values(s: number, column: number): Values32 | undefined {
    return this.frame(s)?.columns[column];
  }

  id(s: number): string {
    return this.frame(s)?.id.at(this.row[s]!) ?? "";
  }

  /** same reports whether a slot has the id of row i of a frame, and nameless whether neither has an id. */
  same(s: number, f: Frame, i: number): boolean {
    const before = this.frame(s);
    return before !== undefined && alike(before.ids, this.row[s]!, f.ids, i);
  }

  nameless(s: number, f: Frame, i: number): boolean {
    const before = this.frame(s);
    return before !== undefined && nameless(before.ids, this.row[s]!) && nameless(f.ids, i);
  }

  /**
   * texts calls f with the bytes of the ids of a frame and of some of its columns of texts, and the slot of each row (one without a point, if the
   * row is out of use). Without f, or without the bytes, it calls each with every text. The last argument is true for ids.
   */
  texts(frame: number, columns: readonly number[], f: ((texts: Texts, rows: number, slotOf: (row: number) => number, ids: boolean) => void) | null, each: (text: string, slot: number, ids: boolean) => void): void {
    const known = this.numbered(frame);
    if (!known) return;
    const { slot, id, columns: values } = known;
    const used = (row: number): boolean => this.batch[slot[row]!] === frame && this.row[slot[row]!] === row;
    const slotOf = (row: number): number => (used(row) ? slot[row]! : 0xffffffff);
    for (const texts of [id, ...columns.map((k) => values[k] as unknown as typeof id | undefined)]) {
      if (!texts) continue;
      const bytes = texts.data?.length === 1 ? (texts.data[0] as unknown as { offsets?: ArrayLike<number>; values?: Uint8Array }) : undefined;
      if (f && bytes?.offsets && bytes.values) f({ offsets: bytes.offsets, values: bytes.values }, slot.length, slotOf, texts === id);
      else for (let row = 0; row < slot.length; row++) if (used(row)) each(texts.at(row) ?? "", slot[row]!, texts === id);
    }
  }
}
