import { render } from "preact";
import { EmbeddedSource } from "./data/embedded";
import { HttpSource } from "./data/http";
import { PairSource } from "./data/pair";
import { type DataSource, sentence } from "./data/source";
import type { ThemeName } from "./draw/theme";
import { probe } from "./probe";
import { Shell } from "./shell";
import { App } from "./state/app";
import { followRun } from "./state/live";
import { initial } from "./state/state";
import { Store } from "./state/store";
import { followAddress, writeAddress } from "./state/sync";

async function dataSource(query: URLSearchParams): Promise<DataSource> {
  const [data, other] = ["weft-data", "weft-data-after"].map((id) => document.getElementById(id)?.textContent ?? null);
  if (data != null) {
    const first = await EmbeddedSource.open(data);
    return other == null ? first : new PairSource([first, await EmbeddedSource.open(other)]);
  }
  const token = query.get("token") ?? "";
  const first = new HttpSource(token);
  return (await first.version()).runs === 2 ? new PairSource([first, new HttpSource(token, 1)]) : first;
}

function themeOf(query: URLSearchParams): ThemeName {
  const asked = query.get("theme");
  if (asked === "light" || asked === "dark") return asked;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

async function start(root: HTMLElement): Promise<void> {
  const query = new URLSearchParams(location.search);
  window.weftProbe = probe;
  try {
    const source = await dataSource(query);
    const info = await source.info();
    document.title = `${info.title} – weft view`;
    const app = new App(source, new Store(initial(info, { start: info.start, nsPerPx: 0 }, themeOf(query))));
    root.textContent = "";
    render(<Shell app={app} forceCanvas={query.get("renderer") === "canvas"} />, root);
    // The canvases have a size only after the effects have run.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (info.part != null) app.fitRange(info.part[0], info.part[1], 0.02);
      else app.fitAll();
      followAddress(app);
      writeAddress(app);
      followRun(app);
      window.addEventListener("hashchange", () => followAddress(app));
      probe.ready = true;
    }));
  } catch (error) {
    root.textContent = sentence(error);
    root.className = "failed";
  }
}

const root = document.getElementById("weft");
if (root !== null) void start(root);
