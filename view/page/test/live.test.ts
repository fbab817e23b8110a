// `weft view --follow`: a run is drawn while it runs, and what was drawn stays when it is killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { WEFT, browse, cleanUp, folder, open, serve, viewHas } from "./harness";

const skip = viewHas("--follow") ? false : "this `weft view` has no --follow";

let browser: Browser;

before(async () => {
  browser = await browse();
});
after(async () => {
  await browser.close();
  cleanUp();
});

test("the end of the trace moves while the program runs, and survives its being killed", { skip }, async () => {
  const at = folder();
  const run = spawn(WEFT, ["run", "--profile", "--", join(WEFT, "..", "stencil"), "-n", "600", "-i", "200000"], { cwd: at, stdio: "ignore", detached: true });
  try {
    const profile = join(at, "weft_0.prof");
    for (let turn = 0; turn < 100 && !existsSync(profile); turn++) await new Promise((done) => setTimeout(done, 100));
    await new Promise((done) => setTimeout(done, 1000));
    const server = await serve("--follow", profile);
    const { page } = await open(browser, server.url);
    const first = (await server.info()).end;
    await page.waitForTimeout(4000);
    const second = (await server.info()).end;
    assert.ok(second > first, `${first} to ${second}`);
    assert.match(await page.locator(".toolbar").innerText(), /following/);
    if (run.pid !== undefined) process.kill(-run.pid, "SIGKILL");
    await page.waitForTimeout(3000);
    assert.ok((await server.info()).end >= second);
    assert.ok((await page.locator(".label").count()) > 2);
    await page.close();
  } finally {
    try {
      if (run.pid !== undefined) process.kill(-run.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
});
