// The software renderer: draws dots into an ImageData. It is used if WebGL would be
// emulated, which takes a hundred times as long.

import { css, type RGBA } from "./color";
import { dotOf, type Renderer, type Scene } from "./draw";

/** A dot's coverage at one of the phases between pixels. */
interface Stamp {
  dx: Int32Array;
  dy: Int32Array;
  cover: Float32Array;
}

/** Dots up to this radius in pixels are spread over the four pixels around their middle. */
const tiny = 0.9;

/** The number of dot positions between two pixels, in each direction. */
const phases = 4;

export class Raster implements Renderer {
  readonly name = "software";
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private stamps: Stamp[] = [];
  private stamped = -1;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false })!;
  }

  changed(): void {}

  draw(s: Scene): void {
    const { width, height } = this.canvas;
    if (s.store.n + s.store.under === 0) {
      this.context.fillStyle = css(s.theme.background);
      this.context.fillRect(0, 0, width, height);
      return;
    }
    if (!this.image || this.image.width !== width || this.image.height !== height) this.image = new ImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(s.theme.background);
    const dot = dotOf(s.store.n + s.store.under, s.camera);
    const radius = dot.radius * s.ratio;
    if (radius !== this.stamped) {
      this.stamps = stampsOf(radius);
      this.stamped = radius;
    }
    if (s.draft) paintDraft(pixels, width, height, s, radius, dot.opacity);
    else if (radius <= tiny) paintTiny(pixels, width, height, s, radius, dot.opacity);
    else paintDots(pixels, width, height, s, this.stamps, Math.ceil(radius) + 1, dot.opacity);
    this.context.putImageData(this.image, 0, 0);
  }
}

/** stampsOf computes the share of each pixel that a disc covers, for every phase. */
export function stampsOf(radius: number): Stamp[] {
  const out: Stamp[] = [];
  const reach = Math.ceil(radius) + 1;
  for (let py = 0; py < phases; py++)
    for (let px = 0; px < phases; px++) {
      const cx = (px + 0.5) / phases;
      const cy = (py + 0.5) / phases;
      const dx: number[] = [];
      const dy: number[] = [];
      const cover: number[] = [];
      for (let y = -reach; y <= reach; y++)
        for (let x = -reach; x <= reach; x++) {
          const d = Math.hypot(x + 0.5 - cx, y + 0.5 - cy);
          const c = Math.min(Math.max(radius + 0.5 - d, 0), 1);
          if (c > 0.02) {
            dx.push(x);
            dy.push(y);
            cover.push(c);
          }
        }
      out.push({ dx: Int32Array.from(dx), dy: Int32Array.from(dy), cover: Float32Array.from(cover) });
    }
  return out;
}

function paintDots(pixels: Uint32Array, width: number, height: number, s: Scene, stamps: Stamp[], reach: number, opacity: number): void {
  const { x, y, px, py, slots } = s.store;
  const { paint, now, store } = s;
  const k = s.camera.scale * s.ratio;
  const ox = width / 2 - s.camera.x * k;
  const oy = height / 2 + s.camera.y * k;
  const moving = now < store.still;
  for (let i = 0; i < slots; i++) {
    const c = paint[i]!;
    if (c < 0x1000000) continue;
    let mx = x[i]!;
    let my = y[i]!;
    if (moving) {
      const way = store.way(i, now);
      mx = px[i]! + (mx - px[i]!) * way;
      my = py[i]! + (my - py[i]!) * way;
    }
    const sx = mx * k + ox;
    const sy = oy - my * k;
    if (!(sx > -reach && sy > -reach && sx < width + reach && sy < height + reach)) continue;
    const ix = Math.floor(sx);
    const iy = Math.floor(sy);
    const stamp = stamps[Math.floor((sy - iy) * phases) * phases + Math.floor((sx - ix) * phases)]!;
    const inside = ix >= reach && iy >= reach && ix < width - reach && iy < height - reach;
    const a = (c >>> 24) * opacity;
    const { dx, dy, cover } = stamp;
    for (let j = 0; j < cover.length; j++) {
      const tx = ix + dx[j]!;
      const ty = iy + dy[j]!;
      if (!inside && (tx < 0 || ty < 0 || tx >= width || ty >= height)) continue;
      mix(pixels, ty * width + tx, c, a * cover[j]!);
    }
  }
}

