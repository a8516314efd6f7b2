import assert from "node:assert/strict";
import { test } from "node:test";
Object.assign(globalThis, { document: { getElementById: () => null, createElement: () => ({}) } });
const { allowed, sizeOf } = await import("../src/pictures");

/** noise returns repeatable numbers in 0..1. */
const noise = (i: number): number => (((Math.sin(i * 12.9898) * 43758.5453) % 1) + 1) % 1;

test("squares with smooth pixels are pictures", () => {
  const ring = Float32Array.from({ length: 256 }, (_, i) => Math.exp(-((Math.hypot((i % 16) - 7.5, Math.floor(i / 16) - 7.5) - 5) ** 2)));
  assert.deepEqual(sizeOf(ring), { width: 16, height: 16 });
});

test("pixels from -1 to 1 are pictures, curves with both signs are not", () => {
  const ring = Float32Array.from({ length: 256 }, (_, i) => 2 * Math.exp(-((Math.hypot((i % 16) - 7.5, Math.floor(i / 16) - 7.5) - 5) ** 2)) - 1);
  assert.deepEqual(sizeOf(ring), { width: 16, height: 16 });
  for (const period of [7, 30, 100, 256]) assert.equal(sizeOf(Float32Array.from({ length: 256 }, (_, i) => Math.sin((2 * Math.PI * i) / period))), null, `a wave of ${period}`);
});

test("features are no pictures", () => {
  assert.equal(sizeOf(Float32Array.from({ length: 256 }, (_, i) => noise(i))), null);
  assert.equal(sizeOf(new Float32Array(64)), null, "a constant");
  assert.equal(sizeOf(Float32Array.from({ length: 64 }, (_, i) => i - 32)), null, "negative values");
  assert.equal(sizeOf(new Float32Array(41)), null);
});

test("a given size counts", () => {
  assert.deepEqual(sizeOf(new Float32Array(560), { width: 20, height: 28 }), { width: 20, height: 28 });
  assert.equal(sizeOf(new Float32Array(561), { width: 20, height: 28 }), null);
});

test("only addresses of the named origins are pictures", () => {
  const from = ["https://a.example", "http://b.example:8000"];
  for (const good of ["https://a.example/x.png?y=1", "http://b.example:8000/1"]) assert.equal(allowed(good, from), good);
  for (const bad of ["https://a.example.evil.org/x.png", "https://a.example@evil.org/x", "http://a.example/x", "http://b.example/1", "//a.example/x", "javascript:alert(1)", "https://", "x.png", ""])
    assert.equal(allowed(bad, from), "", bad);
  assert.equal(allowed("https://a.example/x.png", []), "");
});
