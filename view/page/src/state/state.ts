import type { ThemeName } from "../draw/theme";
import type { View } from "../layout/view";
import type { CriticalStep, Info, ItemDetail, LaneInfo, SearchAnswer } from "../protocol";

export const PANES = ["selection", "source", "search", "path", "advice", "graph"] as const;
export type Pane = (typeof PANES)[number];

/** The content under the pointer. */
export interface Hover {
  readonly x: number;
  readonly y: number;
  /** Lines of the tooltip; the first is the title. */
  readonly text: readonly string[];
  readonly line: number;
}

export interface State {
  readonly info: Info;
  readonly view: View;
  readonly size: { readonly width: number; readonly height: number };
  readonly scrollY: number;
  readonly closed: ReadonlySet<number>;
  readonly tall: ReadonlySet<number>;
  readonly filter: string;
  readonly pane: Pane | null;
  readonly selected: number | null;
  readonly detail: ItemDetail | null;
  readonly detailError: string | null;
  readonly hover: Hover | null;
  /** The highlighted line; 0 if none. */
  readonly line: number;
  readonly query: string;
  readonly searching: boolean;
  readonly found: SearchAnswer | null;
  /** The index of the shown search result; -1 before the first. */
  readonly foundAt: number;
  readonly criticalShown: boolean;
  readonly steps: readonly CriticalStep[] | null;
  readonly stepAt: number;
  readonly stepsError: string | null;
  readonly marks: readonly number[];
  readonly measure: readonly [from: number, to: number] | null;
  readonly theme: ThemeName;
  readonly help: boolean;
  readonly strip: boolean;
  readonly follow: boolean;
  /** The reason why tiles cannot be loaded. */
  readonly trouble: string | null;
  readonly sourceFile: number | null;
}

/** Groups of lanes without an item. They are initially closed, since many idle processors would push others off the page. */
export function idleGroups(lanes: readonly LaneInfo[]): ReadonlySet<number> {
  const parents = new Set(lanes.map((lane) => lane.parent));
  const idle = new Set(lanes.filter((lane) => parents.has(lane.id) && lane.parent !== null && lane.busy === 0).map((lane) => lane.id));
  for (const lane of lanes) {
    if (lane.items > 0 && lane.parent !== null) idle.delete(lane.parent);
  }
  return new Set([...idle].filter((id) => lanes.every((lane) => lane.parent !== id || lane.kind === "processor")));
}

export function initial(info: Info, view: View, theme: ThemeName): State {
  return {
    info, view, theme, size: { width: 0, height: 0 }, scrollY: 0, closed: idleGroups(info.lanes), tall: new Set(), filter: "",
    // The costs of lines are the best overview if the program's text is known.
    pane: info.lines.some((line) => line.text !== null) ? "source" : "selection",
    selected: null, detail: null, detailError: null, hover: null, line: 0, query: "", searching: false, found: null, foundAt: -1,
    criticalShown: false, steps: null, stepAt: -1, stepsError: null, marks: [], measure: null, help: false, strip: false, follow: info.live, trouble: null,
    sourceFile: null,
  };
}
