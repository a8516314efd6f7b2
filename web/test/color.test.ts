import assert from "node:assert/strict";
import { test } from "node:test";
import { dark, light } from "../src/color";
import { assign, inOrder, shadeColor } from "../src/shades";
import pictures from "./shades.json";

/** classShades assigns shades to the classes of a map that stays as it is. */
const classShades = (names: readonly string[]): Map<string, number> => {
  const shades = new Map<string, number>();
  assign(inOrder(names), shades);
  return shades;
};

test("classes have different colours on light and dark pages, by their names alone", () => {
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 60, 250])
    for (const after of ["", " of some"]) {
      const names = Array.from({ length: n }, (_, i) => `class ${i}${after}`);
      const shades = classShades(names);
      for (const theme of [light, dark]) assert.equal(new Set([...shades.values()].map((s) => shadeColor(s, theme))).size, n, `${n} classes`);
      const again = classShades([...names].reverse());
      for (const name of names) assert.equal(again.get(name), shades.get(name), name);
    }
});

test("pictures have the same colours", () => {
  for (const set of pictures as { name: string; shade: number }[][]) {
    const shades = classShades(set.map((c) => c.name));
    for (const { name, shade } of set) assert.equal(shades.get(name), shade, name);
  }
});

test("later classes change no colour on a page, and few on pages that are opened then", () => {
  const names = ["beta", "alpha", "7", "gamma", "class 7", "aaa", ...Array.from({ length: 300 }, (_, i) => `${i} more`)];
  const shades = new Map<string, number>();
  let [same, all] = [0, 0];
  for (let n = 1; n <= names.length; n++) {
    const before = new Map(shades);
    assign(inOrder(names.slice(0, n)), shades);
    for (const [name, s] of before) assert.equal(shades.get(name), s, name);
    if (n > 20) continue;
    const [then, now] = [classShades(names.slice(0, n - 1)), classShades(names.slice(0, n))];
    for (const [name, s] of then) {
      all++;
      if (now.get(name) === s) same++;
    }
  }
  assert.ok(same > 0.85 * all, `${same} of ${all}`);
  for (const s of shades.values()) assert.ok(Number.isFinite(shadeColor(s, dark)));
});
