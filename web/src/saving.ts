// The picture of the map as a file: PNG at several sizes, or SVG, with title, names and legend.

import { css, nameOf, ramp } from "./color";
import { $, h, save } from "./dom";
import { dotOf, type Scene } from "./draw";
import { lineAt } from "./labels";
import { type Marks, type Overlay } from "./overlay";
import type { Painting } from "./painting";
import { Raster } from "./raster";

/** The part of the page that a picture shows. */
export interface Pictured {
  scene(): Scene;
  marks(): Marks;
  painting: Painting;
  overlay(canvas: HTMLCanvasElement): Overlay;
  title(): string;
  tell(text: string): void;
}

const side = 250;
const listed = 24;
const largest = 16_000; // pixels, the limit of browsers
const family = 'system-ui, "Noto Sans", "Noto Sans CJK SC", "Noto Color Emoji", sans-serif';

/** An entry of the legend: a class with its colour and count. */
interface Entry {
  color: string;
  name: string;
  count: string;
}

export class Saving {
  private readonly dialog = $<HTMLDialogElement>("save");

  constructor(private readonly page: Pictured) {}

  open(): void {
    const { camera } = this.page.scene();
    const png = (scale: number): HTMLButtonElement =>
      h("button", { on: { click: () => this.done(this.png(scale)) } }, `PNG, ${this.width() * scale} × ${Math.round(camera.height) * scale}`);
    this.dialog.replaceChildren(
      h("h2", {}, "Save a picture"), h("p", { class: "faint" }, "Of the present view, with title, names and legend."),
      h("div", { class: "acts stacked" }, png(1), png(2), png(4), h("button", { on: { click: () => this.done(this.svg()) } }, "SVG, of any size")),
      h("div", { class: "acts" }, h("button", { on: { click: () => this.dialog.close() } }, "Cancel")),
    );
    this.dialog.showModal();
  }

  private done(work: Promise<void> | void): void {
    this.dialog.close();
    Promise.resolve(work).then(() => this.page.tell("The picture is saved."), (e: unknown) => this.page.tell(String(e)));
  }

  /** width returns the width of the picture. On a wide page it is that of the page, and the legend replaces the panels. On a narrow page it is larger. */
  private width(): number {
    const w = Math.round(this.page.scene().camera.width);
    return innerWidth > 760 && w === innerWidth ? w : w + side + 20;
  }

