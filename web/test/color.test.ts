import assert from "node:assert/strict";
import { test } from "node:test";
import { dark, light } from "../src/color";
import { byName, classShades, shadeColor } from "../src/shades";

test("classes have different colours on light and dark pages, by their names alone", () => {
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 60, 250]) {
    const names = Array.from({ length: n }, (_, i) => `class ${i}`);
    const shades = classShades(names);
    for (const theme of [light, dark]) assert.equal(new Set([...shades.values()].map((s) => shadeColor(s, theme))).size, n, `${n} classes`);
    const again = classShades([...names].reverse());
    for (const name of names) assert.equal(again.get(name), shades.get(name), name);
  }
});

test("the first of many classes have the colours of few", () => {
  const names = Array.from({ length: 20 }, (_, i) => `class ${i}`);
  const [few, many] = [classShades(names.slice(0, 7)), classShades(names)];
  for (const theme of [light, dark])
    for (const name of names.slice(0, 7)) assert.equal(shadeColor(many.get(name)!, theme), shadeColor(few.get(name)!, theme), name);
});

test("of more classes than colours each has one", () => {
  const names = Array.from({ length: 700 }, (_, i) => `class ${i}`);
  for (const s of classShades(names).values()) assert.ok(Number.isFinite(shadeColor(s, dark)));
});

test("numbers in names count by value", () => {
  assert.deepEqual(["10", "2", "b", "a10", "a9"].sort(byName), ["2", "10", "a9", "a10", "b"]);
});
