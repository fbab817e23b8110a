// The messages between the server and the page; see docs/view-protocol.md. Times are in ns from the start of the trace.

export type LaneKind =
  | "rank"
  | "group"
  | "processor"
  | "stream"
  | "channel"
  | "memory"
  | "utility"
  | "program"
  | "api"
  | "range";

export interface LaneInfo {
  readonly id: number;
  readonly parent: number | null;
  readonly kind: LaneKind;
  readonly label: string;
  readonly rank: number | null;
  /** The number of rows for nested or overlapping items. */
  readonly rows: number;
  readonly items: number;
  /** The total time covered by items, in ns. */
  readonly busy: number;
}

export interface Place {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly text: string | null;
}

export type Severity = "good" | "note" | "warning" | "error";

export interface Unknown {
  readonly severity: Severity;
  readonly label: string;
  readonly value: string;
  readonly detail: string;
}

export interface CounterInfo {
  readonly lane: number;
  readonly label: string;
  readonly unit: string;
  readonly max: number;
  /** The size of the memory, if known. */
  readonly capacity?: number | null;
}

export interface Iteration {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

export interface Info {
  readonly version: string;
  readonly title: string;
  readonly inputs: readonly { readonly name: string; readonly kind: string; readonly note: string }[];
  readonly start: number;
  readonly end: number;
  readonly wallStart: number | null;
  readonly schema: string | number;
  readonly lanes: readonly LaneInfo[];
  readonly names: readonly string[];
  readonly lines: readonly Place[];
  readonly states: readonly string[];
  readonly counters: readonly CounterInfo[];
  readonly unknown: readonly Unknown[];
  readonly critical: { readonly total: number } | null;
  readonly iterations: readonly Iteration[];
  /** The part that is shown first; null for the whole trace. */
  readonly part?: readonly [from: number, to: number] | null;
  readonly live: boolean;
  readonly generation?: number;
}

/** The version of the trace; a change means that there is a new `Info`. */
export interface Version {
  readonly generation: number;
  readonly live: boolean;
  /** 2 if a second run is shown too. */
  readonly runs: number;
}

/** A row of `weft diff --by line --format json`. */
export interface Change {
  readonly line: string;
  readonly total_before_ns: number | null;
  readonly total_after_ns: number | null;
  readonly difference_ns: number;
  readonly ratio: number | null;
}

export const FLAG = {
  critical: 1,
  search: 2,
  finding: 4,
  estimated: 8,
  open: 16,
  unmatched: 32,
  failed: 64,
  highlight: 128,
} as const;

/** No item: an empty bin. */
export const NO_ITEM = 0xffffffff;

export interface TileKey {
  readonly lane: number;
  readonly level: number;
  readonly index: number;
}

/** A tile that contains shares of time in equal bins. */
export interface BinTile extends TileKey {
  readonly kind: "bins";
  readonly n: number;
  readonly rows: number;
  readonly busy: Float32Array;
  readonly count: Uint32Array;
  readonly line: Uint32Array;
  readonly waiting: Float32Array;
  readonly ready: Float32Array;
  readonly longest: Float32Array;
  readonly item: Uint32Array;
  readonly flags: Uint32Array;
}

/** A tile that contains every overlapping item. Times are in ns from the tile's start. */
export interface ExactTile extends TileKey {
  readonly kind: "exact";
  readonly n: number;
  readonly rows: number;
  readonly start: Float32Array;
  readonly duration: Float32Array;
  readonly created: Float32Array;
  readonly ready: Float32Array;
  readonly row: Uint32Array;
  readonly name: Uint32Array;
  readonly line: Uint32Array;
  readonly item: Uint32Array;
  readonly flags: Uint32Array;
}

export type Tile = BinTile | ExactTile;

export interface ItemRef {
  readonly id: number;
  readonly lane: number;
  readonly name: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface Dependence extends ItemRef {
  readonly store: string | null;
  readonly bytes: number | null;
}

export interface Operand {
  readonly store: string;
  readonly access: string;
  readonly bytes: number | null;
  readonly shape: string | null;
  readonly dtype: string | null;
}

export interface WhyPart {
  readonly ns: number;
  readonly what: string;
  readonly text: string;
  readonly item: number | null;
  readonly line: number | null;
}

export interface Why {
  readonly total: number;
  readonly parts: readonly WhyPart[];
}

export interface ItemDetail {
  readonly id: number;
  readonly lane: number;
  readonly what: string;
  readonly name: string;
  readonly uid: string | null;
  readonly start: number;
  readonly end: number;
  readonly states: Readonly<Record<string, number | null>> | null;
  readonly line: Place | null;
  readonly operation: { readonly uid: string; readonly name: string; readonly shape: string | null } | null;
  readonly operands: readonly Operand[];
  readonly bytes: {
    readonly read: number | null;
    readonly written: number | null;
    readonly perSecond: number | null;
    readonly partOfMemory: number | null;
  } | null;
  readonly launch: { readonly uid: string; readonly share: number | null; readonly estimated: boolean } | null;
  readonly kernels: readonly { readonly id: number | null; readonly name: string; readonly start: number; readonly end: number }[];
  /** NVTX ranges around the call that launched a kernel, the innermost first. */
  readonly ranges?: readonly ItemRef[];
  readonly fields: readonly (readonly [string, string])[];
  readonly why: Why | null;
  readonly before: readonly Dependence[];
  readonly after: readonly Dependence[];
  /** The corresponding task or copy in the other run, if two are shown. */
  readonly twin?: ItemRef;
}

export interface SearchAnswer {
  readonly total: number;
  readonly cut: boolean;
  readonly items: readonly ItemRef[];
  readonly error: string | null;
}

export interface SourceFile {
  readonly id: number;
  readonly path: string;
  readonly origin: "profile" | "disk" | "none";
  readonly note: string | null;
}

export interface LedgerLine {
  readonly line: number;
  readonly deviceNs: number;
  readonly criticalNs: number | null;
  readonly causedWaitNs: number | null;
  readonly bytes: number | null;
  readonly peakBytes: number | null;
  readonly savedNs: number | null;
  readonly tasks: number;
  readonly kernels: number;
}

export interface SourceAnswer {
  readonly text: string | null;
  readonly origin: string;
  readonly lines: readonly LedgerLine[];
  /** The costs in the first run, if two are shown. */
  readonly before?: readonly LedgerLine[];
  readonly note: string | null;
  /** The reason why the savings of some or all lines are unknown. */
  readonly unsaved: string | null;
}

export interface CounterAnswer {
  readonly unit: string;
  readonly max: number;
  readonly times: readonly number[];
  readonly least: readonly number[];
  readonly most: readonly number[];
}

/** The holder of bytes of a memory. */
export interface HeldBy {
  /** The line; 0 if the bytes do not belong to a single line. */
  readonly line: number;
  /** The number of lines. */
  readonly lines: number;
  /** The reason why there is no single line. */
  readonly reason: string | null;
}

/** The bytes of a memory held by each line. At each moment they add up to the bytes in use. */
export interface MemoryAnswer {
  readonly unit: string;
  readonly max: number;
  readonly times: readonly number[];
  /** The time of highest use within each bin. */
  readonly moments: readonly number[];
  readonly most: readonly number[];
  readonly series: readonly (HeldBy & { readonly bytes: readonly number[] })[];
  readonly peak: { readonly time: number; readonly held: readonly (HeldBy & { readonly bytes: number })[] };
}

export interface CriticalStep {
  readonly item: number | null;
  readonly lane: number | null;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly text: string;
}

/** The JSON form of `nvtx_export::advise::Saving`. */
export interface Saving {
  readonly length_ns: number;
  readonly saving_ns: number;
  readonly saving: number;
}

export interface Finding {
  readonly rule: string;
  readonly title: string;
  readonly lines: readonly { readonly file: string; readonly line: number; readonly text: string | null }[];
  readonly evidence: readonly { readonly what: string; readonly value: number; readonly unit: "count" | "ns" | "bytes" | "share" }[];
  readonly change: string;
  readonly assumes: string | null;
  /** Whether the savings are upper bounds. */
  readonly at_most?: boolean;
  readonly alone: Saving;
  readonly with_previous: Saving;
}

/** The output of `weft advise --format json`. */
export interface AdviceAnswer {
  /** Whether the trace has no tasks, so that nothing was replayed. */
  readonly estimated?: boolean;
  readonly replay: {
    readonly measured_ns: number;
    readonly replayed_ns: number;
    readonly error_ns: number;
    readonly error: number;
    readonly explained: number;
    readonly least_ns: number;
  };
  readonly findings: readonly Finding[];
  readonly joint: Saving;
  readonly below_error: number;
  readonly notes: readonly string[];
}

export interface WhatIfAnswer {
  readonly measuredNs: number;
  readonly replayedNs: number;
  readonly lengthNs: number;
  readonly errorNs: number;
}

export interface GraphNode {
  readonly id: number | string;
  readonly label: string;
  readonly line: number;
  readonly count: number;
  readonly ns: number;
  readonly group: string | null;
}

export interface GraphEdge {
  readonly from: number | string;
  readonly to: number | string;
  readonly label: string;
  readonly bytes: number | null;
}

export interface GraphAnswer {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly note: string | null;
}
