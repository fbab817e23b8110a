import { bytes, number } from "../format";
import { pxAt } from "../layout/view";
import type { Camera } from "./scene";

/** Fills the area between two curves. */
export function area(
  context: CanvasRenderingContext2D, times: readonly number[], values: readonly number[], base: readonly number[] | null, camera: Camera, low: number, scale: number,
  colour: string,
): void {
  context.fillStyle = colour;
  context.beginPath();
  path(context, times, values, base, camera, low, scale);
  context.fill();
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
