// Animated PNG: pictures that the browser has encoded as PNG, joined (chunks acTL, fcTL and fdAT of the PNG Specification, third edition, 2025).

/** A picture of an animation: a PNG of the part that has changed, where that part begins, and for how many ms it is shown. */
export interface Shot {
  png: Uint8Array;
  x: number;
  y: number;
  ms: number;
}

interface Chunk {
  kind: string;
  data: Uint8Array;
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** join joins pictures, the first of which is whole. The animation repeats for ever. It throws an error if the pictures are encoded differently. */
export function join(shots: readonly Shot[]): Uint8Array<ArrayBuffer>[] {
  const out: Uint8Array<ArrayBuffer>[] = [signature];
  let number = 0;
  let format = "";
  shots.forEach(({ png, x, y, ms }, i) => {
    const parts = chunks(png);
    const head = parts.find((c) => c.kind === "IHDR")!.data;
    const how = head.subarray(8).join();
    if (i === 0) {
      format = how;
      out.push(chunk("IHDR", head), chunk("acTL", words(shots.length, 0)));
    }
    if (how !== format || parts.some((c) => c.kind === "PLTE")) throw new Error("This browser encodes pictures in a way that cannot be joined.");
    const size = new DataView(head.buffer, head.byteOffset);
    // Each part replaces what was there.
    out.push(chunk("fcTL", bytes(words(number++, size.getUint32(0), size.getUint32(4), x, y), Uint8Array.of(ms >> 8, ms & 255, 1000 >> 8, 1000 & 255, 0, 0))));
    for (const { kind, data } of parts) if (kind === "IDAT") out.push(i === 0 ? chunk("IDAT", data) : chunk("fdAT", bytes(words(number++), data)));
  });
  out.push(chunk("IEND", new Uint8Array(0)));
  return out;
}

/** chunks divides a PNG. */
export function chunks(png: Uint8Array): Chunk[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const out: Chunk[] = [];
  for (let at = signature.length; at + 12 <= png.length; ) {
    const length = view.getUint32(at);
    out.push({ kind: String.fromCharCode(...png.subarray(at + 4, at + 8)), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return out;
}

/** chunk makes a chunk with its length and check sum. */
export function chunk(kind: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = bytes(Uint8Array.from(kind, (c) => c.charCodeAt(0)), data);
  return bytes(words(data.length), body, words(checksum(body)));
}

function words(...values: number[]): Uint8Array {
  const out = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((v, i) => out.setUint32(4 * i, v));
  return new Uint8Array(out.buffer);
}

function bytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** checksum is the CRC-32 of a chunk. */
function checksum(data: Uint8Array): number {
  let c = 0xffffffff;
  for (const b of data) c = table[(c ^ b) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Area is a part of a picture in pixels. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** changed returns the smallest area that has all pixels in which two pictures differ, at least one pixel. */
export function changed(a: Uint32Array, b: Uint32Array, width: number): Area {
  let x0 = width, x1 = -1, y0 = -1, y1 = -1;
  for (let i = 0; i < b.length; i++) {
    if (a[i] === b[i]) continue;
    const x = i % width;
    y1 = (i / width) | 0;
    if (y0 < 0) y0 = y1;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
  }
  return y0 < 0 ? { x: 0, y: 0, width: 1, height: 1 } : { x: x0, y: y0, width: x1 - x0 + 1, height: y1 - y0 + 1 };
}
