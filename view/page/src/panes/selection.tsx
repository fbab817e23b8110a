import type { JSX } from "preact";
import { css, lineColour, theme } from "../draw/theme";
import { bytes, duration, moment, percent, place, short } from "../format";
import type { Dependence, ItemDetail, ItemRef, Operand, Why, WhyPart } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { Bar, ItemLink, LineLink, Section } from "./parts";

const LONG = 400;
const SHOWN = 40;

export function Selection({ app }: { app: App }): JSX.Element {
  const detail = useStore(app.store, (state) => state.detail);
  const error = useStore(app.store, (state) => state.detailError);
  const measure = useStore(app.store, (state) => state.measure);
  return (
    <div class="selection">
      {measure === null ? null : (
        <Section title="Measured">
          <dl><dt>from</dt><dd>{moment(measure[0])}</dd><dt>to</dt><dd>{moment(measure[1])}</dd><dt>length</dt><dd><b>{duration(measure[1] - measure[0])}</b></dd></dl>
        </Section>
      )}
      {error === null ? null : <p class="error">{error}</p>}
      {detail === null ? <p class="hint">Click on an item to see its line, what it did, and why it waited.</p> : <Detail app={app} detail={detail} />}
    </div>
  );
}

/** The corresponding task of the other run. */
function Twin({ app, detail, twin }: { app: App; detail: ItemDetail; twin: ItemRef }): JSX.Element {
  const [own, its] = [detail.end - detail.start, twin.end - twin.start];
  return (
    <Section title="In the other run" note={`${its >= own ? "+" : "−"}${duration(Math.abs(its - own))}`}>
      <p><ItemLink app={app} item={twin.id}>{short(twin.name, LONG)}</ItemLink> <b>{duration(its)}</b> <span class="faint">{moment(twin.start)} – {moment(twin.end)}</span></p>
    </Section>
  );
}

