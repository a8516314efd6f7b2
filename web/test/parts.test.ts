import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera } from "../src/camera";
import { parts } from "../src/parts";
import { storeOf } from "./points";

/** near returns points of one class in two groups, of other kinds and words, and the camera that shows both. */
function near(kinds: readonly [string, string], words: readonly [string, string]) {
  const n = 400;
  const side = (i: number): 0 | 1 => (i % 2 ? 1 : 0);
  const store = storeOf({
    class: { kind: "category", values: Array.from({ length: n }, () => "one") },
    kind: { kind: "category", values: Array.from({ length: n }, (_, i) => kinds[side(i)]) },
    note: { kind: "text", values: Array.from({ length: n }, (_, i) => `the ${words[side(i)]} no ${i}`) },
    sigma: { kind: "number", values: Array.from({ length: n }, (_, i) => side(i) + i / n) },
  });
  for (let i = 0; i < n; i++) {
    store.x[i] = (side(i) ? 6 : -6) + Math.cos(i * 2.4) * Math.sqrt(i / n) * 3;
    store.y[i] = Math.sin(i * 2.4) * Math.sqrt(i / n) * 3;
  }
  const camera = new Camera();
  Object.assign(camera, { width: 800, height: 600, scale: 40, home: 20 });
  const code = (s: number): number => store.number(s, 0);
  return { store, camera, code, names: () => parts(store, camera, code, 0)?.parts.map((p) => `${p.name} ${Math.round(p.x)}`).sort() };
}

test("a class that fills the view has the names of its parts", () => {
  assert.deepEqual(near(["4", "9"], ["x", "x"]).names(), ["4 -6", "9 6"]);
});

test("a word can name a part", () => {
  assert.deepEqual(near(["4", "4"], ["river", "boat"]).names(), ["boat 6", "river -6"]);
});

test("parts that differ only in their places have no names", () => {
  assert.equal(near(["4", "4"], ["x", "x"]).names(), undefined);
});

test("from afar, or beside another class, the class has its own name", () => {
  const far = near(["4", "9"], ["x", "x"]);
  far.camera.home = 40;
  assert.equal(far.names(), undefined);
  const two = near(["4", "9"], ["x", "x"]);
  assert.equal(parts(two.store, two.camera, (s) => 1 + (s % 2), 0), null);
});
