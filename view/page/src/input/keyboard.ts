import { layoutOf } from "../layout/current";
import { pan, zoomAt } from "../layout/view";
import type { Stage } from "../stage";
import type { App } from "../state/app";
import { scroll } from "./pointer";

export interface Key {
  readonly keys: string;
  readonly does: string;
}

export const KEYS: readonly Key[] = [
  { keys: "w  s", does: "zoom in, zoom out at the pointer (also: Ctrl and the wheel)" },
  { keys: "a  d", does: "move left, right (also: drag, Shift and the wheel)" },
  { keys: "0", does: "whole trace" },
  { keys: "f", does: "zoom to the selection or the measured range (also: double click)" },
  { keys: "u", does: "undo zoom" },
  { keys: "← →", does: "previous, next item of the lane" },
  { keys: "↑ ↓", does: "what the item waited for longest, what waited for it" },
  { keys: "Shift + drag", does: "measure between two points" },
  { keys: "drag on the axis", does: "zoom to a range" },
  { keys: "m", does: "mark at the pointer; a click on the mark takes it away" },
  { keys: "/", does: "search" },
  { keys: "n  p", does: "next, previous of what was found" },
  { keys: "c", does: "critical path" },
  { keys: "]  [", does: "next, previous step of the critical path" },
  { keys: "l", does: "light up the line of the selection" },
  { keys: "e  E", does: "expand, collapse all groups" },
  { keys: "Esc", does: "close, clear" },
  { keys: "?", does: "this list" },
];

const ZOOM = 0.75;
const MOVE = 0.15;

export function listenKeys(app: App, stage: Stage): () => void {
  const handler = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLElement && ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName);
    if (typing) return;
    if (press(app, stage, event.key)) event.preventDefault();
  };
  window.addEventListener("keydown", handler);
  return () => window.removeEventListener("keydown", handler);
}

function press(app: App, stage: Stage, key: string): boolean {
  const { state } = app;
  const { view, size, detail } = state;
  const pointer = (): number => {
    const px = stage.pointer === null ? size.width / 2 : (stage.pointer - view.start) / view.nsPerPx;
    return px >= 0 && px <= size.width ? px : size.width / 2;
  };
  switch (key) {
    case "w": app.setView(zoomAt(view, ZOOM, pointer())); return true;
    case "s": app.setView(zoomAt(view, 1 / ZOOM, pointer())); return true;
    case "a": app.setView(pan(view, -size.width * MOVE)); return true;
    case "d": app.setView(pan(view, size.width * MOVE)); return true;
    case "0": app.fitAll(); return true;
    case "f": app.fitSelection(); return true;
    case "u": app.undo(); return true;
    case "m": app.addMark(view.start + pointer() * view.nsPerPx); return true;
    case "n": app.stepFound(1); return true;
    case "p": app.stepFound(-1); return true;
    case "c": void app.toggleCritical(); return true;
    case "]": app.stepCritical(1); return true;
    case "[": app.stepCritical(-1); return true;
    case "l": app.setLine(state.line !== 0 ? 0 : detail?.line?.id ?? 0); return true;
    case "e": app.store.set({ closed: new Set() }); return true;
    case "E": collapse(app); return true;
    case "?": app.store.set({ help: !state.help }); return true;
    case "Escape": app.dismiss(); return true;
    case "PageDown": scroll(app, size.height * 0.8); return true;
    case "PageUp": scroll(app, -size.height * 0.8); return true;
    case "/": document.getElementById("search")?.focus(); return true;
    case "ArrowLeft":
    case "ArrowRight": {
      if (detail === null) return false;
      const next = stage.neighbour(detail.lane, detail.start, key === "ArrowLeft" ? -1 : 1);
      if (next === null) app.setView(pan(view, size.width * (key === "ArrowLeft" ? -MOVE : MOVE)));
      else void app.select(next, true, null);
      return true;
    }
    case "ArrowUp":
    case "ArrowDown": {
      if (detail === null) return false;
      const last = [...detail.before].sort((one, other) => other.end - one.end)[0];
      const first = [...detail.after].sort((one, other) => one.start - other.start)[0];
      const next = key === "ArrowUp" ? last : first;
      if (next !== undefined) void app.select(next.id, true, null);
      return true;
    }
    default: return false;
  }
}

function collapse(app: App): void {
  const groups = layoutOf(app.state).rows.filter((row) => row.group && row.depth > 0);
  app.store.set({ closed: new Set(groups.map((row) => row.lane.id)), scrollY: 0 });
}
