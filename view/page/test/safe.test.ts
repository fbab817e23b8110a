// The page sends requests only to its server, the server answers only its page, and names are only text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { type Server, browse, bundle, cleanUp, folder, follow, idle, open, record, serve, weft } from "./harness";

let browser: Browser;
let server: Server;
let profile: string;

before(async () => {
  browser = await browse();
  profile = record("stencil", ["-n", "60", "-i", "4"]);
  server = await serve(profile);
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** Returns the status of a request with a given Host, which `fetch` does not allow. */
function status(path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(server.origin);
  return new Promise((found, failed) => {
    const sent = request({ hostname, port, path, headers }, (answer) => {
      answer.resume();
      found(answer.statusCode ?? 0);
    });
    sent.on("error", failed);
    sent.end();
  });
}

test("rejects wrong tokens, missing tokens and wrong hosts", async () => {
  const { host } = new URL(server.origin);
  for (const path of ["/", "/api/info", "/api/item?id=1", "/api/source?file=0"]) {
    const right = path === "/" ? `/?token=${server.token}` : path;
    assert.equal(await status(right, { Host: host, "X-Weft-Token": server.token }), 200, path);
    assert.equal(await status(path === "/" ? "/?token=0123" : path, { Host: host, "X-Weft-Token": "0123" }), 403, path);
    assert.equal(await status(path, { Host: host }), 403, path);
    for (const wrong of ["evil.example", `evil.example:${new URL(server.origin).port}`, "127.0.0.1.evil.example"]) {
      assert.equal(await status(right, { Host: wrong, "X-Weft-Token": server.token }), 403, `${path} ${wrong}`);
    }
  }
  assert.equal(await status(`/etc/passwd?token=${server.token}`, { Host: host }), 404);
});

test("serves the bundle of the repository under a strict content policy", async () => {
  const answer = await fetch(server.url);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /script-src[^;]*unsafe-inline/);
  const served = (await answer.text()).replaceAll(/nonce="[^"]*"/g, 'nonce="__WEFT_NONCE__"');
  const strip = (page: string): string => page.replace("<!--WEFT_HEAD-->", "").replace("<!--WEFT_DATA-->", "").replaceAll(/nonce=__WEFT_NONCE__/g, 'nonce="__WEFT_NONCE__"');
  assert.equal(strip(served), strip(bundle()), "build `weft` again after the page");
});

test("no request leaves this machine", async () => {
  const { page, asked, errors } = await open(browser, server.url, { link: "p=source&x=1" });
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await idle(page);
  }
  await page.keyboard.press("w");
  await idle(page);
  assert.ok(asked.length > 5);
  for (const url of asked) assert.ok(url.startsWith(`${server.origin}/`) || url.startsWith("data:"), url);
  // A pane without its part of the server gets 501, which the browser logs.
  assert.deepEqual(errors.filter((error) => !error.includes("501")), []);
  await page.close();
});

test("escapes hostile names", async () => {
  const database = join(folder(), "hostile.sqlite");
  weft("export", "sqlite", profile, "-o", database);
  const hostile = [
    "<script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", "'\"><svg onload=window.hacked=1>", "x".repeat(10_000), "two\nlines\r\n\u202eand more\u0007",
    "{{constructor}}", "</script><script>window.hacked=1</script>",
  ];
  const script = `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
names = json.loads(sys.argv[2])
rows = [row for row, in db.execute("SELECT rowid FROM WEFT_TASK ORDER BY start")]
for index, row in enumerate(rows):
    db.execute("UPDATE WEFT_TASK SET name = ? WHERE rowid = ?", (names[index % len(names)], row))
db.commit()
`;
  execFileSync("python3", ["-c", script, database, JSON.stringify(hostile)]);
  const its = await serve(database);
  const { page, errors } = await open(browser, its.url);
  const scripts = await page.locator("script").count();
  for (const name of hostile) {
    const word = name.includes("\n") ? "lines" : name.slice(0, 60);
    const found = await its.search(word);
    const first = found.items[0];
    assert.ok(first !== undefined, `found by ${word}`);
    assert.equal(first.name.slice(0, 40), name.slice(0, 40));
    const length = first.end - first.start;
    await follow(page, `s=${first.start - length}&e=${first.end + length}&i=${first.id}&p=selection&t=${first.lane}`);
    const heading = await page.locator(".what h2").innerText();
    assert.ok(heading.startsWith(name.split(/\s/)[0]?.slice(0, 20) ?? "?"), heading.slice(0, 80));
    const box = await page.evaluate((id) => window.weftProbe.locate(id), first.id);
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator(".tooltip").waitFor();
    const size = await page.locator(".tooltip").boundingBox();
    assert.ok(size !== null && size.width <= 430 && size.height < 200, "a long name does not cover the page");
  }
  await page.fill("#search", "<script>");
  await page.keyboard.press("Enter");
  await page.locator(".hit").first().waitFor();
  assert.match(await page.locator(".hit").first().innerText(), /<script>/);
  assert.equal(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
  assert.equal(await page.locator("script").count(), scripts);
  assert.equal(await page.locator("#weft svg, #weft img").count(), 0);
  assert.deepEqual(errors, []);
  await page.close();
});