/** paintDraft is paintDots for pictures of a moving view: squares of whole pixels with the same total opacity. */
function paintDraft(pixels: Uint32Array, width: number, height: number, s: Scene, radius: number, opacity: number): void {
  const { x, y, px, py, slots } = s.store;
  const { paint, now, store } = s;
  const side = Math.min(Math.max(Math.round(1.8 * radius), 1), 4);
  const k = s.camera.scale * s.ratio;
  const ox = width / 2 - s.camera.x * k - side / 2 + 0.5;
  const oy = height / 2 + s.camera.y * k - side / 2 + 0.5;
  const moving = now < store.still;
  const weight = Math.min((opacity * weightOf(radius)) / (side * side), 1);
  const right = width - side;
  const below = height - side;
  for (let i = 0; i < slots; i++) {
    const c = paint[i]!;
    if (c < 0x1000000) continue;
    let mx = x[i]!;
    let my = y[i]!;
    if (moving) {
      const way = store.way(i, now);
      mx = px[i]! + (mx - px[i]!) * way;
      my = py[i]! + (my - py[i]!) * way;
    }
    const sx = mx * k + ox;
    const sy = oy - my * k;
    if (!(sx >= 0 && sy >= 0 && sx < right && sy < below)) continue;
    const a = weight * (c >>> 24);
    const at = (sy | 0) * width + (sx | 0);
    for (let ty = 0; ty < side; ty++) for (let tx = 0; tx < side; tx++) mix(pixels, at + ty * width + tx, c, a);
  }
}

/** weightOf returns the area of a small dot in pixels. */
function weightOf(radius: number): number {
  const area = Math.PI * (radius + 0.35) * (radius + 0.35);
  return radius <= tiny ? Math.min(area, 2.6) : area;
}

/** paintTiny is paintDots for dots hardly larger than a pixel, a million per frame. */
function paintTiny(pixels: Uint32Array, width: number, height: number, s: Scene, radius: number, opacity: number): void {
  const { x, y, px, py, slots } = s.store;
  const { paint, now, store } = s;
  const k = s.camera.scale * s.ratio;
  const ox = width / 2 - s.camera.x * k - 0.5;
  const oy = height / 2 + s.camera.y * k - 0.5;
  const moving = now < store.still;
  // The four parts of a dot add up to its area.
  const weight = opacity * weightOf(radius);
  const right = width - 1;
  const below = height - 1;
  for (let i = 0; i < slots; i++) {
    const c = paint[i]!;
    if (c < 0x1000000) continue;
    let mx = x[i]!;
    let my = y[i]!;
    if (moving) {
      const way = store.way(i, now);
      mx = px[i]! + (mx - px[i]!) * way;
      my = py[i]! + (my - py[i]!) * way;
    }
    const sx = mx * k + ox;
    const sy = oy - my * k;
    if (!(sx >= 0 && sy >= 0 && sx < right && sy < below)) continue;
    const ix = sx | 0;
    const iy = sy | 0;
    const fx = sx - ix;
    const fy = sy - iy;
    const a = weight * (c >>> 24);
    const at = iy * width + ix;
    const lower = a * fy;
    const upper = a - lower;
    mix(pixels, at, c, upper * (1 - fx));
    mix(pixels, at + 1, c, upper * fx);
    mix(pixels, at + width, c, lower * (1 - fx));
    mix(pixels, at + width + 1, c, lower * fx);
  }
}

/** mix blends a colour with an opacity of 0..255 into a pixel: red and blue in one product, green in another. */
function mix(pixels: Uint32Array, at: number, c: RGBA, opacity: number): void {
  const m = opacity >= 255 ? 256 : (opacity * 1.0039 + 0.5) | 0;
  const was = pixels[at]!;
  const k = 256 - m;
  const redBlue = (Math.imul(was & 0xff00ff, k) + Math.imul(c & 0xff00ff, m)) >>> 8;
  const green = (Math.imul(was & 0xff00, k) + Math.imul(c & 0xff00, m)) >>> 8;
  pixels[at] = 0xff000000 | (redBlue & 0xff00ff) | (green & 0xff00);
}
