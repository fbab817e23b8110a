import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { duration, percent, place, short } from "../format";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { Swatch } from "./parts";
import { Virtual } from "./search";

/** The critical path, step by step. */
export function Path({ app }: { app: App }): JSX.Element {
  const critical = useStore(app.store, (state) => state.info.critical);
  const steps = useStore(app.store, (state) => state.steps);
  const at = useStore(app.store, (state) => state.stepAt);
  const error = useStore(app.store, (state) => state.stepsError);
  const shown = useStore(app.store, (state) => state.criticalShown);
  useEffect(() => {
    if (critical !== null && !shown) void app.toggleCritical(true);
  }, [app]);
  if (critical === null) return <p class="hint">The profile has no dependences, so that no critical path is known.</p>;
  if (error !== null) return <p class="error">{error}</p>;
  if (steps === null) return <p class="hint">Walking the critical path…</p>;
  const whole = Math.max(1, critical.total);
  return (
    <div class="path found">
      <p class="summary">
        <b>{duration(critical.total)}</b> in {steps.length} steps<span class="faint"> · ] next, [ previous</span>
      </p>
      <Virtual count={steps.length} at={at} row={(index) => {
        const step = steps[index];
        if (step === undefined) return null;
        const where = place(app.state.info.lines[step.line]);
        const ns = step.end - step.start;
        return (
          <button type="button" class={`hit${index === at ? " chosen" : ""}`} onClick={() => app.goToStep(index)}>
            <b>{short(step.text, 90)}</b>
            <span class="figure">{duration(ns)}</span>
            <span class="faint"><span class="tag">{step.kind}</span>{where === null ? null : <><Swatch app={app} line={step.line} />{where}</>}</span>
            <span class="figure faint">{percent(ns / whole)}</span>
          </button>
        );
      }} />
    </div>
  );
}
