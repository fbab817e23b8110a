import { fit } from "../layout/view";
import type { App } from "./app";
import { readLink, writeLink } from "./link";
import type { State } from "./state";

const SETTLE_MS = 250;

/** Keeps the address up to date with the state, so that it can be shared. */
export function writeAddress(app: App): void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let written = location.hash;
  window.addEventListener("hashchange", () => {
    written = location.hash;
  });
  app.store.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = null;
      // An address entered by the user takes precedence.
      if (location.hash !== written) return;
      const fragment = writeLink(linkOf(app.state));
      try {
        history.replaceState(null, "", `#${fragment}`);
        written = location.hash;
      } catch {
        // A page in a notebook's frame cannot change its address.
      }
    }, SETTLE_MS);
  });
}

function linkOf(state: State): ReturnType<typeof readLink> {
  const { view, size, selected, line, pane, query, closed, tall, marks, measure, criticalShown, scrollY } = state;
  return {
    start: view.start, end: view.start + view.nsPerPx * size.width,
    ...(selected === null ? {} : { item: selected }),
    ...(line === 0 ? {} : { line }),
    pane: pane ?? "none",
    ...(query === "" ? {} : { query }),
    ...(closed.size === 0 ? {} : { closed: [...closed] }),
    ...(tall.size === 0 ? {} : { tall: [...tall] }),
    ...(marks.length === 0 ? {} : { marks }),
    ...(measure === null ? {} : { measure }),
    ...(criticalShown ? { critical: true } : {}),
    ...(scrollY === 0 ? {} : { scroll: Math.round(scrollY) }),
  };
}

/** Applies the state in the address. */
export function followAddress(app: App): void {
  const link = readLink(location.hash);
  const { info, size } = app.state;
  app.store.set({
    ...(link.line === undefined || link.line >= info.lines.length ? {} : { line: link.line }),
    ...(link.pane === undefined ? {} : { pane: link.pane === "none" ? null : link.pane }),
    ...(link.closed === undefined ? {} : { closed: new Set(link.closed) }),
    ...(link.tall === undefined ? {} : { tall: new Set(link.tall) }),
    ...(link.marks === undefined ? {} : { marks: link.marks }),
    ...(link.measure === undefined ? {} : { measure: link.measure }),
    ...(link.scroll === undefined ? {} : { scrollY: Math.max(0, link.scroll) }),
  });
  if (link.start !== undefined && link.end !== undefined && link.end > link.start) app.setView(fit(link.start, link.end, Math.max(1, size.width), 0), true);
  if (link.query !== undefined) void app.search(link.query).then(() => app.store.set(link.pane === undefined || link.pane === "none" ? {} : { pane: link.pane }));
  if (link.item !== undefined) void app.select(link.item, false, link.pane === undefined ? "selection" : null);
  if (link.critical === true) void app.toggleCritical(true).then(() => app.store.set(link.pane === undefined || link.pane === "none" ? {} : { pane: link.pane }));
}
