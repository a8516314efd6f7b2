import assert from "node:assert/strict";
import { test } from "node:test";
import { Finder, inRange, patternOf, rangeOf, scan } from "../src/find";
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
    ["other > 2", null], ["net bytes > much", null], ["net bytes", null], ["2..3", null], ["when > never", null],
  ] as [string, number[] | null][]) assert.deepEqual(found(text), want, text);
});
