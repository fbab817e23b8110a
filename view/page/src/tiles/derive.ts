import { type BinTile, type ExactTile, NO_ITEM, type TileKey } from "../protocol";
import { BINS, binNs, tileNs, tileStart } from "./level";

/** Items narrower than this number of bins are drawn as shares of time. */
export const NARROW_BINS = 1.5;

/** Cuts a finer tile from an exact one, which avoids a request. */
export function childOf(parent: ExactTile, key: TileKey): ExactTile {
  const shift = tileStart(parent) - tileStart(key);
  const width = tileNs(key.level);
  const kept: number[] = [];
  for (let i = 0; i < parent.n; i++) {
    const start = (parent.start[i] ?? 0) + shift;
    const end = start + (parent.duration[i] ?? 0);
    const created = (parent.created[i] ?? NaN) + shift;
    const from = created < start ? created : start;
    if (from < width && (end > 0 || (end === 0 && start === 0))) kept.push(i);
  }
  const floats = (array: Float32Array, by: number): Float32Array => Float32Array.from(kept, (i) => (array[i] ?? NaN) + by);
  const words = (array: Uint32Array): Uint32Array => Uint32Array.from(kept, (i) => array[i] ?? 0);
  return {
    kind: "exact", lane: key.lane, level: key.level, index: key.index, n: kept.length, rows: parent.rows,
    start: floats(parent.start, shift), duration: floats(parent.duration, 0), created: floats(parent.created, shift), ready: floats(parent.ready, shift),
    row: words(parent.row), name: words(parent.name), line: words(parent.line), item: words(parent.item), flags: words(parent.flags),
  };
}

export interface Split {
  /** Items that are wide enough to be drawn individually. */
  readonly wide: Uint32Array;
  /** The shares of time of all other items; null if there are none. */
  readonly narrow: BinTile | null;
}

/** Separates items that are wide enough for boxes from those drawn as shares of time. */
export function split(tile: ExactTile): Split {
  const bin = binNs(tile.level);
  const wide: number[] = [];
  const rest: number[] = [];
  for (let i = 0; i < tile.n; i++) ((tile.duration[i] ?? 0) >= NARROW_BINS * bin ? wide : rest).push(i);
  return { wide: Uint32Array.from(wide), narrow: rest.length === 0 ? null : bins(tile, rest) };
}

/** Computes shares of time, counts, dominant lines and flags of some items of an exact tile. */
export function bins(tile: ExactTile, items: readonly number[]): BinTile {
  const bin = binNs(tile.level);
  const busy = new Float32Array(BINS);
  const count = new Uint32Array(BINS);
  const line = new Uint32Array(BINS);
  const longest = new Float32Array(BINS);
  const item = new Uint32Array(BINS).fill(NO_ITEM);
  const flags = new Uint32Array(BINS);
  const best = new Float32Array(BINS);
  // Nested items count once. Items are sorted by start, so the end of the covered time is sufficient.
  let covered = 0;
  for (const i of items) {
    const start = tile.start[i] ?? 0;
    const duration = tile.duration[i] ?? 0;
    const end = start + duration;
    const first = Math.max(0, Math.floor(start / bin));
    const last = Math.min(BINS - 1, Math.max(first, Math.ceil(end / bin) - 1));
    if (first >= BINS || end < 0) continue;
    if (start >= 0) count[first] = (count[first] ?? 0) + 1;
    for (let b = first; b <= last; b++) {
      const fresh = Math.min(end, (b + 1) * bin) - Math.max(start, b * bin, covered);
      const share = Math.min(end, (b + 1) * bin) - Math.max(start, b * bin);
      if (fresh > 0) busy[b] = Math.min(1, (busy[b] ?? 0) + fresh / bin);
      if (share >= (best[b] ?? 0)) {
        best[b] = share;
        line[b] = tile.line[i] ?? 0;
      }
      if (duration >= (longest[b] ?? 0)) {
        longest[b] = duration;
        item[b] = tile.item[i] ?? NO_ITEM;
      }
      flags[b] = (flags[b] ?? 0) | (tile.flags[i] ?? 0);
    }
    covered = Math.max(covered, end);
  }
  return {
    kind: "bins", lane: tile.lane, level: tile.level, index: tile.index, n: BINS, rows: tile.rows,
    busy, count, line, waiting: new Float32Array(BINS), ready: new Float32Array(BINS), longest, item, flags,
  };
}
