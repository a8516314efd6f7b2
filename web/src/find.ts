// Fast search: texts as bytes, without making a string of each; ranges of numbers and times; categories by their values.

import { nameOf } from "./color";
import { arrival, type Store } from "./store";

/** The bytes of texts. Those of row i are between offsets i and i + 1. */
export interface Texts {
  offsets: ArrayLike<number>;
  values: Uint8Array;
}

/** A pattern in bytes: each byte matches one of two values, of a small or of a capital letter. */
export interface Pattern {
  low: Uint8Array;
  high: Uint8Array;
}

/** patternOf returns the pattern of a text in any case, null if small and capital letters have different numbers of bytes. */
export function patternOf(text: string): Pattern | null {
  const encode = new TextEncoder();
  const low: number[] = [];
  const high: number[] = [];
  for (const letter of text) {
    const a = encode.encode(letter.toLowerCase());
    const b = encode.encode(letter.toUpperCase());
    if (a.length !== b.length || [...letter.toUpperCase()].length !== 1) return null;
    low.push(...a);
    high.push(...b);
  }
  return { low: Uint8Array.from(low), high: Uint8Array.from(high) };
}

/** scan calls f with each row whose text has the pattern, in ascending order. */
export function scan({ offsets, values }: Texts, rows: number, { low, high }: Pattern, f: (row: number) => void): void {
  const n = low.length;
  const end = rows > 0 ? offsets[rows]! : 0;
  if (n === 0) return;
  const [a, b] = [low[0]!, high[0]!];
  let row = 0;
  for (let i = rows > 0 ? offsets[0]! : 0; i + n <= end; i++) {
    const v = values[i]!;
    if (v !== a && v !== b) continue;
    let k = 1;
    while (k < n && (values[i + k] === low[k] || values[i + k] === high[k])) k++;
    if (k < n) continue;
    while (offsets[row + 1]! <= i) row++;
    if (offsets[row + 1]! < i + n) continue; // it begins in one row and ends in another
    f(row);
    i = offsets[row + 1]! - 1;
  }
}

/** A range of a column of numbers or times. */
export interface Range {
  column: number;
  from: number;
  to: number;
}

/** rangeOf reads "column > 3", "column 3..5" or "column = 3"; null for other texts. Times are dates, such as 2026-01-31. */
export function rangeOf(store: Store, text: string, timed: boolean): Range | null {
  const m = /^\s*(.+?)\s*(>=|<=|>|<|=|:|(?=\s[^\s]+\.\.))\s*([^\s<>=]+)\s*$/.exec(text);
  if (!m) return null;
  const [, name, sign, value] = m as unknown as [string, string, string, string];
  const known = (c: { name: string; kind: string }): boolean => c.name.toLowerCase() === name.toLowerCase() && (c.kind === "number" || c.kind === "time");
  let column = store.columns.findIndex(known);
  if (column < 0 && timed && name.toLowerCase() === "arrival") column = arrival;
  const field = store.field(column);
  if (!field) return null;
  const read = (v: string, last: boolean): number => {
    if (v === "") return last ? Infinity : -Infinity;
    if (field.kind === "number") return Number(v);
    const t = Date.parse(v);
    return last && /^\d{4}-\d\d-\d\d$/.test(v) ? t + 86_399_999 : t; // a day lasts to its end
  };
  const ends = value.split("..");
  let [from, to] = ends.length === 2 ? [read(ends[0]!, false), read(ends[1]!, true)] : [read(value, false), read(value, true)];
  if (ends.length > 2 || Number.isNaN(from) || Number.isNaN(to)) return null;
  if (sign === ">") [from, to] = [above(to), Infinity];
  else if (sign === ">=") to = Infinity;
  else if (sign === "<") [from, to] = [-Infinity, -above(-from)];
  else if (sign === "<=") from = -Infinity;
  return { column, from, to };
}

/** above returns a number that is hardly larger. */
function above(v: number): number {
  return v + Math.max(Math.abs(v) * Number.EPSILON, Number.MIN_VALUE);
}

/** Found has a bit for each slot that matches. */
export class Found {
  readonly is: Uint8Array;
  n = 0;

  constructor(private readonly store: Store) {
    this.is = new Uint8Array(store.slots);
  }

  add(s: number): void {
    if (s >= this.is.length || this.is[s]) return;
    this.is[s] = 1;
    this.n++;
  }

  /** slots returns the slots that matched and still have a point. */
  slots(): Uint32Array {
    const out = new Uint32Array(this.n);
    let n = 0;
    for (let s = this.store.base; s < this.is.length; s++) if (this.is[s] && this.store.alive[s]) out[n++] = s;
    return out.subarray(0, n);
  }
}

/** inRange finds the points in a range. */
export function inRange(store: Store, r: Range): Found {
  const found = new Found(store);
  store.eachNumber(r.column, (s, v) => void (v >= r.from && v <= r.to && found.add(s)));
  return found;
}

/** A search in pieces, so that the page stays quick: call step until it returns false. */
export class Finder {
  readonly found: Found;
  /** The point whose id is the text, -1 for none. */
  exact = -1;
  private readonly pattern: Pattern | null;
  private readonly texts: number[];
  /** The codes of each category that match. */
  private readonly codes: { column: number; is: Uint8Array }[];
  private at = 0;

  constructor(private readonly store: Store, private readonly want: string) {
    this.found = new Found(store);
    this.pattern = patternOf(want);
    this.texts = store.columns.flatMap((c, k) => (c.kind === "text" ? [k] : []));
    this.codes = store.columns.flatMap((c, column) => {
      if (c.kind !== "category") return [];
      const is = Uint8Array.from([0, ...c.values.map((_, i) => Number(nameOf(c, i + 1).toLowerCase().includes(want)))]);
      return is.includes(1) ? [{ column, is }] : [];
    });
  }

  /** step searches for about the given ms, and reports whether there is more to search. */
  step(ms: number): boolean {
    const end = performance.now() + ms;
    const { store, found, pattern, want } = this;
    if (this.at === 0) for (const { column, is } of this.codes) store.eachNumber(column, (s, v) => void (is[v] && found.add(s)));
    while (this.at < store.frames) {
      const fast = (texts: Texts, rows: number, slotOf: (row: number) => number, ids: boolean): void =>
        scan(texts, rows, pattern!, (row) => {
          const slot = slotOf(row);
          found.add(slot);
          if (ids && texts.offsets[row + 1]! - texts.offsets[row]! === pattern!.low.length && store.alive[slot]) this.exact = slot;
        });
      store.texts(this.at++, this.texts, pattern && fast, (text, slot, ids) => {
        const low = text.toLowerCase();
        if (low.includes(want)) found.add(slot);
        if (ids && low === want) this.exact = slot;
      });
      if (performance.now() > end) break;
    }
    return this.at < store.frames;
  }

  /** reason says why a point matches: "" for its id, else a column and its value. */
  reason(s: number): string {
    const { store, want } = this;
    if (store.id(s).toLowerCase().includes(want)) return "";
    for (const { column, is } of this.codes) {
      const c = store.columns[column]!;
      if (is[store.number(s, column)]) return `${c.name}: ${nameOf(c, store.number(s, column))}`;
    }
    const k = this.texts.find((t) => store.text(s, t).toLowerCase().includes(want));
    return k === undefined ? "" : `${store.columns[k]!.name}: ${store.text(s, k)}`;
  }
}
