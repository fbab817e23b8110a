import type { State } from "../state/state";
import { type Row, layoutRows, totalHeight } from "./rows";

export interface Layout {
  readonly rows: readonly Row[];
  readonly height: number;
  /** The row of a lane, or of the closed group that contains it. */
  readonly rowOf: (lane: number) => Row | undefined;
}

type Input = Pick<State, "info" | "closed" | "tall" | "filter">;

let last: { input: Input; layout: Layout } | null = null;

/** The rows of a state, recomputed only when their inputs change. */
export function layoutOf(state: Input): Layout {
  const old = last?.input;
  if (last !== null && old?.info === state.info && old.closed === state.closed && old.tall === state.tall && old.filter === state.filter) return last.layout;
  const { info, closed, tall, filter } = state;
  const counters = new Set(info.counters.map((counter) => counter.lane));
  const rows = layoutRows(info.lanes, { closed, tall, filter, counters });
  const byLane = new Map(rows.map((row) => [row.lane.id, row]));
  const parents = new Map(info.lanes.map((lane) => [lane.id, lane.parent]));
  const rowOf = (lane: number): Row | undefined => {
    for (let at: number | null | undefined = lane; at !== null && at !== undefined; at = parents.get(at)) {
      const row = byLane.get(at);
      if (row !== undefined) return row;
    }
    return undefined;
  };
  const layout = { rows, height: totalHeight(rows), rowOf };
  last = { input: { info, closed, tall, filter }, layout };
  return layout;
}
