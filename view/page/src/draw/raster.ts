import { FLAG, type BinTile, type ExactTile } from "../protocol";
import { binNs } from "../tiles/level";
import { type Camera, EMPTY, type Look, type Placement, type Renderer, type Scene, narrowOf, originOf, splitOf } from "./scene";
import { type Rgb, type Theme, lineColour, mix } from "./theme";

type Pixel = number;

interface Inks {
  readonly lines: readonly Pixel[];
  readonly dimLines: readonly Pixel[];
  readonly darkLines: readonly Pixel[];
  readonly track: Pixel;
  readonly groupTrack: Pixel;
  readonly dimCurve: Pixel;
  readonly colour: Readonly<Record<"background" | "loading" | "curve" | "waiting" | "ready" | "critical" | "search" | "failed" | "unmatched" | "finding", Pixel>>;
}

function pixel([red, green, blue]: Rgb): Pixel {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function inks(theme: Theme): Inks {
  const colour = (name: keyof Inks["colour"]): Pixel => pixel(theme[name]);
  return {
    lines: theme.lines.map(pixel),
    dimLines: theme.lines.map((line) => pixel(mix(theme.track, line, 0.22))),
    darkLines: theme.lines.map((line) => pixel(mix(line, [0, 0, 0], 0.28))),
    track: pixel(theme.track),
    groupTrack: pixel(theme.groupTrack),
    dimCurve: pixel(mix(theme.groupTrack, theme.curve, 0.22)),
    colour: {
      background: colour("background"), loading: colour("loading"), curve: colour("curve"), waiting: colour("waiting"), ready: colour("ready"),
      critical: colour("critical"), search: colour("search"), failed: colour("failed"), unmatched: colour("unmatched"), finding: colour("finding"),
    },
  };
}

/** A renderer for browsers without WebGL. It draws into the pixels of an image. */
export class RasterRenderer implements Renderer {
  readonly name = "canvas";
  calls = 0;
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData;
  private pixels: Uint32Array;
  private scene: Scene = EMPTY;
  private inked: { theme: Theme; inks: Inks } | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("This browser cannot draw on a canvas.");
    this.context = context;
    this.image = context.createImageData(1, 1);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  resize(width: number, height: number): void {
    // One pixel per CSS pixel: four times the pixels would take four times as long.
    this.canvas.width = Math.max(1, Math.round(width));
    this.canvas.height = Math.max(1, Math.round(height));
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  setScene(scene: Scene): void {
    this.scene = scene;
  }

  draw(camera: Camera, look: Look): void {
    if (this.inked?.theme !== look.theme) this.inked = { theme: look.theme, inks: inks(look.theme) };
    const ink = this.inked.inks;
    this.pixels.fill(ink.colour.background);
    for (const placement of this.scene.placements) {
      const { tile } = placement;
      const bins = tile === null ? null : tile.kind === "bins" ? tile : splitOf(tile).narrow;
      this.drawBins(placement, bins, camera, look, ink);
      if (tile?.kind === "exact") this.drawItems(placement, tile, camera, look, ink);
    }
    this.context.putImageData(this.image, 0, 0);
    this.calls = 1;
  }

  dispose(): void {
    this.scene = EMPTY;
  }

  private fill(x0: number, x1: number, y0: number, y1: number, colour: Pixel): void {
    const width = this.image.width;
    const left = Math.max(0, Math.round(x0));
    const right = Math.min(width, Math.round(x1));
    const top = Math.max(0, Math.round(y0));
    const bottom = Math.min(this.image.height, Math.round(y1));
    if (right <= left) return;
    for (let y = top; y < bottom; y++) this.pixels.fill(colour, y * width + left, y * width + right);
  }

  private drawBins(placement: Placement, tile: BinTile | null, camera: Camera, look: Look, ink: Inks): void {
    const { row, from, to } = placement;
    const { view } = camera;
    const x0 = Math.max(0, Math.round((from - view.start) / view.nsPerPx));
    const x1 = Math.min(this.image.width, Math.round((to - view.start) / view.nsPerPx));
    const top = row.y + row.runTop - camera.scrollY;
    const low = top + row.runHeight;
    const track = placement.tile === null ? ink.colour.loading : row.group ? ink.groupTrack : ink.track;
    this.fill(x0, x1, top, low, track);
    if (row.band > 0) this.fill(x0, x1, low + 1, low + 1 + row.band, track);
    if (tile === null) return;
    const bin = binNs(tile.level);
    const origin = this.scene.anchor + originOf(this.scene, placement);
    for (let x = x0; x < x1; x++) {
      const t = view.start + x * view.nsPerPx - origin;
      const first = Math.min(1023, Math.max(0, Math.floor(t / bin)));
      const last = Math.min(1023, first + 15, Math.max(first, Math.ceil((t + view.nsPerPx) / bin) - 1));
      let busy = 0, waiting = 0, ready = 0, best = -1, line = 0, flags = 0, count = 0;
      for (let i = first; i <= last; i++) {
        const share = tile.busy[i] ?? 0;
        busy += share;
        waiting += tile.waiting[i] ?? 0;
        ready += tile.ready[i] ?? 0;
        count += tile.count[i] ?? 0;
        flags |= tile.flags[i] ?? 0;
        const its = tile.line[i] ?? 0;
        if (share > best) {
          best = share;
          line = its;
        }
        if (look.line !== 0 && its === look.line) flags |= FLAG.highlight;
      }
      const n = last - first + 1;
      if (row.band > 0 && waiting + ready > 0) {
        const theme = look.theme;
        const shade = mix(mix(theme.track, theme.waiting, Math.min(1, waiting / n)), theme.ready, Math.min(1, ready / n));
        this.fill(x, x + 1, low + 1, low + 1 + row.band, pixel(shade));
      }
      let height = (busy / n) * row.runHeight;
      if (busy > 0 || count > 0) height = Math.max(height, 1);
      const lit = (flags & FLAG.highlight) !== 0;
      if (height > 0) {
        const dim = look.line !== 0 && !(lit && line === look.line);
        const colour = row.group ? (dim ? ink.dimCurve : ink.colour.curve) : (dim ? ink.dimLines : ink.lines)[lineColour(line)] ?? 0;
        this.fill(x, x + 1, low - height, low, colour);
      }
      if (look.line !== 0 && lit) this.fill(x, x + 1, low - 3, low, ink.lines[lineColour(look.line)] ?? 0);
      if (flags === 0) continue;
      if (!row.group && (flags & FLAG.unmatched) !== 0) this.fill(x, x + 1, top, top + 2, ink.colour.unmatched);
      if ((flags & FLAG.finding) !== 0) this.fill(x, x + 1, top, top + 2, ink.colour.finding);
      if ((flags & FLAG.failed) !== 0) this.fill(x, x + 1, top, top + 2, ink.colour.failed);
      if (look.critical && (flags & FLAG.critical) !== 0) this.fill(x, x + 1, low - 2, low, ink.colour.critical);
      if ((flags & FLAG.search) !== 0) this.fill(x, x + 1, top, top + 3, ink.colour.search);
    }
  }

  private drawItems(placement: Placement, tile: ExactTile, camera: Camera, look: Look, ink: Inks): void {
    const { row, from, to } = placement;
    const { view } = camera;
    const origin = this.scene.anchor + originOf(this.scene, placement) - view.start;
    const low = (from - view.start) / view.nsPerPx;
    const high = (to - view.start) / view.nsPerPx;
    const narrow = narrowOf(tile);
    const top = row.y + row.runTop - camera.scrollY;
    const rowHeight = row.runHeight / Math.max(1, row.rows);
    const dimmed = [pixel(mix(look.theme.track, look.theme.waiting, 0.22)), pixel(mix(look.theme.track, look.theme.ready, 0.22))] as const;
    for (let i = 0; i < tile.n; i++) {
      const start = origin + (tile.start[i] ?? 0);
      const line = tile.line[i] ?? 0;
      const flags = tile.flags[i] ?? 0;
      const lit = look.line === 0 || line === look.line || (flags & FLAG.highlight) !== 0;
      const x = start / view.nsPerPx;
      if (row.band > 0) {
        const created = origin + (tile.created[i] ?? NaN);
        const ready = Number.isNaN(tile.ready[i]) ? start : origin + (tile.ready[i] ?? NaN);
        const bandTop = top + row.runHeight + 1;
        const bandBox = (a: number, b: number, colour: Pixel): void => {
          if (b > a) this.fill(Math.max(low, a / view.nsPerPx), Math.min(high, b / view.nsPerPx), bandTop, bandTop + row.band, colour);
        };
        bandBox(created, ready, lit ? ink.colour.waiting : dimmed[0]);
        bandBox(ready, start, lit ? ink.colour.ready : dimmed[1]);
      }
      const level = tile.row[i] ?? 0;
      if (narrow[i] === 1 || level >= row.rows) continue;
      const end = Math.max(x + 1, (start + (tile.duration[i] ?? 0)) / view.nsPerPx);
      const left = Math.max(low, x);
      const right = Math.min(high, end);
      const y = top + level * rowHeight;
      const bottom = y + rowHeight - (row.rows > 1 ? 1 : 0);
      this.fill(left, right, y, bottom, (lit ? ink.lines : ink.dimLines)[lineColour(line)] ?? 0);
      if (end - x > 4 && left === x) this.fill(x, x + 1, y, bottom, (lit ? ink.darkLines : ink.dimLines)[lineColour(line)] ?? 0);
      if (flags === 0) continue;
      if ((flags & FLAG.unmatched) !== 0) this.hatch(left, right, y, bottom, ink.colour.unmatched);
      if ((flags & FLAG.open) !== 0 && end - x > 4) for (let at = left; at < right; at += 4) this.fill(at, at + 1, y, bottom, ink.darkLines[lineColour(line)] ?? 0);
      if ((flags & FLAG.finding) !== 0) this.fill(left, right, y, y + 2, ink.colour.finding);
      if ((flags & FLAG.failed) !== 0) this.fill(left, right, y, y + 2, ink.colour.failed);
      if (look.critical && (flags & FLAG.critical) !== 0) this.fill(left, right, bottom - 2, bottom, ink.colour.critical);
      if ((flags & FLAG.search) !== 0) this.fill(left, right, y, y + 3, ink.colour.search);
    }
  }

  private hatch(x0: number, x1: number, y0: number, y1: number, colour: Pixel): void {
    for (let y = Math.round(y0); y < y1; y++) {
      for (let x = Math.max(0, Math.round(x0)); x < Math.min(this.image.width, x1); x++) {
        if ((x + y) % 6 < 1) this.fill(x, x + 1, y, y + 1, colour);
      }
    }
  }
}
