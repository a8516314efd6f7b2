import assert from "node:assert/strict";
import { test } from "node:test";
import { boxOf } from "../src/framing";
import type { Store } from "../src/store";

test("the box of most points leaves out one far point of few, and no point of very few", () => {
  const of = (n: number): ReturnType<typeof boxOf> => {
    const x = Float32Array.from({ length: n }, (_, i) => (i === 3 ? 1e30 : i % 5));
    const y = Float32Array.from({ length: n }, (_, i) => i % 7);
    return boxOf({ x, y } as Store, [...x.keys()], 0.001);
  };
  assert.equal(of(0), null);
  assert.ok(of(10)!.x1 > 1e29);
  for (const n of [40, 999, 5000]) assert.deepEqual(of(n), { x0: 0, y0: 0, x1: 4, y1: 6 }, `${n} points`);
});
