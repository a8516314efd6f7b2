import assert from "node:assert/strict";
import { test } from "node:test";
import { wrap } from "../src/labels";

test("long names wrap between words, and lose nothing in three lines", () => {
  assert.deepEqual(wrap(""), []);
  assert.deepEqual(wrap("4 / 9 (50 %, 50 %)"), ["4 / 9 (50 %, 50 %)"]);
  const long = "cluster 12: bytes high, protocol=tcp and service=http";
  assert.deepEqual(wrap(long), ["cluster 12: bytes high,", "protocol=tcp and", "service=http"]);
  assert.equal(wrap("x".repeat(200)).length, 3);
  assert.ok(wrap("x".repeat(200))[2]!.endsWith("…"));
  assert.equal(wrap("漢字😀".repeat(9))[0], "漢字😀".repeat(8), "letters are not cut");
});
