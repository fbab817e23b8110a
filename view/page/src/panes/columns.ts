import { bytes, duration } from "../format";
import type { Change, LedgerLine, SourceAnswer } from "../protocol";

/** The costs of a source line in one run, or in both with the differences. */
export interface Cost {
  readonly own: LedgerLine | null;
  readonly before: LedgerLine | null;
  readonly change: Change | null;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly of: (cost: Cost) => number | null;
  readonly show: (value: number) => string;
}

const ONE: readonly Column[] = [
  { key: "device", title: "device", about: "Time of its kernels on all processors", of: ({ own }) => own?.deviceNs ?? null, show: duration },
  { key: "critical", title: "critical", about: "Time on the critical path", of: ({ own }) => own?.criticalNs ?? null, show: duration },
  { key: "caused", title: "caused", about: "How long other tasks waited because of this line", of: ({ own }) => own?.causedWaitNs ?? null, show: duration },
  { key: "bytes", title: "bytes", about: "Bytes read and written, and copied", of: ({ own }) => own?.bytes ?? null, show: bytes },
  { key: "peak", title: "peak", about: "Most memory that its instances had at one time", of: ({ own }) => own?.peakBytes ?? null, show: bytes },
  { key: "saved", title: "most saved", about: "By how much the run would be shorter if the line took no time, by simulation: the most that a change of this line can save", of: ({ own }) => own?.savedNs ?? null, show: duration },
];

const TWO: readonly Column[] = [
  { key: "before", title: "before", about: "Time of its tasks and copies in the first run, as weft diff has it", of: ({ change }) => change?.total_before_ns ?? null, show: duration },
  { key: "after", title: "after", about: "The same in the second run", of: ({ change }) => change?.total_after_ns ?? null, show: duration },
  { key: "difference", title: "difference", about: "After less before", of: ({ change }) => change?.difference_ns ?? null, show: signed },
  { key: "critical", title: "critical before", about: "Time on the critical path of the first run", of: ({ before }) => before?.criticalNs ?? null, show: duration },
  { key: "critical", title: "after", about: "Time on the critical path of the second run", of: ({ own }) => own?.criticalNs ?? null, show: duration },
];

function signed(ns: number): string {
  return `${ns > 0 ? "+" : "−"}${duration(Math.abs(ns))}`;
}

/** Lines with a cost, by number. */
export function costsOf(answer: SourceAnswer, path: string, changes: readonly Change[] | null): ReadonlyMap<number, Cost> {
  const costs = new Map<number, Cost>();
  const put = (line: number, more: Partial<Cost>): void => {
    costs.set(line, { own: null, before: null, change: null, ...costs.get(line), ...more });
  };
  for (const own of answer.lines) put(own.line, { own });
  for (const before of answer.before ?? []) put(before.line, { before });
  for (const change of changes ?? []) {
    const number = change.line.startsWith(`${path}:`) ? Number(change.line.slice(path.length + 1)) : NaN;
    if (Number.isInteger(number)) put(number, { change });
  }
  return costs;
}

/** Columns that are not empty, each with its maximum. */
export function columnsOf(costs: ReadonlyMap<number, Cost>, pair: boolean): { column: Column; most: number }[] {
  const most = (column: Column): number => [...costs.values()].reduce((high, cost) => Math.max(high, Math.abs(column.of(cost) ?? 0)), 0);
  return (pair ? TWO : ONE).map((column) => ({ column, most: most(column) })).filter((each) => each.most > 0);
}
