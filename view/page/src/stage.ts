import { Counters } from "./draw/counters";
import { drawSelection, drawWalk, walks } from "./draw/arrows";
import { GlRenderer } from "./draw/gl";
import { drawLabels } from "./draw/labels";
import { type Picked, pick } from "./draw/pick";
import { RasterRenderer } from "./draw/raster";
import { drawGuides, drawOverview, drawRuler } from "./draw/ruler";
import { type Camera, EMPTY, type Renderer, type Scene, boxOf, plan, rowOfItem } from "./draw/scene";
import { theme } from "./draw/theme";
import { layoutOf } from "./layout/current";
import { type Row, visibleRows } from "./layout/rows";
import { fit, timeAt } from "./layout/view";
import { frameTook, probe } from "./probe";
import type { Tile, TileKey } from "./protocol";
import type { App } from "./state/app";
import { laneKeys, lineKeys } from "./state/live";
import type { State } from "./state/state";
import { EXACT_LEVELS, TileCache } from "./tiles/cache";
import { levelFor, tileNs } from "./tiles/level";
import { TileLoader } from "./tiles/loader";

export interface Canvases {
  readonly items: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  readonly ruler: HTMLCanvasElement;
  readonly overview: HTMLCanvasElement;
}

const CACHE_BYTES = 128 * 1024 * 1024;
const OVERVIEW_LANES = 8;

/** Draws the state on the canvases, one frame after each change, and requests the missing tiles. */
export class Stage {
  private readonly cache: TileCache;
  private readonly loader: TileLoader;
  private readonly counters: Counters;
  private readonly renderer: Renderer;
  private readonly overlay: CanvasRenderingContext2D;
  private readonly ruler: CanvasRenderingContext2D;
  private readonly overview: CanvasRenderingContext2D;
  private scene: Scene = EMPTY;
  private rows: readonly Row[] = [];
  private planned = "";
  private stale = true;
  private asked = false;
  private dpr = 1;
  private overviewTiles: Tile[] = [];
  private drawnOverview = "";
  private last: State | null = null;
  /** The time at the last pointer position over the lanes. */
  pointer: number | null = null;
  /** The range being selected on the axis. */
  choosing: readonly [number, number] | null = null;

  constructor(private readonly app: App, private readonly canvases: Canvases, forceCanvas: boolean) {
    this.cache = new TileCache(CACHE_BYTES, app.source.served ? EXACT_LEVELS : 40);
    this.counters = new Counters(app.source, () => this.redraw());
    this.loader = new TileLoader(app.source, this.cache, () => {
      this.stale = true;
      this.redraw();
    }, (trouble) => {
      if (app.state.trouble !== trouble) app.store.set({ trouble });
    });
    this.renderer = (forceCanvas ? null : GlRenderer.create(canvases.items)) ?? new RasterRenderer(canvases.items);
    this.overlay = flat(canvases.overlay);
    this.ruler = flat(canvases.ruler);
    this.overview = flat(canvases.overview);
    probe.renderer = this.renderer.name;
    probe.locate = (item) => {
      const box = boxOf(this.scene, this.camera, item);
      const at = canvases.items.getBoundingClientRect();
      return box === null ? null : { ...box, x: box.x + at.left, y: box.y + at.top };
    };
    app.showLane = (lane) => this.showLane(lane);
    app.store.subscribe(() => this.changed());
    canvases.items.addEventListener("webglcontextlost", () => location.reload());
  }

  get camera(): Camera {
    const { view, scrollY, size } = this.app.state;
    return { view, scrollY, width: size.width, height: size.height, dpr: this.dpr };
  }

