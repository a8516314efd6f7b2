import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera } from "../src/camera";
import { lay, peaks, wrap, type Named } from "../src/labels";
import { Store } from "../src/store";

test("long names wrap between words, and lose nothing in three lines", () => {
  assert.deepEqual(wrap(""), []);
  assert.deepEqual(wrap("4 / 9 (50 %, 50 %)"), ["4 / 9 (50 %, 50 %)"]);
  const long = "cluster 12: bytes high, protocol=tcp and service=http";
  assert.deepEqual(wrap(long), ["cluster 12: bytes high,", "protocol=tcp and", "service=http"]);
  assert.equal(wrap("x".repeat(200)).length, 3);
  assert.ok(wrap("x".repeat(200))[2]!.endsWith("…"));
  assert.deepEqual(wrap("<script>alert(1)</script>"), ["<script>alert(1)</script>"], "no line has a single letter");
  assert.equal(wrap("漢字😀".repeat(9))[0], "漢字😀".repeat(8), "letters are not cut");
});

/** view returns a camera that shows the unit square on a page of this width. */
function view(width: number): Camera {
  const camera = new Camera();
  [camera.width, camera.height] = [width, 800];
  camera.set([0.5, 0.5, Math.min(width, 800) / 1.1]);
  return camera;
}

/** square returns points at random places of the unit square. */
function square(n: number): Store {
  const store = new Store();
  let seed = 7;
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  store.places(Float32Array.from({ length: n }, random), Float32Array.from({ length: n }, random));
  return store;
}

test("classes that are mixed everywhere have no names, those that have a place have", () => {
  const store = square(20_000);
  const mixed = peaks(store, view(800), (s) => (s % 4) + 1);
  assert.deepEqual(mixed, []);
  const halves = peaks(store, view(800), (s) => (store.x[s]! < 0.5 ? 1 : 2));
  assert.deepEqual(halves.map((p) => p.code).sort(), [1, 2]);
  const rare = peaks(store, view(800), (s) => (Math.hypot(store.x[s]! - 0.5, store.y[s]! - 0.5) < 0.02 ? 5 : (s % 2) + 1));
  assert.deepEqual(rare.map((p) => p.code), [5]);
  assert.deepEqual(peaks(square(6), view(800), () => 1).map((p) => p.code), [1], "the only class");
});

test("many names are smaller and near their places", () => {
  const few = lay(view(1000), grid(3), (t, size) => t.length * size * 0.6, []);
  assert.deepEqual(few.map((l) => l.size), Array(9).fill(20));
  const many = lay(view(1000), grid(12), (t, size) => t.length * size * 0.6, []);
  assert.ok(many.length > 40 && many.every((l) => l.size <= 12 && Math.hypot(l.dx, l.dy) < 80), `${many.length} names`);
  assert.ok(lay(view(350), grid(3), (t, size) => t.length * size * 0.6, []).every((l) => l.size < 16), "on a telephone");
});

test("names of wide letters leave room for others on a telephone", () => {
  const name = "W".repeat(200);
  const measure = (t: string, size: number): number => Array.from(t).reduce((sum, c) => sum + size * (c === "W" ? 1 : 0.5), 0);
  for (const [width, room] of [[320, 160], [1000, 400]] as const) {
    const [label] = lay(view(width), [{ code: 1, count: 9, x: 0.5, y: 0.5, text: name }], measure, []);
    for (const line of label!.lines) {
      assert.ok(measure(line, label!.size) <= room, `${line} on ${width} pixels`);
      assert.ok(line.length >= 24 || (line.endsWith("…") && measure(line, label!.size) > 0.8 * room), line);
    }
  }
});

test("a name hides no class altogether", () => {
  const store = new Store();
  // A large class, and one with a few points at one place.
  const [x, y] = [[...Array(300).keys()].map((i) => (i % 20) / 20), [...Array(300).keys()].map((i) => Math.floor(i / 20) / 40)];
  store.places(Float32Array.from([...x, 0.5, 0.501, 0.5]), Float32Array.from([...y, 0.8, 0.8, 0.801]));
  const camera = view(800);
  const found = peaks(store, camera, (s) => (s < 300 ? 1 : 2)).map((p) => ({ ...p, text: p.code === 1 ? "normal" : "warezmaster" }));
  const labels = lay(camera, found, (t, size) => t.length * size * 0.6, []);
  assert.deepEqual(labels.map((l) => l.text), ["normal", "warezmaster"]);
  const rare = labels[1]!;
  const [sx, sy] = camera.toScreen(0.5, 0.8);
  const [dx, dy] = [Math.abs(camera.toScreen(rare.x, rare.y)[0] + rare.dx - sx), Math.abs(camera.toScreen(rare.x, rare.y)[1] + rare.dy - sy)];
  assert.ok(dy > rare.size / 2 || dx > (rare.text.length * rare.size * 0.6) / 2, `the name is ${dx}, ${dy} from its points`);
  // A name that would only cover another class's points is moved as well.
  const two = lay(camera, [{ code: 1, count: 9, x: 0.5, y: 0.5, text: "large" }, { code: 2, count: 1, x: 0.5, y: 0.5, text: "small", box: { x0: 0.5, y0: 0.5, x1: 0.5, y1: 0.5 } }], (t, size) => t.length * size * 0.6, []);
  for (const l of two) assert.ok(Math.hypot(l.dx, l.dy) > l.size / 2, l.text);
});

function grid(k: number): Named[] {
  return Array.from({ length: k * k }, (_, i) => ({ code: i + 1, count: 10, x: ((i % k) + 0.5) / k, y: (Math.floor(i / k) + 0.5) / k, text: `class ${i}` }));
}