  private get name(): string {
    return (this.page.title().replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0, 60) || "map");
  }

  /** png draws the points and the overlay again at a scale, always with Raster. */
  async png(scale: number): Promise<void> {
    const s = this.page.scene();
    const [w, t] = [this.width(), Math.round(s.camera.height)];
    const ratio = Math.min(scale, largest / w, largest / t);
    const canvas = h("canvas");
    canvas.width = Math.round(s.camera.width * ratio);
    canvas.height = Math.round(t * ratio);
    const over = canvas.cloneNode() as HTMLCanvasElement;
    const scene: Scene = { ...s, ratio, draft: false };
    new Raster(canvas).draw(scene);
    this.page.overlay(over).draw(scene, this.page.painting, { ...this.page.marks(), hover: -1, shape: [] }, performance.now() + 1e6);
    const whole = h("canvas");
    whole.width = Math.round(w * ratio);
    whole.height = canvas.height;
    const c = whole.getContext("2d")!;
    c.fillStyle = css(s.theme.background);
    c.fillRect(0, 0, whole.width, whole.height);
    c.drawImage(canvas, 0, 0);
    c.drawImage(over, 0, 0);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = s.theme.ink;
    c.textBaseline = "alphabetic";
    const text = (words: string, x: number, y: number, size: number, bold: boolean, most: number): void => {
      c.font = `${bold ? 600 : 400} ${size}px ${family}`;
      c.fillText(words, x, y, most);
    };
    text(this.page.title(), 20, 32, 17, true, w - side - 40);
    const x = w - side;
    this.legend({
      title: (words, y) => text(words, x, y, 13, true, side - 16),
      entry: (e, y) => {
        c.fillStyle = e.color;
        c.beginPath();
        c.arc(x + 5, y - 4, 5, 0, 7);
        c.fill();
        c.fillStyle = s.theme.ink;
        text(e.name, x + 18, y, 13, false, side - 90);
        c.textAlign = "right";
        text(e.count, w - 16, y, 12, false, 60);
        c.textAlign = "left";
      },
      bar: (from, to, y) => {
        for (let i = 0; i < side - 16; i++) {
          c.fillStyle = css(ramp(i / (side - 17), s.theme));
          c.fillRect(x + i, y - 10, 1.5, 12);
        }
        c.fillStyle = s.theme.ink;
        text(from, x, y + 18, 12, false, side / 2);
        c.textAlign = "right";
        text(to, w - 16, y + 18, 12, false, side / 2);
        c.textAlign = "left";
      },
    });
    const blob = await new Promise<Blob | null>((done) => whole.toBlob(done, "image/png"));
    if (!blob) throw new Error("The browser cannot make a picture of this size.");
    save(`${this.name}.png`, "image/png", [blob]);
  }

  /** svg writes one path of dots for each colour, and text as text elements. */
  svg(): void {
    const s = this.page.scene();
    const { painting } = this.page;
    const { store, camera } = s;
    const [w, t] = [this.width(), Math.round(camera.height)];
    const dot = dotOf(store.n + store.under, camera);
    const paths = new Map<number, string[]>();
    for (let slot = 0; slot < store.slots; slot++) {
      const color = store.alive[slot] ? painting.paint[slot]! : 0;
      if (color >>> 24 === 0) continue;
      const [x, y] = camera.toScreen(store.x[slot]!, store.y[slot]!);
      if (x < -9 || y < -9 || x > camera.width + 9 || y > camera.height + 9) continue;
      let p = paths.get(color);
      if (!p) paths.set(color, (p = []));
      p.push(`M${x.toFixed(1)} ${y.toFixed(1)}h0`);
    }
    const out: string[] = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${t}" width="${w}" height="${t}" font-family="${escape(family)}">`];
    out.push(`<title>${escape(this.page.title())}</title><rect width="100%" height="100%" fill="${rgb(s.theme.background)}"/>`);
    out.push(`<g fill="none" stroke-linecap="round" stroke-width="${(2 * dot.radius).toFixed(2)}">`);
    // Faint points are drawn first.
    for (const [color, p] of [...paths].sort(([a], [b]) => (a >>> 24) - (b >>> 24)))
      out.push(`<path stroke="${rgb(color)}" stroke-opacity="${(((color >>> 24) / 255) * dot.opacity).toFixed(3)}" d="${p.join("")}"/>`);
    out.push("</g>");
    const text = (words: string, x: number, y: number, size: number, more = ""): void => void out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="${s.theme.ink}"${more}>${escape(words)}</text>`);
    for (const l of this.page.marks().labels) {
      const [x, y] = camera.toScreen(l.x, l.y);
      l.lines.forEach((line, i) =>
        text(line, x + l.dx, y + l.dy + lineAt(l, i) + l.size * 0.35, l.size,
          ` font-weight="600" text-anchor="middle" stroke="${rgb(s.theme.background)}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`));
    }
    text(this.page.title(), 20, 32, 17, ` font-weight="600"`);
    const x = w - side;
    this.legend({
      title: (words, y) => text(words, x, y, 13, ` font-weight="600"`),
      entry: (e, y) => {
        out.push(`<circle cx="${x + 5}" cy="${y - 4}" r="5" fill="${e.color}"/>`);
        text(e.name, x + 18, y, 13);
        text(e.count, w - 16, y, 12, ` text-anchor="end"`);
      },
      bar: (from, to, y) => {
        const stops = Array.from({ length: 11 }, (_, i) => `<stop offset="${i / 10}" stop-color="${rgb(ramp(i / 10, s.theme))}"/>`).join("");
        out.push(`<linearGradient id="scale">${stops}</linearGradient><rect x="${x}" y="${y - 10}" width="${side - 16}" height="12" fill="url(#scale)"/>`);
        text(from, x, y + 18, 12);
        text(to, w - 16, y + 18, 12, ` text-anchor="end"`);
      },
    });
    out.push("</svg>");
    save(`${this.name}.svg`, "image/svg+xml", [out.join("\n")]);
  }

  /** legend draws the legend from top to bottom. */
  private legend(to: { title(words: string, y: number): void; entry(e: Entry, y: number): void; bar(from: string, to: string, y: number): void }): void {
    const { painting } = this.page;
    const field = this.page.scene().store.field(painting.column);
    if (!field) return;
    to.title(field.name, 34);
    if (!painting.category) {
      to.bar(...painting.ends(), 58);
      return;
    }
    const counts = painting.counts();
    const order = painting.order(counts);
    order.slice(0, listed).forEach((code, i) =>
      to.entry({ color: rgb(painting.colors[code] ?? painting.theme.missing), name: clipped(nameOf(field, code)), count: counts[code]!.toLocaleString("en") }, 58 + 22 * i));
    if (order.length > listed) to.entry({ color: "none", name: `and ${order.length - listed} more`, count: "" }, 58 + 22 * listed);
  }
}

function rgb(c: number): string {
  return `#${[c & 255, (c >> 8) & 255, (c >> 16) & 255].map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}

function clipped(text: string): string {
  const letters = Array.from(text);
  return letters.length <= 26 ? text : letters.slice(0, 25).join("") + "…";
}

/** escape returns a text for XML. Characters that XML does not allow are replaced. */
export function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"]/g, (c) => entities[c]!);
}
