import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { EmbeddedSource } from "../src/data/embedded";

/** A file's data as the command writes it: one exact tile with two items. */
function bundle(): string {
  const tile = new ArrayBuffer(24 + 9 * 4 * 2);
  const words = new Uint32Array(tile);
  words.set([4, 3, 0, 1, 2, 1]);
  const floats = new Float32Array(tile);
  floats.set([10, 20, 5, 6], 6);
  words.set([1, 2], 6 + 10);
  words.set([1, 0], 6 + 12);
  words.set([70, 71], 6 + 14);
  const info = { names: ["", "copy", "add"], lines: [{ id: 0, file: "", line: 0, function: "", text: null }, { id: 1, file: "/x/heat.py", line: 5, function: "f", text: null }] };
  const text = new TextEncoder().encode(JSON.stringify({ answers: { info, "item?id=70": { id: 70, name: "copy" } }, leftOut: ["kernels: 12"], tiles: [[4, 3, 0, 0, tile.byteLength]] }));
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, text.length, true);
  return gzipSync(Buffer.concat([head, text, new Uint8Array(tile)])).toString("base64");
}

test("an embedded file answers from its data and reports missing data", async () => {
  const source = await EmbeddedSource.open(bundle());
  assert.deepEqual(source.leftOut, ["kernels: 12"]);
  assert.equal((await source.item(70)).name, "copy");
  await assert.rejects(source.item(71), /Left out of this file/);
  const tiles = await source.tiles(1, [{ lane: 4, level: 3, index: 0 }, { lane: 4, level: 1, index: 3 }, { lane: 4, level: 1, index: 4 }, { lane: 5, level: 3, index: 0 }]);
  assert.equal(tiles.length, 1);
  const [tile] = tiles;
  assert.ok(tile?.kind === "exact" && tile.item[1] === 71 && tile.duration[0] === 5);
  assert.deepEqual((await source.search("heat.py:5", 10)).items.map((item) => item.id), [70]);
  assert.deepEqual((await source.search("ADD", 10)).items.map((item) => item.start), [20]);
  assert.equal((await source.search("add heat", 10)).total, 0);
  assert.match((await source.search("sql: 1", 10)).error ?? "", /no server/);
});
