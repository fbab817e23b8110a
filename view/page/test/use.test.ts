// The actions of users on the page: zoom, search, click, follow causes, read the source, measure, mark, share a link.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { lineColour, theme } from "../src/draw/theme";
import type { ItemDetail, ItemRef, MemoryAnswer } from "../src/protocol";
import { readLink } from "../src/state/link";
import { RENDERERS, type Server, browse, cleanUp, follow, idle, near, open, pixels, record, serve, until } from "./harness";

let browser: Browser;
let server: Server;

before(async () => {
  browser = await browse();
  server = await serve(record("stencil", ["-n", "200", "-i", "20"]));
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** A task of the middle of the program. */
async function someCopy(): Promise<ItemRef | undefined> {
  const copies = (await server.search("sql: ready >= 0 AND point >= 0")).items.filter((item) => item.name === "copy");
  return copies[Math.floor(copies.length / 2)];
}

/** The shown part of the time, by the address, once the address has settled. A busy machine may write it late. */
async function shown(page: Page): Promise<[number, number]> {
  let hash = "";
  for (let before: string | null = null; before !== hash;) {
    before = hash;
    await page.waitForTimeout(350);
    hash = await page.evaluate(() => location.hash);
  }
  const link = readLink(hash);
  return [link.start ?? NaN, link.end ?? NaN];
}

for (const renderer of RENDERERS) {
  test(`zooms, moves and undoes (${renderer})`, async () => {
    const { page, errors } = await open(browser, server.url, { renderer });
    const [s0, e0] = await shown(page);
    await page.locator(".plot").hover({ position: { x: 200, y: 60 } });
    await page.keyboard.press("w");
    await idle(page);
    const [s1, e1] = await shown(page);
    assert.ok(e1 - s1 < (e0 - s0) * 0.9, "w zooms in");
    const plot = await page.locator(".plot").evaluate((element) => element.clientWidth);
    const at = (s: number, e: number): number => s + (200 / plot) * (e - s);
    assert.ok(Math.abs(at(s0, e0) - at(s1, e1)) < (e1 - s1) * 0.01, "the time at the pointer stays");
    await page.keyboard.press("d");
    await idle(page);
    const [s2] = await shown(page);
    assert.ok(s2 > s1, "d moves right");
    await page.waitForTimeout(700);
    await page.keyboard.press("f");
    await idle(page);
    await page.keyboard.press("u");
    await idle(page);
    const [s3, e3] = await shown(page);
    assert.ok(Math.abs(s3 - s2) <= 1 && Math.abs(e3 - s3 - (e1 - s1)) <= 2, "u goes back");
    await page.mouse.move(500, 300);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    await idle(page);
    const [s4, e4] = await shown(page);
    assert.ok(Math.abs((e4 - s4) * 2 - (e3 - s3)) < (e3 - s3) * 0.02, "the wheel with Ctrl zooms");
    assert.deepEqual(errors, []);
    await page.close();
  });

  test(`a click selects the item under it (${renderer})`, async () => {
    const hit = await someCopy();
    assert.ok(hit !== undefined);
    const length = hit.end - hit.start;
    const { page } = await open(browser, server.url, { renderer, link: `s=${hit.start - 2 * length}&e=${hit.end + 2 * length}&t=${hit.lane}` });
    const box = await page.evaluate((id) => window.weftProbe.locate(id), hit.id);
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator(".tooltip").waitFor();
    assert.match(await page.locator(".tooltip").innerText(), /copy/);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator(".what h2").waitFor();
    assert.equal(await page.locator(".what h2").innerText(), "copy");
    await idle(page);
    assert.equal(readLink(await page.evaluate(() => new Promise<string>((done) => setTimeout(() => done(location.hash), 400)))).item, hit.id);
    // The outline of the selected item, and the arrow to it.
    const now = await page.evaluate((id) => window.weftProbe.locate(id), hit.id);
    assert.ok(now !== null);
    const outline = await pixels(page, [[now.x + now.width / 2, now.y - 1]]);
    assert.ok(near(outline[0] ?? [0, 0, 0], [16, 24, 31], 60), `outline ${outline[0]}`);
    await page.close();
  });

  test(`highlights a line and fades the others (${renderer})`, async () => {
    const info = await server.info();
    const hit = await someCopy();
    assert.ok(hit !== undefined);
    const length = hit.end - hit.start;
    const { page } = await open(browser, server.url, { renderer, link: `s=${hit.start - length}&e=${hit.end + length}&t=${hit.lane}` });
    const box = await page.evaluate((id) => window.weftProbe.locate(id), hit.id);
    assert.ok(box !== null);
    const at: [number, number] = [box.x + box.width * 0.9, box.y + box.height * 0.7];
    const full = theme("light").lines[lineColour(hit.line)];
    assert.ok(full !== undefined);
    const other = info.lines.findIndex((line, id) => id > 0 && id !== hit.line && line.file !== "");
    await follow(page, `l=${other}`);
    const [faded] = await pixels(page, [at]);
    assert.ok(faded !== undefined && !near(faded, full, 8), "another line is lit");
    await follow(page, `l=${hit.line}`);
    const [lit] = await pixels(page, [at]);
    assert.ok(lit !== undefined && near(lit, full), `${lit} for ${full}`);
    await page.close();
  });
}

test("searches by words and SQL, marks hits and steps through them", async () => {
  const { page } = await open(browser, server.url);
  await page.keyboard.press("/");
  await page.keyboard.type("copy");
  await page.keyboard.press("Enter");
  await page.locator(".found .summary").waitFor();
  const expected = await server.search("copy");
  assert.match(await page.locator(".found .summary").innerText(), new RegExp(`^${expected.total} found`));
  await page.locator("#search").blur();
  await page.locator(".plot").focus();
  await page.keyboard.press("n");
  await page.locator(".hit.chosen").waitFor();
  await idle(page);
  const first = expected.items[0];
  const box = first === undefined ? null : await page.evaluate((id) => window.weftProbe.locate(id), first.id);
  assert.ok(box !== null, "the hit is on the screen");
  const [mark] = await pixels(page, [[box.x + box.width * 0.5, box.y + 1.6]]);
  assert.ok(mark !== undefined && near(mark, theme("light").search, 40), `the hit is marked: ${mark}`);
  await page.fill("#search", "sql: end - start > 1e15");
  await page.keyboard.press("Enter");
  await page.getByText("0 found").waitFor();
  await page.fill("#search", "sql: no_such_column = 1");
  await page.keyboard.press("Enter");
  await page.locator("#pane .error").waitFor();
  assert.match(await page.locator("#pane .error").innerText(), /no_such_column/);
  await page.close();
});

test("parts of a wait sum to it and link to their causes", async () => {
  const { items } = await server.search("sql: ready > created");
  let chosen: ItemDetail | null = null;
  for (const item of items) {
    const detail = (await (await server.get(`/api/item?id=${item.id}`)).json()) as ItemDetail;
    const why = detail.why;
    if (why === null) continue;
    assert.equal(why.parts.reduce((sum, part) => sum + part.ns, 0), why.total, `item ${item.id}`);
    if (why.parts.length > 1 && why.parts.some((part) => part.item !== null)) chosen ??= detail;
  }
  assert.ok(chosen !== null, "some task waited for another");
  const { page } = await open(browser, server.url, { link: `s=${chosen.start}&e=${chosen.end}&i=${chosen.id}` });
  await page.locator(".why li").first().waitFor();
  assert.equal(await page.locator(".why li").count(), chosen.why?.parts.length);
  const part = chosen.why?.parts.find((each) => each.item !== null);
  assert.ok(part !== undefined);
  await page.locator(".why li .link:not(.aside)").first().click();
  await until(page, () => document.querySelector(".what h2") !== null);
  await idle(page);
  await page.waitForTimeout(400);
  const link = readLink(await page.evaluate(() => location.hash));
  assert.equal(link.item, part.item);
  const cause = (await (await server.get(`/api/item?id=${part.item}`)).json()) as ItemDetail;
  assert.ok((link.start ?? NaN) <= cause.start && (link.end ?? NaN) >= cause.end, "the cause is on the screen");
  await page.close();
});

test("several pages of one server keep their own tiles", async () => {
  const one = await open(browser, server.url);
  for (const key of ["w", "w", "w", "d", "s", "w", "a"]) await one.page.keyboard.press(key);
  const other = await open(browser, server.url, { link: "p=none" });
  for (const { page } of [one, other]) {
    await idle(page);
    assert.ok((await page.evaluate(() => window.weftProbe.tilesLoaded)) > 0);
    await page.close();
  }
});

test("the source pane shows text and costs and selects lines", async () => {
  const { page } = await open(browser, server.url, { link: "p=source" });
  await page.locator(".listing tr.costs").first().waitFor();
  const text = await page.locator(".listing").innerText();
  assert.match(text, /let average = &center \+ &north/);
  assert.match(text, /critical/);
  const row = page.locator(".listing tr.costs", { hasText: "center.assign" });
  await row.click();
  await idle(page);
  assert.equal(await page.locator(".listing tr.chosen").count(), 1);
  await page.waitForTimeout(350);
  const line = readLink(await page.evaluate(() => location.hash)).line;
  const info = await server.info();
  assert.match(info.lines[line ?? 0]?.text ?? "", /center\.assign/);
  await page.close();
});

test("measures, marks, follows the critical path, closes lanes and restores them by link", async () => {
  const { page, errors } = await open(browser, server.url);
  const plot = await page.locator(".plot").boundingBox();
  assert.ok(plot !== null);
  await page.keyboard.down("Shift");
  await page.mouse.move(plot.x + 100, plot.y + 200);
  await page.mouse.down();
  await page.mouse.move(plot.x + 250, plot.y + 210, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.getByText("Measured").waitFor();
  await page.mouse.move(plot.x + 60, plot.y + 50);
  await page.keyboard.press("m");
  await page.keyboard.press("c");
  await page.locator(".path .hit").first().waitFor();
  await page.keyboard.press("]");
  await page.locator(".path .hit.chosen").waitFor();
  await idle(page);
  const before = await page.locator(".label").count();
  await page.locator(".label.group:not(.rank)").first().click();
  assert.ok((await page.locator(".label").count()) < before, "a group closes");
  await page.waitForTimeout(400);
  const link = readLink(await page.evaluate(() => location.hash));
  assert.equal(link.marks?.length, 1);
  assert.ok(link.measure !== undefined && link.critical === true && link.closed?.length === 1);
  const again = await open(browser, server.url, { link: await page.evaluate(() => location.hash.slice(1)) });
  await again.page.waitForTimeout(400);
  assert.deepEqual(readLink(await again.page.evaluate(() => location.hash)).marks, link.marks);
  assert.equal(await again.page.locator(".label").count(), await page.locator(".label").count());
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual([...errors, ...again.errors], []);
  await page.close();
  await again.page.close();
});

test("the advice pane matches the server", async () => {
  const answer = await server.get("/api/advise");
  const body = (await answer.json()) as { error?: string };
  const { page } = await open(browser, server.url, { link: "p=advice" });
  if (answer.ok) await page.getByText("The run took").waitFor();
  else assert.equal(await page.locator("#pane .error").first().innerText(), body.error);
  await page.close();
});

test("narrow windows keep everything reachable", async () => {
  for (const [width, height] of [[800, 600], [480, 640]] as const) {
    const { page, errors } = await open(browser, server.url, { width, height });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, `${width} pixels`);
    const plot = await page.locator(".plot").boundingBox();
    assert.ok(plot !== null && plot.width > 200 && plot.height > 60, JSON.stringify(plot));
    assert.deepEqual(errors, []);
    await page.close();
  }
});

test("every control has a name", async () => {
  const { page } = await open(browser, server.url, { link: "p=source" });
  await page.locator(".listing tr.costs").first().waitFor();
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas[role], [role=tree], [role=application]")]
    .filter((element) => (element.getAttribute("aria-label") ?? element.getAttribute("title") ?? element.textContent ?? "").trim() === "").map((element) => element.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  await page.close();
});

for (const renderer of RENDERERS) {
  test(`a memory shows the lines that hold it (${renderer})`, async () => {
    const info = await server.info();
    const most = Math.max(...info.counters.map((counter) => counter.max));
    const lane = info.counters.find((counter) => counter.max === most)?.lane;
    assert.ok(lane !== undefined && most > 0);
    const ask = async (width: number): Promise<MemoryAnswer> => (await (await server.get(`/api/memory?lane=${lane}&from=0&to=${info.end}&width=${width}`)).json()) as MemoryAnswer;
    const answer = await ask(300);
    const first = answer.peak.held.find((by) => by.line !== 0);
    assert.ok(first !== undefined, "a line holds memory");
    const { file, line: number } = info.lines[first.line] ?? { file: "", line: 0 };
    const name = `${file.split("/").pop()}:${number}`;
    const { page, errors } = await open(browser, server.url, { renderer, height: 1600, width: 1400, link: `s=0&e=${info.end}&t=${lane}&p=source` });
    // By text: the holders at the peak, next to the lane.
    const list = page.locator(".holders");
    await list.locator("button.holder").first().waitFor();
    const text = await list.innerText();
    assert.match(text, /peak/);
    assert.ok(text.includes(name), `${name} in ${text}`);
    // By pixel: the middle of the line's area, at a place with constant height over some pixels.
    const series = answer.series;
    const own = series.findIndex((by) => by.line === first.line);
    const heights = series[own]?.bytes ?? [];
    const steady = (bin: number): boolean => [-2, -1, 0, 1, 2].every((by) => series.every((each) => each.bytes[bin + by] === each.bytes[bin]) && bin + by >= 0);
    // An instance may be recorded before the counter includes it, so that a line holds bytes while none are in use.
    const inUse = (bin: number): boolean => (heights[bin] ?? 0) > 0 && (answer.most[bin] ?? 0) >= (heights[bin] ?? 0);
    const bins = heights.map((_, bin) => bin).filter((bin) => steady(bin) && inUse(bin));
    const bin = bins.reduce((best, each) => ((heights[each] ?? 0) > (heights[best] ?? 0) ? each : best), bins[0] ?? -1);
    assert.ok(bin >= 0, "some pixels have one height");
    const above = (upTo: number): number => series.slice(0, upTo).reduce((sum, each) => sum + Math.max(0, each.bytes[bin] ?? 0), 0);
    const full = Math.max(answer.max, ...answer.most.map((_, at) => series.reduce((sum, each) => sum + Math.max(0, each.bytes[at] ?? 0), 0)));
    await idle(page);
    const [s, e] = await shown(page);
    const plot = await page.locator(".plot").boundingBox();
    const label = await page.locator(`[data-lane="${lane}"]`).boundingBox();
    assert.ok(plot !== null && label !== null);
    const time = ((bin + 0.5) * info.end) / answer.times.length;
    const x = plot.x + ((time - s) / (e - s)) * plot.width;
    const y = label.y + 2 + 80 - ((above(own) + (heights[bin] ?? 0) / 2) / full) * 80;
    const colour = theme("light").lines[lineColour(first.line)];
    const [pixel] = await pixels(page, [[x, y]]);
    assert.ok(pixel !== undefined && colour !== undefined && near(pixel, colour), `${pixel} for ${colour} at ${x}, ${y}`);
    await page.mouse.move(x, y);
    await page.locator(".tooltip").waitFor();
    const tip = await page.locator(".tooltip").innerText();
    assert.ok(tip.includes(name) && /%/.test(tip) && /in use/.test(tip), tip);
    // A click selects the line, as one in the list does.
    await page.mouse.click(x, y);
    await page.waitForTimeout(400);
    assert.equal(readLink(await page.evaluate(() => location.hash)).line, first.line);
    await page.keyboard.press("Escape");
    await list.locator("button.holder").filter({ hasText: name }).first().click();
    await page.waitForTimeout(400);
    assert.equal(readLink(await page.evaluate(() => location.hash)).line, first.line);
    assert.deepEqual(errors, []);
    await page.close();
  });
}
