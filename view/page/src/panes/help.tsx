import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { css, theme } from "../draw/theme";
import { KEYS } from "../input/keyboard";
import type { App } from "../state/app";
import { useStore } from "../state/store";

export function Help({ app }: { app: App }): JSX.Element | null {
  const open = useStore(app.store, (state) => state.help);
  const name = useStore(app.store, (state) => state.theme);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open) button.current?.focus();
  }, [open]);
  if (!open) return null;
  const colours = theme(name);
  const legend = [
    [colours.lines[1], "running: a colour for each line of the program; a column is the share of a pixel's time"],
    [colours.waiting, "waiting: created, but something that it needs is not done"],
    [colours.ready, "ready: waits for a processor"],
    [colours.curve, "in use: of a group's processors, or of a memory, which shows its lines when its name is clicked on"],
    [colours.critical, "on the critical path"],
    [colours.search, "found by the search"],
    [colours.unmatched, "a kernel that no task is known to have launched"],
    [colours.failed, "failed"],
  ] as const;
  const close = (): void => app.store.set({ help: false });
  return (
    <div class="veil" onClick={close}>
      <div class="help" role="dialog" aria-modal="true" aria-label="Keys and colours" onClick={(event) => event.stopPropagation()}>
        <button type="button" class="tool close" ref={button} aria-label="Close" onClick={close}>✕</button>
        <h2>Keys</h2>
        <dl>{KEYS.map(({ keys, does }) => [<dt key={keys}><kbd>{keys}</kbd></dt>, <dd key={does}>{does}</dd>])}</dl>
        <h2>Colours</h2>
        <ul class="legend">
          {legend.map(([colour, text]) => <li key={text}><span class="swatch" style={{ background: colour === undefined ? "" : css(colour) }} />{text}</li>)}
        </ul>
      </div>
    </div>
  );
}
