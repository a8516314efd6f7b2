import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, chunk, chunks, join } from "../src/animation";

const text = (b: Uint8Array): string => String.fromCharCode(...b);
const png = (width: number, height: number, color: number, data: string): Uint8Array => {
  const head = Uint8Array.of(0, 0, 0, width, 0, 0, 0, height, 8, color, 0, 0, 0);
  const parts = [Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10), chunk("IHDR", head), chunk("tEXt", new Uint8Array(3)), chunk("IDAT", Uint8Array.from(data, (c) => c.charCodeAt(0))), chunk("IEND", new Uint8Array(0))];
  return Uint8Array.from(parts.flatMap((p) => [...p]));
};

test("a chunk has its length and check sum", () => {
  assert.deepEqual([...chunk("IEND", new Uint8Array(0))], [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
});

test("pictures are joined in order, each at its place", () => {
  const out = Uint8Array.from(join([{ png: png(9, 5, 6, "first"), x: 0, y: 0, ms: 150 }, { png: png(2, 3, 6, "second"), x: 4, y: 1, ms: 2000 }]).flatMap((p) => [...p]));
  const parts = chunks(out);
  assert.equal(parts.map((c) => c.kind).join(), "IHDR,acTL,fcTL,IDAT,fcTL,fdAT,IEND");
  assert.deepEqual([...parts[1]!.data], [0, 0, 0, 2, 0, 0, 0, 0], "two pictures, for ever");
  assert.deepEqual([...parts[2]!.data], [0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 150, 3, 232, 0, 0]);
  assert.deepEqual([...parts[4]!.data], [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1, 7, 208, 3, 232, 0, 0]);
  assert.equal(text(parts[3]!.data), "first");
  assert.deepEqual([...parts[5]!.data.subarray(0, 4)], [0, 0, 0, 2]);
  assert.equal(text(parts[5]!.data.subarray(4)), "second");
});

test("pictures of different encodings are not joined", () => {
  assert.throws(() => join([{ png: png(9, 5, 6, "a"), x: 0, y: 0, ms: 1 }, { png: png(2, 3, 2, "b"), x: 0, y: 0, ms: 1 }]), /cannot be joined/);
});

test("the changed area is found", () => {
  const a = new Uint32Array(5 * 4);
  const b = a.slice();
  assert.deepEqual(changed(a, b, 5), { x: 0, y: 0, width: 1, height: 1 });
  b[5 + 3] = b[10 + 1] = 7;
  assert.deepEqual(changed(a, b, 5), { x: 1, y: 1, width: 3, height: 2 });
});
