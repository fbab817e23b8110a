import assert from "node:assert/strict";
import { test } from "node:test";
import { axis, stepFor } from "../src/layout/axis";
import { layoutGraph } from "../src/layout/graph";
import { type RowChoice, layoutRows, totalHeight, visibleRows } from "../src/layout/rows";
import { clamp, fit, pan, pxAt, reveal, timeAt, zoomAt } from "../src/layout/view";
import type { LaneInfo, LaneKind } from "../src/protocol";
import { idleGroups } from "../src/state/state";

const lane = (id: number, parent: number | null, kind: LaneKind, rows = 1): LaneInfo => ({ id, parent, kind, label: `${kind} ${id}`, rank: 0, rows, items: 1, busy: 1 });
const LANES = [lane(0, null, "rank"), lane(1, 0, "group"), lane(2, 1, "processor"), lane(3, 1, "processor", 9), lane(4, 0, "group"), lane(5, 4, "memory", 5)];
const ALL: RowChoice = { closed: new Set(), tall: new Set(), filter: "", counters: new Set([5]) };

test("a zoom keeps the time at the pointer and is reversible", () => {
  const view = { start: 1_000, nsPerPx: 10 };
  const near = zoomAt(view, 0.5, 300);
  assert.equal(timeAt(near, 300), timeAt(view, 300));
  assert.deepEqual(zoomAt(near, 2, 300), view);
  assert.equal(pan(view, 5).start, 1_050);
  assert.equal(pxAt(view, timeAt(view, 17)), 17);
});

test("the trace always stays in view", () => {
  const bounds = { start: 0, end: 1e6 };
  for (const view of [{ start: -1e12, nsPerPx: 1 }, { start: 1e12, nsPerPx: 1 }, { start: 0, nsPerPx: 1e12 }, { start: 5, nsPerPx: 0 }]) {
    const kept = clamp(view, 1000, bounds);
    assert.ok(kept.nsPerPx > 0 && kept.start < bounds.end && kept.start + 1000 * kept.nsPerPx > bounds.start, JSON.stringify(kept));
  }
  assert.deepEqual(clamp(fit(0, 1e6, 1000), 1000, bounds), fit(0, 1e6, 1000));
});

test("revealing scrolls only to items outside the screen", () => {
  const view = { start: 0, nsPerPx: 100 };
  assert.equal(reveal(view, 20_000, 30_000, 1000), view);
  for (const [from, to] of [[5e6, 5.01e6], [10, 20], [0, 1e9]] as const) {
    const shown = reveal(view, from, to, 1000);
    assert.ok(timeAt(shown, 0) <= from && timeAt(shown, 1000) >= to && (to - from) / shown.nsPerPx >= 6);
  }
});

test("rows follow order, closed groups and filter, without groups of one lane", () => {
  const rows = layoutRows(LANES, ALL);
  assert.deepEqual(rows.map((row) => row.lane.id), [0, 1, 2, 3, 5]);
  rows.reduce((y, row) => (assert.equal(row.y, y), y + row.height), 0);
  assert.equal(totalHeight(rows), rows.reduce((sum, row) => sum + row.height, 0));
  assert.equal(rows.find((row) => row.lane.id === 3)?.rows, 4);
  assert.deepEqual(layoutRows(LANES, { ...ALL, closed: new Set([1]) }).map((row) => row.lane.id), [0, 1, 5]);
  assert.deepEqual(layoutRows(LANES, { ...ALL, filter: "MEM" }).map((row) => row.lane.id), [0, 5]);
  const tall = layoutRows(LANES, { ...ALL, tall: new Set([3, 5]) });
  assert.equal(tall.find((row) => row.lane.id === 3)?.rows, 9);
  assert.ok((tall.find((row) => row.lane.id === 5)?.runHeight ?? 0) > 0, "a tall memory shows its instances");
});

test("groups of processors without work are closed at first", () => {
  const idle = (id: number, parent: number, kind: LaneKind): LaneInfo => ({ ...lane(id, parent, kind), items: 0, busy: 0 });
  const lanes = [...LANES, idle(6, 1, "group"), idle(7, 6, "processor"), idle(8, 6, "processor"), idle(9, 0, "group"), idle(10, 9, "memory")];
  assert.deepEqual([...idleGroups(lanes)], [6], "not those of memories, nor those around them");
});

test("bisection finds the same visible rows as a linear search", () => {
  const rows = layoutRows(LANES, ALL);
  for (let top = -10; top < totalHeight(rows) + 10; top += 7) {
    assert.deepEqual(visibleRows(rows, top, top + 40), rows.filter((row) => row.y + row.height > top && row.y < top + 40));
  }
});

test("ticks are round, spaced and distinct", () => {
  for (const nsPerPx of [0.02, 0.5, 3, 77, 1e3, 4e5, 1e7]) {
    for (const start of [0, 123_456, 9e9]) {
      const { step, ticks } = axis(start, nsPerPx, 1000);
      assert.ok(step / nsPerPx >= 110 - 1e-6);
      assert.ok(ticks.length >= 1 && ticks.length <= 10);
      assert.equal(new Set(ticks.map((tick) => tick.label)).size, ticks.length, ticks.map((tick) => tick.label).join());
    }
  }
  assert.equal(stepFor(10, 100), 1000);
  assert.equal(stepFor(11, 100), 2000);
});

test("graph nodes do not overlap, edges go down and cycles end", () => {
  const nodes = Array.from({ length: 12 }, (_, id) => ({ id, label: `n${id}`, line: 1, count: 1, ns: 1, group: null }));
  const edge = (from: number, to: number): { from: number; to: number; label: string; bytes: null } => ({ from, to, label: "", bytes: null });
  const edges = [...Array.from({ length: 11 }, (_, id) => edge(Math.floor(id / 2), id + 1)), edge(11, 0), edge(3, 3)];
  const picture = layoutGraph(nodes, edges);
  assert.equal(picture.nodes.length, 12);
  assert.equal(new Set(picture.nodes.map(({ x, y }) => `${x} ${y}`)).size, 12);
  for (const { edge: each, from, to } of picture.edges) if (each.from < each.to) assert.ok(from.y < to.y, `${each.from} to ${each.to}`);
});
