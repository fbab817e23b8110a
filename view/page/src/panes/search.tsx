import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { duration, moment, number, place, short } from "../format";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { Swatch } from "./parts";

const ROW_PX = 36;
const OVERSCAN = 8;

/** The results of a search. Each is also marked on the timeline. */
export function Search({ app }: { app: App }): JSX.Element {
  const found = useStore(app.store, (state) => state.found);
  const searching = useStore(app.store, (state) => state.searching);
  const at = useStore(app.store, (state) => state.foundAt);
  const query = useStore(app.store, (state) => state.query);
  if (query === "") {
    return (
      <div class="hint">
        <p>Words find names, files, lines and UIDs: <code>add heat.py:12</code></p>
        <p>SQL conditions find tasks: <code>sql: end - start &gt; 1000000</code></p>
      </div>
    );
  }
  if (found === null || searching) return <p class="hint">Searching…</p>;
  if (found.error !== null) return <p class="error">{found.error}</p>;
  return (
    <div class="found">
      <p class="summary">
        <b>{number(found.total)}</b> found{found.cut ? `, the first ${number(found.items.length)} listed` : ""}
        <span class="faint"> · n next, p previous</span>
      </p>
      <Virtual count={found.items.length} at={at} row={(index) => {
        const item = found.items[index];
        if (item === undefined) return null;
        const where = place(app.state.info.lines[item.line]);
        return (
          <button
            type="button" class={`hit${index === at ? " chosen" : ""}`}
            onClick={() => {
              app.store.set({ foundAt: index });
              void app.select(item.id, true, null);
            }}
          >
            <b>{short(item.name, 90)}</b>
            <span class="figure">{duration(item.end - item.start)}</span>
            <span class="faint">{where === null ? null : <><Swatch app={app} line={item.line} />{where}</>}</span>
            <span class="figure faint">{moment(item.start)}</span>
          </button>
        );
      }} />
    </div>
  );
}

/** A virtual list that renders only its visible rows. */
export function Virtual({ count, at, row }: { count: number; at: number; row: (index: number) => JSX.Element | null }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    setHeight(element.clientHeight);
    const y = at * ROW_PX;
    if (at >= 0 && (y < element.scrollTop || y > element.scrollTop + element.clientHeight - ROW_PX)) element.scrollTop = y - element.clientHeight / 3;
  }, [at, count]);
  const first = Math.max(0, Math.floor(top / ROW_PX) - OVERSCAN);
  const last = Math.min(count, Math.ceil((top + height) / ROW_PX) + OVERSCAN);
  return (
    <div class="virtual" ref={box} tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div style={{ height: `${count * ROW_PX}px`, position: "relative" }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, index) => (
          <div key={first + index} class="row" style={{ top: `${(first + index) * ROW_PX}px`, height: `${ROW_PX}px` }}>{row(first + index)}</div>
        ))}
      </div>
    </div>
  );
}
