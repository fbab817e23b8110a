import { bytes, moment, percent, place, short } from "../format";
import type { Row } from "../layout/rows";
import { pxAt } from "../layout/view";
import type { HeldBy, Info, MemoryAnswer } from "../protocol";
import { amount, area, indexAt } from "./curve";
import type { Camera } from "./scene";
import { type Theme, css, lineColour } from "./theme";

/** Number of lines named next to the peak's mark. */
const BESIDE_PEAK = 3;
const FADED = 0.3;

/** The bytes of a memory that lines held, and the resulting areas. */
export interface Stack {
  readonly answer: MemoryAnswer;
  /** The upper edge of each area, the lowest first. */
  readonly tops: readonly (readonly number[])[];
  /** The number of bytes that the full height represents. */
  readonly height: number;
}

export function stackOf(answer: MemoryAnswer): Stack {
  let below: readonly number[] = answer.most.map(() => 0);
  let height = answer.max;
  const tops = answer.series.map((series) => {
    // Negative values have no area. They occur if instances hold more bytes than the memory reports as used.
    below = below.map((sum, index) => sum + Math.max(0, series.bytes[index] ?? 0));
    height = below.reduce((most, sum) => Math.max(most, sum), height);
    return below;
  });
  return { answer, tops, height };
}

/** The colour of a holder's line. */
export function holderColour(by: HeldBy, theme: Theme): string {
  if (by.line !== 0) return css(theme.lines[lineColour(by.line)] ?? theme.curve);
  return css(by.lines > 0 ? theme.ready : theme.lines[0] ?? theme.curve);
}

/** The displayed name of a holder. */
export function holderName(by: HeldBy, info: Info): string {
  return by.reason ?? place(info.lines[by.line]) ?? "no line";
}

export function drawStack(context: CanvasRenderingContext2D, stack: Stack, row: Row, camera: Camera, theme: Theme, line: number, info: Info): void {
  const { answer, tops, height } = stack;
  if (height <= 0) return;
  const low = row.y + 2 - camera.scrollY + row.curve;
  const scale = row.curve / height;
  tops.forEach((top, index) => {
    const by = answer.series[index];
    if (by === undefined) return;
    context.globalAlpha = line === 0 || line === by.line ? 1 : FADED;
    area(context, answer.times, top, tops[index - 1] ?? null, camera, low, scale, holderColour(by, theme));
  });
  context.globalAlpha = 1;
  drawPeak(context, stack, row, camera, theme, info);
}

/** Draws the moment of highest use with the largest holders. */
function drawPeak(context: CanvasRenderingContext2D, { answer }: Stack, row: Row, camera: Camera, theme: Theme, info: Info): void {
  const x = pxAt(camera.view, answer.peak.time);
  if (x < 0 || x > camera.width || answer.max <= 0) return;
  const top = row.y + 2 - camera.scrollY;
  context.fillStyle = theme.outline;
  context.fillRect(Math.round(x), top, 1, row.curve);
  context.beginPath();
  context.moveTo(x - 4, top);
  context.lineTo(x + 5, top);
  context.lineTo(x + 0.5, top + 6);
  context.fill();
  const held = answer.peak.held.slice(0, BESIDE_PEAK).map((by) => `${holderName(by, info)} ${percent(by.bytes / answer.max)}`);
  const text = [`peak ${amount(answer.max, answer.unit)}`, ...held].join(" · ");
  const isRight = x > camera.width / 2;
  context.fillStyle = theme.text;
  context.font = "10px system-ui, sans-serif";
  context.textBaseline = "top";
  context.textAlign = isRight ? "right" : "left";
  context.fillText(text, isRight ? x - 8 : x + 9, top + 2);
  context.textAlign = "left";
}

export interface PickedHolder {
  readonly line: number;
  readonly text: readonly string[];
}

/** Returns the holder whose area is at a time and a height above the lower edge. */
export function holderAt({ answer, tops, height }: Stack, time: number, above: number, curve: number, info: Info): PickedHolder | null {
  const index = indexAt(answer.times, time);
  const at = (above / curve) * height;
  const place_ = tops.findIndex((top, which) => at < (top[index] ?? 0) && at >= (tops[which - 1]?.[index] ?? 0));
  const by = answer.series[place_];
  if (by === undefined) return null;
  const held = by.bytes[index] ?? 0;
  const total = answer.most[index] ?? 0;
  const share = total > 0 ? `, ${percent(held / total)} of ${bytes(total)} in use` : "";
  const text = [holderName(by, info), `${bytes(held)}${share}`, `at ${moment(answer.moments[index] ?? time)}, when most was in use around here`];
  const source = info.lines[by.line]?.text?.trim() ?? "";
  if (by.line !== 0 && source !== "") text.push(short(source, 100));
  return { line: by.line, text };
}
