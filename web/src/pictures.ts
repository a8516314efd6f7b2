// Pictures of points: feature vectors from the server, drawn as pixels if they look like pictures.

import { h } from "./dom";
import type { Size } from "./wire";

/** The largest number of points in a request. */
const together = 100;
const kept = 4000;

/** sizeOf returns the size of a picture: the given one, or that of a square with similar neighbouring pixels. It returns null if the vector is no picture. */
export function sizeOf(x: ArrayLike<number>, given?: Size): Size | null {
  if (given) return x.length === given.width * given.height ? given : null;
  const side = Math.round(Math.sqrt(x.length));
  if (side < 8 || side * side !== x.length) return null;
  let sum = 0, squares = 0, steps = 0, low = 0, high = 0;
  for (let i = 0; i < x.length; i++) {
    const v = x[i]!;
    low = Math.min(low, v);
    high = Math.max(high, v);
    sum += v;
    squares += v * v;
    if (i % side > 0) steps += (v - x[i - 1]!) ** 2;
    if (i >= side) steps += (v - x[i - side]!) ** 2;
  }
  if (low < -high / 2) return null; // a model stores approximate pictures, whose pixels may be slightly negative
  const variance = squares / x.length - (sum / x.length) ** 2;
  // The mean squared difference of independent pixels is twice the variance. There are 2 side (side - 1) pairs of neighbours.
  const independent = 4 * side * (side - 1) * variance;
  return steps < 0.65 * independent ? { width: side, height: side } : null;
}

/** drawn returns a canvas with the pixels of a vector. Larger values are darker. */
export function drawn(x: ArrayLike<number>, { width, height }: Size): HTMLCanvasElement {
  const canvas = h("canvas", { class: "picture" });
  canvas.width = width;
  canvas.height = height;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `its ${width} x ${height} pixels`);
  const c = canvas.getContext("2d")!;
  const data = c.createImageData(width, height);
  let high = 1e-12;
  for (let i = 0; i < x.length; i++) high = Math.max(high, x[i]!);
  const words = new Uint32Array(data.data.buffer);
  for (let i = 0; i < x.length; i++) {
    const v = 255 - Math.round((255 * Math.max(x[i]!, 0)) / high);
    words[i] = (0xff000000 | (v << 16) | (v << 8) | v) >>> 0;
  }
  c.putImageData(data, 0, 0);
  return canvas;
}

export class Pictures {
  /** The size of pictures, if the server knows it. */
  size: Size | undefined;
  private known = new Map<string, number[] | null>();
  /** Whether the page has a server. A saved page has none. */
  private answers = document.getElementById("data") === null;
  private plain = 0;
  /** Whether a picture has arrived. */
  private some = false;
  private run = 0;

  clear(size: Size | undefined): void {
    this.size = size;
    this.known.clear();
    this.plain = 0;
    this.some = false;
    this.run++;
  }

  /** of returns the picture of a point, if it has arrived. */
  of(id: string): HTMLCanvasElement | null {
    const x = this.known.get(id);
    const size = x && sizeOf(x, this.size);
    return size ? drawn(x, size) : null;
  }

  /** possible reports whether points may have pictures. */
  get possible(): boolean {
    return this.answers && this.plain < 20;
  }

  /** likely reports whether points have pictures, judging by the vectors so far. */
  get likely(): boolean {
    return this.possible && (this.some || this.plain === 0);
  }

  /** want requests the pictures of points and reports whether new ones have arrived. */
  async want(ids: readonly string[]): Promise<boolean> {
    const missing = [...new Set(ids)].filter((id) => id !== "" && !this.known.has(id)).slice(0, together);
    if (missing.length === 0 || !this.possible) return false;
    const run = this.run;
    for (const id of missing) this.known.set(id, null); // prevents a second request meanwhile
    try {
      const r = await fetch(`api/vectors?${missing.map((id) => `id=${encodeURIComponent(id)}`).join("&")}`);
      if (run !== this.run) return false;
      if (!r.ok) throw new Error();
      const { vectors } = (await r.json()) as { vectors: (number[] | null)[] };
      let came = false;
      missing.forEach((id, i) => {
        if (i >= vectors.length) return void this.known.delete(id);
        const x = vectors[i] ?? null;
        const size = x && sizeOf(x, this.size);
        this.known.set(id, size ? x : null);
        if (size) came = true;
        else this.plain++;
      });
      if (came) {
        this.plain = 0;
        this.some = true;
      }
      for (const id of this.known.keys()) {
        if (this.known.size <= kept) break;
        this.known.delete(id);
      }
      return came;
    } catch {
      if (run === this.run) this.plain += 20; // another program's server, or a server that stops
      return false;
    }
  }
}
