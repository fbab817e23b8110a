import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { holderColour, holderName } from "../draw/memory";
import { theme } from "../draw/theme";
import { bytes, moment, percent } from "../format";
import type { Row } from "../layout/rows";
import type { MemoryAnswer } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";

/** The offset of the list from the top of its row; it leaves room for the lane's name. */
const BELOW_NAME = 22;

/** The holders of a memory at its highest use, shown next to its curve. */
export function Holders({ app, row }: { app: App; row: Row }): JSX.Element | null {
  const info = useStore(app.store, (state) => state.info);
  const colours = theme(useStore(app.store, (state) => state.theme));
  const [answer, setAnswer] = useState<MemoryAnswer | null>(null);
  useEffect(() => {
    let current = true;
    app.source.memory(row.lane.id, info.start, Math.max(info.end, info.start + 1), 1).then(
      (found) => {
        if (current) setAnswer(found);
      },
      // An embedded file may omit the holders but still contain the curve.
      () => setAnswer(null),
    );
    return () => {
      current = false;
    };
  }, [app, row.lane.id, info]);
  if (answer === null || answer.max <= 0) return null;
  const { time, held } = answer.peak;
  return (
    <ol class="holders" aria-label={`Who held ${row.lane.label} at its peak`} style={{ top: `${row.y + BELOW_NAME}px`, maxHeight: `${row.height - BELOW_NAME - 4}px` }}>
      <li class="faint">peak {bytes(answer.max)} at {moment(time)}</li>
      {held.map((by, index) => {
        const figures = <small>{bytes(by.bytes)} {percent(by.bytes / answer.max)}</small>;
        const name = <><span class="swatch" style={{ background: holderColour(by, colours) }} /><span class="who">{holderName(by, info)}</span>{figures}</>;
        return (
          <li key={index} title={holderName(by, info)}>
            {by.line === 0 ? <span class="holder">{name}</span> : <button type="button" class="holder" onClick={() => app.setLine(by.line, "source")}>{name}</button>}
          </li>
        );
      })}
    </ol>
  );
}
