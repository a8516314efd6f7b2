import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera } from "../src/camera";
import { contours } from "../src/contours";
import { storeOf } from "./points";

/** radii returns the distances from the middle at which the contours of n normally distributed points run, rounded. */
function radii(n: number): number[] {
  const store = storeOf({ class: { kind: "category", values: Array.from({ length: n }, () => "a") } });
  let seed = 1;
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let s = 0; s < n; s++) {
    const r = Math.sqrt(-2 * Math.log(1 - random()));
    const phi = 2 * Math.PI * random();
    store.x[s] = r * Math.cos(phi);
    store.y[s] = r * Math.sin(phi);
  }
  const camera = new Camera();
  [camera.width, camera.height] = [1000, 700];
  camera.set([0, 0, 40]);
  const [c] = contours(store, camera, () => 1);
  const out = new Set<number>();
  for (let i = 0; i < c!.segments.length; i += 2) out.add(Math.round(4 * Math.hypot(c!.segments[i]!, c!.segments[i + 1]!)) / 4);
  return [...out].sort((a, b) => a - b);
}

test("dots that leave gaps have one contour", () => {
  const at = radii(500);
  assert.ok(at.length > 0 && at[0]! > 1 && at[at.length - 1]! < 3, `${at}`);
});

test("dots that cover each other have contours where they are denser", () => {
  const at = radii(150_000);
  for (const share of [0.04, 0.16, 0.4, 0.7]) {
    const r = Math.sqrt(-2 * Math.log(share)); // where the density is this share of the highest
    assert.ok(at.some((v) => Math.abs(v - r) <= 0.25), `no contour at ${r}: ${at}`);
  }
});
