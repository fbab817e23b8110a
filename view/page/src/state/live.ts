import { sentence } from "../data/source";
import type { Info, ItemDetail } from "../protocol";
import type { App } from "./app";
import { idleGroups } from "./state";

const POLL_MS = 500;
/** Maximum number of items with one UID that are searched for the selected one. */
const FOUND = 50;

/** Polls for new data during a live run. */
export function followRun(app: App): void {
  const poll = async (): Promise<void> => {
    try {
      const { generation, live } = await app.source.version();
      const { info } = app.state;
      if (generation !== info.generation || live !== info.live) await renew(app, await app.source.info());
      else if (app.state.trouble !== null) app.store.set({ trouble: null });
    } catch (error) {
      app.store.set({ trouble: sentence(error) });
    }
    if (app.state.info.live) setTimeout(() => void poll(), POLL_MS);
  };
  if (app.state.info.live) setTimeout(() => void poll(), POLL_MS);
}

/** Shows the updated trace. Lanes, lines and items may be renumbered; the visible part stays the same. */
async function renew(app: App, info: Info): Promise<void> {
  const { view, size, follow, info: old, line, closed, tall, detail, query, criticalShown } = app.state;
  const shown = size.width * view.nsPerPx;
  const whole = view.start <= old.start && view.start + shown >= old.end;
  const atEnd = view.start + shown >= old.end && view.start <= old.end;
  const lanes = renumbered(laneKeys(old), laneKeys(info));
  const lines = renumbered(lineKeys(old), lineKeys(info));
  // New groups without work are closed, as in the initial state.
  const known = new Set(lanes.values());
  const moved = (set: ReadonlySet<number>): Set<number> => new Set([...set].flatMap((lane) => lanes.get(lane) ?? []));
  app.store.set({
    info, trouble: null, line: lines.get(line) ?? 0, closed: new Set([...moved(closed), ...[...idleGroups(info.lanes)].filter((lane) => !known.has(lane))]), tall: moved(tall), steps: null, stepAt: -1, found: null, foundAt: -1,
    detail: detail === null ? null : { ...detail, lane: lanes.get(detail.lane) ?? detail.lane },
  });
  // The view follows the end only if it showed the end before.
  if (follow && whole) app.fitAll();
  else if (follow && atEnd) app.showEnd();
  else if (follow) app.store.set({ follow: false });
  if (criticalShown) void app.loadCritical();
  if (query !== "") void app.findAgain();
  if (detail !== null) await reselect(app, detail);
}

/** Finds the new number of the selected item. */
async function reselect(app: App, old: ItemDetail): Promise<void> {
  const found = old.uid === null ? [] : (await app.source.search(old.uid, FOUND)).items;
  if (app.state.selected !== old.id) return;
  const same = found.filter((item) => item.name === old.name).sort((one, other) => Math.abs(one.start - old.start) - Math.abs(other.start - old.start));
  await app.select(same[0]?.id ?? null, false, null);
}

/** Stable names of lanes by number. */
export function laneKeys(info: Info): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  for (const lane of info.lanes) keys.set(lane.id, `${lane.parent === null ? "" : keys.get(lane.parent) ?? ""}\n${lane.kind} ${lane.label}`);
  return keys;
}

export function lineKeys(info: Info): ReadonlyMap<number, string> {
  return new Map(info.lines.map((line) => [line.id, `${line.file}\n${line.line}\n${line.function}`]));
}

/** Maps old numbers to new ones by name. */
export function renumbered(old: ReadonlyMap<number, string>, now: ReadonlyMap<number, string>): ReadonlyMap<number, number> {
  const byName = new Map([...now].map(([id, name]) => [name, id]));
  return new Map([...old].flatMap(([id, name]) => {
    const found = byName.get(name);
    return found === undefined ? [] : [[id, found] as const];
  }));
}