  resize(width: number, height: number): void {
    const old = this.app.state.size;
    const { info, view } = this.app.state;
    this.dpr = Math.max(1, window.devicePixelRatio || 1);
    this.renderer.resize(width, height, this.dpr);
    sized(this.canvases.overlay, width, height, this.dpr);
    for (const canvas of [this.canvases.ruler, this.canvases.overview]) sized(canvas, width, canvas.clientHeight, this.dpr);
    this.drawnOverview = "";
    // The visible part of the trace stays the same.
    const next = old.width === 0 ? (view.nsPerPx > 0 ? view : fit(info.start, Math.max(info.end, 1), width)) : { ...view, nsPerPx: (view.nsPerPx * old.width) / Math.max(1, width) };
    this.stale = true;
    this.app.store.set({ size: { width, height }, view: next });
    // Resizing clears a canvas, so it is redrawn before the browser paints.
    this.redraw();
    this.frame();
  }

  at(x: number, y: number): Picked | null {
    const holder = this.holderAt(x, y);
    if (holder !== null) return holder;
    const found = pick(this.scene, this.rows, this.camera, this.app.state.info, x, y);
    if (found === null || found.text.length > 0 || found.row.curve === 0) return found;
    const text = this.counters.at(found.row.lane.id, found.time);
    return text === null ? found : { ...found, text: [found.row.lane.label, text] };
  }

  private holderAt(x: number, y: number): Picked | null {
    const at = y + this.app.state.scrollY;
    const row = this.rows.find((each) => at >= each.y && at < each.y + each.runTop && each.curve > 0);
    if (row === undefined) return null;
    const time = timeAt(this.app.state.view, x);
    const found = this.counters.holder(row, time, row.y + 2 + row.curve - at, this.app.state.info);
    return found === null ? null : { row, time, item: null, line: found.line, text: found.text, holder: true };
  }

  /** The next or previous visible item of a lane at a time. */
  neighbour(lane: number, start: number, by: -1 | 1): number | null {
    let best: number | null = null;
    let least = Infinity;
    for (const { tile, row } of this.scene.placements) {
      if (row.lane.id !== lane || tile?.kind !== "exact") continue;
      const origin = tile.index * tileNs(tile.level);
      for (let i = 0; i < tile.n; i++) {
        const distance = (origin + (tile.start[i] ?? 0) - start) * by;
        // Times in tiles are rounded, so an item at this distance is the item itself.
        if (distance > tileNs(tile.level) * 1e-6 && distance < least) {
          least = distance;
          best = tile.item[i] ?? null;
        }
      }
    }
    return best;
  }

