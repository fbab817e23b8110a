// `weft view --follow`: a run is drawn while it runs, and the drawing stays when it is killed.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { RENDERERS, WEFT, browse, cleanUp, folder, idle, open, serve, until } from "./harness";

let browser: Browser;
const runs: ChildProcess[] = [];

before(async () => {
  browser = await browse();
});
after(async () => {
  for (const run of runs) end(run);
  await browser.close();
  cleanUp();
});

function end(run: ChildProcess): void {
  try {
    if (run.pid !== undefined) process.kill(-run.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** A program that runs until it is killed. */
function start(): { run: ChildProcess; profile: string } {
  const at = folder();
  // The other processor is for the server and the browser.
  const flags = ["run", "--profile", "--profile-limit", "64M", "--cpus", "1", "--", join(WEFT, "..", "stencil"), "-n", "3000", "-i", "100000000"];
  const run = spawn(WEFT, flags, { cwd: at, stdio: "ignore", detached: true });
  runs.push(run);
  return { run, profile: join(at, "weft_0.prof") };
}

async function wait(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1800; turn++) {
    if (await is()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`timed out waiting for ${is.toString()}`);
}

/** The shown part of the time, by the address. */
async function shown(page: Page): Promise<{ start: number; end: number; line: number }> {
  const parts = new URLSearchParams(new URL(page.url()).hash.slice(1));
  return { start: Number(parts.get("s")), end: Number(parts.get("e")), line: Number(parts.get("l")) };
}

for (const renderer of RENDERERS) {
  test(`follows a run and keeps the picture after it is killed (${renderer})`, async () => {
    const { run, profile } = start();
    await wait(() => existsSync(profile));
    const server = await serve("--follow", profile);
    await wait(async () => (await server.info()).lines.length > 3);
    const { page, errors } = await open(browser, server.url, { renderer });
    const first = (await server.info()).end;
    await wait(async () => (await server.info()).end > first);
    // The whole run was on the screen, and still is.
    await wait(async () => (await shown(page)).end > first);
    assert.match(await page.locator(".toolbar").innerText(), /following/);
    // A view that the user has moved stays in place, and a line stays highlighted.
    await page.locator("tr.costs .pick").first().click({ force: true });
    await page.evaluate((to) => {
      location.hash = `s=0&e=${to}&${location.hash.slice(1).split("&").filter((part) => /^[lp]=/.test(part)).join("&")}`;
    }, Math.round(first / 10));
    await idle(page);
    await page.waitForTimeout(600);
    const looked = await shown(page);
    assert.ok(looked.end < first / 2, JSON.stringify(looked));
    const then = (await server.info()).generation ?? 0;
    await wait(async () => ((await server.info()).generation ?? 0) > then);
    await page.waitForTimeout(1500);
    assert.deepEqual({ ...(await shown(page)), line: 0 }, { ...looked, line: 0 });
    assert.equal(await page.locator("tr[aria-selected=true]").count(), 1);
    end(run);
    await wait(async () => !(await server.info()).live);
    await until(page, () => !/follow/.test(document.querySelector(".toolbar")?.textContent ?? "follow"));
    await idle(page);
    assert.ok((await page.locator(".label").count()) > 2);
    assert.deepEqual(errors.filter((error) => !error.includes("410")), []);
    await page.close();
    server.process.kill("SIGINT");
  });
}
