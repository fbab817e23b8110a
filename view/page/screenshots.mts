// Pictures of the page for README and docs, from profiles of the examples recorded now. Arguments: where they go.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ItemDetail } from "./src/protocol";
import { browse, cleanUp, open, record, serve } from "./test/harness";

const target = process.argv[2] ?? "../../docs/images";
mkdirSync(target, { recursive: true });
const browser = await browse();

async function shoot(url: string, name: string, link: string, height = 640): Promise<void> {
  const { page } = await open(browser, url, { link, height });
  await page.waitForTimeout(700);
  await page.screenshot({ path: join(target, name) });
  await page.close();
}

try {
  const stencil = await serve(record("stencil", ["-n", "1000", "-i", "12"], ["--cpus", "4"]));
  const info = await stencil.info();
  const tasks = (await stencil.search("sql: ready > created")).items;
  const end = Math.max(...tasks.map((item) => item.end));
  const start = Math.min(...tasks.map((item) => item.start));
  const work = `s=${start - (end - start) * 0.03}&e=${end + (end - start) * 0.03}`;
  await shoot(stencil.url, "view-overview.png", work);

  // The task with the most causes to show.
  let chosen: ItemDetail | null = null;
  for (const item of tasks.filter((_, index) => index % Math.ceil(tasks.length / 60) === 0)) {
    const detail = (await (await stencil.get(`/api/item?id=${item.id}`)).json()) as ItemDetail;
    const parts = detail.why?.parts.length ?? 0;
    if (parts <= 7 && detail.end - detail.start > (end - start) / 400 && parts > (chosen?.why?.parts.length ?? 0)) chosen = detail;
  }
  if (chosen !== null) {
    const around = (chosen.end - chosen.start) * 6;
    await shoot(stencil.url, "view-why.png", `s=${chosen.start - around}&e=${chosen.end + around}&i=${chosen.id}&p=selection`, 720);
  }
  await shoot(stencil.url, "view-critical-path.png", `${work}&p=path&x=1`);
  const costly = info.lines.findIndex((line) => line.text?.includes("assign") === true);
  if (costly > 0) await shoot(stencil.url, "view-line.png", `${work}&l=${costly}&p=source`);

  const cg = await serve(record("cg", [], ["--cpus", "4"]));
  await shoot(cg.url, "view-advice.png", "p=advice");
} finally {
  await browser.close();
  cleanUp();
}
