// The points of the page, in slots: places, ids and columns from the server's frames.

import { figure, plain, shortest, when } from "./numbers";
import { Rows } from "./rows";
import { Change, type Field, type Frame } from "./wire";

/** A column and, for categories, the values of its codes; code 0 is missing. */
export interface Column extends Field {
  values: string[];
  /** Display names of values, if there are any. */
  names?: ReadonlyMap<string, string>;
  /** Whether a time of the column is not midnight, so that dates alone do not suffice. */
  clock?: boolean;
}

/** A point that has left, while it fades. */
export interface Ghost {
  x: number;
  y: number;
  slot: number;
  since: number;
}

const first = 4096;

/** A day in milliseconds. */
const day = 86_400_000;

/** The duration of a move in seconds. */
const moving = 0.9;

/** The column of the share of a point's nearest points that are others on a compared map. */
export const changedName = "neighbours changed";

/** The index that stands for the column of arrival times. */
export const arrival = -2;
const arrivals: Column = { name: "arrival", kind: "time", values: [] };

export class Store {
  columns: Column[] = [];
  /** slots is one more than the highest used slot; n is the number of points. */
  slots = 0;
  n = 0;
  x = new Float32Array(first);
  y = new Float32Array(first);
  /** The places before the last move, and the time of its start, in seconds of the page's clock. */
  px = new Float32Array(first);
  py = new Float32Array(first);
  moved = new Float32Array(first);
  /** The time when the last move ends. */
  still = -1e6;
  /** Slots below base contain reference points; under is their number. */
  base = 0;
  under = 0;
  alive = new Uint8Array(first);
  /** The arrival time of a point by the server's clock (0: unknown) and by the page's, in ms. */
  at = new Float64Array(first);
  born = new Float64Array(first);
  readonly rows = new Rows(first);
  ghosts: Ghost[] = [];
  /** The slots that arrived last, newest at the end. */
  recent: number[] = [];
  /** The values of the columns that the page has computed, by column and slot. */
  private readonly own = new Map<number, Float32Array>();
  /** Is called with every slot that gets another point, or none. */
  replaced: (s: number) => void = () => {};

  /** clear removes all points and sets the columns. */
  clear(fields: readonly Field[], slots: number, base: number): void {
    this.base = base;
    this.under = 0;
    this.columns = fields.map((f) => ({ ...f, values: [] }));
    this.slots = this.n = 0;
    this.still = -1e6;
    this.moved.fill(-1e6);
    this.alive.fill(0);
    this.rows.clear();
    this.ghosts = [];
    this.recent = [];
    this.own.clear();
    this.grow(slots);
  }

  /** places replaces all points by points without columns. */
  places(x: Float32Array, y: Float32Array): void {
    this.clear([], x.length, 0);
    this.slots = this.n = x.length;
    this.x.set(x);
    this.y.set(y);
    this.px.set(x);
    this.py.set(y);
    this.alive.fill(1, 0, x.length);
  }

  /** add adds a column that the page has computed, or replaces its values, and returns its index. */
  add(c: Column, values: Float32Array): number {
    let i = this.columns.findIndex((o) => o.name === c.name);
    if (i < 0 || !this.own.has(i)) i = this.columns.push(c) - 1;
    this.own.set(i, values);
    return i;
  }

  /** discard removes a column of add, which must be the last one, and returns its index; -2 if there is none. */
  discard(name: string): number {
    const i = this.columns.length - 1;
    if (this.columns[i]?.name !== name || !this.own.delete(i)) return -2;
    this.columns.pop();
    return i;
  }

  private grow(n: number): void {
    if (n <= this.x.length) return;
    const size = Math.max(n, Math.ceil(this.x.length * 1.5));
    const more = <T extends Float32Array | Float64Array | Int32Array | Uint8Array>(a: T): T => {
      const b = new (a.constructor as new (n: number) => T)(size);
      b.set(a);
      return b;
    };
    this.x = more(this.x);
    this.y = more(this.y);
    this.px = more(this.px);
    this.py = more(this.py);
    const known = this.moved.length;
    this.moved = more(this.moved).fill(-1e6, known);
    this.alive = more(this.alive);
    this.at = more(this.at);
    this.born = more(this.born);
    this.rows.batch = more(this.rows.batch);
    this.rows.row = more(this.rows.row);
  }

  /** apply applies the change of a frame. now is 0 during the initial load, when nothing glows. */
  apply(f: Frame, now: number): void {
    if (f.change === Change.Put) this.put(f, now);
    else if (f.change === Change.Move || f.change === Change.Under) this.move(f, now);
    else this.remove(f, now);
  }

