import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { duration } from "../format";
import type { App } from "../state/app";
import { useStore } from "../state/store";

function Tool({ label, name, onClick, pressed }: { label: string; name: string; onClick: () => void; pressed?: boolean }): JSX.Element {
  return (
    <button type="button" class="tool" aria-label={name} title={name} aria-pressed={pressed} onClick={onClick}>
      {label}
    </button>
  );
}

export function Toolbar({ app }: { app: App }): JSX.Element {
  const title = useStore(app.store, (state) => state.info.title);
  const inputs = useStore(app.store, (state) => state.info.inputs);
  const live = useStore(app.store, (state) => state.info.live);
  const follow = useStore(app.store, (state) => state.follow);
  const critical = useStore(app.store, (state) => state.info.critical);
  const shown = useStore(app.store, (state) => state.criticalShown);
  const theme = useStore(app.store, (state) => state.theme);
  const pane = useStore(app.store, (state) => state.pane);
  const end = useStore(app.store, (state) => state.info.end - state.info.start);
  const zoom = (factor: number): void => {
    const { view, size } = app.state;
    const middle = view.start + (size.width / 2) * view.nsPerPx;
    app.setView({ start: middle - (size.width / 2) * view.nsPerPx * factor, nsPerPx: view.nsPerPx * factor }, true);
  };
  return (
    <div class="toolbar" role="toolbar" aria-label="Timeline">
      <strong class="brand">weft</strong>
      <span class="title" title={inputs.map((input) => `${input.name} (${input.kind})${input.note === "" ? "" : `: ${input.note}`}`).join("\n")}>
        {title}
      </span>
      <span class="faint total">{duration(end)}</span>
      {live ? <Tool label={follow ? "● following" : "○ follow"} name="Follow the end of the run" pressed={follow} onClick={() => {
        app.store.set({ follow: !follow });
        if (!follow) app.showEnd();
      }} /> : null}
      <span class="space" />
      <SearchBox app={app} />
      <span class="tools">
        <Tool label="−" name="Zoom out (s)" onClick={() => zoom(2)} />
        <Tool label="+" name="Zoom in (w)" onClick={() => zoom(0.5)} />
        <Tool label="Fit" name="Whole trace (0)" onClick={() => app.fitAll()} />
        <Tool label="Undo" name="Undo zoom (u)" onClick={() => app.undo()} />
        {critical === null ? null : <Tool label="Critical path" name="Critical path (c)" pressed={shown} onClick={() => void app.toggleCritical()} />}
        <Tool label={theme === "dark" ? "☀" : "☾"} name={theme === "dark" ? "Light colours" : "Dark colours"} onClick={() => app.store.set({ theme: theme === "dark" ? "light" : "dark" })} />
        <Tool label="?" name="Keys and help (?)" onClick={() => app.store.set({ help: true })} />
        <Tool label={pane === null ? "◧" : "◨"} name={pane === null ? "Show the pane" : "Hide the pane"} onClick={() => app.store.set({ pane: pane === null ? "selection" : null })} />
      </span>
    </div>
  );
}

function SearchBox({ app }: { app: App }): JSX.Element {
  const query = useStore(app.store, (state) => state.query);
  const [text, setText] = useState(query);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setText(query), [query]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === app.state.query && app.state.found !== null) app.stepFound(1);
    else void app.search(text);
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input
        ref={box} id="search" type="search" value={text} aria-label="Search names, lines, UIDs, or sql: condition"
        placeholder="Search: name, line, UID, sql: …" spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
          if (event.currentTarget.value === "") void app.search("");
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") box.current?.blur();
        }}
      />
    </form>
  );
}
