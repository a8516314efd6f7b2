import assert from "node:assert/strict";
import { test } from "node:test";
import { classShades, dark, light, shadeColor, shadeKey } from "../src/color";

test("few classes have different colours on light and dark pages, by their names alone", () => {
  for (let n = 1; n <= 10; n++) {
    const names = Array.from({ length: n }, (_, i) => `class ${i}`);
    const shades = classShades(names, names.map(() => 0));
    for (const theme of [light, dark]) assert.equal(new Set([...shades.values()].map((s) => shadeColor(s, theme))).size, n, `${n} classes`);
    const again = classShades([...names].reverse(), names.map((_, i) => i));
    for (const name of names) assert.equal(shadeKey(again.get(name)!), shadeKey(shades.get(name)!), name);
  }
});
