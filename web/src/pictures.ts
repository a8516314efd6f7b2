// Pictures of points: files of the server or of named origins, or feature vectors, drawn as pixels if they look like pictures.

import { h } from "./dom";
import type { Store } from "./store";
import type { Hello, Size } from "./wire";

/** The largest number of points in a request. */
const together = 100;
const kept = 4000;

/** sizeOf returns the size of a picture: the given one, or that of a square with similar neighbouring pixels. It returns null if the vector is no picture. */
export function sizeOf(x: ArrayLike<number>, given?: Size): Size | null {
  if (given) return x.length === given.width * given.height ? given : null;
  const side = Math.round(Math.sqrt(x.length));
  if (side < 8 || side * side !== x.length) return null;
  let sum = 0, squares = 0, across = 0, down = 0, low = 0, high = 0;
  for (let i = 0; i < x.length; i++) {
    const v = x[i]!;
    low = Math.min(low, v);
    high = Math.max(high, v);
    sum += v;
    squares += v * v;
    if (i % side > 0) across += (v - x[i - 1]!) ** 2;
    if (i >= side) down += (v - x[i - side]!) ** 2;
  }
  const variance = squares / x.length - (sum / x.length) ** 2;
  // The mean squared difference of independent pixels is twice the variance. There are side (side - 1) pairs of neighbours in each direction.
  const alike = 0.65 * 2 * side * (side - 1) * variance;
  // Features and curves often have both signs. Such a picture has a background, and also varies little from row to row.
  const smooth = signed(low, high) ? across < alike && down < alike && background(x, low, high) : across + down < 2 * alike;
  return smooth ? { width: side, height: side } : null;
}

/** signed reports whether pixels have both signs, such as -1 to 1. A model stores approximate pictures, whose pixels may be slightly negative. */
function signed(low: number, high: number): boolean {
  return low < -high / 2;
}

/** background reports whether many pixels are as dark or as bright as any. */
function background(x: ArrayLike<number>, low: number, high: number): boolean {
  const near = 0.02 * (high - low);
  let dark = 0, bright = 0;
  for (let i = 0; i < x.length; i++) {
    if (x[i]! < low + near) dark++;
    if (x[i]! > high - near) bright++;
  }
  return Math.max(dark, bright) > 0.15 * x.length;
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
  let low = 0, high = 0;
  for (let i = 0; i < x.length; i++) {
    low = Math.min(low, x[i]!);
    high = Math.max(high, x[i]!);
  }
  if (!signed(low, high)) low = 0;
  const range = Math.max(high - low, 1e-12);
  const words = new Uint32Array(data.data.buffer);
  for (let i = 0; i < x.length; i++) {
    const v = 255 - Math.round((255 * Math.max(x[i]! - low, 0)) / range);
    words[i] = (0xff000000 | (v << 16) | (v << 8) | v) >>> 0;
  }
  c.putImageData(data, 0, 0);
  return canvas;
}

/** allowed returns a text if it is the address of a picture at one of the origins, else "". */
export function allowed(text: string, origins: readonly string[]): string {
  if (!/^https?:/.test(text)) return "";
  try {
    return origins.includes(new URL(text).origin) ? text : "";
  } catch {
    return "";
  }
}

export class Pictures {
  /** What the server says of pictures: the size of those that vectors are, whether it has files, and the origins of others. */
  private said: Pick<Hello, "image" | "pictures" | "pictures_from"> = {};
  private known = new Map<string, number[] | null>();
  /** The addresses of files that have been loaded, and of those that cannot be. */
  private loaded = new Set<string>();
  private failed = new Set<string>();
  /** Whether the page has a server. A saved page has none. */
  private answers = document.getElementById("data") === null;
  private plain = 0;
  /** Whether a picture has arrived. */
  private some = false;
  private run = 0;

  constructor(private readonly store: Store) {}

  clear(said: Hello): void {
    this.said = said;
    this.known.clear();
    this.loaded.clear();
    this.failed.clear();
    this.plain = 0;
    this.some = false;
    this.run++;
  }

  /** of returns the picture of a point: that of a file, which may still have to arrive, or that of its vector, if that has arrived. */
  of(s: number): HTMLElement | null {
    const address = this.address(s);
    if (address) return this.file(address, s);
    const x = this.known.get(this.store.id(s));
    const size = x && sizeOf(x, this.said.image);
    return size ? drawn(x, size) : null;
  }

  /** here reports whether the picture of a point is there without a request. */
  here(s: number): boolean {
    const address = this.address(s);
    return address ? this.loaded.has(address) : Boolean(this.known.get(this.store.id(s)));
  }

  /** address returns the address of a point's picture, "" for none. */
  private address(s: number): string {
    const { pictures, pictures_from: origins = [] } = this.said;
    const { store } = this;
    if (!this.answers) return "";
    const own = pictures && store.id(s) !== "" ? `api/pictures/${store.id(s).split("/").map(encodeURIComponent).join("/")}` : "";
    if (own && !this.failed.has(own)) return own;
    for (let k = 0; k < store.columns.length && origins.length > 0; k++) {
      const { kind } = store.columns[k]!;
      const address = kind === "text" || kind === "category" ? allowed(store.text(s, k), origins) : "";
      if (address && !this.failed.has(address)) return address;
    }
    return "";
  }

  private file(address: string, s: number): HTMLElement {
    const img = h("img", { class: "picture photo", on: { load: () => this.loaded.add(address), error: () => {
      this.failed.add(address);
      img.remove();
    } } });
    img.alt = `The picture of ${this.store.id(s) || `point ${s}`}`;
    img.decoding = "async";
    img.src = address;
    return img;
  }

  /** files reports whether pictures are files. */
  get files(): boolean {
    return this.answers && (this.said.pictures === true || (this.said.pictures_from ?? []).length > 0);
  }

  /** possible reports whether points may have pictures. */
  get possible(): boolean {
    return this.answers && this.plain < 20;
  }

  /** likely reports whether points have pictures, judging by the vectors so far. */
  get likely(): boolean {
    return this.files || (this.possible && (this.some || this.plain === 0));
  }

  /** want requests the vectors of points that have no files, and reports whether new pictures have arrived. */
  async want(slots: readonly number[]): Promise<boolean> {
    const ids = slots.filter((s) => this.address(s) === "").map((s) => this.store.id(s));
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
        const size = x && sizeOf(x, this.said.image);
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
