// Pictures of the page for README and docs, from profiles of the examples recorded now. Arguments: where they go.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ItemDetail } from "./src/protocol";
import { type Server, browse, cleanUp, folder, open, record, serve, weft } from "./test/harness";

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

/** The part of a link for the time from the first task to the end of the last, without the start and end of the process. */
async function ofTasks(server: Server): Promise<string> {
  const tasks = (await server.search("sql: ready >= created")).items;
  const [start, end] = [Math.min(...tasks.map((item) => item.start)), Math.max(...tasks.map((item) => item.end))];
  return `s=${start - (end - start) * 0.03}&e=${end + (end - start) * 0.03}`;
}

/** The side before the fix of a pair of examples/advice, recorded until the advice begins with what the pair is about: of some runs, the shortest. */
function recordPair(pair: string, flags: readonly string[], rule: string): string {
  let best: { profile: string; length: number } | null = null;
  for (let run = 0; run < 60 && (run < 12 || best === null); run++) {
    const at = folder();
    execFileSync(process.env["PYTHON"] ?? "python3", [resolve(`../../examples/advice/${pair}.py`), "before"], {
      cwd: at, stdio: "pipe", env: { ...process.env, WEFT_CONFIG: `--profile ${flags.join(" ")}` },
    });
    const profile = join(at, "weft_0.prof");
    const advice = JSON.parse(weft("advise", "--format", "json", profile)) as { replay: { measured_ns: number }; findings: { rule: string }[] };
    const length = advice.replay.measured_ns;
    if (advice.findings[0]?.rule === rule && length < (best?.length ?? Infinity)) best = { profile, length };
  }
  if (best === null) throw new Error(`no run of ${pair} gives the advice ${rule}: record on a quiet machine`);
  return best.profile;
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

  // A loop that reads a value in each iteration, and tasks of which one takes much longer.
  const blocking = await serve(recordPair("blocking", ["--cpus", "1"], "blocking-value"));
  await shoot(blocking.url, "view-advice.png", `${await ofTasks(blocking)}&p=advice`, 420, ".findings li");
  const uneven = await serve(recordPair("uneven", ["--cpus", "2"], "skew"));
  await shoot(uneven.url, "view-skew.png", `${await ofTasks(uneven)}&p=advice`, 520, ".findings li");
} finally {
  await browser.close();
  cleanUp();
}
