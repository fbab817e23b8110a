import type { DataSource } from "../data/source";
import type { Row } from "../layout/rows";
import type { View } from "../layout/view";
import type { CounterAnswer, Info, MemoryAnswer } from "../protocol";
import { amount, area, indexAt } from "./curve";
import { type PickedHolder, type Stack, drawStack, holderAt, stackOf } from "./memory";
import type { Camera } from "./scene";
import { type Theme, css } from "./theme";

const BINS = 1200;
const SETTLE_MS = 120;

interface Held {
  readonly answer: Pick<CounterAnswer, "unit" | "max" | "times" | "most">;
  /** Whether the request was for the holding lines. */
  readonly byLine: boolean;
  /** The bytes held by lines, if known. */
  readonly stack: Stack | null;
  readonly from: number;
  readonly to: number;
  readonly nsPerPx: number;
}

/** Curves of counters. A loaded curve is drawn until one that fits the view has arrived. */
export class Counters {
  private readonly held = new Map<number, Held>();
  private readonly asked = new Set<number>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly source: DataSource, private readonly arrived: () => void) {}

  renew(): void {
    this.held.clear();
  }

  /** Requests new curves for rows whose curves no longer fit the view, after the view stops moving. */
  want(rows: readonly Row[], view: View, width: number, info: Info): void {
    const lanes = rows.filter((row) => row.curve > 0 && !this.asked.has(row.lane.id) && this.outgrown(row, view, width, info));
    if (lanes.length === 0) return;
    if (this.timer !== null) clearTimeout(this.timer);
    const span = view.nsPerPx * width;
    const from = Math.max(info.start, view.start - span / 2);
    const to = Math.min(info.end, view.start + span * 1.5);
    if (to <= from) return;
    this.timer = setTimeout(() => {
      for (const row of lanes) void this.ask(row, from, to, view.nsPerPx);
    }, SETTLE_MS);
  }

  private outgrown(row: Row, view: View, width: number, info: Info): boolean {
    const held = this.held.get(row.lane.id);
    if (held === undefined || (isByLine(row) && !held.byLine)) return true;
    if (!this.source.served) return false;
    const from = Math.max(info.start, view.start);
    const to = Math.min(info.end, view.start + view.nsPerPx * width);
    const coarse = held.nsPerPx > view.nsPerPx * 1.9 || held.nsPerPx < view.nsPerPx / 4;
    return from < to && (held.from > from || held.to < to || coarse);
  }

  private async ask(row: Row, from: number, to: number, nsPerPx: number): Promise<void> {
    const lane = row.lane.id;
    const byLine = isByLine(row);
    this.asked.add(lane);
    try {
      // An embedded file may contain the curve without the bytes held by lines.
      const memory: MemoryAnswer | null = byLine ? await this.source.memory(lane, from, to, BINS).catch(() => null) : null;
      const answer = memory ?? (await this.source.counter(lane, from, to, BINS));
      this.held.set(lane, { answer, byLine, stack: memory === null ? null : stackOf(memory), from, to, nsPerPx });
    } catch {
      // An empty curve prevents repeated requests.
      this.held.set(lane, { answer: { unit: "", max: 0, times: [], most: [] }, byLine, stack: null, from, to, nsPerPx });
    } finally {
      this.asked.delete(lane);
      this.arrived();
    }
  }

  /** Returns the text of the tooltip. */
  at(lane: number, time: number): string | null {
    const answer = this.held.get(lane)?.answer;
    if (answer === undefined || answer.times.length === 0) return null;
    const index = indexAt(answer.times, time);
    return `${amount(answer.most[index] ?? 0, answer.unit)} in use (most: ${amount(answer.max, answer.unit)})`;
  }

  /** Returns the holder whose area is at a height above the lower edge of a lane's curve. */
  holder(row: Row, time: number, above: number, info: Info): PickedHolder | null {
    const stack = isByLine(row) ? this.held.get(row.lane.id)?.stack ?? null : null;
    return stack === null ? null : holderAt(stack, time, above, row.curve, info);
  }

  draw(context: CanvasRenderingContext2D, row: Row, camera: Camera, theme: Theme, line: number, info: Info): void {
    const held = this.held.get(row.lane.id);
    const answer = held?.answer;
    const top = row.y + 2 - camera.scrollY;
    const low = top + row.curve;
    context.fillStyle = css(theme.track);
    context.fillRect(0, top, camera.width, row.curve);
    if (answer === undefined || answer.times.length === 0 || answer.max <= 0) return;
    const stack = isByLine(row) ? held?.stack ?? null : null;
    area(context, answer.times, answer.most, null, camera, low, row.curve / (stack?.height ?? answer.max), css(theme.curve));
    if (stack !== null) drawStack(context, stack, row, camera, theme, line, info);
    context.fillStyle = theme.text;
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "top";
    context.fillText(amount(answer.max, answer.unit), 4, top + 2);
  }
}

/** Whether a lane shows the bytes held by each line: an expanded memory. */
function isByLine(row: Row): boolean {
  return row.tall && row.lane.kind === "memory";
}
