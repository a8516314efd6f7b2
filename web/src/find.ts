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

/** A range of a column of numbers or times. Whole ends that a number would round are there in full as well. */
export interface Range {
  column: number;
  from: number;
  to: number;
  least?: bigint;
  most?: bigint;
}

/** A value: a number, a date, or a date and a time, with a space between them if there is one. */
const valued = /^(?:\d{4}-\d\d-\d\d \d\d:\d\d\S*|\S+)$/;

/** rangeOf reads "column > 3", "column 3..5" or "column = 3"; null for other texts. Times are as the page writes them, such as 2026-01-31 or 2026-01-31 12:30. */
export function rangeOf(store: Store, text: string, timed: boolean): Range | null {
  const m = /^\s*(.+?)\s*(>=|<=|>|<|=|:|(?=\s[^\s<>=]+(?: \d\d:\d\d\S*?)?\.\.))\s*([^<>=]+?)\s*$/.exec(text);
  if (!m) return null;
  const [, name, sign, value] = m as unknown as [string, string, string, string];
  const known = (c: { name: string; kind: string }): boolean => c.name.toLowerCase() === name.toLowerCase() && (c.kind === "number" || c.kind === "time");
  let column = store.columns.findIndex(known);
  if (column < 0 && timed && name.toLowerCase() === "arrival") column = arrival;
  const field = store.field(column);
  if (!field) return null;
  const ends = value.split("..");
  if (ends.length > 2 || ends.some((v) => v !== "" && !valued.test(v))) return null;
  const read = (v: string, last: boolean): number => (v === "" ? (last ? Infinity : -Infinity) : field.kind === "number" ? Number(v) : instant(v, last));
  const [low, high] = [ends[0]!, ends[ends.length - 1]!];
  let [from, to] = [read(low, false), read(high, true)];
  if (Number.isNaN(from) || Number.isNaN(to)) return null;
  let [least, most] = [whole(low), whole(high)];
  if (sign === ">") [from, to, least, most] = most === undefined ? [above(to), Infinity, undefined, undefined] : [to, Infinity, most + 1n, undefined];
  else if (sign === ">=") [to, most] = [Infinity, undefined];
  else if (sign === "<") [from, to, least, most] = least === undefined ? [-Infinity, -above(-from), undefined, undefined] : [-Infinity, from, undefined, least - 1n];
  else if (sign === "<=") [from, least] = [-Infinity, undefined];
  return { column, from, to, least, most };
}

/** whole returns a text as a whole number if a number would round it. */
function whole(text: string): bigint | undefined {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined;
}

/** instant reads a time in ms since 1970. Without a zone it is in UTC, as the page writes times. As the last one it lasts to the end of its day, minute or second. */
function instant(text: string, last: boolean): number {
  const m = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (!m) return Date.parse(text);
  const [, day, minute, second, part, zone = "Z"] = m;
  const t = Date.parse(`${day}T${minute ?? "00:00"}${second ?? ":00"}${part ?? ""}${zone}`);
  return last ? t + (part ? 0 : second ? 999 : minute ? 59_999 : 86_399_999) : t;
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
  const { least, most } = r;
  // Near an end that a number would round, the value in full decides.
  const beyond = (s: number, v: number): boolean => {
    if (!(least !== undefined && v === r.from) && !(most !== undefined && v === r.to)) return false;
    const text = store.precise(s, r.column);
    if (!/^-?\d+$/.test(text)) return false;
    const exact = BigInt(text);
    return (least !== undefined && exact < least) || (most !== undefined && exact > most);
  };
  store.eachNumber(r.column, (s, v) => void (v >= r.from && v <= r.to && !beyond(s, v) && found.add(s)));
  return found;
}

/** equal finds the points that have a number in any column, and says in which; null if a text is no number. */
export function equal(store: Store, text: string): { found: Found; reason(s: number): string } | null {
  if (!/^-?\d+(?:\.\d+)?$/.test(text.trim())) return null;
  const found = new Found(store);
  const of = new Map<number, number>();
  store.columns.forEach((c, k) => {
    const r = c.kind === "number" && rangeOf(store, `${c.name} = ${text.trim()}`, false);
    if (!r || r.column !== k) return;
    for (const s of inRange(store, r).slots()) {
      found.add(s);
      if (!of.has(s)) of.set(s, k);
    }
  });
  return { found, reason: (s) => (of.has(s) ? `${store.columns[of.get(s)!]!.name}: ${store.text(s, of.get(s)!)}` : "") };
}

/** A search in pieces, so that the page stays quick: call step until it returns false. */
export class Finder {
  readonly found: Found;
  /** The point whose id is the text, -1 for none. */
  exact = -1;
  /** The text and its other form: an accent is a part of its letter, or a mark after it. */
  private readonly wants: string[];
  private readonly patterns: Pattern[] | null;
  private readonly texts: number[];
  /** The codes of each category that match. */
  private readonly codes: { column: number; is: Uint8Array }[];
  private at = 0;

  constructor(private readonly store: Store, want: string) {
    this.found = new Found(store);
    this.wants = [...new Set([want, want.normalize("NFC"), want.normalize("NFD")])];
    const patterns = this.wants.map(patternOf);
    this.patterns = patterns.includes(null) ? null : (patterns as Pattern[]);
    this.texts = store.columns.flatMap((c, k) => (c.kind === "text" ? [k] : []));
    this.codes = store.columns.flatMap((c, column) => {
      if (c.kind !== "category") return [];
      const is = Uint8Array.from([0, ...c.values.map((_, i) => Number(this.in(nameOf(c, i + 1))))]);
      return is.includes(1) ? [{ column, is }] : [];
    });
  }

  /** in reports whether a text has the wanted one. */
  private in(text: string): boolean {
    const low = text.toLowerCase();
    return this.wants.some((w) => low.includes(w));
  }

  /** step searches for about the given ms, and reports whether there is more to search. */
  step(ms: number): boolean {
    const end = performance.now() + ms;
    const { store, found, patterns, wants } = this;
    if (this.at === 0) for (const { column, is } of this.codes) store.eachNumber(column, (s, v) => void (is[v] && found.add(s)));
    while (this.at < store.rows.size) {
      const fast = (texts: Texts, rows: number, slotOf: (row: number) => number, ids: boolean): void => {
        for (const pattern of patterns!)
          scan(texts, rows, pattern, (row) => {
            const slot = slotOf(row);
            found.add(slot);
            if (ids && texts.offsets[row + 1]! - texts.offsets[row]! === pattern.low.length && store.alive[slot]) this.exact = slot;
          });
      };
      store.rows.texts(this.at++, this.texts, patterns && fast, (text, slot, ids) => {
        if (this.in(text)) found.add(slot);
        if (ids && wants.includes(text.toLowerCase())) this.exact = slot;
      });
      if (performance.now() > end) break;
    }
    return this.at < store.rows.size;
  }

  /** reason says why a point matches: "" for its id, else a column and its value. */
  reason(s: number): string {
    const { store } = this;
    if (this.in(store.id(s))) return "";
    for (const { column, is } of this.codes) {
      const c = store.columns[column]!;
      if (is[store.number(s, column)]) return `${c.name}: ${nameOf(c, store.number(s, column))}`;
    }
    const k = this.texts.find((t) => this.in(store.text(s, t)));
    return k === undefined ? "" : `${store.columns[k]!.name}: ${store.text(s, k)}`;
  }
}
