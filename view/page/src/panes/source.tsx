import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { sentence } from "../data/source";
import { baseName, number, short } from "../format";
import type { Change, SourceAnswer, SourceFile } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { type Cost, columnsOf, costsOf } from "./columns";
import { highlight } from "./highlight";
import { Bar, Swatch } from "./parts";

const LINE_PX = 19;
const OVERSCAN = 20;
const LONGEST = 400;

/** The program's text with what each line cost. */
export function Source({ app }: { app: App }): JSX.Element {
  const line = useStore(app.store, (state) => state.line);
  const chosen = useStore(app.store, (state) => state.sourceFile);
  const generation = useStore(app.store, (state) => state.info.generation ?? 0);
  const [files, setFiles] = useState<readonly SourceFile[] | null>(null);
  const [answer, setAnswer] = useState<{ file: number; answer: SourceAnswer } | null>(null);
  const [changes, setChanges] = useState<readonly Change[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if (app.source.pair) app.source.changes().then(setChanges, (reason: unknown) => setError(sentence(reason)));
  }, [app]);
  useEffect(() => {
    app.source.sources().then(setFiles, (reason: unknown) => setError(sentence(reason)));
  }, [app, generation]);
  const ofLine = app.state.info.lines[line];
  const file = files?.find((each) => each.id === chosen)
    ?? files?.find((each) => ofLine !== undefined && each.path === ofLine.file)
    ?? files?.find((each) => each.origin !== "none") ?? files?.[0];
  const id = file?.id;
  useEffect(() => {
    if (id === undefined) return;
    setError(null);
    app.source.source(id).then((found) => setAnswer({ file: id, answer: found }), (reason: unknown) => setError(sentence(reason)));
  }, [app, id, generation]);
  if (files !== null && files.length === 0) return <p class="hint">The profile names no source file.</p>;
  return (
    <div class="source">
      <div class="files">
        <select aria-label="Source file" value={id} onChange={(event) => app.store.set({ sourceFile: Number(event.currentTarget.value) })}>
          {(files ?? []).map((each) => <option key={each.id} value={each.id}>{short(each.path, 90)}</option>)}
        </select>
        {file?.note === null || file?.note === undefined || file.note === "" ? null : <span class="faint">{file.note}</span>}
        {line === 0 ? null : <button type="button" class="tool" onClick={() => app.setLine(0)}>Show all lines</button>}
      </div>
      {error === null ? null : <p class="error">{error}</p>}
      {answer?.answer.note === null || answer?.answer.note === undefined || answer.answer.note === "" ? null : <p class="faint remark">{answer.answer.note}</p>}
      {answer?.answer.unsaved == null ? null : <p class="faint remark unsaved">{answer.answer.unsaved}</p>}
      {answer === null || file === undefined || answer.file !== file.id ? null : <Listing key={file.id} app={app} file={file} answer={answer.answer} changes={changes} />}
    </div>
  );
}

function Listing({ app, file, answer, changes }: { app: App; file: SourceFile; answer: SourceAnswer; changes: readonly Change[] | null }): JSX.Element {
  const line = useStore(app.store, (state) => state.line);
  const lines = useMemo(() => textOf(answer, file.path), [answer, file.path]);
  const costs = useMemo(() => costsOf(answer, file.path, changes), [answer, file.path, changes]);
  const columns = useMemo(() => columnsOf(costs, app.source.pair), [app, costs]);
  const ids = useMemo(() => idsOf(app, file.path), [app, file.path, answer]);
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const at = app.state.info.lines[line];
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    setHeight(element.clientHeight);
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const here = at !== undefined && at.file === file.path && line !== 0;
    // Without a selected line, only lines with costs are relevant.
    const index = lines.findIndex((each) => (here ? each.number === at.line : costs.has(each.number)));
    if (index < 0 || (!here && line !== 0)) return;
    if (!here && element.scrollTop > 0) return;
    const y = index * LINE_PX;
    if (!here || y < element.scrollTop || y > element.scrollTop + element.clientHeight - 3 * LINE_PX) element.scrollTop = y - element.clientHeight / (here ? 3 : 8);
  }, [line, file.path, lines, at, costs]);
  const first = Math.max(0, Math.floor(top / LINE_PX) - OVERSCAN);
  const last = Math.min(lines.length, Math.ceil((top + height) / LINE_PX) + OVERSCAN);
  return (
    <div class="listing" ref={box} tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <table>
        <thead>
          <tr>
            <th>line</th>
            {columns.map(({ column }, index) => <th key={index} title={column.about}>{column.title}</th>)}
            <th class="text">program</th>
          </tr>
        </thead>
        <tbody>
          <tr style={{ height: `${first * LINE_PX}px` }} />
          {lines.slice(first, last).map((each) => {
            const id = ids.get(each.number);
            const cost = costs.get(each.number);
            const chosen = id !== undefined && id === line;
            return (
              <tr
                key={each.number} data-line={each.number} class={`${chosen ? "chosen" : ""}${cost === undefined ? "" : " costs"}`} aria-selected={chosen}
                title={countsOf(cost)} onClick={() => id !== undefined && app.setLine(chosen ? 0 : id)}
              >
                <td class="number">{id === undefined ? null : <Swatch app={app} line={id} />}{each.number}</td>
                {columns.map(({ column, most }, index) => {
                  const value = cost === undefined ? null : column.of(cost);
                  return (
                    <td key={index} class={`cost ${column.key}${column.key === "difference" && value !== null && value > 0 ? " worse" : ""}`}>
                      {value === null || value === 0 ? null : <><Bar share={Math.abs(value) / most} /><span>{column.show(value)}</span></>}
                    </td>
                  );
                })}
                <td class="text">
                  {id !== undefined ? <button type="button" class="pick" aria-label={`Light up line ${each.number}`} /> : null}
                  {each.tokens.map((token, index) => <span key={index} class={token.kind}>{token.text}</span>)}
                </td>
              </tr>
            );
          })}
          <tr style={{ height: `${Math.max(0, lines.length - last) * LINE_PX}px` }} />
        </tbody>
      </table>
    </div>
  );
}

interface ShownLine {
  readonly number: number;
  readonly tokens: readonly { readonly kind: string; readonly text: string }[];
}

/** The lines of the text, or only the lines with known costs if the text is missing. */
function textOf(answer: SourceAnswer, path: string): ShownLine[] {
  if (answer.text === null) {
    return [...answer.lines].sort((one, other) => one.line - other.line)
      .map((each) => ({ number: each.line, tokens: [{ kind: "faint", text: `${baseName(path)}:${each.line}` }] }));
  }
  return highlight(answer.text, path).map((tokens, index) => ({
    number: index + 1,
    tokens: tokens.map((token) => (token.text.length > LONGEST ? { ...token, text: `${token.text.slice(0, LONGEST)}…` } : token)),
  }));
}

function countsOf(cost: Cost | undefined): string {
  const counts = [cost?.before, cost?.own].flatMap((line) => (line == null ? [] : [`${number(line.tasks)} tasks, ${number(line.kernels)} kernels`]));
  return counts.join(" → ");
}

function idsOf(app: App, path: string): Map<number, number> {
  const ids = new Map<number, number>();
  for (const each of app.state.info.lines) if (each.file === path && each.id !== 0 && !ids.has(each.line)) ids.set(each.line, each.id);
  return ids;
}
