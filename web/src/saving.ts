// The picture of the map as a file: PNG at several sizes, SVG, or an animated PNG of the arrivals, with title, names and legend.

import { changed, join, type Shot } from "./animation";
import type { Compare } from "./compare";
import { css, nameOf, ramp } from "./color";
import { $, h, save } from "./dom";
import { dotOf, type Scene } from "./draw";
import { lineAt } from "./labels";
import { grouped, when } from "./numbers";
import type { Marks, Overlay } from "./overlay";
import type { Painting } from "./painting";
import { Raster } from "./raster";

/** The part of the page that a picture shows. */
export interface Pictured {
  scene(): Scene;
  marks(): Marks;
  painting: Painting;
  overlay(canvas: HTMLCanvasElement): Overlay;
  title(): string;
  compare(): Compare;
  /** The times of the first and the last arrival, null if points have no times; and the time until which arrivals are shown. */
  times(): readonly [number, number] | null;
  until(upto: number): void;
  tell(text: string): void;
}

/** One of the maps of a picture, where it is, and what is above it. */
interface Shown {
  scene: Scene;
  marks: Marks;
  title: string;
}

/** An animation has this number of pictures, each shown for ms, the last for longer. It shows at most the last minutes. */
const shots = 40;
const each = 150;
const last = 2500;
const minutes = 10;

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
    const png = (scale: number): HTMLButtonElement =>
      h("button", { on: { click: () => this.done(this.png(scale)) } }, `PNG, ${this.width() * scale} × ${this.height() * scale}`);
    this.dialog.replaceChildren(
      h("h2", {}, "Save a picture"), h("p", { class: "faint" }, "Of the present view, with title, names and legend."),
      h("div", { class: "acts stacked" }, png(1), png(2), png(4), h("button", { on: { click: () => this.done(this.svg()) } }, "SVG, of any size"), this.animated()),
      h("div", { class: "acts" }, h("button", { on: { click: () => this.dialog.close() } }, "Cancel")),
    );
    this.dialog.showModal();
  }

  /** animated returns the button for an animation of the last arrivals, null if points have no times. */
  private animated(): HTMLElement | null {
    const times = this.page.times();
    if (!times || times[1] <= times[0]) return null;
    const span = Math.min(times[1] - times[0], minutes * 60_000);
    const text = span < 90_000 ? `${Math.max(Math.round(span / 1000), 1)} s` : `${Math.round(span / 60_000)} minutes`;
    return h("button", { title: "Events in the order of their arrival, on the present map. Those that have left since are not in it.", on: { click: () => this.done(this.animation(times[1] - span, times[1])) } },
      `Animated PNG of the last ${text}`);
  }

  private done(work: Promise<void> | void): void {
    this.dialog.close();
    Promise.resolve(work).then(() => this.page.tell("The picture is saved."), (e: unknown) => this.page.tell(String(e)));
  }

  /** width returns the width of the picture. On a wide page it is that of the page, and the legend replaces the panels. On a narrow page it is larger. */
  private width(): number {
    const w = Math.max(...this.maps().map(({ scene: { camera } }) => Math.round(camera.left + camera.width)));
    return innerWidth > 760 && w === innerWidth ? w : w + side + 20;
  }

  private height(): number {
    return Math.max(...this.maps().map(({ scene: { camera } }) => Math.round(camera.top + camera.height)));
  }

  /** maps returns the map and, in a comparison, the other one. */
  private maps(): Shown[] {
    const { page } = this;
    const marks = { ...page.marks(), hover: -1, shape: [] };
    const { pane, title } = page.compare();
    const scene = page.scene();
    const other = pane ? [{ scene: pane.scene(scene.theme, false), marks: { ...pane.marks(marks), shape: [] }, title }] : [];
    return [{ scene, marks, title: page.title() }, ...other];
  }

  private get name(): string {
    return (this.page.title().replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0, 60) || "map");
  }

  async png(scale: number): Promise<void> {
    save(`${this.name}.png`, "image/png", [await encoded(this.picture(scale))]);
  }

  /** animation shows the arrivals between two times. */
  async animation(from: number, to: number): Promise<void> {
    const { page } = this;
    const { upto } = page.painting;
    const taken: Shot[] = [];
    let before: Uint32Array | null = null;
    try {
      for (let i = 0; i < shots; i++) {
        const at = from + ((to - from) * i) / (shots - 1);
        page.until(at);
        const canvas = this.picture(1, when(Math.round(at / 1000) * 1000));
        const c = canvas.getContext("2d")!;
        const pixels: Uint32Array = new Uint32Array(c.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        const area = before ? changed(before, pixels, canvas.width) : { x: 0, y: 0, width: canvas.width, height: canvas.height };
        const part = h("canvas");
        [part.width, part.height] = [area.width, area.height];
        part.getContext("2d")!.drawImage(canvas, -area.x, -area.y);
        taken.push({ png: new Uint8Array(await (await encoded(part)).arrayBuffer()), x: area.x, y: area.y, ms: i === shots - 1 ? last : each });
        before = pixels;
        page.tell(`Picture ${i + 1} of ${shots}`);
      }
    } finally {
      page.until(upto);
    }
    save(`${this.name}.png`, "image/png", join(taken));
  }

  /** picture draws the points and the overlay again at a scale, always with Raster. note is a line below the title. */
  private picture(scale: number, note = ""): HTMLCanvasElement {
    const s = this.page.scene();
    const [w, t] = [this.width(), this.height()];
    const ratio = Math.min(scale, largest / w, largest / t);
    const whole = h("canvas");
    whole.width = Math.round(w * ratio);
    whole.height = Math.round(t * ratio);
    const c = whole.getContext("2d", { willReadFrequently: note !== "" })!;
    c.fillStyle = css(s.theme.background);
    c.fillRect(0, 0, whole.width, whole.height);
    const maps = this.maps();
    for (const { scene: { camera, ...rest }, marks } of maps) {
      const canvas = h("canvas");
      canvas.width = Math.round(camera.width * ratio);
      canvas.height = Math.round(camera.height * ratio);
      const over = canvas.cloneNode() as HTMLCanvasElement;
      const scene: Scene = { ...rest, camera, ratio, draft: false };
      new Raster(canvas).draw(scene);
      this.page.overlay(over).draw(scene, this.page.painting, marks, performance.now() + 1e6);
      c.drawImage(canvas, camera.left * ratio, camera.top * ratio);
      c.drawImage(over, camera.left * ratio, camera.top * ratio);
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = s.theme.ink;
    c.textBaseline = "alphabetic";
    const text = (words: string, x: number, y: number, size: number, bold: boolean, most: number): void => {
      c.font = `${bold ? 600 : 400} ${size}px ${family}`;
      c.fillText(words, x, y, most);
    };
    for (const { scene: { camera }, title } of maps) text(title, camera.left + 20, camera.top + 32, 17, true, Math.min(camera.width, w - side - camera.left) - 40);
    if (note) text(note, 20, 54, 13, false, w - side - 40);
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
    return whole;
  }

  /** svg writes one path of dots for each colour, and text as text elements. */
  svg(): void {
    const s = this.page.scene();
    const [w, t] = [this.width(), this.height()];
    const maps = this.maps();
    const out: string[] = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${t}" width="${w}" height="${t}" font-family="${escape(family)}">`];
    out.push(`<title>${escape(this.page.title())}</title><rect width="100%" height="100%" fill="${rgb(s.theme.background)}"/>`);
    const text = (words: string, x: number, y: number, size: number, more = ""): void => void out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="${s.theme.ink}"${more}>${escape(words)}</text>`);
    maps.forEach(({ scene, marks, title }) => {
      const { camera } = scene;
      if (maps.length > 1) out.push(`<svg x="${camera.left}" y="${camera.top}" width="${camera.width}" height="${camera.height}">`);
      out.push(...dots(scene));
      for (const l of marks.labels) {
        const [x, y] = camera.toScreen(l.x, l.y);
        l.lines.forEach((line, i) =>
          text(line, x + l.dx, y + l.dy + lineAt(l, i) + l.size * 0.35, l.size,
            ` font-weight="600" text-anchor="middle" stroke="${rgb(s.theme.background)}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`));
      }
      text(title, 20, 32, 17, ` font-weight="600"`);
      if (maps.length > 1) out.push("</svg>");
    });
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
      to.entry({ color: rgb(painting.colors[code] ?? painting.theme.missing), name: clipped(nameOf(field, code)), count: grouped(counts[code]!) }, 58 + 22 * i));
    if (order.length > listed) to.entry({ color: "none", name: `and ${order.length - listed} more`, count: "" }, 58 + 22 * listed);
  }
}

