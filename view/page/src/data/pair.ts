import {
  type AdviceAnswer, type Change, type CounterAnswer, type CriticalStep, type Dependence, type GraphAnswer, type HeldBy, type Info, type ItemDetail, type ItemRef, type LaneInfo,
  type MemoryAnswer,
  NO_ITEM, type Place, type SearchAnswer, type SourceAnswer, type SourceFile, type Tile, type TileKey, type Version, type WhatIfAnswer,
} from "../protocol";
import { type DataSource, type Marking, SourceError } from "./source";

const ALONE = "Two runs are shown: open one of them alone for this.";
const NAMES = ["before", "after"] as const;
/** Maximum number of items with one UID that are searched for the counterpart in the other run. */
const TWINS = 20;

/** Maps the numbers of one run to those of the pair. */
interface Numbers {
  readonly lanes: number;
  readonly items: number;
  readonly names: number;
  /** The pair's line for each line of the run. */
  readonly lines: readonly number[];
  /** The run's line for each line of the pair. */
  readonly back: ReadonlyMap<number, number>;
}

interface Both {
  readonly info: Info;
  readonly numbers: readonly [Numbers, Numbers];
}

/** Two runs as one trace. Lanes of the first run are above those of the second. Both begin at 0, and equal source lines are merged. */
export class PairSource implements DataSource {
  readonly served: boolean;
  readonly pair = true;
  readonly leftOut: readonly string[];
  private both: Promise<Both> | null = null;
  private files: Promise<readonly (readonly [number | null, number | null])[]> | null = null;

  constructor(private readonly sides: readonly [DataSource, DataSource]) {
    this.served = sides[0].served;
    this.leftOut = [...new Set([...sides[0].leftOut, ...sides[1].leftOut])];
  }

  async info(): Promise<Info> {
    return (await this.known()).info;
  }

  version(): Promise<Version> {
    return this.sides[0].version();
  }

  changes(): Promise<readonly Change[]> {
    return this.sides[0].changes();
  }

  async tiles(seq: number, keys: readonly TileKey[], marking: Marking, abort: AbortSignal): Promise<Tile[]> {
    const { numbers } = await this.known();
    const limit = numbers[1].lanes;
    const asked = [keys.filter((key) => key.lane < limit), keys.filter((key) => key.lane >= limit).map((key) => ({ ...key, lane: key.lane - limit }))] as const;
    const answers = await Promise.all(([0, 1] as const).map(async (side) => {
      const own = asked[side];
      if (own.length === 0) return [];
      const highlight = marking.highlight === null ? null : numbers[side].back.get(marking.highlight) ?? null;
      const tiles = await this.sides[side].tiles(seq, own, { ...marking, highlight }, abort);
      return tiles.map((tile) => tileOf(tile, numbers[side]));
    }));
    return answers.flat();
  }

  async item(id: number): Promise<ItemDetail> {
    const { numbers } = await this.known();
    const side = id < numbers[1].items ? 0 : 1;
    const own = await this.sides[side].item(id - numbers[side].items);
    const detail = detailOf(own, numbers[side]);
    const twin = await this.twin(own, side);
    return twin === null ? detail : { ...detail, twin };
  }

  /** The item of the other run with the same UID, name and line. */
  private async twin(own: ItemDetail, side: 0 | 1): Promise<ItemRef | null> {
    if (own.uid === null) return null;
    const { numbers } = await this.known();
    const other = side === 0 ? 1 : 0;
    const found = await this.sides[other].search(own.uid, TWINS).catch(() => null);
    const same = (found?.items ?? []).map((item) => refOf(item, numbers[other]));
    const line = own.line === null ? 0 : numbers[side].lines[own.line.id] ?? 0;
    return same.find((item) => item.name === own.name && item.line === line) ?? null;
  }

