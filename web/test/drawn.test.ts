import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, drawnSlots } from "../src/drawn";
import { wholeBox } from "../src/framing";
import { Store } from "../src/store";

test("samples are ascending, within the range, of the right size, and the same each time", () => {
  for (const [from, to, most] of [[0, 10, 4], [5, 5, 3], [7, 9, 100], [100, 1_000_000, 5000]] as const) {
    const s = drawnSlots(from, to, most);
    assert.equal(s.length, Math.min(to - from, most));
    s.forEach((v, i) => assert.ok(v >= from && v < to && (i === 0 || v > s[i - 1]!)));
    assert.deepEqual(drawnSlots(from, to, most), s);
  }
  assert.deepEqual(drawn(Uint32Array.of(3, 1, 2), 3), Uint32Array.of(3, 1, 2));
  assert.equal(drawn(Uint32Array.from({ length: 1900 }, (_, i) => i), 1000).length, 1000);
});

test("a sample of alternating classes has all of them in their proportions", () => {
  for (const classes of [2, 10, 20, 30]) {
    const counts = new Array<number>(classes).fill(0);
    for (const s of drawnSlots(0, 1_000_000, 50_000)) counts[s % classes]!++;
    const mean = 50_000 / classes;
    assert.ok(Math.min(...counts) > 0.85 * mean && Math.max(...counts) < 1.15 * mean, `${classes} classes: ${counts}`);
  }
});

test("the first view of a million points in alternating classes shows all of them", () => {
  const n = 1_000_000;
  const at = Float32Array.from({ length: n }, (_, i) => (i % 20) / 19);
  const store = new Store();
  store.places(at, at);
  assert.deepEqual(wholeBox(store), { x0: 0, y0: 0, x1: 1, y1: 1 });
});
