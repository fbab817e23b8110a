import type { JSX } from "preact";
import type { Severity } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";

const SIGNS: Readonly<Record<Severity, string>> = { good: "✓", note: "i", warning: "!", error: "✕" };

/** The unknown or incomplete data of the run. */
export function Strip({ app }: { app: App }): JSX.Element | null {
  const unknown = useStore(app.store, (state) => state.info.unknown);
  const open = useStore(app.store, (state) => state.strip);
  const trouble = useStore(app.store, (state) => state.trouble);
  const leftOut = app.source.leftOut;
  if (unknown.length === 0 && trouble === null && leftOut.length === 0) return null;
  const toggle = (): void => app.store.set({ strip: !open });
  return (
    <section class={`strip${open ? " open" : ""}`} aria-label="What is not known">
      <button type="button" class="caption" aria-expanded={open} onClick={toggle} title="What the profile does not say">
        {open ? "▾" : "▸"} How sure
      </button>
      <ul>
        {trouble === null ? null : <Chip severity="error" label={trouble} value="" detail="" open={open} />}
        {unknown.map((each, index) => <Chip key={`${index} ${each.label}`} {...each} open={open} />)}
        {leftOut.map((text) => <Chip key={text} severity="note" label="left out of this file" value={text} detail="" open={open} />)}
      </ul>
    </section>
  );
}

function Chip({ severity, label, value, detail, open }: { severity: Severity; label: string; value: string; detail: string; open: boolean }): JSX.Element {
  const sign = Object.hasOwn(SIGNS, severity) ? SIGNS[severity] : "i";
  return (
    <li class={`chip ${severity}`} title={detail}>
      <i aria-label={severity}>{sign}</i>
      <span>{label}</span>
      <b>{value}</b>
      {open && detail !== "" ? <em>{detail}</em> : null}
    </li>
  );
}
