import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { sentence } from "../data/source";
import { css, lineColour, theme } from "../draw/theme";
import { duration, number, place, short } from "../format";
import { type GraphPicture, NODE_HEIGHT, NODE_WIDTH, type PlacedEdge, layoutGraph } from "../layout/graph";
import type { GraphAnswer } from "../protocol";
import type { App } from "../state/app";
import { useStore } from "../state/store";

const EMPTY: GraphAnswer = { nodes: [], edges: [], note: null };

/** The graph of operations, folded by line, and the data that flows between them. */
export function Graph({ app }: { app: App }): JSX.Element {
  const [kind, setKind] = useState<"dataflow" | "events">("dataflow");
  const [expand, setExpand] = useState<string | null>(null);
  const [answer, setAnswer] = useState<GraphAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    setAnswer(null);
    setError(null);
    app.source.graph(kind, expand).then(setAnswer, (reason: unknown) => setError(sentence(reason)));
  }, [app, kind, expand]);
  const picture = useMemo(() => layoutGraph((answer ?? EMPTY).nodes, (answer ?? EMPTY).edges), [answer]);
  return (
    <div class="graph">
      <div class="files">
        <select aria-label="Kind of graph" value={kind} onChange={(event) => setKind(event.currentTarget.value === "events" ? "events" : "dataflow")}>
          <option value="dataflow">Flow of data</option>
          <option value="events">Events</option>
        </select>
        {expand === null ? null : <button type="button" class="tool" onClick={() => setExpand(null)}>Fold again</button>}
      </div>
      {error === null ? (answer === null ? <p class="hint">Drawing…</p> : null) : <p class="error">{error}</p>}
      {answer?.note === null || answer?.note === undefined ? null : <p class="faint">{answer.note}</p>}
      {answer === null ? null : <Picture app={app} picture={picture} open={setExpand} />}
    </div>
  );
}

function Picture({ app, picture, open }: { app: App; picture: GraphPicture; open: (group: string) => void }): JSX.Element {
  const line = useStore(app.store, (state) => state.line);
  const colours = theme(useStore(app.store, (state) => state.theme));
  return (
    <div class="picture">
      <svg width={picture.width} height={picture.height} role="img" aria-label="Graph of operations">
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" /></marker>
        </defs>
        {picture.edges.map((edge, index) => (
          <g key={index} class="edge">
            <path d={curve(edge)} marker-end="url(#tip)" />
            <title>{edge.edge.label}</title>
            <text x={(edge.from.x + edge.to.x + NODE_WIDTH) / 2} y={(edge.from.y + edge.to.y + NODE_HEIGHT) / 2}>{short(edge.edge.label, 24)}</text>
          </g>
        ))}
        {picture.nodes.map(({ node, x, y }) => {
          const fill = colours.lines[lineColour(node.line)];
          const where = place(app.state.info.lines[node.line]);
          return (
            <g
              key={node.id} class={`node${line !== 0 && node.line !== line ? " dim" : ""}`} transform={`translate(${x},${y})`} role="button" tabIndex={0}
              onClick={() => app.setLine(node.line)} onDblClick={() => node.group !== null && open(node.group)}
            >
              <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="4" fill={fill === undefined ? "none" : css(fill)} />
              <text x="8" y="15">{short(node.label, 22)}</text>
              <text x="8" y="30" class="small">{short(`${where ?? ""} ${node.count > 1 ? `×${number(node.count)} ` : ""}${duration(node.ns)}`, 28)}</text>
              <title>{`${short(node.label, 300)}\n${where ?? "no line"}\n${number(node.count)} operations, ${duration(node.ns)}`}</title>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function curve({ from, to }: PlacedEdge): string {
  const [x0, y0, x1, y1] = [from.x + NODE_WIDTH / 2, from.y + NODE_HEIGHT, to.x + NODE_WIDTH / 2, to.y];
  const bend = Math.max(18, Math.abs(y1 - y0) / 2);
  return `M${x0},${y0} C${x0},${y0 + bend} ${x1},${y1 - bend} ${x1},${y1}`;
}
