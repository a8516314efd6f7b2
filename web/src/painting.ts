// The colours of points and which are shown, depending on a column, highlighted classes, time and the selection.

import { isNoise, position, ramp, rgba, scaleOf, type RGBA, type Scale, type Theme } from "./color";
import { keep, recall } from "./kept";
import { assign, inOrder, shadeColor, type Shade } from "./shades";
import type { Store } from "./store";

const faint = 0x16; // the opacity of points that are not highlighted
const below = 0x70; // of reference points, which are below all others
const aside = 0x38; // of points that are not selected

export class Painting {
  /** The colouring column, -1 for none. */
  column = -1;
  scale: Scale = { from: 0, to: 1, log: false };
  colors: RGBA[] = [];
  /** Whether all points have arrived, so that classes keep the colours that they have. */
  settled = false;
  /** The shades of classes by column and class. */
  private readonly shades = new Map<string, Map<string, Shade>>();
  /** The highlighted codes. If there are none, all are shown. */
  only = new Set<number>();
  /** Points that arrived later are hidden. */
  upto = Infinity;
  /** By slot: not 0 if the point fails a filter. */
  mask: { bits: Uint32Array } = { bits: new Uint32Array(0) };
  paint = new Uint32Array(0);
  /** Is increased by every change of paint. */
  revision = 0;
  /** The column's values by slot. */
  private value = new Float64Array(0);
  /** Colours of codes, or of the scale's steps, including reduced opacities. */
  private table = new Uint32Array(0);
  /** Codes that are not classes. */
  private readonly noise = new Set<number>();
  private selected: Uint8Array | null = null;
  private ramp = new Uint32Array(256);

  constructor(private readonly store: Store, public theme: Theme) {}

  get category(): boolean {
    return this.store.field(this.column)?.kind === "category";
  }

  /** choose sets the colouring column. */
  choose(column: number): void {
    if (column !== this.column) this.only.clear();
    this.column = column;
    this.colors = [];
    this.grow();
    const { value } = this;
    if (column === -1) value.fill(0);
    else this.store.eachNumber(column, (s, v) => (value[s] = v));
    this.refresh();
  }

  /** refresh computes the scale and the colours from the present points, then every point's colour. */
  refresh(): void {
    const { store } = this;
    this.grow();
    if (this.category) this.recolor();
    else if (this.column !== -1) {
      this.scale = scaleOf(store, this.column);
      for (let i = 0; i < 256; i++) this.ramp[i] = ramp(i / 255, this.theme);
    }
    this.all();
  }

  /** recolor assigns colours to classes. A class that has had one keeps it. */
  private recolor(): void {
    const c = this.store.columns[this.column]!;
    const names = c.values.filter((_, i) => !isNoise(c, i + 1));
    const before = this.shades.get(c.name) ?? recall(c.name);
    const kept = new Map(before);
    assign(inOrder(names), kept);
    // Until all points have arrived, the next ones may change the choice.
    if (this.settled) {
      this.shades.set(c.name, kept);
      if (kept.size > before.size) keep(c.name, kept);
    }
    this.colors = [this.theme.missing, ...c.values.map((name, i) => (isNoise(c, i + 1) ? this.theme.missing : shadeColor(kept.get(name)!, this.theme)))];
  }

  /** extend assigns colours to new categories. */
  extend(): void {
    if (this.category && this.store.columns[this.column]!.values.length + 1 > this.colors.length) {
      this.recolor();
      this.all();
    }
  }

  private grow(): void {
    if (this.paint.length >= this.store.x.length) return;
    const size = this.store.x.length;
    const paint = new Uint32Array(size);
    paint.set(this.paint);
    this.paint = paint;
    const value = new Float64Array(size);
    value.set(this.value);
    this.value = value;
  }

  /** some updates the colours of changed slots. */
  some(slots: Uint32Array): void {
    this.grow();
    this.revision++;
    if (this.table.length === 0) this.prepare();
    for (const s of slots) {
      this.value[s] = this.column !== -1 && this.store.alive[s] ? this.store.number(s, this.column) : 0;
      this.paint[s] = this.store.alive[s] ? this.colorOf(s, this.value[s]!) : 0;
    }
  }

  /** all updates the colours of all points. */
  all(): void {
    this.grow();
    this.revision++;
    this.prepare();
    const { alive, slots } = this.store;
    for (let s = 0; s < slots; s++) this.paint[s] = alive[s] ? this.colorOf(s, this.value[s]!) : 0;
  }

