import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeTiles } from "../src/data/decode";
import { FLAG, type ExactTile, NO_ITEM, type TileKey } from "../src/protocol";
import { TileCache } from "../src/tiles/cache";
import { bins, childOf, split } from "../src/tiles/derive";
import { BINS, ancestor, levelFor, tileNs, tileRange } from "../src/tiles/level";

/** Random numbers that are the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function exact(key: TileKey, items: readonly (readonly [start: number, duration: number])[]): ExactTile {
  const sorted = [...items].sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  const n = sorted.length;
  const words = (of: (index: number) => number): Uint32Array => Uint32Array.from({ length: n }, (_, index) => of(index));
  return {
    ...key, kind: "exact", n, rows: 1, start: Float32Array.from(sorted, ([start]) => start), duration: Float32Array.from(sorted, ([, duration]) => duration),
    created: new Float32Array(n).fill(NaN), ready: new Float32Array(n).fill(NaN), row: words(() => 0), name: words((index) => index), line: words((index) => 1 + (index % 3)),
    item: words((index) => index), flags: words((index) => (index === n - 1 ? FLAG.failed : 0)),
  };
}

test("level bins cover at most a pixel and more than half of one", () => {
  for (const nsPerPx of [1, 1.5, 2, 1000, 1024, 1025, 3.7e9]) {
    const bin = 2 ** levelFor(nsPerPx);
    assert.ok(bin <= nsPerPx * (1 + 1e-9) && bin > nsPerPx / 2, `${bin} for ${nsPerPx}`);
  }
  assert.equal(levelFor(0.02), 0);
});

test("tiles of a view cover exactly its part of the trace", () => {
  for (const [from, to, end] of [[0, 5000, 1e6], [-4000, 3000, 1e6], [9e5, 2e6, 1e6], [0, 1, 1]] as const) {
    const [first, last] = tileRange(1, from, to, end);
    assert.ok(first * tileNs(1) <= Math.max(0, from) && (last + 1) * tileNs(1) >= Math.min(to, end));
    assert.ok(last * tileNs(1) < end);
  }
  assert.equal(ancestor(13, 2), 3);
});

test("children of an exact tile contain overlapping items at the same times", () => {
  const next = random(7);
  const key = { lane: 1, level: 6, index: 3 };
  const parent = exact(key, Array.from({ length: 500 }, () => [Math.floor(next() * tileNs(6)), Math.floor(next() * 800)] as const));
  for (const index of [6, 7]) {
    const child = childOf(parent, { lane: 1, level: 5, index });
    const shift = (3 * tileNs(6)) - index * tileNs(5);
    const expected = [...parent.start].filter((start, i) => start + shift < tileNs(5) && start + shift + (parent.duration[i] ?? 0) > 0).length;
    assert.equal(child.n, expected);
    for (let i = 0; i < child.n; i++) assert.equal(child.start[i], (parent.start[child.item[i] ?? 0] ?? NaN) + shift);
  }
});

test("bins hold the union of busy time, all counts and all flags", () => {
  const next = random(3);
  const key = { lane: 1, level: 4, index: 0 };
  for (let round = 0; round < 20; round++) {
    const items = Array.from({ length: 300 }, () => [Math.floor(next() * tileNs(4)), Math.floor(next() * 200)] as const);
    const tile = exact(key, items);
    const made = bins(tile, Array.from({ length: tile.n }, (_, i) => i));
    const covered = new Uint8Array(tileNs(4));
    for (const [start, duration] of items) covered.fill(1, start, Math.min(tileNs(4), start + duration));
    for (let bin = 0; bin < BINS; bin++) {
      const share = covered.subarray(bin * 16, bin * 16 + 16).reduce((sum, one) => sum + one, 0) / 16;
      assert.ok(Math.abs((made.busy[bin] ?? NaN) - share) < 1e-5, `bin ${bin}`);
    }
    assert.equal(made.count.reduce((sum, count) => sum + count, 0), 300);
    assert.ok(made.flags.some((flags) => (flags & FLAG.failed) !== 0), "a rare flag does not vanish");
  }
});

test("every item is either a share if narrow or a box if wide", () => {
  const key = { lane: 1, level: 4, index: 0 };
  const { wide, narrow } = split(exact(key, [[0, 1000], [2000, 3], [2004, 2], [5000, 40]]));
  assert.deepEqual([...wide], [0, 3]);
  assert.equal(narrow?.count.reduce((sum, count) => sum + count, 0), 2);
  assert.equal(narrow?.item[0], NO_ITEM);
  assert.equal(split(exact(key, [[0, 1000]])).narrow, null);
});

test("the cache derives finer tiles, keeps old marks until new ones arrive and limits its size", () => {
  const cache = new TileCache(40_000, 9);
  cache.put(exact({ lane: 1, level: 6, index: 0 }, [[10, 500], [40_000, 20]]));
  const cut = cache.get({ lane: 1, level: 4, index: 0 });
  assert.ok(cut !== null && cut.fresh && cut.tile.n === 1);
  assert.equal(cache.get({ lane: 2, level: 4, index: 0 }), null);
  assert.equal(cache.above({ lane: 1, level: 5, index: 1 })?.level, 6);
  cache.version++;
  assert.equal(cache.get({ lane: 1, level: 4, index: 0 })?.fresh, false);
  cache.put(exact({ lane: 1, level: 6, index: 0 }, [[10, 500], [20, 5]]));
  const renewed = cache.get({ lane: 1, level: 4, index: 0 });
  assert.ok(renewed !== null && renewed.fresh && renewed.tile.n === 2);
  for (let lane = 10; lane < 200; lane++) cache.put(exact({ lane, level: 3, index: 0 }, Array.from({ length: 20 }, (_, i) => [i, 1] as const)));
  assert.ok(cache.size < 60, `${cache.size}`);
  assert.equal(cache.get({ lane: 10, level: 3, index: 0 }), null);
  assert.notEqual(cache.get({ lane: 199, level: 3, index: 0 }), null);
});

test("decodes answers into views of their bytes and rejects other forms", () => {
  const n = 2;
  const buffer = new ArrayBuffer(12 + 24 + 9 * 4 * n);
  const head = new DataView(buffer);
  [0x57454654, 9, 1, 5, 3, 2, 1, n, 1].forEach((word, index) => head.setUint32(index * 4, word, true));
  head.setFloat32(36, -2.5, true);
  head.setUint32(36 + 8 * n * 4 + 4, 7, true);
  const { seq, tiles } = decodeTiles(buffer);
  const [tile] = tiles;
  assert.equal(seq, 9);
  assert.ok(tile?.kind === "exact" && tile.lane === 5 && tile.level === 3 && tile.index === 2);
  assert.equal(tile.start[0], -2.5);
  assert.equal(tile.flags[1], 7);
  assert.throws(() => decodeTiles(new ArrayBuffer(12)));
});