/** encoded returns a canvas as PNG. */
async function encoded(canvas: HTMLCanvasElement): Promise<Blob> {
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("The browser cannot make a picture of this size.");
  return blob;
}

/** dots returns the points of a map as a group of SVG, with a path of dots for each colour. */
function dots({ store, camera, paint }: Scene): string[] {
  const dot = dotOf(store.n + store.under, camera);
  const paths = new Map<number, string[]>();
  for (let slot = 0; slot < store.slots; slot++) {
    const color = store.alive[slot] ? paint[slot]! : 0;
    if (color >>> 24 === 0) continue;
    const [x, y] = camera.toScreen(store.x[slot]!, store.y[slot]!);
    if (x < -9 || y < -9 || x > camera.width + 9 || y > camera.height + 9) continue;
    let p = paths.get(color);
    if (!p) paths.set(color, (p = []));
    p.push(`M${x.toFixed(1)} ${y.toFixed(1)}h0`);
  }
  const out = [`<g fill="none" stroke-linecap="round" stroke-width="${(2 * dot.radius).toFixed(2)}">`];
  // Faint points are drawn first.
  for (const [color, p] of [...paths].sort(([a], [b]) => (a >>> 24) - (b >>> 24)))
    out.push(`<path stroke="${rgb(color)}" stroke-opacity="${(((color >>> 24) / 255) * dot.opacity).toFixed(3)}" d="${p.join("")}"/>`);
  return [...out, "</g>"];
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