  /** prepare computes the colours of codes. */
  private prepare(): void {
    const back = ((this.theme.missing & 0xffffff) | (faint << 24)) >>> 0;
    this.noise.clear();
    if (!this.category) {
      this.table = this.ramp;
      return;
    }
    const column = this.store.columns[this.column]!;
    this.table = Uint32Array.from(this.colors, (c, code) => {
      if (isNoise(column, code)) this.noise.add(code);
      return this.only.size > 0 && !this.only.has(code) ? back : c;
    });
  }

  private colorOf(s: number, v: number): RGBA {
    if (s < this.store.base) return ((this.theme.missing & 0xffffff) | (below << 24)) >>> 0;
    if (this.store.at[s]! > this.upto) return 0;
    let c = this.plain;
    if (this.category) {
      c = v < this.table.length ? this.table[v]! : this.theme.missing;
    } else if (this.column !== -1) {
      if (Number.isNaN(v)) c = this.theme.missing;
      else c = this.table[Math.round(Math.min(Math.max(position(v, this.scale), 0), 1) * 255)]!;
    }
    if (this.mask.bits[s]) return ((this.theme.missing & 0xffffff) | (faint << 24)) >>> 0;
    if (this.selected && !this.selected[s]) c = ((c & 0xffffff) | (aside << 24)) >>> 0;
    return c;
  }

  /** plain returns the colour of points without a colouring column. */
  get plain(): RGBA {
    return this.theme.dark ? rgba(116, 178, 235) : rgba(30, 100, 170);
  }

  /** solid returns a point's colour at full opacity. */
  solid(s: number): RGBA {
    const v = this.value[s]!;
    if (this.column === -1) return this.plain;
    if (this.category) return this.colors[v] ?? this.theme.missing;
    return Number.isNaN(v) ? this.theme.missing : ramp(position(v, this.scale), this.theme);
  }

  /** shown reports whether a point can be hovered and selected. */
  readonly shown = (s: number): boolean =>
    s >= this.store.base && this.store.alive[s] === 1 && !this.mask.bits[s] && this.store.at[s]! <= this.upto && (this.only.size === 0 || !this.category || this.only.has(this.value[s]!));

  /** code returns a point's class for labels, 0 if it has none or is hidden. */
  readonly code = (s: number): number => {
    const v = this.shown(s) ? this.value[s]! : 0;
    return v > 0 && !this.noise.has(v) ? v : 0;
  };

  /** select dims all points except some; null ends that. */
  select(slots: Uint32Array | null): void {
    this.selected = slots && new Uint8Array(this.store.x.length);
    if (slots) for (const s of slots) this.selected![s] = 1;
    this.all();
  }

  /** order returns the codes of the classes with points and of the given ones, the largest class first and noise last. */
  order(counts: Uint32Array, more: ReadonlySet<number> = new Set()): number[] {
    const column = this.store.field(this.column)!;
    const noise = (code: number): number => Number(isNoise(column, code));
    return [...counts.keys()].filter((c) => counts[c]! > 0 || more.has(c)).sort((a, b) => noise(a) - noise(b) || counts[b]! - counts[a]! || a - b);
  }

  /** ends returns the texts at the ends of the scale of numbers. An end beyond which there are values has a sign. */
  ends(): [string, string] {
    const { scale, store, column } = this;
    return [(scale.below ? "≤ " : "") + store.brief(column, scale.from), (scale.above ? "≥ " : "") + store.brief(column, scale.to)];
  }

  /** missing returns the number of points within the shown time that have no number. */
  missing(): number {
    let n = 0;
    const { alive, at, slots, base } = this.store;
    for (let s = base; s < slots; s++) if (Number.isNaN(this.value[s]!) && alive[s] && at[s]! <= this.upto && !this.mask.bits[s]) n++;
    return n;
  }

  /** counts returns the number of points of each class within the shown time, by code. */
  counts(): Uint32Array {
    const n = (this.store.columns[this.column]?.values.length ?? 0) + 1;
    const out = new Uint32Array(n);
    const { alive, at, slots } = this.store;
    for (let s = this.store.base; s < slots; s++) if (alive[s] && at[s]! <= this.upto && !this.mask.bits[s]) out[this.value[s]!]!++;
    return out;
  }
}
