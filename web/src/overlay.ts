// The overlay above the points: names of classes, hovered, chosen and outlined points, and points that have just arrived or left.

import { css } from "./color";
import { everything, type Contour } from "./contours";
import { dotOf, type Scene } from "./draw";
import { lineAt, type Label } from "./labels";
import type { Painting } from "./painting";
import type { XY } from "./select";

export const glowing = 3000; // ms
export const fading = 900;
const mostGlows = 1500;

export interface Marks {
  labels: readonly Label[];
  contours: readonly Contour[];
  hover: number;
  pinned: number;
  neighbors: readonly number[];
  hits: readonly number[];
  shape: readonly XY[];
  rectangle: boolean;
  /** The ways of classes through the versions of the map. */
  ways: readonly Way[];
  /** The place of a record, which is not a point of the map. */
  asked: XY | null;
}

/** The way of a class: its centres on the versions of the map, oldest first. */
export interface Way {
  code: number;
  places: readonly XY[];
}

export const font = (size: number): string => `600 ${size}px system-ui, "Noto Sans", "Noto Sans CJK SC", "Noto Color Emoji", sans-serif`;

/** Overlay draws on a canvas above the renderer's. */
export class Overlay {
  private readonly c: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.c = canvas.getContext("2d")!;
  }

  measure(text: string, size: number): number {
    this.c.font = font(size);
    return this.c.measureText(text).width;
  }

  /** draw reports whether something still moves. */
  draw(s: Scene, p: Painting, m: Marks, now: number): boolean {
    const { c } = this;
    c.setTransform(s.ratio, 0, 0, s.ratio, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const moving = this.arrivals(s, p, now);
    for (const c of m.contours) this.contour(s, p, c);
    for (const w of m.ways) this.way(s, p, w);
    this.lines(s, m);
    for (const l of m.labels) this.label(s, p, l);
    for (const slot of m.hits) this.ring(s, slot, 3, 1.6, s.theme.ink);
    this.ring(s, m.pinned, 4, 2.4, s.theme.ink);
    this.ring(s, m.hover, 3, 1.6, s.theme.ink);
    if (m.asked) this.cross(s, m.asked);
    this.shape(s, m);
    return moving;
  }

  /** at returns a point's present position on the page. */
  private at(s: Scene, slot: number): XY {
    const { x, y, px, py } = s.store;
    const w = s.store.way(slot, s.now);
    return s.camera.toScreen(px[slot]! + (x[slot]! - px[slot]!) * w, py[slot]! + (y[slot]! - py[slot]!) * w);
  }

  private arrivals(s: Scene, p: Painting, now: number): boolean {
    const { c } = this;
    const r = dotOf(s.store.n + s.store.under, s.camera).radius;
    const { recent, born, ghosts } = s.store;
    let seen = 0;
    let fresh = 0;
    while (fresh < recent.length && fresh < mostGlows && now - born[recent[recent.length - 1 - fresh]!]! <= glowing) fresh++;
    // Many points glow a little, few a lot.
    const each = Math.min(Math.max(60 / Math.max(fresh, 1), 0.05), 1);
    for (let i = recent.length - 1; i >= recent.length - fresh; i--) {
      const slot = recent[i]!;
      const age = now - born[slot]!;
      if (!p.shown(slot)) continue;
      seen++;
      const [x, y] = this.at(s, slot);
      if (x < -20 || y < -20 || x > s.camera.width + 20 || y > s.camera.height + 20) continue;
      const left = 1 - Math.max(age, 0) / glowing;
      const color = p.solid(slot);
      c.fillStyle = css(color, (0.06 + 0.2 * each) * left);
      c.beginPath();
      c.arc(x, y, r + 1.5 + (3 + 9 * each) * left, 0, 7);
      c.fill();
      c.fillStyle = css(color, (0.35 + 0.6 * each) * left);
      c.beginPath();
      c.arc(x, y, r + 1.6 * left, 0, 7);
      c.fill();
    }
    const alive = ghosts.filter((g) => now - g.since < fading);
    s.store.ghosts = alive;
    for (const g of alive) {
      const left = 1 - (now - g.since) / fading;
      const [x, y] = s.camera.toScreen(g.x, g.y);
      c.strokeStyle = css(s.theme.missing, 0.8 * left);
      c.lineWidth = 1;
      c.beginPath();
      c.arc(x, y, r + 5 * (1 - left), 0, 7);
      c.stroke();
    }
    return seen > 0 || alive.length > 0;
  }

  private lines(s: Scene, m: Marks): void {
    const { c } = this;
    const from: XY | null = m.pinned >= 0 ? this.at(s, m.pinned) : m.asked && s.camera.toScreen(...m.asked);
    if (!from || m.neighbors.length === 0) return;
    c.strokeStyle = s.theme.dark ? "rgba(255,255,255,.55)" : "rgba(0,0,0,.5)";
    c.lineWidth = 1;
    for (const n of m.neighbors) {
      const [x, y] = this.at(s, n);
      c.beginPath();
      c.moveTo(...from);
      c.lineTo(x, y);
      c.stroke();
      this.ring(s, n, 1.5, 1.2, s.theme.ink);
    }
  }

  private contour(s: Scene, p: Painting, o: Contour): void {
    const { c } = this;
    const k = s.camera.scale;
    const ox = s.camera.width / 2 - s.camera.x * k;
    const oy = s.camera.height / 2 + s.camera.y * k;
    const v = o.segments;
    c.beginPath();
    for (let i = 0; i < v.length; i += 4) {
      c.moveTo(v[i]! * k + ox, oy - v[i + 1]! * k);
      c.lineTo(v[i + 2]! * k + ox, oy - v[i + 3]! * k);
    }
    c.lineCap = "round";
    // On dots of the same colour the line is seen by its edges.
    c.lineWidth = 3.2;
    c.strokeStyle = s.theme.halo;
    c.stroke();
    c.lineWidth = 1.4;
    c.strokeStyle = o.code === everything ? s.theme.ink : css(p.colors[o.code] ?? s.theme.missing, 0.9);
    c.stroke();
  }

  /** way draws the way of a class, of which the older part is fainter. */
  private way(s: Scene, p: Painting, w: Way): void {
    const { c } = this;
    const color = p.colors[w.code] ?? s.theme.missing;
    const at = w.places.map(([x, y]) => s.camera.toScreen(x, y));
    const dot = (k: number, radius: number): void => {
      c.beginPath();
      c.arc(...at[k]!, radius, 0, 7);
      c.fill();
    };
    c.lineCap = "round";
    for (const [width, ink] of [[5, ""], [2.2, "color"]] as const)
      for (let k = 1; k < at.length; k++) {
        const age = 0.25 + (0.75 * k) / (at.length - 1);
        c.strokeStyle = ink ? css(color, age) : s.theme.halo;
        c.lineWidth = width;
        c.beginPath();
        c.moveTo(...at[k - 1]!);
        c.lineTo(...at[k]!);
        c.stroke();
      }
    c.fillStyle = css(color);
    for (let k = 0; k < at.length - 1; k++) dot(k, 1.8);
    c.fillStyle = s.theme.ink;
    dot(at.length - 1, 5.2);
    c.fillStyle = css(color);
    dot(at.length - 1, 3.6);
  }

  private label(s: Scene, p: Painting, l: Label): void {
    const { c } = this;
    const [x, y] = s.camera.toScreen(l.x, l.y);
    const far = Math.hypot(l.dx, l.dy) > l.size * 2.2;
    c.font = font(l.size);
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.lineJoin = "round";
    if (far) {
      c.strokeStyle = css(p.colors[l.code] ?? s.theme.missing, 0.9);
      c.lineWidth = 1.2;
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x + l.dx, y + l.dy - Math.sign(l.dy) * l.size * 0.6);
      c.stroke();
    }
    c.strokeStyle = s.theme.halo;
    c.lineWidth = 4.5;
    c.fillStyle = s.theme.ink;
    l.lines.forEach((text, i) => c.strokeText(text, x + l.dx, y + l.dy + lineAt(l, i)));
    l.lines.forEach((text, i) => c.fillText(text, x + l.dx, y + l.dy + lineAt(l, i)));
  }

  private ring(s: Scene, slot: number, more: number, width: number, color: string): void {
    if (slot < 0 || !s.store.alive[slot]) return;
    const { c } = this;
    const [x, y] = this.at(s, slot);
    c.beginPath();
    c.arc(x, y, dotOf(s.store.n + s.store.under, s.camera).radius + more, 0, 7);
    c.lineWidth = width + 1.6;
    c.strokeStyle = s.theme.halo;
    c.stroke();
    c.lineWidth = width;
    c.strokeStyle = color;
    c.stroke();
  }

  private cross(s: Scene, at: XY): void {
    const { c } = this;
    const [x, y] = s.camera.toScreen(...at);
    for (const [width, color] of [[5, s.theme.halo], [2.2, s.theme.ink]] as const) {
      c.lineWidth = width;
      c.strokeStyle = color;
      c.beginPath();
      c.moveTo(x - 9, y);
      c.lineTo(x + 9, y);
      c.moveTo(x, y - 9);
      c.lineTo(x, y + 9);
      c.stroke();
    }
  }

  private shape(s: Scene, m: Marks): void {
    const { c } = this;
    if (m.shape.length < 2) return;
    c.beginPath();
    m.shape.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.closePath();
    c.fillStyle = s.theme.dark ? "rgba(109,182,242,.13)" : "rgba(11,105,183,.09)";
    c.fill();
    c.setLineDash([5, 4]);
    c.lineWidth = 1.4;
    c.strokeStyle = s.theme.dark ? "#6db6f2" : "#0b69b7";
    c.stroke();
    c.setLineDash([]);
  }
}
