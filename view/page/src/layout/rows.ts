import type { LaneInfo } from "../protocol";

/** A visible lane. Lengths are in CSS pixels; the first row is at 0. */
export interface Row {
  readonly lane: LaneInfo;
  readonly depth: number;
  readonly y: number;
  readonly height: number;
  /** The offset of the items from `y`. */
  readonly runTop: number;
  readonly runHeight: number;
  /** The number of visible rows of nested items. */
  readonly rows: number;
  /** Height of the band of waiting tasks; 0 if absent. */
  readonly band: number;
  /** Height of the counter's curve above the items; 0 if absent. */
  readonly curve: number;
  readonly group: boolean;
  readonly open: boolean;
  readonly tall: boolean;
}

export interface RowChoice {
  /** Closed groups; their lanes are hidden. */
  readonly closed: ReadonlySet<number>;
  /** Expanded lanes. */
  readonly tall: ReadonlySet<number>;
  /** Filter: only lanes with this text in their label or in a containing group's label. */
  readonly filter: string;
  /** Lanes with a counter. */
  readonly counters: ReadonlySet<number>;
}

interface Heights {
  readonly group: number;
  readonly run: number;
  readonly nested: number;
  readonly band: number;
  readonly curve: number;
}

const DENSE: Heights = { group: 24, run: 15, nested: 13, band: 4, curve: 30 };
/** Row height if there are few lanes. */
const ROOMY: Heights = { group: 27, run: 20, nested: 15, band: 5, curve: 44 };
const ROOMY_LANES = 16;
const TALL_RUN = 46;
const TALL_CURVE = 80;
const SHOWN_ROWS = 4;
const TALL_ROWS = 40;

export function layoutRows(lanes: readonly LaneInfo[], choice: RowChoice): Row[] {
  const children = new Map<number, number>();
  const byId = new Map<number, LaneInfo>();
  for (const lane of lanes) {
    byId.set(lane.id, lane);
    if (lane.parent !== null) children.set(lane.parent, (children.get(lane.parent) ?? 0) + 1);
  }
  const heights = lanes.length - children.size <= ROOMY_LANES ? ROOMY : DENSE;
  // A group of one lane adds no information.
  const alone = (lane: LaneInfo): boolean => lane.kind === "group" && children.get(lane.id) === 1;
  const shown = matching(lanes, byId, choice.filter.trim().toLowerCase());
  const rows: Row[] = [];
  let y = 0;
  for (const lane of lanes) {
    if (shown !== null && !shown.has(lane.id)) continue;
    if (alone(lane)) continue;
    const above = ancestors(lane, byId).filter((parent) => !alone(parent));
    if (above.some((parent) => choice.closed.has(parent.id))) continue;
    const row = rowOf(lane, above.length, y, children.has(lane.id), choice, heights);
    rows.push(row);
    y += row.height;
  }
  return rows;
}

export function totalHeight(rows: readonly Row[]): number {
  const last = rows[rows.length - 1];
  return last === undefined ? 0 : last.y + last.height;
}

/** Rows that overlap the range between two heights. */
export function visibleRows(rows: readonly Row[], top: number, bottom: number): readonly Row[] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && row.y + row.height <= top) low = middle + 1;
    else high = middle;
  }
  let end = low;
  for (let row = rows[end]; row !== undefined && row.y < bottom; row = rows[end]) end++;
  return rows.slice(low, end);
}

function rowOf(lane: LaneInfo, depth: number, y: number, group: boolean, choice: RowChoice, heights: Heights): Row {
  const tall = choice.tall.has(lane.id);
  if (group) {
    const height = tall ? TALL_RUN + 6 : heights.group;
    return { lane, depth, y, height, runTop: 3, runHeight: height - 6, rows: 1, band: 0, curve: 0, group, open: !choice.closed.has(lane.id), tall };
  }
  const curve = choice.counters.has(lane.id) ? (tall ? TALL_CURVE : heights.curve) : 0;
  // Instances take many rows, so they are shown only in expanded lanes.
  const items = curve === 0 || tall;
  const rows = items ? Math.min(Math.max(1, lane.rows), tall ? TALL_ROWS : SHOWN_ROWS) : 0;
  const runHeight = rows === 0 ? 0 : rows === 1 ? (tall ? TALL_RUN : heights.run) : rows * heights.nested;
  const band = lane.kind === "processor" ? heights.band : 0;
  const runTop = 2 + (curve === 0 ? 0 : curve + 2);
  const height = runTop + runHeight + (band === 0 ? 0 : band + 1) + 3;
  return { lane, depth, y, height, runTop, runHeight, rows, band, curve, group, open: false, tall };
}

function ancestors(lane: LaneInfo, byId: ReadonlyMap<number, LaneInfo>): LaneInfo[] {
  const above: LaneInfo[] = [];
  for (let at = lane.parent; at !== null; ) {
    const parent = byId.get(at);
    if (parent === undefined || above.length > 16) break;
    above.push(parent);
    at = parent.parent;
  }
  return above;
}

function matching(lanes: readonly LaneInfo[], byId: ReadonlyMap<number, LaneInfo>, filter: string): Set<number> | null {
  if (filter === "") return null;
  const shown = new Set<number>();
  for (const lane of lanes) {
    const above = ancestors(lane, byId);
    if (![lane, ...above].some((each) => each.label.toLowerCase().includes(filter))) continue;
    shown.add(lane.id);
    for (const parent of above) shown.add(parent.id);
  }
  return shown;
}
