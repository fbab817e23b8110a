import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sentence } from "../data/source";
import { bytes, duration, number, percent, place, short } from "../format";
import type { AdviceAnswer, Finding, WhatIfAnswer } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { Bar, LineLink } from "./parts";

const SETTLE_MS = 150;

/** Suggested changes, sorted by savings, with the predicted time of the run. */
export function Advice({ app }: { app: App }): JSX.Element {
  const [advice, setAdvice] = useState<AdviceAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    app.source.advise().then(setAdvice, (reason: unknown) => setError(sentence(reason)));
  }, [app]);
  return (
    <div class="advice">
      {error === null ? null : <p class="error">{error}</p>}
      {advice === null ? (error === null ? <p class="hint">Replaying the trace…</p> : null) : <Answer app={app} advice={advice} />}
      {app.source.served ? <Slider app={app} /> : null}
    </div>
  );
}

function Answer({ app, advice }: { app: App; advice: AdviceAnswer }): JSX.Element {
  const { replay, findings, joint } = advice;
  return (
    <>
      {advice.estimated === true ? <p class="summary">
        The run took <b>{duration(replay.measured_ns)}</b> from the first to the last work of a GPU. The trace has no tasks, so that nothing is replayed: savings are estimates from the
        times of GPU work and of calls. Savings below {duration(replay.least_ns)} are not shown.
      </p> : <p class="summary">
        The run took <b>{duration(replay.measured_ns)}</b>. Replayed unchanged it takes {duration(replay.replayed_ns)}, an error of <b>{percent(Math.abs(replay.error))}</b>; the causes
        of {percent(replay.explained)} of its time are known. Savings below {duration(replay.least_ns)} are not shown.
      </p>}
      {advice.notes.map((note, index) => <p key={index} class="faint remark">{note}</p>)}
      {findings.length > 0 ? null : (
        <p class="hint">Nothing was found to improve{advice.below_error > 0 ? `: ${number(advice.below_error)} candidates save less than can be told` : ""}.</p>
      )}
      <ol class="findings">{findings.map((finding, index) => <Found key={index} app={app} finding={finding} at={index + 1} error={Math.abs(replay.error_ns)} whole={replay.replayed_ns} />)}</ol>
      {findings.length < 2 ? null : <p class="summary">All together: {findings.some((finding) => finding.at_most === true) ? "no shorter than " : ""}<b>{duration(joint.length_ns)}</b> instead of {duration(replay.replayed_ns)}, {percent(joint.saving)} less.</p>}
    </>
  );
}

function Found({ app, finding, at, error, whole }: { app: App; finding: Finding; at: number; error: number; whole: number }): JSX.Element {
  const { alone, with_previous: joint } = finding;
  return (
    <li>
      <h3>{at}. {finding.title} <span class="tag">{finding.rule}</span></h3>
      <p class="saving">saves {finding.at_most === true ? "at most " : ""}<b>{duration(alone.saving_ns)}</b> ± {duration(error)} <span class="faint">({percent(alone.saving)})</span></p>
      <div class="effect" title={`With this and all before it the run takes ${duration(joint.length_ns)}`}>
        <Bar share={joint.length_ns / Math.max(1, whole)} /><span>{finding.at_most === true ? "no shorter than " : ""}{duration(joint.length_ns)} with all so far</span>
      </div>
      {finding.lines.map((line, index) => <FoundLine key={index} app={app} file={line.file} line={line.line} text={line.text} />)}
      <p class="faint">{finding.evidence.map((figure) => `${figure.what}: ${shown(figure.value, figure.unit)}`).join(" · ")}</p>
      <p class="change">{finding.change}</p>
      {finding.assumes === null ? null : <p class="faint">assumes: {finding.assumes}</p>}
    </li>
  );
}

function FoundLine({ app, file, line, text }: { app: App; file: string; line: number; text: string | null }): JSX.Element {
  const known = app.state.info.lines.find((each) => each.file === file && each.line === line);
  return (
    <p>
      {known === undefined ? <span class="faint">{short(`${file}:${line}`, 80)}</span> : <LineLink app={app} line={known.id} />}
      {text === null ? null : <code> {short(text.trim(), 80)}</code>}
    </p>
  );
}

function shown(value: number, unit: Finding["evidence"][number]["unit"]): string {
  switch (unit) {
    case "ns": return duration(value);
    case "bytes": return bytes(value);
    case "share": return percent(value);
    default: return number(value);
  }
}

/** Simulates the makespan with a faster line, such as "if this line took half". */
function Slider({ app }: { app: App }): JSX.Element | null {
  const line = useStore(app.store, (state) => (state.line !== 0 ? state.line : state.detail?.line?.id ?? 0));
  const [factor, setFactor] = useState(1);
  const [answer, setAnswer] = useState<WhatIfAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    setFactor(1);
    setAnswer(null);
    setError(null);
  }, [line]);
  const where = place(app.state.info.lines[line]);
  if (line === 0 || where === null) return <p class="hint">Select a line to ask what the run would take if the line were faster.</p>;
  const ask = (value: number): void => {
    setFactor(value);
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      app.source.whatIf(line, value).then((found) => {
        setAnswer(found);
        setError(null);
      }, (reason: unknown) => setError(sentence(reason)));
    }, SETTLE_MS);
  };
  return (
    <section class="whatif">
      <h3>If {short(where, 60)} took…</h3>
      <label>
        <input type="range" min="0" max="1.5" step="0.05" value={factor} aria-label={`Factor for the time of ${where}`} onInput={(event) => ask(Number(event.currentTarget.value))} />
        <b>{percent(factor)}</b>
      </label>
      {error === null ? null : <p class="error">{error}</p>}
      {answer === null ? null : (
        <Predicted answer={answer} />
      )}
    </section>
  );
}

function Predicted({ answer }: { answer: WhatIfAnswer }): JSX.Element {
  const { lengthNs, replayedNs, errorNs } = answer;
  const saved = replayedNs - lengthNs;
  const most = Math.max(1, lengthNs, replayedNs);
  return (
    <>
      <div class="effect ghost"><Bar share={replayedNs / most} /><span>{duration(replayedNs)} replayed unchanged</span></div>
      <div class="effect"><Bar share={lengthNs / most} /><span>{duration(lengthNs)} then</span></div>
      <p>It would {saved >= 0 ? "save" : "cost"} <b>{duration(Math.abs(saved))}</b> ± {duration(Math.abs(errorNs))}.</p>
    </>
  );
}
