import type { ExactTile, Tile, TileKey } from "../protocol";
import { childOf } from "./derive";
import { ancestor } from "./level";

/** Maximum difference of levels for cutting tiles. Times have 24 bits relative to the parent; the error stays below a tenth of a pixel. */
export const EXACT_LEVELS = 9;
const PARENTS = 24;

interface Entry {
  readonly tile: Tile;
  readonly bytes: number;
  readonly derived: boolean;
  readonly version: number;
}

export function keyText(lane: number, level: number, index: number): string {
  return `${lane}/${level}/${index}`;
}

function bytesOf(tile: Tile): number {
  return tile.n * (tile.kind === "bins" ? 32 : 36) + 200;
}

/** A cache of tiles that evicts the least recently used first. */
export class TileCache {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;
  /** The version of the current marks. Older tiles are shown until newer ones arrive. */
  version = 0;

  constructor(private readonly limit: number, private readonly exactLevels: number) {}

  get size(): number {
    return this.entries.size;
  }

  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  put(tile: Tile, derived = false, version = this.version): void {
    const key = keyText(tile.lane, tile.level, tile.index);
    const old = this.entries.get(key);
    if (old !== undefined) {
      this.bytes -= old.bytes;
      this.entries.delete(key);
    }
    const entry = { tile, bytes: bytesOf(tile), derived, version };
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
    for (const [key, entry] of this.entries) {
      if (this.bytes <= this.limit) break;
      this.entries.delete(key);
      this.bytes -= entry.bytes;
    }
  }

  /** The tile, or one cut from an exact tile above it, and whether it has the current version. */
  get(key: TileKey): { tile: Tile; fresh: boolean } | null {
    const text = keyText(key.lane, key.level, key.index);
    const entry = this.entries.get(text);
    if (entry !== undefined && (entry.version === this.version || !entry.derived)) {
      this.entries.delete(text);
      this.entries.set(text, entry);
      if (entry.version === this.version) return { tile: entry.tile, fresh: true };
    }
    const parent = this.exactAbove(key);
    if (parent !== null && (entry === undefined || parent.version > entry.version)) {
      const tile = childOf(parent.tile, key);
      this.put(tile, true, parent.version);
      return { tile, fresh: parent.version === this.version };
    }
    return entry === undefined ? null : { tile: entry.tile, fresh: false };
  }

  /** The nearest coarser tile, shown while the tile is loading. */
  above(key: TileKey): Tile | null {
    for (let up = 1; up <= PARENTS; up++) {
      const entry = this.entries.get(keyText(key.lane, key.level + up, ancestor(key.index, up)));
      if (entry !== undefined) return entry.tile;
    }
    return null;
  }

  private exactAbove(key: TileKey): { tile: ExactTile; version: number } | null {
    for (let up = 1; up <= this.exactLevels; up++) {
      const entry = this.entries.get(keyText(key.lane, key.level + up, ancestor(key.index, up)));
      if (entry !== undefined && !entry.derived && entry.tile.kind === "exact") return { tile: entry.tile, version: entry.version };
    }
    return null;
  }
}
