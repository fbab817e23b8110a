// Bytes that lines held of a memory: stacked areas, and the line of the area at a point.
import assert from "node:assert/strict";
import { test } from "node:test";
import { holderAt, holderName, stackOf } from "../src/draw/memory";
import type { Info, MemoryAnswer } from "../src/protocol";

const INFO = { lines: [{ id: 0, file: "", line: 0, function: "", text: null }, { id: 1, file: "src/a.rs", line: 7, function: "", text: "  let x = y;" }] } as unknown as Info;

const ANSWER: MemoryAnswer = {
  unit: "bytes", max: 100, times: [0, 10], moments: [3, 10], most: [100, 50],
  series: [
    { line: 1, lines: 1, reason: null, bytes: [60, 70] },
    { line: 0, lines: 4, reason: "4 other lines", bytes: [30, 0] },
    { line: 0, lines: 0, reason: "why", bytes: [10, -20] },
  ],
  peak: { time: 3, held: [] },
};

test("areas are stacked and negative values have no area", () => {
  const stack = stackOf(ANSWER);
  assert.deepEqual(stack.tops, [[60, 70], [90, 70], [100, 70]]);
  assert.equal(stack.height, 100);
});

test("finds the area at a point", () => {
  const stack = stackOf(ANSWER);
  const at = (time: number, bytes: number): string | undefined => holderAt(stack, time, bytes / 2, 50, INFO)?.text[0];
  assert.deepEqual([at(5, 1), at(5, 59), at(5, 61), at(5, 95)], ["a.rs:7", "a.rs:7", "4 other lines", "why"]);
  assert.deepEqual([at(12, 69), at(12, 71)], ["a.rs:7", undefined]);
  const found = holderAt(stack, 5, 1, 50, INFO);
  assert.equal(found?.line, 1);
  assert.match(found?.text.join("\n") ?? "", /60 B, 60.*% of 100 B in use\nat 3 ns.*\nlet x = y;/);
});

test("labels holders by line or by the reason for none", () => {
  assert.deepEqual(ANSWER.series.map((by) => holderName(by, INFO)), ["a.rs:7", "4 other lines", "why"]);
});
