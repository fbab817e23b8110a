import type { JSX } from "preact";
import { layoutOf } from "../layout/current";
import { type Row, visibleRows } from "../layout/rows";
import { amount } from "../draw/curve";
import { number, percent, short } from "../format";
import type { CounterInfo } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { Holders } from "./holders";

const OVERSCAN = 400;

/** Labels of the lanes, to the left of the canvas. */
export function Lanes({ app }: { app: App }): JSX.Element {
  const layout = useStore(app.store, layoutOf);
  const scroll = useStore(app.store, (state) => state.scrollY);
  const height = useStore(app.store, (state) => state.size.height);
  const span = useStore(app.store, (state) => Math.max(1, state.info.end - state.info.start));
  const rows = visibleRows(layout.rows, scroll - OVERSCAN, scroll + height + OVERSCAN);
  return (
    <div class="labels" role="tree" aria-label="Lanes">
      <div class="sheet" style={{ transform: `translateY(${-scroll}px)` }}>
        {rows.map((row) => <Label key={row.lane.id} app={app} row={row} span={span} />)}
        {rows.filter((row) => row.tall && row.curve > 0 && row.lane.kind === "memory").map((row) => <Holders key={`held ${row.lane.id}`} app={app} row={row} />)}
      </div>
    </div>
  );
}

/** The highest share of a memory in use; empty if its capacity is unknown. */
function fullness({ max, capacity }: CounterInfo): string {
  if (capacity === null || capacity === undefined || capacity <= 0) return "";
  const share = max / capacity;
  return share > 0 && share < 0.0005 ? "< 0.1 %" : percent(share);
}

function held(counter: CounterInfo): string {
  const most = `at most ${amount(counter.max, counter.unit)} in use`;
  const full = fullness(counter);
  return full === "" ? most : `${most}, ${full} of ${amount(counter.capacity ?? 0, counter.unit)}`;
}

export function FilterBox({ app }: { app: App }): JSX.Element {
  const filter = useStore(app.store, (state) => state.filter);
  return (
    <input
      class="filter" type="search" placeholder="Filter lanes" aria-label="Filter lanes" value={filter} spellcheck={false}
      onInput={(event) => app.store.set({ filter: event.currentTarget.value, scrollY: 0 })}
    />
  );
}

function Label({ app, row, span }: { app: App; row: Row; span: number }): JSX.Element {
  const { lane, depth, group, open, tall } = row;
  const toggle = (): void => app.toggle(group ? "closed" : "tall", lane.id);
  const hidden = lane.rows - row.rows;
  const counter = useStore(app.store, (state) => state.info.counters.find((each) => each.lane === lane.id));
  const figure = group ? "" : counter !== undefined ? fullness(counter) : percent(lane.busy / span);
  const about = group ? lane.label : `${lane.label}\n${counter === undefined ? `${number(lane.items)} items, busy ${percent(lane.busy / span)} of the time` : held(counter)}`;
  return (
    <button
      type="button" role="treeitem" aria-level={depth + 1} aria-expanded={group ? open : tall} data-lane={lane.id}
      class={`label ${group ? "group" : "lane"} ${lane.kind}${tall && row.curve > 0 ? " listed" : ""}`} title={about}
      style={{ top: `${row.y}px`, height: `${row.height}px`, paddingLeft: `${6 + depth * 12}px` }} onClick={toggle}
    >
      <i>{group ? (open ? "▾" : "▸") : tall ? "▴" : ""}</i>
      <span class="name">
        {short(lane.label, 80)}
        {hidden > 0 && !group && row.rows > 1 ? <small>{hidden} more {hidden === 1 ? "row" : "rows"}</small> : null}
      </span>
      <small class="figure">{figure}</small>
    </button>
  );
}
