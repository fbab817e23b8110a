import type { Row } from "../layout/rows";
import { timeAt } from "../layout/view";
import { FLAG, type ExactTile, NO_ITEM, type Info } from "../protocol";
import { binNs, tileStart } from "../tiles/level";
import { duration, number, percent, place, short } from "../format";
import { type Camera, type Scene, narrowOf, splitOf } from "./scene";

/** The content at a point: one item, or a bin with its longest item. */
export interface Picked {
  readonly row: Row;
  readonly time: number;
  readonly item: number | null;
  readonly line: number;
  readonly text: readonly string[];
  /** Whether this is the area of a memory's holder. */
  readonly holder?: true;
}

const NAME = 160;
/** Distance in pixels at which a narrow item is still hit. */
const REACH = 2;

export function pick(scene: Scene, rows: readonly Row[], camera: Camera, info: Info, x: number, y: number): Picked | null {
  const at = y + camera.scrollY;
  const row = rows.find((each) => at >= each.y && at < each.y + each.height);
  if (row === undefined) return null;
  const time = timeAt(camera.view, x);
  const placement = scene.placements.find((each) => each.row === row && time >= each.from && time < each.to);
  const nothing = { row, time, item: null, line: 0, text: [] };
  if (placement === undefined || placement.tile === null) return nothing;
  const tile = placement.tile;
  if (tile.kind === "exact") {
    const found = itemAt(tile, row, at, time - tileStart(tile), camera.view.nsPerPx * REACH);
    if (found !== null) return { row, time, ...describe(tile, found, info) };
  }
  const bins = tile.kind === "bins" ? tile : splitOf(tile).narrow;
  if (bins === null) return nothing;
  const bin = Math.floor((time - tileStart(bins)) / binNs(bins.level));
  const busy = bins.busy[bin] ?? 0;
  const count = bins.count[bin] ?? 0;
  if (busy === 0 && count === 0) return nothing;
  const line = bins.line[bin] ?? 0;
  const where = place(info.lines[line]);
  const width = duration(binNs(bins.level));
  const item = bins.item[bin] ?? NO_ITEM;
  const text = [
    row.group ? `${row.lane.label}: ${percent(busy)} in use` : `${percent(busy)} busy of ${width}`,
    `${number(count)} ${count === 1 ? "item starts" : "items start"} here, the longest takes ${duration(bins.longest[bin] ?? 0)}`,
  ];
  if (where !== null) text.push(`most of it: ${where}`);
  const flags = flagTexts(bins.flags[bin] ?? 0);
  if (flags !== "") text.push(flags);
  return { row, time, item: item === NO_ITEM ? null : item, line, text };
}

/** Finds the nearest item of a row within reach of the pointer. Boxes take precedence over narrow items. */
export function itemAt(tile: ExactTile, row: Row, at: number, time: number, reach: number): number | null {
  const rows = Math.max(1, row.rows);
  const level = Math.floor((at - row.y - row.runTop) / (row.runHeight / rows));
  const narrow = narrowOf(tile);
  let best: number | null = null;
  let least = Infinity;
  for (let i = 0; i < tile.n; i++) {
    const start = tile.start[i] ?? 0;
    const end = start + (tile.duration[i] ?? 0);
    const its = tile.row[i] ?? 0;
    if (its >= rows || (rows > 1 && narrow[i] === 0 && its !== Math.max(0, level))) continue;
    const off = time < start ? start - time : time > end ? time - end : 0;
    // Of two overlapping items, the shorter one is drawn on top.
    const cost = off * 1e3 + (off === 0 ? 0 : 1) + (end - start) * 1e-9;
    if (off <= reach && cost < least) {
      least = cost;
      best = i;
    }
  }
  return best;
}

function describe(tile: ExactTile, i: number, info: Info): Pick<Picked, "item" | "line" | "text"> {
  const line = tile.line[i] ?? 0;
  const place_ = info.lines[line];
  const where = place(place_);
  const text = [short(info.names[tile.name[i] ?? 0] ?? "?", NAME), duration(tile.duration[i] ?? 0)];
  const start = tile.start[i] ?? 0;
  const created = tile.created[i] ?? NaN;
  const ready = tile.ready[i] ?? NaN;
  if (!Number.isNaN(ready)) {
    const waits = Number.isNaN(created) ? "" : `waited ${duration(Math.max(0, ready - created))}, `;
    text.push(`${waits}ready ${duration(Math.max(0, start - ready))} before it ran`);
  }
  if (where !== null) {
    const source = place_?.text;
    text.push(source === null || source === undefined || source.trim() === "" ? where : `${where}  ${short(source.trim(), 100)}`);
  }
  const flags = flagTexts(tile.flags[i] ?? 0);
  if (flags !== "") text.push(flags);
  return { item: tile.item[i] ?? null, line, text };
}

function flagTexts(flags: number): string {
  const texts: readonly (readonly [number, string])[] = [
    [FLAG.critical, "on the critical path"], [FLAG.search, "found by the search"], [FLAG.finding, "in a finding"],
    [FLAG.estimated, "estimated"], [FLAG.open, "end unknown"], [FLAG.unmatched, "unmatched kernel"], [FLAG.failed, "failed"],
  ];
  return texts.filter(([bit]) => (flags & bit) !== 0).map(([, text]) => text).join(" · ");
}