function Detail({ app, detail }: { app: App; detail: ItemDetail }): JSX.Element {
  const lane = app.state.info.lanes.find((each) => each.id === detail.lane);
  const { line, operation, launch } = detail;
  return (
    <>
      <header class="what">
        <h2>{short(detail.name, LONG)}</h2>
        <p>
          <span class="tag">{detail.what}</span>
          {detail.uid === null ? null : <code>{detail.uid}</code>}
          <span class="faint">{lane === undefined ? "" : short(lane.label, 60)}</span>
        </p>
      </header>
      <div class="times">
        <b>{duration(detail.end - detail.start)}</b>
        <span class="faint">{moment(detail.start)} – {moment(detail.end)}</span>
      </div>
      {line === null || line.file === "" ? null : (
        <Section title="Line" note={line.function}>
          <LineLink app={app} line={line.id} />
          {line.text === null ? null : <pre class="code">{line.text.trim().slice(0, LONG)}</pre>}
        </Section>
      )}
      {detail.twin === undefined ? null : <Twin app={app} detail={detail} twin={detail.twin} />}
      {detail.why === null ? null : <WhyWaited app={app} why={detail.why} />}
      {detail.states === null ? null : <States detail={detail} />}
      {operation === null ? null : (
        <Section title="Operation">
          <p>{short(operation.name, LONG)} <code>{operation.uid}</code> {operation.shape === null ? null : <span class="faint">{operation.shape}</span>}</p>
        </Section>
      )}
      {detail.operands.length === 0 && detail.bytes === null ? null : <Bytes detail={detail} />}
      {launch === null ? null : (
        <Section title="Launch">
          <p>
            <code>{launch.uid}</code>
            {launch.share === null ? null : ` · ${percent(launch.share)} of it`}
            {launch.estimated ? <span class="tag estimated">estimated</span> : null}
          </p>
        </Section>
      )}
      {detail.kernels.length === 0 ? null : (
        <Section title="Kernels" note={String(detail.kernels.length)}>
          <ul class="refs">
            {detail.kernels.slice(0, SHOWN).map((kernel, index) => (
              <li key={index}>
                <ItemLink app={app} item={kernel.id}>{short(kernel.name, 120)}</ItemLink>
                <span class="figure">{duration(kernel.end - kernel.start)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {detail.ranges === undefined || detail.ranges.length === 0 ? null : (
        <Section title="NVTX ranges" note="the innermost first">
          <ul class="refs">
            {detail.ranges.slice(0, SHOWN).map((range) => (
              <li key={range.id}>
                <ItemLink app={app} item={range.id}>{short(range.name, 120)}</ItemLink>
                <span class="figure">{duration(range.end - range.start)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <References app={app} title="Waited for" arrow="before" list={detail.before} />
      <References app={app} title="Waited for by" arrow="after" list={detail.after} />
      {detail.fields.length === 0 ? null : (
        <Section title="More">
          <dl>{detail.fields.map(([label, value], index) => [<dt key={`l${index}`}>{label}</dt>, <dd key={`v${index}`}>{value.slice(0, 10_000)}</dd>])}</dl>
        </Section>
      )}
    </>
  );
}

/** The parts of the waiting time, each with a link to its cause. */
function WhyWaited({ app, why }: { app: App; why: Why }): JSX.Element {
  const colours = theme(useStore(app.store, (state) => state.theme));
  // Work has the colour of its line; everything else is grey or hatched.
  const paint = (part: WhyPart): { background?: string } => {
    const colour = part.what === "queue" || part.what === "unknown" || part.line === null || part.line === 0 ? undefined : colours.lines[lineColour(part.line)];
    return colour === undefined ? {} : { background: css(colour) };
  };
  return (
    <Section title="Why it waited" note={duration(why.total)}>
      <div class="whole" aria-hidden="true">
        {why.parts.map((part, index) => <span key={index} class={`part ${part.what}`} style={{ flexGrow: part.ns, ...paint(part) }} />)}
      </div>
      <ol class="why">
        {why.parts.map((part, index) => {
          const where = part.line === null ? null : place(app.state.info.lines[part.line]);
          return (
            <li key={index}>
              <span class={`dot part ${part.what}`} style={paint(part)} />
              <b>{duration(part.ns)}</b>
              <span>
                <ItemLink app={app} item={part.item}>{short(part.text, 300)}</ItemLink>{" "}
                {where === null ? null : <button type="button" class="link aside" title={`Show ${where}`} onClick={() => app.setLine(part.line ?? 0, "source")}>{part.text.includes(where) ? "source" : where}</button>}
              </span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function States({ detail }: { detail: ItemDetail }): JSX.Element | null {
  const colours = theme("light");
  const created = detail.states?.["created"];
  const ready = detail.states?.["ready"];
  if (created === null || created === undefined || ready === null || ready === undefined) return null;
  const total = Math.max(1, detail.end - created);
  const parts = [
    { name: "waiting", ns: ready - created, colour: css(colours.waiting) },
    { name: "ready", ns: detail.start - ready, colour: css(colours.ready) },
    { name: "running", ns: detail.end - detail.start, colour: "var(--accent)" },
  ];
  return (
    <Section title="States" note={`created at ${moment(created)}`}>
      <table class="states">
        <tbody>
          {parts.map((part) => (
            <tr key={part.name}>
              <th>{part.name}</th>
              <td class="figure">{duration(part.ns)}</td>
              <td class="wide"><Bar share={part.ns / total} colour={part.colour} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Bytes({ detail }: { detail: ItemDetail }): JSX.Element {
  const moved = detail.bytes;
  const parts: string[] = [];
  if (moved !== null && moved.read !== null) parts.push(`${bytes(moved.read)} read`);
  if (moved !== null && moved.written !== null) parts.push(`${bytes(moved.written)} written`);
  if (moved !== null && moved.perSecond !== null) parts.push(`${bytes(moved.perSecond)}/s`);
  if (moved !== null && moved.partOfMemory !== null) parts.push(`${percent(moved.partOfMemory)} of what the memory can`);
  return (
    <Section title="Data">
      {parts.length === 0 ? null : <p>{parts.join(" · ")}</p>}
      {detail.operands.length === 0 ? null : (
        <table class="operands">
          <tbody>{detail.operands.slice(0, SHOWN).map((operand, index) => <OperandRow key={index} operand={operand} />)}</tbody>
        </table>
      )}
    </Section>
  );
}

function OperandRow({ operand }: { operand: Operand }): JSX.Element {
  return (
    <tr>
      <th>{short(operand.store, 60)}</th>
      <td>{operand.access}</td>
      <td class="faint">{[operand.dtype, operand.shape].filter((text) => text !== null).join(" ")}</td>
      <td class="figure">{operand.bytes === null ? "" : bytes(operand.bytes)}</td>
    </tr>
  );
}

function References({ app, title, arrow, list }: { app: App; title: string; arrow: "before" | "after"; list: readonly Dependence[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <Section title={title} note={String(list.length)}>
      <ul class={`refs ${arrow}`}>
        {list.slice(0, SHOWN).map((each) => (
          <li key={each.id}>
            <ItemLink app={app} item={each.id}>{short(each.name, 80)}</ItemLink>
            <LineLink app={app} line={each.line} />
            <span class="figure">{each.bytes === null ? duration(each.end - each.start) : `${short(each.store ?? "", 30)} ${bytes(each.bytes)}`}</span>
          </li>
        ))}
      </ul>
      {list.length > SHOWN ? <p class="faint">and {list.length - SHOWN} more</p> : null}
    </Section>
  );
}
