import type { TileKey } from "../protocol";

/** The number of bins of a tile. */
export const BINS = 1024;
export const MAX_LEVEL = 40;

/** The width of one bin in ns. */
export function binNs(level: number): number {
  return 2 ** level;
}

export function tileNs(level: number): number {
  return BINS * 2 ** level;
}

export function tileStart(key: TileKey): number {
  return key.index * tileNs(key.level);
}

/** The coarsest level whose bins are not wider than a pixel. */
export function levelFor(nsPerPx: number): number {
  return Math.min(MAX_LEVEL, Math.max(0, Math.floor(Math.log2(nsPerPx) + 1e-9)));
}

/** First and last index of the tiles of a level that show [from, to) of a trace from 0 to `end`; none if first > last. */
export function tileRange(level: number, from: number, to: number, end: number): [first: number, last: number] {
  const width = tileNs(level);
  const first = Math.max(0, Math.floor(from / width));
  const last = Math.min(Math.floor(Math.max(0, end - 1) / width), Math.floor(to / width));
  return [first, last];
}

/** The tile of a coarser level that contains this one. */
export function ancestor(index: number, up: number): number {
  return Math.floor(index / 2 ** up);
}
