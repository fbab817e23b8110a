import type {
  AdviceAnswer, Change, CounterAnswer, CriticalStep, GraphAnswer, Info, ItemDetail, MemoryAnswer, SearchAnswer, SourceAnswer, SourceFile, Tile, TileKey, Version, WhatIfAnswer,
} from "../protocol";

/** Highlights in tiles. */
export interface Marking {
  readonly highlight: number | null;
  readonly search: string | null;
}

/** The source of the page's data: a server, or the page's own file. */
export interface DataSource {
  /** Whether a server is available, as required by sliders and SQL. */
  readonly served: boolean;
  /** Whether two runs are shown. */
  readonly pair: boolean;
  /** The parts that an embedded file does not contain. */
  readonly leftOut: readonly string[];
  info(): Promise<Info>;
  version(): Promise<Version>;
  /** The cost of each line in both runs; empty if only one run is shown. */
  changes(): Promise<readonly Change[]>;
  /** Loads tiles; the answer omits those that do not exist. Requests are cancelled by aborting, since `seq` is not unique among pages of one server. */
  tiles(seq: number, keys: readonly TileKey[], marking: Marking, abort: AbortSignal): Promise<Tile[]>;
  item(id: number): Promise<ItemDetail>;
  search(query: string, limit: number): Promise<SearchAnswer>;
  sources(): Promise<readonly SourceFile[]>;
  source(file: number): Promise<SourceAnswer>;
  counter(lane: number, from: number, to: number, bins: number): Promise<CounterAnswer>;
  /** The bytes of a memory that each line held. */
  memory(lane: number, from: number, to: number, bins: number): Promise<MemoryAnswer>;
  critical(): Promise<readonly CriticalStep[]>;
  advise(): Promise<AdviceAnswer>;
  whatIf(line: number, factor: number): Promise<WhatIfAnswer>;
  graph(kind: "dataflow" | "events", expand: string | null): Promise<GraphAnswer>;
}

/** An error with a message for the user. */
export class SourceError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
