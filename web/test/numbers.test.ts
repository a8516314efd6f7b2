import assert from "node:assert/strict";
import { test } from "node:test";
import { figure, grouped, plain, shortest, when } from "../src/numbers";
import { inside, rounded, simplified, type XY } from "../src/select";
import { light, scaleOf } from "../src/color";
import { Painting } from "../src/painting";
import { Store } from "../src/store";
import { storeOf } from "./points";

test("single-precision numbers are written as short as they identify", () => {
  for (const text of ["0.1", "-12.7", "16777216", "1e-7", "3.4028235e+38", "0.33333334"]) assert.equal(shortest(Math.fround(Number(text))), text);
});

test("double-precision whole numbers of 64 bits have all their digits", () => {
  assert.equal(plain(2 ** 62), "4611686018427387904");
  assert.equal(plain(-(2 ** 63)), "-9223372036854775808");
  for (const v of [0.1, 1e300, -2.5, 7, 1e15]) assert.equal(Number(plain(v)), v);
  const store = storeOf({ big: { kind: "number", values: [2 ** 62, 12345] } });
  assert.equal(store.precise(0, 0), "4611686018427387904");
  store.columns[0]!.exact = true;
  assert.equal(store.text(0, 0), "4611686018427387904", "as the values beside it, which are rounded");
  assert.equal(store.text(1, 0), "12,345");
});

test("exported times have one form in a column, and a zone if the column has one", () => {
  const ms = Date.UTC(2026, 2, 1, 12, 30, 0, 250);
  const store = storeOf({ seen: { kind: "time", values: [ms, NaN] } });
  const c = store.columns[0]!;
  assert.equal(store.precise(0, 0), "2026-03-01 12:30:00.250");
  c.zoned = true;
  assert.equal(store.precise(0, 0), "2026-03-01T12:30:00.250Z");
  assert.equal(store.precise(1, 0), "");
  Object.assign(c, { zoned: false, exact: true });
  assert.equal(store.precise(0, 0), "2026-03-01T12:30:00.250");
  assert.equal(store.brief(0, ms), "2026-03-01 12:30:00");
});

test("figures and times", () => {
  assert.equal(figure(1234567), "1,234,567");
  for (const [n, text] of [[0, "0"], [-0, "0"], [999, "999"], [-1000, "-1,000"], [123456789012345, "123,456,789,012,345"]] as const) assert.equal(grouped(n), text);
  assert.equal(figure(0.000123456), "1.235e-4");
  assert.equal(when(0), "1970-01-01 00:00:00");
  assert.equal(when(1.5e12 + 250), "2017-07-14 02:40:00.250");
});

test("a simplified polygon has the same points inside", () => {
  const round = Array.from({ length: 400 }, (_, i): XY => [100 * Math.cos(i * Math.PI / 200), 100 * Math.sin(i * Math.PI / 200)]);
  const few = simplified(round, 0.5);
  assert.ok(few.length < 60 && few.length > 15, `${few.length} corners`);
  const store = new Store();
  store.slots = 2000;
  for (let s = 0; s < 2000; s++) {
    store.alive[s] = 1;
    store.x[s] = 120 * Math.sin(s * 12.9898);
    store.y[s] = 120 * Math.sin(s * 78.233);
  }
  const both = [round, few].map((p) => inside(store, p, () => true).length);
  assert.ok(Math.abs(both[0]! - both[1]!) <= 10, `${both}`);
  assert.deepEqual(few.map(([x]) => rounded(rounded(x, 50), 50)), few.map(([x]) => rounded(x, 50)));
});

test("a scale says that values are beyond its ends, infinite ones too, and how many are missing", () => {
  const store = storeOf({ v: { kind: "number", values: [1, 2, 3, Infinity, NaN, NaN] } });
  const scale = scaleOf(store, 0);
  assert.deepEqual([scale.from, scale.to, scale.below, scale.above], [1, 3, false, true]);
  const painting = new Painting(store, light);
  painting.choose(0);
  assert.deepEqual(painting.ends(), ["1", "≥ 3"]);
  assert.equal(painting.missing(), 2);
});
