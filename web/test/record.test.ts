import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord, recordOf } from "../src/record";

const flows = { dim: 9, columns: ["bytes", "proto", "note"] };
const vectors = { dim: 3 };
const parsed = (text: string, reads: Parameters<typeof recordOf>[1]): unknown => JSON.parse(recordOf(text, reads));

test("records in JSON are sent as they are, and a list of numbers is a vector", () => {
  assert.equal(recordOf(' {"bytes": 12345678901234567890}', null), ' {"bytes": 12345678901234567890}');
  assert.deepEqual(parsed("[1, 2.5, -3]", vectors), { vectors: [[1, 2.5, -3]] });
  assert.equal(recordOf('[{"bytes": 1}]', flows), '[{"bytes": 1}]');
  assert.throws(() => recordOf("{bytes}", flows), SyntaxError);
});

test("values are the model's columns in order, or named by a line before", () => {
  assert.deepEqual(parsed('491, tcp,"a, b"', flows), { bytes: 491, proto: "tcp", note: "a, b" });
  assert.deepEqual(parsed("491;;007", flows), { bytes: 491, proto: null, note: "007" }, "nothing is null, and no digit is lost");
  assert.deepEqual(parsed("note\tbytes\nx, y\t3e2\n", flows), { note: "x, y", bytes: 300 });
  assert.deepEqual(parsed("1,2,3", vectors), { vectors: [[1, 2, 3]] });
});

test("a text is placed where the model reads one, else it is said what the model reads", () => {
  assert.deepEqual(parsed("hello, world", { dim: 64, columns: ["message"] }), { message: "hello, world" });
  assert.throws(() => recordOf("hello world", vectors), /cannot place a text by itself: it reads vectors of 3 numbers\. Encode/);
  assert.throws(() => recordOf("hello", flows), /3 columns: bytes, proto, note/);
  assert.throws(() => recordOf("1,2", flows), /This has 2 values; the model reads 3 columns/);
  assert.throws(() => recordOf("1,2,x", vectors), /This has 3 values; the model reads vectors of 3 numbers/);
});

test("a search is not taken for a record", () => {
  for (const text of ["tcp", "bytes > 5", "value 2..5", "a, b", ""]) assert.equal(isRecord(text, flows), false, text);
  assert.ok(isRecord("1,tcp,x", flows) && isRecord("1,2,3", vectors) && isRecord("{", null) && !isRecord("1,2,3", null));
});
