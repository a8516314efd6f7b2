// The state of the stage: a banner, small curves of its figures, and the time slider.

import { $, h, icon } from "./dom";
import { axisOf, countsOf, drawBars } from "./histogram";
import { figure, when } from "./numbers";
import { arrival, type Store } from "./store";
import type { Status } from "./wire";

const kept = 120;

const names: readonly (readonly [string, string, (v: number) => string])[] = [
  ["rate", "events/s", figure], ["lag", "lag", figure], ["latency_ms", "latency", (v) => `${figure(Number(v.toPrecision(3)))} ms`],
  ["novel", "novel", (v) => `${(v * 100).toFixed(1)}%`], ["novelty_50", "novelty, median", (v) => v.toFixed(2)], ["novelty_99", "novelty, 99%", (v) => v.toFixed(2)],
  ["maps", "maps", figure], ["drift", "drift", (v) => `${(v * 100).toFixed(1)}%`], ["dead_letters", "dead letters", figure],
];

/** Pulse draws status messages. */
export class Pulse {
  private readonly history = new Map<string, number[]>();
  private readonly box = h("div", { class: "sparks" });
  private away = "";
  private status: Status = {};
  /** The banner's text without its numbers. */
  private said = "";
  // One line; a click shows the rest.
  private readonly line = h("button", { on: { click: () => this.line.setAttribute("aria-expanded", String($("banner").classList.toggle("open"))) } });
  private readonly bar = h("progress", { label: "Share of the events for the first map" });

  constructor(private readonly ink: () => string, private readonly tell: (text: string) => void) {
    this.line.setAttribute("aria-expanded", "false");
    $("banner").replaceChildren(this.line, this.bar);
  }

  get element(): HTMLElement {
    return this.box;
  }

  connected(there: boolean, retry: number): void {
    this.away = there ? "" : `The connection is lost; it is tried again in ${Math.max(1, Math.round(retry / 1000))} s.`;
    this.banner();
  }

  take(s: Status): void {
    this.status = s;
    for (const [name, v] of Object.entries(s.figures ?? {})) {
      const list = this.history.get(name) ?? [];
      list.push(v);
      if (list.length > kept) list.shift();
      this.history.set(name, list);
    }
    this.banner();
    this.draw();
  }

  /** growing reports whether the lag has grown for a minute and exceeds a few seconds of the stream. */
  private growing(): boolean {
    const lag = this.history.get("lag") ?? [];
    const rate = this.history.get("rate") ?? [];
    const n = lag.length;
    return n >= 60 && lag[n - 1]! > lag[n - 31]! && lag[n - 31]! > lag[n - 60]! && lag[n - 1]! > 10 * Math.max(...rate.slice(-30));
  }

  private banner(): void {
    const letters = this.history.get("dead_letters") ?? [];
    const fresh = letters.length > 1 ? letters[letters.length - 1]! - letters[Math.max(letters.length - 31, 0)]! : 0;
    let text = this.away || this.status.detail || "";
    if (text === "" && fresh > 0) text = `${fresh === 1 ? "A message has become a dead letter" : `${fresh} messages have become dead letters`} in the last half minute.`;
    if (text === "" && this.growing()) text = "The stage falls behind: its lag grows.";
    const box = $("banner");
    box.hidden = text === "";
    if (text === "") box.classList.remove("open");
    // Counts in the text change every second: it is spoken when it begins to say something else.
    const said = text.replace(/\d+/g, "");
    if (said !== this.said && text !== "") this.tell(text);
    this.said = said;
    if (this.line.textContent !== text) this.line.textContent = this.line.title = text;
    this.bar.hidden = this.away !== "" || this.status.progress === undefined;
    this.bar.value = this.status.progress ?? 0;
  }

  private draw(): void {
    const made: Node[] = [];
    for (const [name, title, write] of names) {
      const list = this.history.get(name);
      if (!list || list.length === 0) continue;
      const canvas = h("canvas", { label: `${title} over the last ${list.length} seconds` });
      curve(canvas, list, this.ink());
      made.push(h("figure", {}, canvas, h("figcaption", {}, `${title} ${write(list[list.length - 1]!)}`)));
    }
    this.box.replaceChildren(...made);
  }
}

