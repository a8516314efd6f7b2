import assert from "node:assert/strict";
import { test } from "node:test";
import { firstColumn } from "../src/first";
import { storeOf } from "./points";

const classes = { kind: "category", values: ["a", "b"] } as const;
const numbers = { kind: "number", values: [1, 2] } as const;
const stage = { sigma: numbers, partition: classes, novelty_global: numbers };

test("the page opens with a column that says something about its points", () => {
  const first = (columns: Parameters<typeof storeOf>[0], live: boolean, asked: string[] = [], label?: string): string | undefined => {
    const store = storeOf(columns);
    return store.field(firstColumn(store, live, asked, label))?.name;
  };
  assert.equal(first(stage, true), "novelty_global", "not the partition");
  assert.equal(first({ ...stage, kind: classes }, true), "kind", "a column that the stage keeps");
  assert.equal(first({ ...stage, cluster: classes, kind: classes }, true), "cluster");
  assert.equal(first({ ...stage, cluster: classes, class: classes, kind: classes }, true, [], "kind"), "class");
  assert.equal(first({ ...stage, class: classes }, true, ["sigma"]), "sigma", "as asked");
  assert.equal(first(stage, false), "partition", "of a table it is a column like any other");
  assert.equal(first({ ...stage, cluster: classes, kind: classes }, false, [], "kind"), "kind");
  assert.equal(first({ age: numbers, kind: classes, target: numbers }, false), "target");
  assert.equal(first({ sigma: numbers }, true), "sigma");
  assert.equal(first({ sigma: numbers, novelty_global: numbers }, false), "novelty_global", "of a file without columns of its own");
  assert.equal(first({ sigma: numbers, novelty_global: numbers, age: numbers }, false), "age");
});
