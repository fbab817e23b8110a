import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sentence } from "../data/source";
import { duration, percent, place, short } from "../format";
import type { AdviceAnswer, Finding, WhatIfAnswer } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { ItemLink, LineLink } from "./parts";

const SETTLE_MS = 150;
const ITEMS = 6;

/** What to change, in the order of what it saves, and what the run would take then. */
export function Advice({ app }: { app: App }): JSX.Element {
  const [advice, setAdvice] = useState<AdviceAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    app.source.advise().then(setAdvice, (reason: unknown) => setError(sentence(reason)));
  }, [app]);
  return (
    <div class="advice">
      {error === null ? null : <p class="error">{error}</p>}
      {advice === null ? (error === null ? <p class="hint">Replaying the trace…</p> : null) : (
        <>
          <p class="summary">
            The run took <b>{duration(advice.makespanNs)}</b>. The trace replayed unchanged is off by <b>{duration(Math.abs(advice.replayErrorNs))}</b> ({percent(Math.abs(advice.replayErrorNs) / Math.max(1, advice.makespanNs))}); smaller savings are not shown.
          </p>
          {advice.note === null || advice.note === "" ? null : <p class="faint">{advice.note}</p>}
          {advice.findings.length === 0 ? <p class="hint">Nothing was found that would save more than the replay's error.</p> : null}
          <ol class="findings">{advice.findings.map((finding, index) => <Found key={index} app={app} finding={finding} whole={advice.makespanNs} />)}</ol>
        </>
      )}
      {app.source.served ? <Slider app={app} /> : null}
    </div>
  );
}

function Found({ app, finding, whole }: { app: App; finding: Finding; whole: number }): JSX.Element {
  return (
    <li>
      <h3>{finding.title} <span class="tag">{finding.rule}</span></h3>
      <p class="saving">
        saves <b>{duration(finding.savedNs)}</b> ± {duration(finding.errorNs)} ({percent(finding.savedNs / Math.max(1, whole))})
        <span class="faint"> · with those above: {duration(finding.jointNs)}</span>
      </p>
      <p><LineLink app={app} line={finding.line} /></p>
      <p>{finding.evidence}</p>
      <p class="change">{finding.change}</p>
      {finding.items.length === 0 ? null : (
        <p class="faint">seen at {finding.items.slice(0, ITEMS).map((item, index) => <ItemLink key={item} app={app} item={item}>{`#${index + 1} `}</ItemLink>)}</p>
      )}
    </li>
  );
}

/** "If this line took half": the makespan simulated again. */
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
        <p>The run would take <b>{duration(answer.makespanNs)}</b>: {answer.savedNs >= 0 ? "saves" : "costs"} <b>{duration(Math.abs(answer.savedNs))}</b> ± {duration(answer.errorNs)}.</p>
      )}
    </section>
  );
}
