import type {
  AdviceAnswer, Change, CounterAnswer, CriticalStep, ExactTile, GraphAnswer, Info, ItemDetail, ItemRef, MemoryAnswer, SearchAnswer, SourceAnswer, SourceFile, Tile, TileKey,
  Version, WhatIfAnswer,
} from "../protocol";
import { MAX_LEVEL, ancestor, tileStart } from "../tiles/level";
import { decodeTile } from "./decode";
import { type DataSource, SourceError } from "./source";

type TileRow = readonly [lane: number, level: number, index: number, offset: number, length: number];

interface Directory {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly string[];
  readonly tiles: readonly TileRow[];
}

const NEEDS_SERVER = "This file has no server behind it: open the profile with `weft view` for this.";

/** The answers that `weft view --html` embedded in the page. */
export class EmbeddedSource implements DataSource {
  readonly served = false;
  readonly pair = false;
  readonly leftOut: readonly string[];
  private readonly rows = new Map<string, TileRow>();

  constructor(private readonly directory: Directory, private readonly bytes: ArrayBuffer) {
    this.leftOut = directory.leftOut;
    for (const row of directory.tiles) this.rows.set(`${row[0]}/${row[1]}/${row[2]}`, row);
  }

  static async open(base64: string): Promise<EmbeddedSource> {
    const packed = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const buffer = await new Response(stream).arrayBuffer();
    const length = new DataView(buffer).getUint32(0, true);
    const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
    // Sliced, since typed arrays must begin at a multiple of four.
    return new EmbeddedSource(JSON.parse(text) as Directory, buffer.slice(4 + length));
  }

  info(): Promise<Info> {
    return this.answer("info");
  }

  version(): Promise<Version> {
    return Promise.resolve({ generation: 0, live: false, runs: 1 });
  }

  changes(): Promise<readonly Change[]> {
    return this.answer("changes");
  }

  tiles(_seq: number, keys: readonly TileKey[]): Promise<Tile[]> {
    const rows = new Set<TileRow>();
    for (const key of keys) {
      const row = this.nearest(key);
      if (row !== undefined) rows.add(row);
    }
    return Promise.resolve([...rows].map((row) => decodeTile(this.bytes, row[3])[0]));
  }

  /** The tile, or the finest embedded one above it. The page shows a part of that tile instead. */
  private nearest(key: TileKey): TileRow | undefined {
    for (let up = 0; key.level + up <= MAX_LEVEL; up++) {
      const row = this.rows.get(`${key.lane}/${key.level + up}/${ancestor(key.index, up)}`);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  item(id: number): Promise<ItemDetail> {
    return this.answer(`item?id=${id}`);
  }

  /** Searches names, lines and UIDs of the individually embedded items. */
  async search(query: string, limit: number): Promise<SearchAnswer> {
    if (query.startsWith("sql:")) return { total: 0, cut: false, items: [], error: NEEDS_SERVER };
    const info = await this.info();
    const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = new Map<number, ItemRef>();
    for (const row of this.directory.tiles) {
      const tile = decodeTile(this.bytes, row[3])[0];
      if (tile.kind === "exact") gather(tile, info, words, found);
    }
    const items = [...found.values()].sort((one, other) => one.start - other.start);
    return { total: items.length, cut: items.length > limit, items: items.slice(0, limit), error: null };
  }

  async sources(): Promise<readonly SourceFile[]> {
    return (await this.answer<{ files: SourceFile[] }>("sources")).files;
  }

  source(file: number): Promise<SourceAnswer> {
    return this.answer(`source?file=${file}`);
  }

  counter(lane: number): Promise<CounterAnswer> {
    return this.answer(`counter?lane=${lane}`);
  }

  memory(lane: number): Promise<MemoryAnswer> {
    return this.answer(`memory?lane=${lane}`);
  }

  async critical(): Promise<readonly CriticalStep[]> {
    return (await this.answer<{ steps: CriticalStep[] }>("critical")).steps;
  }

  advise(): Promise<AdviceAnswer> {
    return this.answer("advise");
  }

  whatIf(): Promise<WhatIfAnswer> {
    return Promise.reject(new SourceError(NEEDS_SERVER, 501));
  }

  graph(kind: "dataflow" | "events", expand: string | null): Promise<GraphAnswer> {
    return this.answer(expand === null ? `graph?kind=${kind}` : `graph?kind=${kind}&expand=${expand}`);
  }

  private answer<T>(key: string): Promise<T> {
    const answer = this.directory.answers[key];
    if (answer === undefined) return Promise.reject(new SourceError(`Left out of this file. ${NEEDS_SERVER}`, 404));
    return Promise.resolve(answer as T);
  }
}

function gather(tile: ExactTile, info: Info, words: readonly string[], found: Map<number, ItemRef>): void {
  const origin = tileStart(tile);
  for (let i = 0; i < tile.n; i++) {
    const id = tile.item[i] ?? 0;
    if (found.has(id)) continue;
    const place = info.lines[tile.line[i] ?? 0];
    const name = info.names[tile.name[i] ?? 0] ?? "";
    const text = `${name} ${place === undefined ? "" : `${place.file}:${place.line} ${place.function}`}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const start = origin + (tile.start[i] ?? 0);
    found.set(id, { id, lane: tile.lane, name, line: tile.line[i] ?? 0, start, end: start + (tile.duration[i] ?? 0) });
  }
}
