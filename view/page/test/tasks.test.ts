// Every task of a small program is on the page: as text, as a box of its line's colour, and with its data from SQL.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { duration } from "../src/format";
import { lineColour, theme } from "../src/draw/theme";
import type { ItemDetail } from "../src/protocol";
import { RENDERERS, type Server, browse, cleanUp, follow, near, open, pixels, query, record, serve } from "./harness";

interface Task {
  readonly uid: number;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly created: number;
  readonly ready: number;
}

/** Only tasks have these columns. */
const TASKS = "sql: ready >= 0 AND point >= 0";

let browser: Browser;
let server: Server;
let tasks: Task[];

before(async () => {
  const profile = record("stencil", ["-n", "60", "-i", "4"]);
  tasks = query<Task>("SELECT uid, name, start, end, created, ready FROM WEFT_TASK ORDER BY start, uid", profile);
  browser = await browse();
  server = await serve(profile);
});
after(async () => {
  await browser.close();
  cleanUp();
});

test("items have the times of every task in SQL", async () => {
  assert.ok(tasks.length > 20, `${tasks.length} tasks`);
  const found = await server.search(TASKS);
  assert.equal(found.error, null);
  assert.equal(found.total, tasks.length);
  const key = (name: string, ns: number): string => `${name} ${ns}`;
  assert.deepEqual(
    found.items.map((item) => key(item.name, item.end - item.start)).sort(),
    tasks.map((task) => key(task.name, task.end - task.start)).sort(),
  );
});

for (const renderer of RENDERERS) {
  test(`finds every task by text and by pixel (${renderer})`, async () => {
    const info = await server.info();
    const found = await server.search(TASKS);
    const { page, errors } = await open(browser, server.url, { renderer, height: 900 });
    assert.equal(await page.evaluate(() => window.weftProbe.renderer), renderer);
    const colours = theme("light");
    const origins = new Set<number>();
    for (const item of found.items) {
      const detail = (await (await server.get(`/api/item?id=${item.id}`)).json()) as ItemDetail;
      const task = tasks.find((each) => String(each.uid) === detail.uid);
      assert.ok(task !== undefined, `item ${item.id} has the UID ${detail.uid}`);
      origins.add(task.start - item.start);
      const length = item.end - item.start;
      const lane = info.lanes.find((each) => each.id === item.lane);
      // The page shows little beyond the ends of the trace.
      const [from, to] = [Math.max(item.start - length, 0), Math.min(item.end + length, info.end)];
      await follow(page, `s=${from}&e=${to}&i=${item.id}&p=selection&t=${item.lane}`);
      const pane = await page.locator("#pane").innerText();
      assert.ok(pane.includes(task.name) && pane.includes(detail.uid ?? "?") && pane.includes(lane?.label ?? "?"), pane.slice(0, 200));
      assert.ok(pane.includes(duration(task.end - task.start)), `${duration(task.end - task.start)} in ${pane.slice(0, 200)}`);
      const box = await page.evaluate((id) => window.weftProbe.locate(id), item.id);
      assert.ok(box !== null, `task ${task.uid} is a box`);
      const width = await page.locator(".plot").evaluate((plot) => plot.clientWidth);
      assert.ok(Math.abs(box.width - (width * length) / (to - from)) < width * 0.02, `task ${task.uid} is ${box.width} of ${width} pixels wide`);
      const y = box.y + box.height * 0.7;
      const [inside, left] = await pixels(page, [[box.x + box.width * 0.93, y], [box.x + 1, y]]);
      const expected = colours.lines[lineColour(item.line)];
      assert.ok(expected !== undefined && inside !== undefined && left !== undefined);
      assert.ok(near(inside, expected), `task ${task.uid} of line ${item.line}: ${inside} for ${expected} at ${JSON.stringify(box)}`);
    }
    // One clock: the same distance between the page's times and those of the tables.
    assert.equal(origins.size, 1);
    assert.deepEqual(errors, []);
    await page.close();
  });
}

test("both renderers show the same lines in the bins of the whole trace", async () => {
  const info = await server.info();
  const pictures: string[] = [];
  for (const renderer of RENDERERS) {
    const { page } = await open(browser, server.url, { renderer, link: "p=none" });
    // Small operations run on the program's own thread. The busiest lane has the most to see.
    const [lane] = info.lanes.filter((each) => each.kind === "processor" || each.kind === "program").sort((one, other) => other.busy - one.busy);
    assert.ok(lane !== undefined);
    const box = await page.locator(`[data-lane="${lane.id}"]`).boundingBox();
    const plot = await page.locator(".plot").boundingBox();
    assert.ok(box !== null && plot !== null);
    const columns = Array.from({ length: Math.floor(plot.width) - 4 }, (_, index) => plot.x + 2 + index);
    const rows = Array.from({ length: Math.floor(box.height) - 2 }, (_, index) => box.y + 1 + index);
    const picture = await pixels(page, columns.flatMap((x) => rows.map((y): [number, number] => [x, y])));
    const lines = theme("light").lines;
    // A share of time may be one pixel high: of each column, the first line's colour in it.
    const row = columns.map((_, x) => 1 + lines.findIndex((colour) => picture.slice(x * rows.length, (x + 1) * rows.length).some((pixel) => near(pixel, colour))));
    assert.ok(new Set(row.filter((index) => index > 0)).size >= 1, `some line's colour is on the lane ${JSON.stringify(lane)} at ${JSON.stringify(box)}, first pixels ${picture.slice(0, 3).join(" / ")}`);
    assert.ok(row.includes(0), "the lane is not busy all the time");
    pictures.push(row.join(" "));
    await page.close();
  }
  const [one = "", other = ""] = pictures;
  const differ = one.split(" ").filter((index, at) => index !== other.split(" ")[at]).length;
  assert.ok(differ <= one.split(" ").length * 0.04, `${differ} of ${one.split(" ").length} points differ`);
});
