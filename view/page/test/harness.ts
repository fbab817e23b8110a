// The real server on a real profile, and a real browser.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, type Page, chromium } from "playwright-core";
import type { Info, ItemRef, SearchAnswer } from "../src/protocol";

const TARGET = resolve(process.env["CARGO_TARGET_DIR"] ?? "../../target", "debug");
export const WEFT = process.env["WEFT"] ?? join(TARGET, "weft");
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const QUIET = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--enable-unsafe-swiftshader",
];
const PATIENCE_MS = 60_000;

export type Renderer = "webgl" | "canvas";
export const RENDERERS: readonly Renderer[] = ["webgl", "canvas"];

const folders: string[] = [];
const servers: ChildProcess[] = [];

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "weft-page-"));
  folders.push(made);
  return made;
}

/** Ends started processes and removes created files. */
export function cleanUp(): void {
  for (const server of servers.splice(0)) server.kill("SIGINT");
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
}

/** Runs an example program with profiling, and gives the profile. */
export function record(program: string, args: readonly string[], flags: readonly string[] = []): string {
  const at = folder();
  execFileSync(WEFT, ["run", "--profile", ...flags, "--", join(TARGET, program), ...args], { cwd: at, stdio: "pipe" });
  return join(at, "weft_0.prof");
}

export function weft(...args: string[]): string {
  return execFileSync(WEFT, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

export function query<T>(sql: string, input: string): T[] {
  return JSON.parse(weft("query", "--format", "json", sql, input)) as T[];
}

/** Whether this command has a flag. */
export function viewHas(flag: string): boolean {
  return weft("view", "--help").includes(flag);
}

export interface Server {
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  readonly process: ChildProcess;
  info(): Promise<Info>;
  search(query: string): Promise<SearchAnswer>;
  get(path: string, token?: string): Promise<Response>;
}

export async function serve(...args: string[]): Promise<Server> {
  const child = spawn(WEFT, ["view", "--no-open", "--port", "0", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  servers.push(child);
  const url = await new Promise<string>((found, failed) => {
    let text = "";
    const read = (part: Buffer): void => {
      text += part.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\/\?token=\w+/.exec(text);
      if (match !== null) found(match[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", () => failed(new Error(`weft view ended: ${text}`)));
  });
  const origin = new URL(url).origin;
  const token = new URL(url).searchParams.get("token") ?? "";
  const get = (path: string, its = token): Promise<Response> => fetch(`${origin}${path}`, { headers: { "X-Weft-Token": its } });
  return {
    url, origin, token, process: child, get,
    info: async () => (await (await get("/api/info")).json()) as Info,
    search: async (text) => (await (await get(`/api/search?limit=5000&q=${encodeURIComponent(text)}`)).json()) as SearchAnswer,
  };
}

export async function browse(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`There is no ${CHROMIUM}: apt-get install chromium`);
  return chromium.launch({ executablePath: CHROMIUM, args: QUIET });
}

export interface Opened {
  readonly page: Page;
  /** Addresses that the page requested. */
  readonly asked: string[];
  readonly errors: string[];
}

export async function open(browser: Browser, url: string, options: { renderer?: Renderer; link?: string; width?: number; height?: number; theme?: string } = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: options.width ?? 1200, height: options.height ?? 800 } });
  const asked: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.text().includes("GL_INVALID")) errors.push(message.text());
  });
  const separator = url.includes("?") ? "&" : "?";
  await page.goto(`${url}${separator}theme=${options.theme ?? "light"}${options.renderer === "canvas" ? "&renderer=canvas" : ""}${options.link === undefined ? "" : `#${options.link}`}`);
  await idle(page);
  return { page, asked, errors };
}

/** Waits until all requested tiles are drawn. */
export async function idle(page: Page): Promise<void> {
  await until(page, () => {
    const probe = window.weftProbe;
    return probe !== undefined && probe.ready && probe.frames > 2 && probe.idle;
  });
  // The effect of a key or a click shows in the next frame, and a pane that makes the lanes wider in the one after it.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))));
  await until(page, () => window.weftProbe.idle);
}

/** Polls a condition: a policy that forbids evaluating strings rejects Playwright's waiting functions. */
export async function until(page: Page, test: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await page.evaluate(test))) {
    if (Date.now() > end) throw new Error(`waited too long for ${test.toString()}`);
    await page.waitForTimeout(30);
  }
}

/** Moves the page to another deep link. */
export async function follow(page: Page, link: string): Promise<void> {
  // The page's own listener comes before this one.
  await page.evaluate((fragment) => new Promise<void>((done) => {
    window.addEventListener("hashchange", () => done(), { once: true });
    if (location.hash === `#${fragment}`) done();
    location.hash = fragment;
  }), link);
  await idle(page);
}

export type Pixel = readonly [red: number, green: number, blue: number];

/** The pixels of the browser's page. */
export async function pixels(page: Page, points: readonly (readonly [x: number, y: number])[]): Promise<Pixel[]> {
  const png = (await page.screenshot()).toString("base64");
  return page.evaluate(async ([text, at]) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("no canvas");
    context.drawImage(bitmap, 0, 0);
    const { data, width } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return at.map(([x, y]): [number, number, number] => {
      const first = (Math.floor(y) * width + Math.floor(x)) * 4;
      return [data[first] ?? 0, data[first + 1] ?? 0, data[first + 2] ?? 0];
    });
  }, [png, points] as const);
}

export function near(one: Pixel, other: Pixel, by = 3): boolean {
  return one.every((part, index) => Math.abs(part - (other[index] ?? -99)) <= by);
}

export function itemOf(items: readonly ItemRef[], id: number): ItemRef {
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw new Error(`no item ${id}`);
  return found;
}

export function bundle(): string {
  return readFileSync("dist/page.html", "utf8");
}
