// Pictures of the page for README and docs, from profiles of the examples recorded now. Arguments: where they go.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ItemDetail } from "./src/protocol";
import { browse, cleanUp, folder, open, record, serve } from "./test/harness";

const target = process.argv[2] ?? "../../docs/images";
mkdirSync(target, { recursive: true });
const browser = await browse();

async function shoot(url: string, name: string, link: string, height = 640, shows?: string): Promise<void> {
  const { page } = await open(browser, url, { link, height });
  // Without what it is a picture of, there is none.
  if (shows !== undefined) await page.locator(shows).first().waitFor();
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

  // A loop that reads a value in each iteration.
  const at = folder();
  execFileSync(process.env["PYTHON"] ?? "python3", [resolve("../../examples/advice/blocking.py"), "before"], {
    cwd: at, stdio: "pipe", env: { ...process.env, WEFT_CONFIG: "--profile --cpus 4" },
  });
  const blocking = await serve(join(at, "weft_0.prof"));
  await shoot(blocking.url, "view-advice.png", "p=advice", 640, ".findings li");
} finally {
  await browser.close();
  cleanUp();
}
