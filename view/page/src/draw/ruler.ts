import { duration } from "../format";
import { axis } from "../layout/axis";
import { type View, pxAt } from "../layout/view";
import type { Info, Tile } from "../protocol";
import { binNs, tileStart } from "../tiles/level";
import { type Theme, css } from "./theme";

const FONT = "11px system-ui, sans-serif";

export interface RulerMarks {
  readonly marks: readonly number[];
  readonly measure: readonly [number, number] | null;
  /** The range being selected on the axis. */
  readonly choosing: readonly [number, number] | null;
}

/** Draws the time axis above the lanes, iterations, and marks. */
export function drawRuler(context: CanvasRenderingContext2D, view: View, width: number, height: number, info: Info, marks: RulerMarks, theme: Theme): void {
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = "middle";
  drawIterations(context, view, width, height, info, theme);
  context.fillStyle = theme.faintText;
  context.strokeStyle = theme.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const { time, label } of axis(view.start, view.nsPerPx, width).ticks) {
    const x = Math.round(pxAt(view, time)) + 0.5;
    context.moveTo(x, height - 5);
    context.lineTo(x, height);
    context.fillText(label, x + 4, height / 2 + 1);
  }
  context.stroke();
  if (marks.choosing !== null) {
    context.fillStyle = theme.measure;
    const [a, b] = [pxAt(view, marks.choosing[0]), pxAt(view, marks.choosing[1])];
    context.fillRect(Math.min(a, b), 0, Math.abs(b - a), height);
  }
  marks.marks.forEach((mark, index) => {
    const x = pxAt(view, mark);
    if (x < -30 || x > width + 30) return;
    context.fillStyle = theme.mark;
    context.fillRect(x - 9, 2, 18, 13);
    context.fillStyle = css(theme.background);
    context.textAlign = "center";
    context.fillText(String(index + 1), x, 9);
    context.textAlign = "start";
  });
}

function drawIterations(context: CanvasRenderingContext2D, view: View, width: number, height: number, info: Info, theme: Theme): void {
  let odd = false;
  for (const { start, end } of info.iterations) {
    odd = !odd;
    const a = Math.max(0, pxAt(view, start));
    const b = Math.min(width, pxAt(view, end));
    if (b <= a) continue;
    context.fillStyle = css(odd ? theme.groupTrack : theme.track);
    context.fillRect(a, height - 5, b - a, 5);
  }
}

/** Draws grid lines, marks and the measured range over the lanes. */
export function drawGuides(context: CanvasRenderingContext2D, view: View, width: number, height: number, marks: RulerMarks, theme: Theme): void {
  for (const mark of marks.marks) {
    const x = Math.round(pxAt(view, mark)) + 0.5;
    if (x < 0 || x > width) continue;
    context.strokeStyle = theme.mark;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
    context.setLineDash([]);
  }
  if (marks.measure === null) return;
  const [from, to] = marks.measure;
  const a = pxAt(view, Math.min(from, to));
  const b = pxAt(view, Math.max(from, to));
  context.fillStyle = theme.measure;
  context.fillRect(a, 0, b - a, height);
  context.strokeStyle = theme.mark;
  context.lineWidth = 1;
  context.beginPath();
  for (const x of [a, b]) {
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, height);
  }
  context.stroke();
  const text = duration(Math.abs(to - from));
  context.font = `600 ${FONT}`;
  const room = context.measureText(text).width + 12;
  const x = Math.min(width - room - 2, Math.max(2, (a + b) / 2 - room / 2));
  context.fillStyle = theme.mark;
  context.fillRect(x, 6, room, 18);
  context.fillStyle = css(theme.background);
  context.textBaseline = "middle";
  context.fillText(text, x + 6, 15.5);
}

/** Draws the overview: the whole trace with the visible part. */
export function drawOverview(context: CanvasRenderingContext2D, tiles: readonly Tile[], view: View, size: readonly [number, number], shown: number, info: Info, theme: Theme): void {
  const [width, height] = size;
  context.fillStyle = css(theme.track);
  context.fillRect(0, 0, width, height);
  const whole = Math.max(1, info.end - info.start);
  const bars = new Float32Array(width);
  for (const tile of tiles) {
    if (tile.kind !== "bins") continue;
    const bin = binNs(tile.level);
    for (let x = 0; x < width; x++) {
      const from = info.start + (x / width) * whole - tileStart(tile);
      const first = Math.max(0, Math.floor(from / bin));
      const last = Math.min(tile.n - 1, Math.max(first, Math.ceil((from + whole / width) / bin) - 1));
      let sum = 0;
      for (let i = first; i <= last; i++) sum += tile.busy[i] ?? 0;
      bars[x] = (bars[x] ?? 0) + sum / (last - first + 1) / tiles.length;
    }
  }
  context.fillStyle = css(theme.curve);
  for (let x = 0; x < width; x++) {
    const bar = Math.min(1, bars[x] ?? 0) * (height - 2);
    if (bar > 0) context.fillRect(x, height - Math.max(1, bar), 1, Math.max(1, bar));
  }
  const a = Math.max(0, ((view.start - info.start) / whole) * width);
  const b = Math.min(width, ((view.start + shown * view.nsPerPx - info.start) / whole) * width);
  context.fillStyle = theme.measure;
  context.fillRect(a, 0, Math.max(2, b - a), height);
  context.strokeStyle = theme.mark;
  context.lineWidth = 1;
  context.strokeRect(Math.round(a) + 0.5, 0.5, Math.max(2, Math.round(b - a) - 1), height - 1);
}
