import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds, strangest } from "../src/kinds";
import { storeOf } from "./points";

/** store has 1000 usual points in the middle, 30 strange ones of each of two classes at one place, and one alone. */
function made() {
  const n = 1061;
  const of = (s: number): string => (s < 1000 ? "usual" : s < 1030 ? "flood" : s < 1060 ? "scan" : "odd");
  const store = storeOf({
    class: { kind: "category", values: Array.from({ length: n }, (_, s) => of(s)) },
    novelty: { kind: "number", values: Array.from({ length: n }, (_, s) => (s < 1000 ? s / 2000 : s < 1060 ? 1 : 0.99)) },
  });
  for (let s = 0; s < n; s++) {
    store.x[s] = s < 1000 ? (s % 100) / 10 : s < 1060 ? 50 + (s % 10) / 100 : -40;
    store.at[s] = 1000 + s;
  }
  return store;
}

test("the strangest are those with the largest values, the newest first", () => {
  const store = made();
  const found = strangest(store, (s) => store.number(s, 1), 0, 61);
  assert.deepEqual(found.slice(0, 3), [1059, 1058, 1057]);
  assert.equal(found[60], 1060);
  assert.deepEqual(strangest(store, () => NaN, 0), []);
  assert.deepEqual(strangest(store, (s) => store.number(s, 1), 1000 + 1060, 5), [1060]);
  assert.equal(strangest(store, () => 1, 0, 7).length, 7);
});

test("points of one class at one place are one kind, for which the same point stands", () => {
  const store = made();
  const found = strangest(store, (s) => store.number(s, 1), 0, 61);
  assert.deepEqual(kinds(store, found, 0, 8), [{ slot: 1059, count: 30 }, { slot: 1029, count: 30 }, { slot: 1060, count: 1 }]);
  assert.deepEqual(kinds(store, found, 0, 2, new Set([1040])), [{ slot: 1040, count: 30 }, { slot: 1029, count: 30 }]);
  assert.deepEqual(kinds(store, found, -1, 8).map((k) => k.count), [60, 1]);
});