  async search(query: string, limit: number): Promise<SearchAnswer> {
    const { numbers } = await this.known();
    const [one, other] = await Promise.all(this.sides.map((side) => side.search(query, Math.ceil(limit / 2))));
    if (one === undefined || other === undefined) throw new SourceError(ALONE, 0);
    const items = [...one.items.map((item) => refOf(item, numbers[0])), ...other.items.map((item) => refOf(item, numbers[1]))];
    return { total: one.total + other.total, cut: one.cut || other.cut, items, error: one.error ?? other.error };
  }

  async sources(): Promise<readonly SourceFile[]> {
    const lists = await Promise.all(this.sides.map((side) => side.sources()));
    const paths = [...new Set(lists.flat().map((file) => file.path))];
    const of = (side: 0 | 1, path: string): SourceFile | undefined => lists[side]?.find((file) => file.path === path);
    this.files = Promise.resolve(paths.map((path) => [of(0, path)?.id ?? null, of(1, path)?.id ?? null] as const));
    return paths.map((path, id) => {
      const own = [of(1, path), of(0, path)];
      const best = own.find((file) => file !== undefined && file.origin !== "none") ?? own.find((file) => file !== undefined);
      return { id, path, origin: best?.origin ?? "none", note: best?.note ?? null };
    });
  }

  async source(file: number): Promise<SourceAnswer> {
    if (this.files === null) await this.sources();
    const [one, other] = (await this.files)?.[file] ?? [null, null];
    const [before, after] = await Promise.all([one === null ? null : this.sides[0].source(one), other === null ? null : this.sides[1].source(other)]);
    const shown = after?.text != null ? after : before?.text != null ? before : after ?? before;
    if (shown === null) throw new SourceError("Neither run names this file.", 404);
    const differs = before?.text != null && after?.text != null && before.text !== after.text;
    const note = differs ? "The file differs between the runs: this is the text of the second, and lines are matched by their number." : shown.note;
    const unsaved = after?.unsaved ?? null;
    return { text: shown.text, origin: shown.origin, note, unsaved, lines: after?.lines ?? [], before: before?.lines ?? [] };
  }

  async counter(lane: number, from: number, to: number, bins: number): Promise<CounterAnswer> {
    const { numbers } = await this.known();
    const side = lane < numbers[1].lanes ? 0 : 1;
    return this.sides[side].counter(lane - numbers[side].lanes, from, to, bins);
  }

  async memory(lane: number, from: number, to: number, bins: number): Promise<MemoryAnswer> {
    const { numbers } = await this.known();
    const own = lane < numbers[1].lanes ? numbers[0] : numbers[1];
    const answer = await this.sides[own === numbers[0] ? 0 : 1].memory(lane - own.lanes, from, to, bins);
    const renamed = <H extends HeldBy>(by: H): H => ({ ...by, line: own.lines[by.line] ?? 0 });
    return { ...answer, series: answer.series.map(renamed), peak: { ...answer.peak, held: answer.peak.held.map(renamed) } };
  }

  /** The steps of the first run, followed by those of the second. */
  async critical(): Promise<readonly CriticalStep[]> {
    const { numbers } = await this.known();
    const lists = await Promise.all(this.sides.map((side) => side.critical()));
    return lists.flatMap((steps, side) => {
      const own = side === 0 ? numbers[0] : numbers[1];
      return steps.map((step) => ({
        ...step, item: step.item === null ? null : step.item + own.items, lane: step.lane === null ? null : step.lane + own.lanes, line: own.lines[step.line] ?? 0,
      }));
    });
  }

  advise(): Promise<AdviceAnswer> {
    return Promise.reject(new SourceError(ALONE, 501));
  }

  whatIf(): Promise<WhatIfAnswer> {
    return Promise.reject(new SourceError(ALONE, 501));
  }

  graph(): Promise<GraphAnswer> {
    return Promise.reject(new SourceError(ALONE, 501));
  }