/** curve draws numbers as a line over the whole of a small canvas. */
function curve(canvas: HTMLCanvasElement, list: readonly number[], ink: string): void {
  const w = (canvas.width = 148);
  const t = (canvas.height = 40);
  const c = canvas.getContext("2d")!;
  const top = Math.max(...list, 1e-12);
  const at = (i: number): [number, number] => [(w * (i + kept - list.length)) / (kept - 1), t - 2 - ((t - 5) * list[i]!) / top];
  c.beginPath();
  list.forEach((_, i) => (i ? c.lineTo(...at(i)) : c.moveTo(...at(i))));
  c.lineWidth = 2.2;
  c.lineJoin = "round";
  c.strokeStyle = ink;
  c.stroke();
  c.lineTo(w, t);
  c.lineTo(at(0)[0], t);
  c.globalAlpha = 0.12;
  c.fillStyle = ink;
  c.fill();
}

const speeds = [1, 10, 60];
const bins = 60;

/** The filters of the page: whether there are some, and whether a point passes them. */
export interface Filtered {
  on(): boolean;
  passes(s: number): boolean;
}

/** Timeline is the slider over the arrival times of points, above their histogram. */
export class Timeline {
  private readonly range = h("input", { type: "range", label: "Show the points that had come by this time" });
  private readonly bars = h("canvas");
  private readonly label = h("time");
  private readonly button = h("button", { on: { click: () => this.toggle() } });
  private readonly speed = h("button", { title: "Speed of the replay", on: { click: () => this.faster() } });
  private readonly picture = (path: string): void => this.button.replaceChildren(icon(path));
  private from = 0;
  private to = 0;
  private upto = Infinity;
  private factor = 1;
  private playing = 0;

  constructor(private readonly store: Store, private readonly filters: Filtered, private readonly on: (upto: number) => void) {
    this.bars.setAttribute("aria-hidden", "true"); // the panel of filters has the same histogram with values
    this.range.min = "0";
    this.range.max = "1000";
    this.range.value = "1000";
    this.range.addEventListener("input", () => {
      this.stop();
      const share = Number(this.range.value) / 1000;
      this.set(share >= 1 ? Infinity : this.from + share * (this.to - this.from));
    });
    this.mark();
  }

  mount(box: HTMLElement, more: HTMLElement): void {
    box.replaceChildren(this.button, h("div", { class: "times" }, this.range, this.bars), this.label, this.speed, more);
  }

  /** follow updates the range of times and the histogram. */
  follow(): void {
    const axis = axisOf(this.store, arrival, false);
    this.from = axis?.from ?? Infinity;
    this.to = axis?.to ?? -Infinity;
    this.mark();
    this.draw();
  }

  /** draw draws the number of arrivals over time. Those that the filters leave are in front, coloured up to the shown time. */
  draw(): void {
    const { bars, store, filters, from, to } = this;
    if (bars.offsetWidth === 0) return;
    [bars.width, bars.height] = [2 * bars.offsetWidth, 2 * bars.offsetHeight];
    if (!(to > from)) return;
    const counts = countsOf(store, arrival, { from, to, log: false }, bins, (s) => filters.passes(s));
    drawBars(bars, counts, filters.on(), 0, (Math.min(this.upto, to) - from) / (to - from));
  }

  /** times returns the times of the first and the last arrival, null if there are none. */
  get times(): readonly [number, number] | null {
    this.follow();
    return this.from <= this.to ? [this.from, this.to] : null;
  }

  set(upto: number): void {
    this.upto = upto;
    this.on(upto);
    this.mark();
  }

  get paused(): boolean {
    return this.upto !== Infinity;
  }

  toggle(): void {
    if (!this.paused) this.set(this.to);
    else if (this.playing) this.stop();
    else this.play();
    this.mark();
  }

  private stop(): void {
    clearInterval(this.playing);
    this.playing = 0;
  }

  private play(): void {
    let last = performance.now();
    this.playing = window.setInterval(() => {
      const now = performance.now();
      this.upto += (now - last) * speeds[this.factor]!;
      last = now;
      if (this.upto >= this.to) this.stop();
      this.set(this.upto >= this.to ? Infinity : this.upto);
    }, 100);
  }

  private faster(): void {
    this.factor = (this.factor + 1) % speeds.length;
    this.mark();
  }

  private mark(): void {
    const still = this.paused && !this.playing;
    this.picture(still ? "M8 5l11 7-11 7z" : "M8 5v14M16 5v14");
    this.button.title = still ? "Play on (Space)" : "Pause (Space)";
    this.button.setAttribute("aria-label", this.button.title);
    this.speed.textContent = `${speeds[this.factor]}×`;
    const at = Math.min(this.upto, this.to);
    this.label.textContent = Number.isFinite(at) ? (this.paused ? when(Math.round(at / 1000) * 1000) : "now") : "";
    if (document.activeElement !== this.range || this.playing) this.range.value = String(this.to > this.from ? Math.round((1000 * (at - this.from)) / (this.to - this.from)) : 1000);
  }
}
