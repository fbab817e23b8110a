import type { ComponentChildren, JSX } from "preact";
import { css, lineColour, theme } from "../draw/theme";
import { place } from "../format";
import type { App } from "../state/app";
import { useStore } from "../state/store";

/** A link that highlights a line and shows its source. */
export function LineLink({ app, line, label }: { app: App; line: number | null | undefined; label?: string }): JSX.Element {
  const known = line === null || line === undefined ? undefined : app.state.info.lines[line];
  const text = place(known);
  if (known === undefined || text === null) return <span class="faint">no line</span>;
  const open = (): void => app.setLine(known.id, "source");
  return (
    <button type="button" class="link" title={`${known.file}:${known.line} ${known.function}`} onClick={open}>
      <Swatch app={app} line={known.id} />
      {label ?? text}
    </button>
  );
}

/** The colour of a line's items. */
export function Swatch({ app, line }: { app: App; line: number }): JSX.Element {
  const name = useStore(app.store, (state) => state.theme);
  const colour = theme(name).lines[lineColour(line)];
  return <span class="swatch" style={{ background: colour === undefined ? "transparent" : css(colour) }} />;
}

/** A link that selects an item and scrolls to it. */
export function ItemLink({ app, item, children }: { app: App; item: number | null; children: ComponentChildren }): JSX.Element {
  if (item === null) return <span>{children}</span>;
  return (
    <button type="button" class="link" onClick={() => void app.select(item, true)}>
      {children}
    </button>
  );
}

export function Bar({ share, colour }: { share: number; colour?: string }): JSX.Element {
  return <span class="bar" style={{ width: `${Math.min(100, Math.max(0, share * 100))}%`, ...(colour === undefined ? {} : { background: colour }) }} />;
}

export function Section({ title, children, note }: { title: string; children: ComponentChildren; note?: string }): JSX.Element {
  return (
    <section>
      <h3>
        {title}
        {note === undefined ? null : <small>{note}</small>}
      </h3>
      {children}
    </section>
  );
}
