// A bit mask of the filters that each point fails.

import type { Filter } from "./state";
import type { Store } from "./store";

/** The largest number of filters, each of which has a bit of the mask. */
export const mostFilters = 31;

interface Active {
  column: number;
  filter: Filter;
  passes: (v: number) => boolean;
}

export class Mask {
  /** By slot: the bits of the filters that the point fails. */
  bits = new Uint32Array(0);
  private readonly active: (Active | null)[] = [];

  constructor(private readonly store: Store) {}

  clear(): void {
    this.active.length = 0;
    this.bits = new Uint32Array(0);
  }

  /** of returns the filter of a column, if it has one. */
  of(column: number): Filter | undefined {
    return this.active.find((a) => a?.column === column)?.filter;
  }

  get filters(): Filter[] {
    return this.active.flatMap((a) => (a ? [a.filter] : []));
  }

  /** bit returns the bit of a column's filter, 0 for none. */
  bit(column: number): number {
    const i = this.active.findIndex((a) => a?.column === column);
    return i < 0 ? 0 : 1 << i;
  }

  /** set sets or removes the filter of a column. It returns false if there are too many. */
  set(column: number, filter: Filter | null): boolean {
    let i = this.active.findIndex((a) => a?.column === column);
    if (!filter) {
      if (i < 0) return true;
      this.active[i] = null;
      const bit = ~(1 << i);
      for (let s = 0; s < this.bits.length; s++) this.bits[s]! &= bit;
      return true;
    }
    if (i < 0) i = this.active.indexOf(null);
    if (i < 0) i = this.active.length;
    if (i >= mostFilters) return false;
    const a = (this.active[i] = { column, filter, passes: this.test(column, filter) });
    this.grow();
    const { bits } = this;
    const bit = 1 << i;
    this.store.eachNumber(column, (s, v) => (bits[s] = a.passes(v) ? bits[s]! & ~bit : bits[s]! | bit));
    return true;
  }

  private test(column: number, filter: Filter): (v: number) => boolean {
    if (!("values" in filter)) return (v) => v >= filter.from && v <= filter.to;
    // Values may get codes later, so each code is looked up when it first occurs.
    const { values } = this.store.columns[column]!;
    const wanted = new Set(filter.values);
    const is: boolean[] = [];
    return (code) => (is[code] ??= wanted.has(values[code - 1] ?? ""));
  }

  private grow(): void {
    if (this.bits.length >= this.store.slots) return;
    const bits = new Uint32Array(this.store.x.length);
    bits.set(this.bits);
    this.bits = bits;
  }

  /** some updates the bits of changed slots. */
  some(slots: Uint32Array): void {
    if (!this.active.some((a) => a)) return;
    this.grow();
    for (const s of slots) {
      let bits = 0;
      this.active.forEach((a, i) => {
        if (a && this.store.alive[s] && !a.passes(this.store.number(s, a.column))) bits |= 1 << i;
      });
      this.bits[s] = bits;
    }
  }
}