  private known(): Promise<Both> {
    this.both ??= Promise.all([this.sides[0].info(), this.sides[1].info()]).then(([before, after]) => both(before, after));
    return this.both;
  }
}

/** Opens both runs; each keeps its own numbers. */
export function both(before: Info, after: Info): Both {
  const lines: Place[] = [];
  const known = new Map<string, number>();
  const place = (line: Place): number => {
    const key = `${line.file}\n${line.line}\n${line.function}`;
    const id = known.get(key) ?? lines.length;
    if (id === lines.length) {
      known.set(key, id);
      lines.push({ ...line, id });
    }
    return id;
  };
  const numbersOf = (info: Info, lanes: number, items: number, names: number): Numbers => {
    const own = info.lines.map(place);
    return { lanes, items, names, lines: own, back: new Map(own.map((line, id) => [line, id])) };
  };
  const one = numbersOf(before, 0, 0, 0);
  const items = before.lanes.reduce((sum, lane) => sum + lane.items, 0);
  const other = numbersOf(after, before.lanes.length, items, before.names.length);
  const lanesOf = (info: Info, numbers: Numbers, name: string): LaneInfo[] => info.lanes.map((lane) => ({
    ...lane, id: lane.id + numbers.lanes, parent: lane.parent === null ? null : lane.parent + numbers.lanes, label: lane.parent === null ? `${name}: ${lane.label}` : lane.label,
  }));
  const infos = [before, after] as const;
  const info: Info = {
    ...after,
    title: `${before.title} → ${after.title}`,
    inputs: infos.flatMap((each, side) => each.inputs.map((input) => ({ ...input, note: `${NAMES[side]}${input.note === "" ? "" : `, ${input.note}`}` }))),
    end: Math.max(before.end, after.end),
    lanes: [...lanesOf(before, one, NAMES[0]), ...lanesOf(after, other, NAMES[1])],
    names: [...before.names, ...after.names],
    lines,
    counters: [...before.counters, ...after.counters.map((counter) => ({ ...counter, lane: counter.lane + other.lanes }))],
    unknown: infos.flatMap((each, side) => each.unknown.map((unknown) => ({ ...unknown, label: `${NAMES[side]}: ${unknown.label}` }))),
    critical: before.critical ?? after.critical,
    part: before.part ?? null,
    live: false,
  };
  return { info, numbers: [one, other] };
}

function tileOf(tile: Tile, numbers: Numbers): Tile {
  const item = tile.item.map((id) => (id === NO_ITEM ? id : id + numbers.items));
  const line = tile.line.map((id) => numbers.lines[id] ?? 0);
  const lane = tile.lane + numbers.lanes;
  if (tile.kind === "bins") return { ...tile, lane, item, line };
  return { ...tile, lane, item, line, name: tile.name.map((id) => id + numbers.names) };
}

function refOf<R extends ItemRef | Dependence>(item: R, numbers: Numbers): R {
  return { ...item, id: item.id + numbers.items, lane: item.lane + numbers.lanes, line: numbers.lines[item.line] ?? 0 };
}

function detailOf(detail: ItemDetail, numbers: Numbers): ItemDetail {
  const { line, why } = detail;
  const itemOf = (id: number | null): number | null => (id === null ? null : id + numbers.items);
  const lineOf = (id: number): number => numbers.lines[id] ?? 0;
  return {
    ...detail,
    id: detail.id + numbers.items,
    lane: detail.lane + numbers.lanes,
    line: line === null ? null : { ...line, id: lineOf(line.id) },
    kernels: detail.kernels.map((kernel) => ({ ...kernel, id: itemOf(kernel.id) })),
    why: why === null ? null : { ...why, parts: why.parts.map((part) => ({ ...part, item: itemOf(part.item), line: part.line === null ? null : lineOf(part.line) })) },
    before: detail.before.map((each) => refOf(each, numbers)),
    after: detail.after.map((each) => refOf(each, numbers)),
  };
}
