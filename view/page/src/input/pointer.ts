import { layoutOf } from "../layout/current";
import { fit, pan, timeAt, zoomAt } from "../layout/view";
import type { Stage } from "../stage";
import type { App } from "../state/app";

interface Elements {
  readonly plot: HTMLElement;
  readonly ruler: HTMLElement;
  readonly overview: HTMLElement;
}

const CLICK_PX = 3;
const MARK_PX = 9;

type Drag =
  | { readonly what: "pan"; x: number; y: number; readonly fromX: number; readonly fromY: number; moved: boolean }
  | { readonly what: "measure"; readonly from: number };

/** Handles mouse, pen, touch and wheel events of the lanes, the axis and the overview. */
export function listenPointer(app: App, stage: Stage, { plot, ruler, overview }: Elements): () => void {
  const stops: (() => void)[] = [];
  const on = <K extends keyof HTMLElementEventMap>(element: HTMLElement, name: K, handler: (event: HTMLElementEventMap[K]) => void): void => {
    element.addEventListener(name, handler, { passive: false });
    stops.push(() => element.removeEventListener(name, handler));
  };
  let drag: Drag | null = null;
  const at = (element: HTMLElement, event: MouseEvent): [x: number, y: number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  on(plot, "pointerdown", (event) => {
    if (event.button !== 0) return;
    plot.setPointerCapture(event.pointerId);
    plot.focus({ preventScroll: true });
    const [x, y] = at(plot, event);
    if (event.shiftKey) {
      const from = timeAt(app.state.view, x);
      drag = { what: "measure", from };
      app.store.set({ measure: [from, from], hover: null });
    } else {
      drag = { what: "pan", x, y, fromX: x, fromY: y, moved: false };
    }
  });
  on(plot, "pointermove", (event) => {
    const [x, y] = at(plot, event);
    if (drag === null) {
      hover(app, stage, x, y);
    } else if (drag.what === "measure") {
      const to = timeAt(app.state.view, x);
      app.store.set({ measure: drag.from < to ? [drag.from, to] : [to, drag.from] });
    } else {
      drag.moved ||= Math.abs(x - drag.fromX) > CLICK_PX || Math.abs(y - drag.fromY) > CLICK_PX;
      if (!drag.moved) return;
      app.setView(pan(app.state.view, drag.x - x));
      scroll(app, drag.y - y);
      drag.x = x;
      drag.y = y;
    }
  });
  on(plot, "pointerup", (event) => {
    const [x, y] = at(plot, event);
    const ended = drag;
    drag = null;
    if (ended?.what === "measure") {
      const measure = app.state.measure;
      // A click with shift does not select a range.
      if (measure !== null && (measure[1] - measure[0]) / app.state.view.nsPerPx < CLICK_PX) app.store.set({ measure: null });
      else if (app.state.pane !== null) app.store.set({ pane: "selection" });
    } else if (ended?.what === "pan" && !ended.moved) {
      const picked = stage.at(x, y);
      if (picked?.holder !== true) void app.select(picked === null ? null : picked.item);
      else if (picked.line !== 0) app.setLine(picked.line, "source");
    }
  });
  on(plot, "pointercancel", () => {
    drag = null;
  });
  on(plot, "pointerleave", () => app.store.set({ hover: null }));
  on(plot, "dblclick", (event) => {
    const picked = stage.at(...at(plot, event));
    if (picked?.item !== null && picked !== null) void app.select(picked.item).then(() => app.fitSelection());
  });
  on(plot, "wheel", (event) => {
    event.preventDefault();
    const [x] = at(plot, event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
    const fits = layoutOf(app.state).height <= app.state.size.height;
    if (event.ctrlKey || event.metaKey || (fits && !event.shiftKey && Math.abs(dy) > Math.abs(dx))) {
      app.setView(zoomAt(app.state.view, 2 ** (Math.max(-240, Math.min(240, dy)) / 240), x));
    } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
      app.setView(pan(app.state.view, event.shiftKey && dx === 0 ? dy : dx));
    } else {
      scroll(app, dy);
    }
  });

  listenRuler(app, stage, ruler, on, at);
  listenOverview(app, overview, on, at);
  return () => {
    for (const stop of stops) stop();
  };
}

type On = <K extends keyof HTMLElementEventMap>(element: HTMLElement, name: K, handler: (event: HTMLElementEventMap[K]) => void) => void;
type At = (element: HTMLElement, event: MouseEvent) => [x: number, y: number];

/** Dragging on the axis zooms to the range; clicking on a mark removes it. */
function listenRuler(app: App, stage: Stage, ruler: HTMLElement, on: On, at: At): void {
  let from: number | null = null;
  on(ruler, "pointerdown", (event) => {
    ruler.setPointerCapture(event.pointerId);
    from = timeAt(app.state.view, at(ruler, event)[0]);
  });
  on(ruler, "pointermove", (event) => {
    if (from === null) return;
    stage.choosing = [from, timeAt(app.state.view, at(ruler, event)[0])];
    stage.redraw();
  });
  on(ruler, "pointerup", (event) => {
    if (from === null) return;
    const to = timeAt(app.state.view, at(ruler, event)[0]);
    const { view, marks, size } = app.state;
    stage.choosing = null;
    if (Math.abs(to - from) / view.nsPerPx > CLICK_PX) {
      app.setView(fit(Math.min(from, to), Math.max(from, to), size.width, 0), true);
    } else {
      const mark = marks.find((each) => Math.abs(each - to) / view.nsPerPx < MARK_PX);
      if (mark !== undefined) app.dropMark(mark);
      else stage.redraw();
    }
    from = null;
  });
}

function listenOverview(app: App, overview: HTMLElement, on: On, at: At): void {
  let held = false;
  const move = (event: MouseEvent): void => {
    const { info, size, view } = app.state;
    const time = info.start + (at(overview, event)[0] / Math.max(1, size.width)) * (info.end - info.start);
    app.setView({ ...view, start: time - (size.width / 2) * view.nsPerPx });
  };
  on(overview, "pointerdown", (event) => {
    held = true;
    overview.setPointerCapture(event.pointerId);
    move(event);
  });
  on(overview, "pointermove", (event) => {
    if (held) move(event);
  });
  on(overview, "pointerup", () => {
    held = false;
  });
}

function hover(app: App, stage: Stage, x: number, y: number): void {
  stage.pointer = timeAt(app.state.view, x);
  const picked = stage.at(x, y);
  if (picked === null || picked.text.length === 0) {
    if (app.state.hover !== null) app.store.set({ hover: null });
    return;
  }
  app.store.set({ hover: { x, y, text: picked.text, line: picked.line } });
}

export function scroll(app: App, by: number): void {
  const { scrollY, size } = app.state;
  const most = Math.max(0, layoutOf(app.state).height - size.height + 8);
  const next = Math.min(most, Math.max(0, scrollY + by));
  if (next !== scrollY) app.store.set({ scrollY: next, hover: null });
}
