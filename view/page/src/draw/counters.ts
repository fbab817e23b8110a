import type { DataSource } from "../data/source";
import { bytes, number } from "../format";
import type { Row } from "../layout/rows";
import { type View, pxAt } from "../layout/view";
import type { CounterAnswer, Info } from "../protocol";
import type { Camera } from "./scene";
import { type Theme, css, lineColour } from "./theme";

const BINS = 1200;
const SETTLE_MS = 120;

interface Held {
  readonly answer: CounterAnswer;
  readonly from: number;
  readonly to: number;
  readonly nsPerPx: number;
}

/** Curves of counters: what is held is drawn until what fits the view has come. */
export class Counters {
  private readonly held = new Map<number, Held>();
  private readonly asked = new Set<number>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly source: DataSource, private readonly arrived: () => void) {}

  renew(): void {
    this.held.clear();
  }

  /** Asks for the curves of rows that the view has outgrown, once it rests. */
  want(rows: readonly Row[], view: View, width: number, info: Info): void {
    const lanes = rows.filter((row) => row.curve > 0 && !this.asked.has(row.lane.id) && this.outgrown(row.lane.id, view, width, info)).map((row) => row.lane.id);
    if (lanes.length === 0) return;
    if (this.timer !== null) clearTimeout(this.timer);
    const span = view.nsPerPx * width;
    const from = Math.max(info.start, view.start - span / 2);
    const to = Math.min(info.end, view.start + span * 1.5);
    if (to <= from) return;
    this.timer = setTimeout(() => {
      for (const lane of lanes) void this.ask(lane, from, to, view.nsPerPx);
    }, SETTLE_MS);
  }

  private outgrown(lane: number, view: View, width: number, info: Info): boolean {
    const held = this.held.get(lane);
    if (held === undefined) return true;
    if (!this.source.served) return false;
    const from = Math.max(info.start, view.start);
    const to = Math.min(info.end, view.start + view.nsPerPx * width);
    const coarse = held.nsPerPx > view.nsPerPx * 1.9 || held.nsPerPx < view.nsPerPx / 4;
    return from < to && (held.from > from || held.to < to || coarse);
  }

  private async ask(lane: number, from: number, to: number, nsPerPx: number): Promise<void> {
    this.asked.add(lane);
    try {
      const answer = await this.source.counter(lane, from, to, BINS);
      this.held.set(lane, { answer, from, to, nsPerPx });
    } catch {
      // The curve stays away; an empty one stops asking for it again and again.
      this.held.set(lane, { answer: { unit: "", max: 0, times: [], least: [], most: [] }, from, to, nsPerPx });
    } finally {
      this.asked.delete(lane);
      this.arrived();
    }
  }

  /** Text for the tooltip. */
  at(lane: number, time: number): string | null {
    const answer = this.held.get(lane)?.answer;
    if (answer === undefined || answer.times.length === 0) return null;
    const index = indexAt(answer.times, time);
    return `${amount(answer.most[index] ?? 0, answer.unit)} in use (most: ${amount(answer.max, answer.unit)})`;
  }

  draw(context: CanvasRenderingContext2D, row: Row, camera: Camera, theme: Theme, line: number): void {
    const answer = this.held.get(row.lane.id)?.answer;
    const top = row.y + 2 - camera.scrollY;
    const low = top + row.curve;
    context.fillStyle = css(theme.track);
    context.fillRect(0, top, camera.width, row.curve);
    if (answer === undefined || answer.times.length === 0 || answer.max <= 0) return;
    const scale = row.curve / answer.max;
    const area = (values: readonly number[], base: readonly number[] | null, colour: string): void => {
      context.fillStyle = colour;
      context.beginPath();
      path(context, answer.times, values, base, camera, low, scale);
      context.fill();
    };
    area(answer.most, null, css(theme.curve));
    let base: number[] | null = null;
    for (const series of answer.series ?? []) {
      const under: readonly number[] | null = base;
      const sum: number[] = series.most.map((value, index) => value + (under?.[index] ?? 0));
      context.globalAlpha = line === 0 || line === series.line ? 1 : 0.3;
      area(sum, under, css(theme.lines[lineColour(series.line)] ?? theme.curve));
      context.globalAlpha = 1;
      base = sum;
    }
    context.fillStyle = theme.text;
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "top";
    context.fillText(amount(answer.max, answer.unit), 4, top + 2);
  }
}

function path(
  context: CanvasRenderingContext2D, times: readonly number[], values: readonly number[], base: readonly number[] | null, camera: Camera, low: number, scale: number,
): void {
  const { view, width } = camera;
  const first = Math.max(0, indexAt(times, view.start) - 1);
  const last = Math.min(times.length - 1, indexAt(times, view.start + width * view.nsPerPx) + 1);
  const x = (index: number): number => Math.min(width + 10, Math.max(-10, pxAt(view, times[index] ?? 0)));
  const y = (list: readonly number[] | null, index: number): number => low - (list?.[index] ?? 0) * scale;
  // A value holds until the next one: the curve has steps.
  context.moveTo(x(first), y(base, first));
  for (let i = first; i <= last; i++) {
    context.lineTo(x(i), y(values, i));
    context.lineTo(i === last ? x(i) : x(i + 1), y(values, i));
  }
  for (let i = last; i >= first; i--) {
    context.lineTo(i === last ? x(i) : x(i + 1), y(base, i));
    context.lineTo(x(i), y(base, i));
  }
  context.closePath();
}

/** The last index whose time is not after `time`. */
export function indexAt(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

export function amount(value: number, unit: string): string {
  return unit === "B" || unit === "bytes" || unit === "byte" ? bytes(value) : `${number(value)} ${unit}`;
}
