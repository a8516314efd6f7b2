import assert from "node:assert/strict";
import { test } from "node:test";
import { read, write, type State } from "../src/state";

test("a state survives its address exactly", () => {
  const s: State = {
    x: 1.25, y: -3e-7, zoom: 12, by: "a & b", only: ["x=y", "#", ""], theme: "dark", point: "id/1 ü", slot: undefined, upto: 1700000000000,
    within: [1 / 3, -2, 1e-9, 4, 0.1, 0.2], ids: ["a,b", "c\nd"], find: "50 %", compare: "other",
    filters: [{ name: "n_1", from: -1.5, to: 1e12 }, { name: "kind", values: ["a", '"b"'] }],
  };
  assert.deepEqual(read(write(s)), s);
});

test("an address of another page is no state", () => {
  const none = read("#within=1_2_x&filter=[1]&filter=no&x=&zoom=abc");
  assert.equal(none.within, undefined);
  assert.equal(none.x, undefined);
  assert.equal(none.zoom, undefined);
  assert.deepEqual(none.filters, []);
});

test("moving the view does not change the address without places", () => {
  const s = read("#by=class&point=p1&x=1&y=2&zoom=3");
  assert.equal(write({ ...s, x: 7, theme: "dark" }, false), write(s, false));
  assert.ok(write({ ...s, point: "p2" }, false) !== write(s, false));
});
