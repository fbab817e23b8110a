import type {
  AdviceAnswer, Change, CounterAnswer, CriticalStep, GraphAnswer, Info, ItemDetail, MemoryAnswer, SearchAnswer, SourceAnswer, SourceFile, Tile, TileKey, Version, WhatIfAnswer,
} from "../protocol";
import { decodeTiles } from "./decode";
import { type DataSource, type Marking, SourceError } from "./source";

type Query = Readonly<Record<string, string | number>>;

/** The server of `weft view`, with the token of the page's address. */
export class HttpSource implements DataSource {
  readonly served = true;
  readonly pair = false;
  readonly leftOut: readonly string[] = [];

  /** The generation of the trace whose numbers the requests use. */
  private generation: number | null = null;

  /** The server of a single run, or of one run of a pair. */
  constructor(private readonly token: string, private readonly side = 0) {}

  async info(): Promise<Info> {
    const info = (await (await this.fetch("info", {}, null)).json()) as Info;
    this.generation = info.generation ?? null;
    return info;
  }

  async version(): Promise<Version> {
    return (await (await this.fetch("version", {}, null)).json()) as Version;
  }

  changes(): Promise<readonly Change[]> {
    return this.get("changes", {});
  }

  async tiles(seq: number, keys: readonly TileKey[], marking: Marking, abort: AbortSignal): Promise<Tile[]> {
    const tiles = keys.map(({ lane, level, index }) => ({ lane, level, index }));
    const answer = await this.fetch("tiles", {}, this.generation, { seq, tiles, ...marking }, abort);
    return decodeTiles(await answer.arrayBuffer()).tiles;
  }

  item(id: number): Promise<ItemDetail> {
    return this.get("item", { id });
  }

  search(query: string, limit: number): Promise<SearchAnswer> {
    return this.get("search", { q: query, limit });
  }

  async sources(): Promise<readonly SourceFile[]> {
    return (await this.get<{ files: SourceFile[] }>("sources", {})).files;
  }

  source(file: number): Promise<SourceAnswer> {
    return this.get("source", { file });
  }

  counter(lane: number, from: number, to: number, bins: number): Promise<CounterAnswer> {
    return this.get("counter", { lane, from: Math.floor(from), to: Math.ceil(to), bins });
  }

  memory(lane: number, from: number, to: number, bins: number): Promise<MemoryAnswer> {
    return this.get("memory", { lane, from: Math.floor(from), to: Math.ceil(to), width: bins });
  }

  async critical(): Promise<readonly CriticalStep[]> {
    return (await this.get<{ steps: CriticalStep[] }>("critical", {})).steps;
  }

  advise(): Promise<AdviceAnswer> {
    return this.get("advise", {});
  }

  async whatIf(line: number, factor: number): Promise<WhatIfAnswer> {
    const answer = await this.fetch("whatif", {}, this.generation, { line, factor });
    return (await answer.json()) as WhatIfAnswer;
  }

  graph(kind: "dataflow" | "events", expand: string | null): Promise<GraphAnswer> {
    return this.get("graph", expand === null ? { kind } : { kind, expand });
  }

  private async get<T>(path: string, query: Query): Promise<T> {
    const answer = await this.fetch(path, query, this.generation);
    return (await answer.json()) as T;
  }

  private async fetch(path: string, query: Query, generation: number | null, body?: unknown, abort?: AbortSignal): Promise<Response> {
    const all = { ...query, ...(this.side === 0 ? {} : { side: this.side }), ...(generation === null ? {} : { generation }) };
    const text = new URLSearchParams(Object.entries(all).map(([key, value]) => [key, String(value)])).toString();
    const init: RequestInit = { headers: { "X-Weft-Token": this.token }, cache: "no-store" };
    if (body !== undefined) {
      init.method = "POST";
      init.body = JSON.stringify(body);
    }
    if (abort !== undefined) init.signal = abort;
    let answer: Response;
    try {
      answer = await fetch(`/api/${path}${text === "" ? "" : `?${text}`}`, init);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new SourceError("The server of weft view does not answer. Is it still running?", 0);
    }
    if (!answer.ok) throw new SourceError(await reason(answer), answer.status);
    return answer;
  }
}

async function reason(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const body = JSON.parse(text) as { error?: unknown };
    if (typeof body.error === "string") return body.error;
  } catch {
    // The answer is not JSON, so its text is the error message.
  }
  return text === "" ? `The server answered ${answer.status}.` : text.slice(0, 500);
}
