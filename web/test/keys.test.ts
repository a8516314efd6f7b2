import assert from "node:assert/strict";
import { test } from "node:test";

import { names } from "../src/keys";

test("letters count with Shift, with Caps Lock, and on keyboards of other alphabets", () => {
  assert.deepEqual(names({ key: "f", code: "KeyF" }), ["f"]);
  assert.deepEqual(names({ key: "F", code: "KeyF" }), ["f"]);
  assert.deepEqual(names({ key: "а", code: "KeyF" }), ["а", "f"]); // Cyrillic
  assert.deepEqual(names({ key: "a", code: "KeyQ" }), ["a"]); // AZERTY: the letter counts, not its place
  assert.deepEqual(names({ key: "/", code: "Digit7" }), ["/"]);
  assert.deepEqual(names({ key: "ArrowLeft", code: "ArrowLeft" }), ["ArrowLeft"]);
});
