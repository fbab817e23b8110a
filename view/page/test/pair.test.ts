// `weft view A -- B`: two runs below each other, and what changed from one to the other.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Change, Info, SearchAnswer } from "../src/protocol";
import { RENDERERS, type Server, browse, cleanUp, folder, follow, idle, open, record, serve, weft } from "./harness";

let browser: Browser;
let profiles: [string, string];
let server: Server;
let infos: [Info, Info];
let changes: Change[];

async function ask<T>(path: string): Promise<T> {
  return (await (await server.get(path)).json()) as T;
}

before(async () => {
  browser = await browse();
  profiles = [record("stencil", ["-n", "200", "-i", "9"]), record("stencil", ["-n", "200", "-i", "3"])];
  server = await serve(profiles[0], "--", profiles[1]);
  infos = [await ask<Info>("/api/info"), await ask<Info>("/api/info?side=1")];
  changes = JSON.parse(weft("diff", "--format", "json", profiles[0], "--", profiles[1])) as Change[];
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** Checks the page of both runs, from any source. */
async function check(page: Page): Promise<void> {
  const labels = await page.locator(".label .name").allInnerTexts();
  const roots = labels.filter((label) => /^(before|after): /.test(label));
  assert.equal(roots.filter((label) => label.startsWith("before")).length, infos[0].lanes.filter((lane) => lane.parent === null).length);
  assert.ok(roots.some((label) => label.startsWith("after")));
  assert.ok(labels.findIndex((label) => label.startsWith("after")) > labels.map((label) => label.startsWith("before")).lastIndexOf(true));
  // The costliest line, with the costs from `weft diff`.
  const costly = changes[0];
  assert.ok(costly !== undefined && costly.total_before_ns !== null && costly.total_after_ns !== null);
  const number = Number(costly.line.split(":").at(-1));
  const row = page.locator(`tr[data-line="${number}"]`);
  await row.waitFor();
  const cells = await row.locator("td.cost").allInnerTexts();
  assert.ok(cells[0] !== undefined && cells[0] !== "" && cells[1] !== "" && /^[+−]/.test(cells[2] ?? ""), JSON.stringify(cells));
  assert.match(cells[2] ?? "", costly.difference_ns < 0 ? /^−/ : /^\+/);
  // Selecting it lights it up.
  await row.locator(".pick").click({ force: true });
  await idle(page);
  assert.equal(await page.locator("tr[aria-selected=true]").getAttribute("data-line"), String(number));
  assert.deepEqual(await page.getByRole("tab").allInnerTexts(), ["Selection", "Source", "Search", "Critical path"]);
}

for (const renderer of RENDERERS) {
  test(`shows two runs one above the other with line costs of both (${renderer})`, async () => {
    const { page, errors } = await open(browser, server.url, { renderer, link: "p=source", width: 1500, height: 900 });
    await check(page);
    // A task of each run is where it was in its own run, and leads to the same one of the other.
    const offset = infos[0].lanes.reduce((sum, lane) => sum + lane.items, 0);
    const lanes = infos[0].lanes.length;
    for (const side of [0, 1]) {
      const found = (await ask<SearchAnswer>(`/api/search?side=${side}&limit=5000&q=${encodeURIComponent("sql: ready >= 0 AND point = 0")}`)).items;
      const item = found.reduce((most, each) => (each.end - each.start > most.end - most.start ? each : most));
      const length = item.end - item.start;
      await follow(page, `s=${item.start - length}&e=${item.end + length}&i=${item.id + side * offset}&p=selection&t=${item.lane + side * lanes}`);
      assert.equal(await page.locator(".what h2").innerText(), item.name);
      const box = await page.evaluate((id) => window.weftProbe.locate(id), item.id + side * offset);
      assert.ok(box !== null && box.width > 100, JSON.stringify(box));
    }
    await follow(page, "x=1&p=path");
    await idle(page);
    assert.deepEqual(errors, []);
    await page.close();
  });
}

test("shows two runs in an embedded file", async () => {
  const file = join(folder(), "both.html");
  weft("view", "--html", file, profiles[0], "--", profiles[1]);
  const { page, asked, errors } = await open(browser, pathToFileURL(file).href, { link: "p=source", width: 1500, height: 900 });
  await check(page);
  for (const url of asked) assert.ok(url.startsWith("file:") || url.startsWith("data:") || url.startsWith("blob:"), url);
  assert.deepEqual(errors, []);
  await page.close();
});

test("opens at the requested part", async () => {
  const part = await serve("--between", "30%..60%", profiles[0]);
  const info = await part.info();
  const { page } = await open(browser, part.url);
  await page.evaluate(() => document.querySelector<HTMLElement>(".plot")?.focus());
  await page.waitForTimeout(100);
  const [from, to] = info.part ?? [0, 0];
  assert.ok(from > 0 && to < info.end && from < to);
  await page.keyboard.press("m");
  await page.waitForTimeout(600);
  const address = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const [start, end] = [Number(address.get("s")), Number(address.get("e"))];
  assert.ok(start <= from && end >= to && end - start < (to - from) * 1.2, `${start} ${end} of ${from} ${to}`);
  await page.close();
});