  /** way returns the progress of a point's move, 0..1, at a time in seconds. */
  way(s: number, at: number): number {
    const t = (at - this.moved[s]!) / moving;
    return t >= 1 ? 1 : t <= 0 ? 0 : t * t * (3 - 2 * t);
  }

  /** go moves a point from its present position to a new place; at once if now is 0. */
  private go(s: number, x: number, y: number, now: number): void {
    if (now > 0 && this.alive[s]) {
      const w = this.way(s, now / 1000);
      this.px[s] = this.px[s]! + (this.x[s]! - this.px[s]!) * w;
      this.py[s] = this.py[s]! + (this.y[s]! - this.py[s]!) * w;
      this.moved[s] = now / 1000;
      this.still = now / 1000 + moving;
    } else {
      this.px[s] = x;
      this.py[s] = y;
      this.moved[s] = -1e6;
    }
    this.x[s] = x;
    this.y[s] = y;
  }

  private put(f: Frame, now: number): void {
    const { rows } = this;
    const number = rows.add(f);
    this.columns.forEach((c, k) => {
      if (c.kind === "time" && !c.clock) c.clock = (f.columns[k] as Float64Array | undefined)?.some((v) => v % day !== 0 && !Number.isNaN(v));
    });
    let top = 0;
    for (let i = 0; i < f.slot.length; i++) if (f.slot[i]! >= top) top = f.slot[i]! + 1;
    this.grow(top);
    if (top > this.slots) this.slots = top;
    if (now === 0) {
      this.fill(f, number);
      return;
    }
    for (let i = 0; i < f.slot.length; i++) {
      const s = f.slot[i]!;
      const was = this.alive[s] === 1;
      const same = was && rows.same(s, f, i);
      // The same point with the same time is not a new arrival. Only its values, such as its cluster, have changed.
      const updated = was && f.at[i]! > 0 && f.at[i] === this.at[s] && (same || rows.nameless(s, f, i));
      if (was) {
        if (!same && !updated) {
          this.leave(s, now);
          this.forget(s);
        }
        rows.release(s);
      } else {
        this.n++;
      }
      this.go(s, f.x[i]!, f.y[i]!, same || updated ? now : 0);
      this.at[s] = f.at[i]!;
      rows.batch[s] = number;
      rows.row[s] = i;
      this.alive[s] = 1;
      if (updated) continue;
      this.born[s] = now;
      this.recent.push(s);
    }
    if (this.recent.length > 8000) this.recent.splice(0, this.recent.length - 4000);
  }

  /** fill adds the points of a part of the initial load, of which none moves or glows. It is fast enough for a million. */
  private fill(f: Frame, number: number): void {
    const { alive, x, y, px, py, at, born, moved } = this;
    const { batch, row } = this.rows;
    const { slot, x: fx, y: fy, at: ft } = f;
    for (let i = 0; i < slot.length; i++) {
      const s = slot[i]!;
      if (alive[s]) this.rows.release(s);
      else this.n++;
      alive[s] = 1;
      x[s] = px[s] = fx[i]!;
      y[s] = py[s] = fy[i]!;
      moved[s] = -1e6;
      at[s] = ft[i]!;
      born[s] = -1e9;
      batch[s] = number;
      row[s] = i;
    }
  }

  private move(f: Frame, now: number): void {
    for (let i = 0; i < f.slot.length; i++) {
      const s = f.slot[i]!;
      if (f.change === Change.Move && !this.alive[s]) continue;
      this.grow(s + 1);
      this.go(s, f.x[i]!, f.y[i]!, now);
      if (this.alive[s]) continue;
      this.alive[s] = 1;
      this.rows.batch[s] = 0;
      this.at[s] = 0;
      this.born[s] = -1e9;
      this.under++;
      if (s >= this.slots) this.slots = s + 1;
    }
  }

  private remove(f: Frame, now: number): void {
    for (const s of f.slot) {
      if (s >= this.slots || !this.alive[s]) continue;
      if (s < this.base) {
        this.alive[s] = 0;
        this.under--;
        continue;
      }
      this.leave(s, now);
      this.forget(s);
      this.rows.release(s);
      this.alive[s] = 0;
      this.n--;
    }
  }

  /** forget removes the computed values of a slot. */
  private forget(s: number): void {
    for (const values of this.own.values()) if (s < values.length) values[s] = NaN;
    this.replaced(s);
  }

  private leave(s: number, now: number): void {
    if (this.ghosts.length < 2000) this.ghosts.push({ x: this.x[s]!, y: this.y[s]!, slot: s, since: now });
  }

