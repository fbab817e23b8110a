import type { JSX } from "preact";
import type { App } from "../state/app";
import { PANES, type Pane } from "../state/state";
import { useStore } from "../state/store";
import { Advice } from "./advice";
import { Graph } from "./graph";
import { Path } from "./path";
import { Search } from "./search";
import { Selection } from "./selection";
import { Source } from "./source";

const TITLES: Readonly<Record<Pane, string>> = { selection: "Selection", source: "Source", search: "Search", path: "Critical path", advice: "Advice", graph: "Graph" };

/** Panes that are available for a single run only. */
const OF_ONE: ReadonlySet<Pane> = new Set<Pane>(["advice", "graph"]);

const BODIES: Readonly<Record<Pane, (props: { app: App }) => JSX.Element>> = {
  selection: Selection, source: Source, search: Search, path: Path, advice: Advice, graph: Graph,
};

export function Side({ app }: { app: App }): JSX.Element | null {
  const pane = useStore(app.store, (state) => state.pane);
  if (pane === null) return null;
  const Body = BODIES[pane];
  return (
    <aside class="side" aria-label="Panes">
      <div class="tabs" role="tablist">
        {PANES.filter((each) => !app.source.pair || !OF_ONE.has(each)).map((each) => (
          <button key={each} type="button" role="tab" id={`tab-${each}`} aria-selected={each === pane} aria-controls="pane" onClick={() => app.store.set({ pane: each })}>
            {TITLES[each]}
          </button>
        ))}
      </div>
      <div class={`body ${pane}`} id="pane" role="tabpanel" aria-labelledby={`tab-${pane}`}>
        <Body app={app} />
      </div>
    </aside>
  );
}
