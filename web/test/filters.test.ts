import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf, codesOf, countsOf, positionOn, valueAt } from "../src/histogram";
import { Mask } from "../src/mask";
import { storeOf } from "./points";

test("axes and counts", () => {
  const store = storeOf({ size: { kind: "number", values: [1, 10, 100, 1000, NaN, 0, -5] } });
  const plain = axisOf(store, 0, false)!;
  assert.deepEqual(plain, { from: -5, to: 1000, log: false });
  const log = axisOf(store, 0, true)!;
  assert.deepEqual(log, { from: 1, to: 1000, log: true });
  assert.deepEqual([...countsOf(store, 0, log, 3, (s) => s > 0).all], [1, 1, 2]);
  assert.deepEqual([...countsOf(store, 0, log, 3, (s) => s > 0).passing], [0, 1, 2]);
  for (const a of [plain, log]) for (const t of [0, 0.25, 0.5, 1]) assert.ok(Math.abs(positionOn(a, valueAt(a, t)) - t) < 1e-12);
  assert.equal(valueAt(log, 1), 1000);
});

test("filters act together, and each column counts what the others leave", () => {
  const store = storeOf({
    kind: { kind: "category", values: ["a", "a", "b", "b", "", "c"] },
    size: { kind: "number", values: [1, 2, 3, 4, 5, NaN] },
  });
  const mask = new Mask(store);
  const left = (): number[] => [0, 1, 2, 3, 4, 5].filter((s) => !mask.bits[s]);
  mask.set(0, { name: "kind", values: ["a", "b"] });
  assert.deepEqual(left(), [0, 1, 2, 3]);
  mask.set(1, { name: "size", from: 2, to: 3 });
  assert.deepEqual(left(), [1, 2]);
  const others = (column: number) => (s: number): boolean => !(mask.bits[s]! & ~mask.bit(column));
  assert.deepEqual([...codesOf(store, 0, others(0)).passing], [0, 1, 1, 0]);
  mask.set(1, { name: "size", from: 4, to: 9 });
  assert.deepEqual(left(), [3], "a range is replaced");
  mask.set(0, null);
  assert.deepEqual(left(), [3, 4]);
  assert.deepEqual(mask.filters, [{ name: "size", from: 4, to: 9 }]);
  mask.some(Uint32Array.of(3, 5));
  assert.deepEqual(left(), [3, 4]);
});
