import type { Row } from "../layout/rows";
import { type View, pxAt } from "../layout/view";
import type { Box } from "../probe";
import type { BinTile, ExactTile, Tile, TileKey } from "../protocol";
import type { TileCache } from "../tiles/cache";
import { type Split, bins, split } from "../tiles/derive";
import { levelFor, tileNs, tileRange, tileStart } from "../tiles/level";
import type { Theme } from "./theme";

/** A tile, or a gap for a missing one, at its place in a row. */
export interface Placement {
  readonly tile: Tile | null;
  readonly row: Row;
  /** The start of the drawn time; a coarser tile may be drawn in part. */
  readonly from: number;
  readonly to: number;
}

/** The drawn tiles. Panning and zooming within a scene change only the camera. */
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

/** Display options that can change without a new scene. */
export interface Look {
  readonly theme: Theme;
  /** The highlighted line; 0 if none. */
  readonly line: number;
  readonly critical: boolean;
}

export interface Renderer {
  readonly name: "webgl" | "canvas";
  /** Number of draw calls of the last frame. */
  readonly calls: number;
  resize(width: number, height: number, dpr: number): void;
  setScene(scene: Scene): void;
  draw(camera: Camera, look: Look): void;
  dispose(): void;
}

export const EMPTY: Scene = { anchor: 0, placements: [] };

export interface Plan {
  readonly scene: Scene;
  /** Tiles to load, the most urgent first. */
  readonly missing: readonly TileKey[];
}

/** Determines the tiles that show the rows in this view, and those to load. */
export function plan(rows: readonly Row[], view: View, width: number, end: number, cache: TileCache): Plan {
  const level = levelFor(view.nsPerPx);
  const [first, last] = tileRange(level, view.start, view.start + width * view.nsPerPx, end);
  const placements: Placement[] = [];
  const missing: TileKey[] = [];
  const margin: TileKey[] = [];
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
      if (cache.get(key)?.fresh !== true) margin.push(key);
    }
  }
  return { scene: { anchor: view.start, placements }, missing: missing.concat(margin) };
}

/** Draws all tiles of a row in the same way. If one is too dense for boxes, all show shares of time, which avoids visible seams. */
function alike(placements: readonly Placement[]): readonly Placement[] {
  if (!placements.some(({ tile }) => tile?.kind === "bins")) return placements;
  return placements.map((each) => (each.tile?.kind === "exact" ? { ...each, tile: sharesOf(each.tile) } : each));
}

const shares = new WeakMap<ExactTile, BinTile>();

/** Returns all items of a tile as shares of time. The result is cached. */
function sharesOf(tile: ExactTile): BinTile {
  let found = shares.get(tile);
  if (found === undefined) {
    found = bins(tile, [...tile.item.keys()]);
    shares.set(tile, found);
  }
  return found;
}

const splits = new WeakMap<ExactTile, Split>();

/** Returns `split` of a tile. The result is cached. */
export function splitOf(tile: ExactTile): Split {
  let found = splits.get(tile);
  if (found === undefined) {
    found = split(tile);
    splits.set(tile, found);
  }
  return found;
}

const narrowness = new WeakMap<ExactTile, Uint8Array>();

/** Marks the items of a tile that are drawn as shares of time instead of boxes. */
export function narrowOf(tile: ExactTile): Uint8Array {
  let found = narrowness.get(tile);
  if (found === undefined) {
    found = new Uint8Array(tile.n).fill(1);
    for (const i of splitOf(tile).wide) found[i] = 0;
    narrowness.set(tile, found);
  }
  return found;
}

/** The start of the placement's tile relative to the scene's anchor. */
export function originOf(scene: Scene, placement: Placement): number {
  return placement.tile === null ? 0 : tileStart(placement.tile) - scene.anchor;
}

/** The row of an item in its lane, if a visible tile contains the item. */
export function rowOfItem(scene: Scene, item: { readonly id: number; readonly lane: number }): number | null {
  for (const { tile } of scene.placements) {
    if (tile?.kind !== "exact" || tile.lane !== item.lane) continue;
    const at = tile.item.indexOf(item.id);
    if (at >= 0) return tile.row[at] ?? null;
  }
  return null;
}

/** The box of an item in CSS pixels of the canvas, if it is drawn as one. */
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