  redraw(): void {
    probe.idle = false;
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.frame());
  }

  private changed(): void {
    const { state } = this.app;
    const last = this.last;
    this.last = state;
    const search = state.found !== null && state.found.error === null ? state.query : null;
    const before = last !== null && last.found !== null && last.found.error === null ? last.query : null;
    if (last !== null && (last.line !== state.line || search !== before)) {
      this.loader.mark({ highlight: state.line === 0 ? null : state.line, search });
      this.stale = true;
    }
    if (last !== null && last.info !== state.info) {
      // Tiles with outdated numbers of lanes or lines would be drawn incorrectly.
      if (!extendsOld(laneKeys(last.info), laneKeys(state.info)) || !extendsOld(lineKeys(last.info), lineKeys(state.info))) this.cache.clear();
      this.loader.renew();
      this.counters.renew();
      this.stale = true;
    }
    if (last?.hover !== state.hover && last !== null && Object.is({ ...last, hover: null }, state)) return;
    this.redraw();
  }

  private showLane(lane: number): void {
    const { state } = this.app;
    const layout = layoutOf(state);
    const row = layout.rowOf(lane);
    if (row === undefined) return;
    const { height } = state.size;
    if (row.y >= state.scrollY && row.y + row.height <= state.scrollY + height) return;
    this.app.store.set({ scrollY: Math.max(0, Math.min(row.y - height / 3, layout.height - height)) });
  }

  private frame(): void {
    this.asked = false;
    const began = performance.now();
    const { state } = this.app;
    if (state.size.width === 0) return;
    const colours = theme(state.theme);
    const layout = layoutOf(state);
    const camera = this.camera;
    this.prepare(state, layout.rows);
    this.renderer.draw(camera, { theme: colours, line: state.line, critical: state.criticalShown });
    const context = this.overlay;
    context.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    for (const row of this.rows) if (row.curve > 0) this.counters.draw(context, row, camera, colours, state.line, state.info);
    drawLabels(context, this.scene, camera, state.info, colours, state.line);
    if (state.criticalShown && state.steps !== null) for (const [first, steps] of walks(state.steps)) drawWalk(context, steps, state.stepAt - first, layout, camera, colours);
    if (state.detail !== null && state.detail.id === state.selected) drawSelection(context, state.detail, rowOfItem(this.scene, state.detail), layout, camera, colours);
    const marks = { marks: state.marks, measure: state.measure, choosing: this.choosing };
    drawGuides(context, camera.view, camera.width, camera.height, marks, colours);
    this.ruler.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    drawRuler(this.ruler, camera.view, camera.width, this.canvases.ruler.clientHeight, state.info, marks, colours);
    this.drawOverview(state);
    frameTook(performance.now() - began);
    probe.drawCalls = this.renderer.calls;
    probe.placements = this.scene.placements.length;
    probe.tilesCached = this.cache.size;
    probe.tilesLoaded = this.loader.loaded;
    probe.requests = this.loader.requests;
    probe.idle = !this.loader.busy && !this.asked;
  }

  /** Sets a new scene if the visible tiles have changed since the last frame. */
  private prepare(state: State, rows: readonly Row[]): void {
    const { view, size, scrollY, info } = state;
    const level = levelFor(view.nsPerPx);
    const first = Math.floor(view.start / tileNs(level));
    const last = Math.floor((view.start + size.width * view.nsPerPx) / tileNs(level));
    const visible = visibleRows(rows, scrollY, scrollY + size.height);
    const planned = `${level} ${first} ${last} ${visible[0]?.lane.id} ${visible.length} ${info.end}`;
    const sameRows = visible.length === this.rows.length && visible.every((row, index) => row === this.rows[index]);
    this.counters.want(visible, view, size.width, info);
    if (!this.stale && planned === this.planned && sameRows) return;
    this.planned = planned;
    this.stale = false;
    this.rows = visible;
    const { scene, missing } = plan(visible, view, size.width, info.end, this.cache);
    this.scene = scene;
    this.renderer.setScene(scene);
    this.loader.want([...missing, ...this.overviewKeys(state)]);
  }

  private overviewKeys(state: State): TileKey[] {
    const { info } = state;
    let level = 0;
    while (tileNs(level) < info.end && level < 40) level++;
    const roots = info.lanes.filter((lane) => lane.parent === null).slice(0, OVERVIEW_LANES);
    this.overviewTiles = [];
    const missing: TileKey[] = [];
    for (const { id } of roots) {
      const key = { lane: id, level, index: 0 };
      const found = this.cache.get(key);
      if (found === null || !found.fresh) missing.push(key);
      if (found !== null) this.overviewTiles.push(found.tile);
    }
    return missing;
  }

  private drawOverview(state: State): void {
    const { view, size, info } = state;
    const height = this.canvases.overview.clientHeight;
    const drawn = `${view.start} ${view.nsPerPx} ${size.width} ${this.overviewTiles.length} ${this.cache.version} ${info.end} ${state.theme} ${this.loader.loaded}`;
    if (drawn === this.drawnOverview) return;
    this.drawnOverview = drawn;
    this.overview.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    drawOverview(this.overview, this.overviewTiles, view, [size.width, height], size.width, info, theme(state.theme));
  }
}

/** Whether all old numbers still have the same names. */
function extendsOld(old: ReadonlyMap<number, string>, now: ReadonlyMap<number, string>): boolean {
  return [...old].every(([id, name]) => now.get(id) === name);
}

function flat(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser cannot draw on a canvas.");
  return context;
}

function sized(canvas: HTMLCanvasElement, width: number, height: number, dpr: number): void {
  canvas.width = Math.max(1, Math.round(width * dpr));
  canvas.height = Math.max(1, Math.round(height * dpr));
}
