import assert from "node:assert/strict";
import { test } from "node:test";
import { both } from "../src/data/pair";
import { columnsOf, costsOf } from "../src/panes/columns";
import type { Info, LaneInfo, LedgerLine } from "../src/protocol";
import { laneKeys, renumbered } from "../src/state/live";

function lane(id: number, parent: number | null, label: string, items: number): LaneInfo {
  return { id, parent, kind: parent === null ? "rank" : "processor", label, rank: 0, rows: 1, items, busy: 1 };
}

function info(title: string, lanes: LaneInfo[], lines: readonly (readonly [string, number])[], end: number): Info {
  return {
    version: "1", title, inputs: [], start: 0, end, wallStart: null, schema: "1", lanes, names: ["", "add"], states: [], unknown: [], critical: null, iterations: [], live: false,
    lines: [["", 0] as const, ...lines].map(([file, line], id) => ({ id, file, line, function: "", text: null })),
    counters: [{ lane: 1, label: "in use", unit: "B", max: 1 }],
  };
}

const BEFORE = info("a", [lane(0, null, "rank 0", 0), lane(1, 0, "CPU 0", 7)], [["x.py", 3], ["x.py", 4]], 10);
const AFTER = info("b", [lane(0, null, "rank 0", 0), lane(1, 0, "CPU 0", 5), lane(2, 0, "CPU 1", 2)], [["x.py", 4], ["x.py", 9]], 30);

test("two runs have separate numbers and share lines of one location", () => {
  const { info: joined, numbers } = both(BEFORE, AFTER);
  assert.deepEqual(joined.lanes.map((each) => [each.id, each.parent, each.label]), [
    [0, null, "before: rank 0"], [1, 0, "CPU 0"], [2, null, "after: rank 0"], [3, 2, "CPU 0"], [4, 2, "CPU 1"],
  ]);
  assert.deepEqual(joined.lines.map((line) => [line.id, line.line]), [[0, 0], [1, 3], [2, 4], [3, 9]]);
  assert.deepEqual(numbers[1].lines, [0, 2, 3]);
  assert.equal(numbers[0].back.get(3), undefined);
  assert.equal(numbers[1].items, 7);
  assert.deepEqual(joined.counters.map((counter) => counter.lane), [1, 3]);
  assert.equal(joined.end, 30);
});

test("matches lanes with different numbers", () => {
  const later = info("c", [lane(0, null, "rank 0", 0), lane(1, 0, "CPU 1", 5), lane(2, 0, "CPU 0", 2)], [], 30);
  assert.deepEqual([...renumbered(laneKeys(BEFORE), laneKeys(later))], [[0, 0], [1, 2]]);
});

test("shows the costs of both runs and their difference for a line", () => {
  const line = (number: number, criticalNs: number): LedgerLine => ({
    line: number, deviceNs: 5, criticalNs, causedWaitNs: 0, bytes: 0, peakBytes: null, savedNs: null, tasks: 1, kernels: 1,
  });
  const answer = { text: null, origin: "none", note: null, unsaved: null, lines: [line(4, 20)], before: [line(3, 0), line(4, 60)] };
  const changes = [
    { line: "x.py:4", total_before_ns: 70, total_after_ns: 30, difference_ns: -40, ratio: 0.4 },
    { line: "x.py:9", total_before_ns: null, total_after_ns: 8, difference_ns: 8, ratio: null },
    { line: "other/x.py:3", total_before_ns: 1, total_after_ns: 1, difference_ns: 0, ratio: 1 },
  ];
  const costs = costsOf(answer, "x.py", changes);
  assert.deepEqual([...costs.keys()].sort(), [3, 4, 9]);
  const columns = columnsOf(costs, true);
  assert.deepEqual(columns.map(({ column, most }) => [column.title, most]), [["before", 70], ["after", 30], ["difference", 40], ["critical before", 60], ["after", 20]]);
  const four = costs.get(4);
  assert.ok(four !== undefined);
  assert.deepEqual(columns.map(({ column }) => column.of(four)), [70, 30, -40, 60, 20]);
  assert.equal(costs.get(3)?.change, null);
});
