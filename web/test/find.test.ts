import assert from "node:assert/strict";
import { test } from "node:test";
import { equal, Finder, inRange, patternOf, rangeOf, scan } from "../src/find";
import { storeOf } from "./points";

/** textsOf returns the bytes of texts, as Arrow has them. */
function textsOf(texts: readonly string[]) {
  const parts = texts.map((t) => new TextEncoder().encode(t));
  const offsets = new Int32Array(texts.length + 1);
  parts.forEach((p, i) => (offsets[i + 1] = offsets[i]! + p.length));
  const values = new Uint8Array(offsets[texts.length]!);
  parts.forEach((p, i) => values.set(p, offsets[i]!));
  return { offsets, values };
}

test("the search in bytes finds what a search in texts finds", () => {
  const texts = ["", "aab", "AaBb", "b", "aa", "ba", "", "Été", "été", "aÉ", "x😀y", "ab\nAB", "aaab"];
  for (const want of ["a", "aa", "aab", "ab", "b", "É", "té", "😀", "\n", "zz", "bb", "aaab", "ba"]) {
    const found: number[] = [];
    scan(textsOf(texts), texts.length, patternOf(want)!, (row) => found.push(row));
    const low = want.toLowerCase();
    assert.deepEqual(found, texts.flatMap((t, i) => (t.toLowerCase().includes(low) ? [i] : [])), want);
  }
  assert.equal(patternOf("ß"), null, "its capital has more letters");
});

test("a search finds ids, categories and texts, and says where", () => {
  const store = storeOf({ kind: { kind: "category", values: ["Red", "blue", "", "red"] }, note: { kind: "text", values: ["x", "a red one", "", "Straße"] }, n: { kind: "number", values: [1, 2, 3, NaN] } });
  const find = (want: string): [number, string][] => {
    const f = new Finder(store, want);
    while (f.step(0));
    return [...f.found.slots()].map((s) => [s, f.reason(s)]);
  };
  assert.deepEqual(find("red"), [[0, "kind: Red"], [1, "note: a red one"], [3, "kind: red"]]);
  assert.deepEqual(find("p2"), [[2, ""]]);
  assert.deepEqual(find("straß"), [[3, "note: Straße"]]);
  assert.deepEqual(find("green"), []);
  const exact = new Finder(store, "p1");
  exact.step(1000);
  assert.equal(exact.exact, 1);
});

test("ranges of numbers and times", () => {
  const day = (d: string): number => Date.parse(d);
  const store = storeOf({ "net bytes": { kind: "number", values: [1, 2, 3, NaN, -4] }, when: { kind: "time", values: [day("2026-01-31T00:00Z"), day("2026-01-31T23:00Z"), day("2026-02-01"), NaN, 0] } });
  const found = (text: string): number[] | null => {
    const r = rangeOf(store, text, false);
    return r && [...inRange(store, r).slots()];
  };
  for (const [text, want] of [
    ["net bytes > 2", [2]], ["net bytes >= 2", [1, 2]], ["NET BYTES<2", [0, 4]], ["net bytes <= 2", [0, 1, 4]], ["net bytes = 3", [2]], ["net bytes: 3", [2]],
    ["net bytes 2..3", [1, 2]], ["net bytes -5..1", [0, 4]], ["net bytes 2..", [1, 2]], ["net bytes = ..1", [0, 4]],
    ["when = 2026-01-31", [0, 1]], ["when > 2026-01-31", [2]], ["when < 2026-01-31", [4]], ["when 2026-01-31..2026-02-01", [0, 1, 2]],
    ["when = 2026-01-31 23:00", [1]], ["when 2026-01-31 00:00..2026-01-31 22:59:59", [0]], ["when > 2026-01-31T22:00", [1, 2]], ["when >= 2026-01-31 23:00:00", [1, 2]],
    ["when < 2026-01-31T01:00+02:00", [4]], ["other > 2", null], ["when > 2026-01-31 noon", null], ["net bytes > much", null], ["net bytes", null], ["2..3", null], ["when > never", null],
  ] as [string, number[] | null][]) assert.deepEqual(found(text), want, text);
});

test("whole numbers beyond 2^53 are found exactly", () => {
  const big = [2n ** 62n, 2n ** 62n + 1n, 2n ** 62n + 2n, 7n];
  const store = storeOf({ big: { kind: "number", values: big.map(Number) }, n: { kind: "number", values: [1, 7, 2, 3] } });
  store.precise = (s: number) => String(big[s]);
  const found = (text: string): number[] => [...inRange(store, rangeOf(store, text, false)!).slots()];
  for (const [text, want] of [
    ["big = 4611686018427387905", [1]], ["big > 4611686018427387904", [1, 2]], ["big >= 4611686018427387905", [1, 2]], ["big < 4611686018427387905", [0, 3]],
    ["big <= 4611686018427387905", [0, 1, 3]], ["big 4611686018427387904..4611686018427387905", [0, 1]], ["big = 4611686018427387907", []],
  ] as [string, number[]][]) assert.deepEqual(found(text), want, text);
  const any = equal(store, " 7 ")!;
  assert.deepEqual([...any.found.slots()].map((s) => any.reason(s)), ["n: 7", "big: 7"]);
  assert.equal(equal(store, "seven"), null);
});

test("an accent is found in both of its forms", () => {
  const store = storeOf({ note: { kind: "text", values: ["caf\u00e9", "cafe\u0301", "cafe"] }, kind: { kind: "category", values: ["x", "y", "\u00e9t\u00e9"] } });
  for (const want of ["\u00e9", "e\u0301"]) {
    const f = new Finder(store, want);
    while (f.step(0));
    assert.deepEqual([...f.found.slots()], [0, 1, 2], want);
  }
});
