// `weft view --html`: one file that opens without a server and without a network.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { lineColour, theme } from "../src/draw/theme";
import { RENDERERS, browse, cleanUp, follow, folder, idle, near, open, pixels, record, serve, viewHas, weft } from "./harness";

const skip = viewHas("--html") ? false : "this `weft view` has no --html";
const LARGEST = 25 * 1024 * 1024;

let browser: Browser;

before(async () => {
  browser = await browse();
});
after(async () => {
  await browser.close();
  cleanUp();
});

for (const renderer of RENDERERS) {
  test(`an embedded file shows every task without a server (${renderer})`, { skip }, async () => {
    const profile = record("stencil", ["-n", "60", "-i", "4"]);
    const file = join(folder(), "run.html");
    weft("view", "--html", file, profile);
    assert.ok(statSync(file).size < LARGEST);
    const server = await serve(profile);
    const tasks = (await server.search("sql: ready >= 0 AND point >= 0")).items;
    const info = await server.info();
    server.process.kill("SIGINT");
    const { page, asked, errors } = await open(browser, pathToFileURL(file).href, { renderer, height: 900 });
    for (const item of tasks) {
      const length = item.end - item.start;
      await follow(page, `s=${item.start - length}&e=${item.end + length}&i=${item.id}&p=selection&t=${item.lane}`);
      assert.equal(await page.locator(".what h2").innerText(), item.name);
      const box = await page.evaluate((id) => window.weftProbe.locate(id), item.id);
      assert.ok(box !== null, `${JSON.stringify(item)} at ${await page.evaluate(() => location.hash)}`);
      const expected = theme("light").lines[lineColour(item.line)];
      const at = [[box.x + box.width * 0.93, box.y + box.height * 0.7]] as const;
      let [inside] = await pixels(page, at);
      // Without a GPU the first frame of a busy machine can be late.
      for (let tries = 0; tries < 30 && !(inside !== undefined && expected !== undefined && near(inside, expected)); tries++) {
        await page.waitForTimeout(100);
        [inside] = await pixels(page, at);
      }
      assert.ok(inside !== undefined && expected !== undefined && near(inside, expected), `${inside} for ${expected}: ${JSON.stringify(item)} in ${JSON.stringify(box)}`);
    }
    await page.fill("#search", "copy");
    await page.keyboard.press("Enter");
    await page.locator(".hit").first().waitFor();
    await page.getByRole("tab", { name: "Source" }).click();
    await page.locator(".listing tr.costs").first().waitFor();
    // The lines that held a memory are in the file too.
    await follow(page, `t=${info.counters[0]?.lane}`);
    await page.locator("button.holder").first().waitFor();
    await idle(page);
    for (const url of asked) assert.ok(url.startsWith("file:") || url.startsWith("data:") || url.startsWith("blob:"), url);
    assert.deepEqual(errors, []);
    await page.close();
  });
}
