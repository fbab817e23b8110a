import type {
  AdviceAnswer, Change, CounterAnswer, CriticalStep, GraphAnswer, Info, ItemDetail, MemoryAnswer, SearchAnswer, SourceAnswer, SourceFile, Tile, TileKey, Version, WhatIfAnswer,
} from "../protocol";

/** What tiles are marked with. */
export interface Marking {
  readonly highlight: number | null;
  readonly search: string | null;
}

/** Where the page's answers come from: a server, or the file that the page itself is. */
export interface DataSource {
  /** Whether there is something beyond the page to ask: sliders and SQL need it. */
  readonly served: boolean;
  /** Whether two runs are shown. */
  readonly pair: boolean;
  /** What was left out of an embedded file. */
  readonly leftOut: readonly string[];
  info(): Promise<Info>;
  version(): Promise<Version>;
  /** What each line cost in both runs, where two are shown. */
  changes(): Promise<readonly Change[]>;
  /** Tiles that are not there are left out of the answer. Aborting is enough to cancel: numbers to cancel by would be those of all pages of a server. */
  tiles(seq: number, keys: readonly TileKey[], marking: Marking, abort: AbortSignal): Promise<Tile[]>;
  item(id: number): Promise<ItemDetail>;
  search(query: string, limit: number): Promise<SearchAnswer>;
  sources(): Promise<readonly SourceFile[]>;
  source(file: number): Promise<SourceAnswer>;
  counter(lane: number, from: number, to: number, bins: number): Promise<CounterAnswer>;
  /** What lines held of a memory. */
  memory(lane: number, from: number, to: number, bins: number): Promise<MemoryAnswer>;
  critical(): Promise<readonly CriticalStep[]>;
  advise(): Promise<AdviceAnswer>;
  whatIf(line: number, factor: number): Promise<WhatIfAnswer>;
  graph(kind: "dataflow" | "events", expand: string | null): Promise<GraphAnswer>;
}

/** A sentence for the user. */
export class SourceError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
