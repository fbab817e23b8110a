// The cost of a frame with 64 lanes full of data.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { RENDERERS, type Server, browse, cleanUp, idle, open, record, serve } from "./harness";

let browser: Browser;
let server: Server;

before(async () => {
  browser = await browse();
  server = await serve(record("stencil", ["-n", "2000", "--rows", "640", "-i", "30"], ["--cpus", "64"]));
});
after(async () => {
  await browser.close();
  cleanUp();
});

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? NaN;
}

for (const renderer of RENDERERS) {
  test(`frames need few draw calls and never wait for tiles (${renderer})`, async (context) => {
    const info = await server.info();
    const busy = info.lanes.filter((lane) => lane.kind === "processor" && lane.items > 0).length;
    const { page, errors } = await open(browser, server.url, { renderer, link: "p=none", width: 1400, height: 1900 });
    const before = await page.evaluate(() => window.weftProbe.frames);
    await page.evaluate(() => window.weftProbe.frameMs.splice(0));
    await page.mouse.move(700, 500);
    for (const key of ["w", "w", "d", "d", "w", "a", "w", "s", "w", "d", "s", "s", "s", "a", "w", "d"]) {
      await page.keyboard.press(key);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    await page.mouse.down();
    for (let step = 0; step < 40; step++) {
      await page.mouse.move(700 - step * 4, 500);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    await page.mouse.up();
    await idle(page);
    const probe = await page.evaluate(() => ({ ...window.weftProbe, locate: null }));
    const ms = probe.frameMs;
    context.diagnostic(`${busy} lanes, ${probe.frames - before} frames: CPU median ${quantile(ms, 0.5).toFixed(1)} ms, 95 % ${quantile(ms, 0.95).toFixed(1)} ms, ${probe.drawCalls} draw calls, ${probe.placements} tiles on the screen, ${probe.requests} requests`);
    assert.ok(probe.frames - before >= 40);
    assert.ok(probe.drawCalls >= 1 && probe.drawCalls <= 4);
    // How many of the workers come to a task is up to the machine.
    assert.ok(busy >= 32, `${busy} lanes`);
    assert.deepEqual(errors, []);
    await page.close();
  });
}
