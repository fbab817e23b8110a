import type { Row } from "../layout/rows";
import { type View, pxAt } from "../layout/view";
import type { Box } from "../probe";
import type { BinTile, ExactTile, Tile, TileKey } from "../protocol";
import type { TileCache } from "../tiles/cache";
import { type Split, bins, split } from "../tiles/derive";
import { levelFor, tileNs, tileRange, tileStart } from "../tiles/level";
import type { Theme } from "./theme";

/** A tile, or the lack of one, at its place in a row. */
export interface Placement {
  readonly tile: Tile | null;
  readonly row: Row;
  /** What of the time it is drawn for: a coarser tile stands in for a part of itself. */
  readonly from: number;
  readonly to: number;
}

/** What is drawn; panning and zooming within it change only the camera. */
export interface Scene {
  readonly anchor: number;
  readonly placements: readonly Placement[];
}

export interface Camera {
  readonly view: View;
  readonly scrollY: number;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly dpr: number;
}

/** How it is drawn; needs no new scene. */
export interface Look {
  readonly theme: Theme;
  /** Line whose items stand out; 0 for none. */
  readonly line: number;
  readonly critical: boolean;
}

export interface Renderer {
  readonly name: "webgl" | "canvas";
  /** Draw calls of the last frame. */
  readonly calls: number;
  resize(width: number, height: number, dpr: number): void;
  setScene(scene: Scene): void;
  draw(camera: Camera, look: Look): void;
  dispose(): void;
}

export const EMPTY: Scene = { anchor: 0, placements: [] };

export interface Plan {
  readonly scene: Scene;
  /** Tiles that should come, the most urgent first. */
  readonly missing: readonly TileKey[];
}

/** Which tiles show the rows at this view, and which are still missing. */
export function plan(rows: readonly Row[], view: View, width: number, end: number, cache: TileCache): Plan {
  const level = levelFor(view.nsPerPx);
  const [first, last] = tileRange(level, view.start, view.start + width * view.nsPerPx, end);
  const placements: Placement[] = [];
  const missing: TileKey[] = [];
  const beside: TileKey[] = [];
  const span = tileNs(level);
  for (const row of rows) {
    if (row.runHeight === 0) continue;
    const lane = row.lane.id;
    const own: Placement[] = [];
    for (let index = first; index <= last; index++) {
      const key = { lane, level, index };
      const from = index * span;
      const to = Math.min(from + span, end);
      const found = cache.get(key);
      if (found === null || !found.fresh) missing.push(key);
      own.push({ tile: found === null ? cache.above(key) : found.tile, row, from, to });
    }
    placements.push(...alike(own));
    for (const index of [first - 1, last + 1]) {
      if (index < 0 || index * span >= end || first > last) continue;
      const key = { lane, level, index };
      if (cache.get(key)?.fresh !== true) beside.push(key);
    }
  }
  return { scene: { anchor: view.start, placements }, missing: missing.concat(beside) };
}

/** The tiles of a row in one way: if one of them is too dense for boxes, all are shares of time. Otherwise a row changes where its tiles meet. */
function alike(placements: readonly Placement[]): readonly Placement[] {
  if (!placements.some(({ tile }) => tile?.kind === "bins")) return placements;
  return placements.map((each) => (each.tile?.kind === "exact" ? { ...each, tile: sharesOf(each.tile) } : each));
}

const shares = new WeakMap<ExactTile, BinTile>();

/** All items of a tile as shares of time, once. */
function sharesOf(tile: ExactTile): BinTile {
  let found = shares.get(tile);
  if (found === undefined) {
    found = bins(tile, [...tile.item.keys()]);
    shares.set(tile, found);
  }
  return found;
}

const splits = new WeakMap<ExactTile, Split>();

/** `split` of a tile, once. */
export function splitOf(tile: ExactTile): Split {
  let found = splits.get(tile);
  if (found === undefined) {
    found = split(tile);
    splits.set(tile, found);
  }
  return found;
}

const narrowness = new WeakMap<ExactTile, Uint8Array>();

/** Which items of a tile are shares of time and no boxes. */
export function narrowOf(tile: ExactTile): Uint8Array {
  let found = narrowness.get(tile);
  if (found === undefined) {
    found = new Uint8Array(tile.n).fill(1);
    for (const i of splitOf(tile).wide) found[i] = 0;
    narrowness.set(tile, found);
  }
  return found;
}

/** Start of the placement's tile, from the scene's anchor. */
export function originOf(scene: Scene, placement: Placement): number {
  return placement.tile === null ? 0 : tileStart(placement.tile) - scene.anchor;
}

/** The row of an item in its lane, if a tile on the screen has the item. */
export function rowOfItem(scene: Scene, item: { readonly id: number; readonly lane: number }): number | null {
  for (const { tile } of scene.placements) {
    if (tile?.kind !== "exact" || tile.lane !== item.lane) continue;
    const at = tile.item.indexOf(item.id);
    if (at >= 0) return tile.row[at] ?? null;
  }
  return null;
}

/** Where an item is drawn as a box, in CSS pixels of the canvas. */
export function boxOf(scene: Scene, camera: Camera, item: number): Box | null {
  for (const { tile, row } of scene.placements) {
    if (tile?.kind !== "exact" || row.group) continue;
    const at = tile.item.indexOf(item);
    if (at < 0 || narrowOf(tile)[at] === 1 || (tile.row[at] ?? 0) >= row.rows) continue;
    const start = tileStart(tile) + (tile.start[at] ?? 0);
    const x = pxAt(camera.view, start);
    const height = row.runHeight / Math.max(1, row.rows);
    const y = row.y + row.runTop + (tile.row[at] ?? 0) * height - camera.scrollY;
    return { x, y, width: pxAt(camera.view, start + (tile.duration[at] ?? 0)) - x, height, line: tile.line[at] ?? 0 };
  }
  return null;
}
