import { sentence } from "../data/source";
import type { Info } from "../protocol";
import type { App } from "./app";

const POLL_MS = 1000;
/** Where the end of the run stands on the screen. */
const END_AT = 0.95;

/** Asks for what is new while the run goes on. */
export function followRun(app: App): void {
  const poll = async (): Promise<void> => {
    try {
      const info = await app.source.info();
      const old = app.state.info;
      if (info.end !== old.end || info.generation !== old.generation || info.live !== old.live) renew(app, info);
      else if (app.state.trouble !== null) app.store.set({ trouble: null });
    } catch (error) {
      app.store.set({ trouble: sentence(error) });
    }
    if (app.state.info.live) setTimeout(() => void poll(), POLL_MS);
  };
  if (app.state.info.live) setTimeout(() => void poll(), POLL_MS);
}

function renew(app: App, info: Info): void {
  const { view, size, follow, info: old } = app.state;
  const shown = size.width * view.nsPerPx;
  const whole = view.start <= old.start && view.start + shown >= old.end;
  app.store.set({ info, trouble: null });
  if (!follow) return;
  if (whole) app.fitAll();
  else app.setView({ ...view, start: info.end - shown * END_AT });
}
