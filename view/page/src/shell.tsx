import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Help } from "./panes/help";
import { Side } from "./panes/side";
import { Strip } from "./panes/strip";
import { Timeline } from "./panes/timeline";
import { Toolbar } from "./panes/toolbar";
import type { App } from "./state/app";
import { useStore } from "./state/store";

export function Shell({ app, forceCanvas }: { app: App; forceCanvas: boolean }): JSX.Element {
  const theme = useStore(app.store, (state) => state.theme);
  const pane = useStore(app.store, (state) => state.pane);
  const shell = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return (
    <div class="shell" ref={shell}>
      <Toolbar app={app} />
      <Strip app={app} />
      <div class={`work${pane === null ? "" : pane === "source" || pane === "graph" ? " split wide" : " split"}`}>
        <Timeline app={app} forceCanvas={forceCanvas} />
        {pane === null ? null : <Divider shell={shell} />}
        <Side app={app} />
      </div>
      <Help app={app} />
    </div>
  );
}

/** A divider that resizes the panes. */
function Divider({ shell }: { shell: { readonly current: HTMLDivElement | null } }): JSX.Element {
  const resize = (event: PointerEvent): void => {
    if (event.buttons !== 1 || shell.current === null) return;
    const box = shell.current.getBoundingClientRect();
    for (const name of ["--side", "--wide"]) shell.current.style.setProperty(name, `${Math.max(220, Math.min(box.width - 260, box.right - event.clientX))}px`);
    shell.current.style.setProperty("--low", `${Math.max(120, Math.min(box.height - 160, box.bottom - event.clientY))}px`);
  };
  return (
    <div
      class="divider" role="separator" aria-label="Room for the panes" aria-orientation="vertical"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)} onPointerMove={resize}
    />
  );
}