  /** named returns the slots of points with the given ids. */
  named(ids: readonly string[]): Uint32Array {
    const wanted = new Set(ids);
    const out: number[] = [];
    this.each((s) => void (wanted.has(this.id(s)) && out.push(s)));
    return Uint32Array.from(out);
  }

  id(s: number): string {
    return this.rows.id(s);
  }

  /** number returns a column's number, a time in milliseconds, or the code of a category. */
  number(s: number, column: number): number {
    if (column === arrival) return this.at[s]! > 0 ? this.at[s]! : NaN;
    const own = this.own.get(column);
    if (own) return own[s] ?? NaN;
    const v = this.rows.values(s, column);
    return v === undefined ? (this.columns[column]?.kind === "category" ? 0 : NaN) : (v as ArrayLike<number>)[this.rows.row[s]!]!;
  }

  /** eachNumber calls f with the result of number for every slot with a point. */
  eachNumber(column: number, f: (s: number, v: number) => void): void {
    const { alive, rows, slots } = this;
    const { batch, row } = rows;
    const none = this.columns[column]?.kind === "category" ? 0 : NaN;
    const own = this.own.get(column);
    let known = -1;
    let values: ArrayLike<number> | undefined;
    for (let s = this.base; s < slots; s++) {
      if (!alive[s]) continue;
      if (column === arrival) {
        f(s, this.at[s]! > 0 ? this.at[s]! : NaN);
        continue;
      }
      if (own) {
        f(s, own[s] ?? NaN);
        continue;
      }
      if (batch[s] !== known) {
        known = batch[s]!;
        values = rows.numbered(known)?.columns[column] as ArrayLike<number> | undefined;
      }
      f(s, values === undefined ? none : values[row[s]!]!);
    }
  }

  /** text returns a column's value as text; "" if missing. */
  text(s: number, column: number): string {
    const c = this.columns[column]!;
    if (c.kind === "text") {
      const v = this.rows.values(s, column) as { at(i: number): string | null } | undefined;
      return v?.at(this.rows.row[s]!) ?? "";
    }
    const v = this.number(s, column);
    if (c.kind === "category") return v === 0 ? "" : (c.values[v - 1] ?? "");
    if (Number.isNaN(v)) return "";
    return this.exact(s, column) || (c.exact && c.kind === "number" && Math.abs(v) > Number.MAX_SAFE_INTEGER ? plain(v) : this.written(column, v));
  }

  /** written formats a number or time of a column. */
  written(column: number, v: number): string {
    const c = this.field(column);
    return c?.kind !== "time" ? figure(v) : column === arrival || c.clock ? when(v) : when(v).slice(0, 10);
  }

  /** brief is written without parts of a second, for ends of axes. */
  brief(column: number, v: number): string {
    const text = this.written(column, v);
    return this.field(column)?.kind === "time" ? text.replace(/\.\d+$/, "") : text;
  }

  /** exact returns the exact text of a number or time that is rounded, else "". */
  private exact(s: number, column: number): string {
    return this.rows.frame(s)?.exact[column]?.at(this.rows.row[s]!) ?? "";
  }

  /** precise returns a column's value as text without loss; "" if missing. */
  precise(s: number, column: number): string {
    const c = this.columns[column]!;
    if (c.kind === "time") return this.instant(s, column);
    if (c.kind !== "number") return this.text(s, column);
    const v = this.number(s, column);
    if (Number.isNaN(v)) return "";
    return this.exact(s, column) || (this.own.has(column) || this.rows.values(s, column) instanceof Float32Array ? shortest(v) : plain(v));
  }

  /** instant returns a time as precise does: all times of a column in the same form, and with a zone if the column has one. */
  private instant(s: number, column: number): string {
    const c = this.columns[column]!;
    const known = this.exact(s, column);
    const text = this.text(s, column);
    if (known || text === "" || !(c.exact || c.zoned)) return text;
    return when(this.number(s, column)).replace(" ", "T") + (c.zoned ? "Z" : "");
  }

  /** field describes a column, including that of arrival times. */
  field(column: number): Column | undefined {
    return column === arrival ? arrivals : this.columns[column];
  }

  /** columnOf returns the index of a column that is not text by its name, -1 for none. If timed is set, arrival is the time of arrival unless a column has its name. */
  columnOf(name: string, timed: boolean): number {
    const i = this.columns.findIndex((c) => c.name === name && c.kind !== "text");
    return i < 0 && name === arrivals.name && timed ? arrival : i;
  }

  /** each calls f with every slot with a point, without reference points. */
  each(f: (s: number) => void): void {
    for (let s = this.base; s < this.slots; s++) if (this.alive[s]) f(s);
  }
}
