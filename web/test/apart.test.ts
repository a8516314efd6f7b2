import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, proportions, ranks, tails } from "../src/apart";
import { storeOf } from "./points";

/** random returns repeatable numbers in 0..1: counters through the finalizer of MurmurHash3. */
function random(seed: number): () => number {
  let n = seed * 1e6;
  return () => {
    let x = Math.imul(++n, 0x9e3779b1);
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
}

const close = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-4, `${a}, not ${b}`);

test("tests agree with tables", () => {
  close(tails(1.959964), 0.05);
  assert.ok(Math.abs(tails(6) / 1.973175e-9 - 1) < 0.01);
  // scipy.stats.mannwhitneyu([1, 2, 3, 4, 5], [4, 5, 6, 7, 8, 9], method="asymptotic"): U 2, p 0.0214
  const r = ranks(Float64Array.of(1, 2, 3, 4, 5), Float64Array.of(4, 5, 6, 7, 8, 9));
  close(r.delta, (2 * 2) / 30 - 1);
  assert.ok(Math.abs(r.chance - 0.0214) < 5e-4, String(r.chance));
  assert.equal(proportions(5, 5, 7, 7), 1);
});

test("columns of noise set nothing apart", () => {
  const n = 2000;
  const next = random(7);
  const columns: Record<string, { kind: "number" | "category"; values: (number | string)[] }> = {};
  for (let k = 0; k < 20; k++) columns[`n${k}`] = { kind: "number", values: Array.from({ length: n }, next) };
  for (let k = 0; k < 10; k++) columns[`c${k}`] = { kind: "category", values: Array.from({ length: n }, () => `v${Math.floor(8 * next())}`) };
  const store = storeOf(columns);
  for (let k = 0; k < 20; k++) {
    const chosen = new Set(Array.from({ length: 60 }, () => Math.floor(n * next())));
    assert.deepEqual(apart(store, Uint32Array.from(chosen), null), []);
  }
});

test("what differs most comes first, however long its tail", () => {
  const n = 2000;
  const next = random(4);
  const mine = (i: number): boolean => i < 200;
  const store = storeOf({
    noise: { kind: "number", values: Array.from({ length: n }, next) },
    some: { kind: "number", values: Array.from({ length: n }, (_, i) => next() + (mine(i) ? 0.3 : 0)) },
    tail: { kind: "number", values: Array.from({ length: n }, (_, i) => (i === 900 ? 1e12 : next() + (mine(i) ? 2 : 0))) },
    kind: { kind: "category", values: Array.from({ length: n }, (_, i) => (mine(i) && next() < 0.8 ? "a" : "b")) },
    gone: { kind: "number", values: Array.from({ length: n }, (_, i) => (mine(i) && next() < 0.5 ? NaN : next())) },
  });
  const found = apart(store, Uint32Array.from({ length: 200 }, (_, i) => i), null);
  assert.deepEqual(found.map((d) => d.column).slice(0, 2), ["tail", "kind"]);
  assert.deepEqual(new Set(found.map((d) => d.column)), new Set(["tail", "kind", "some", "gone"]));
  assert.ok(found.find((d) => d.column === "gone")!.text.startsWith("no value: "));
  const against = apart(store, Uint32Array.from({ length: 100 }, (_, i) => i), Uint32Array.from({ length: 100 }, (_, i) => 100 + i));
  assert.deepEqual(against, [], "two halves of the same points");
});
