import type { Layout } from "../layout/current";
import type { Row } from "../layout/rows";
import { pxAt } from "../layout/view";
import type { CriticalStep, ItemDetail } from "../protocol";
import type { Camera } from "./scene";
import type { Theme } from "./theme";

interface Point {
  readonly x: number;
  readonly y: number;
}

const MOST_STEPS = 1500;
const MOST_ARROWS = 64;

function middle(row: Row, camera: Camera): number {
  const inner = row.runHeight > 0 ? row.runTop + Math.min(row.runHeight, 24) / 2 : row.height / 2;
  return row.y + inner - camera.scrollY;
}

/** Draws the dependences, the waiting time and the outline of the selected item. `nested` is its row in the lane, if known. */
export function drawSelection(context: CanvasRenderingContext2D, detail: ItemDetail, nested: number | null, layout: Layout, camera: Camera, theme: Theme): void {
  const row = layout.rowOf(detail.lane);
  if (row === undefined) return;
  const { view } = camera;
  const left = pxAt(view, detail.start);
  const right = Math.max(pxAt(view, detail.end), left + 1);
  const known = nested !== null && row.lane.id === detail.lane && nested < row.rows;
  const height = known ? row.runHeight / row.rows : row.runHeight;
  const top = row.y + row.runTop - camera.scrollY + (known ? nested * height : 0);
  const y = known ? top + height / 2 : middle(row, camera);
  drawWait(context, detail, camera, row.y + row.runTop - camera.scrollY + row.runHeight + 1, row.band, theme);
  context.strokeStyle = theme.outline;
  context.lineWidth = 2;
  const a = Math.max(-4, left);
  const b = Math.min(camera.width + 4, right);
  if (b >= a && row.lane.id === detail.lane) context.strokeRect(a - 1, top - 1, b - a + 2, height + 1);
  for (const before of detail.before.slice(0, MOST_ARROWS)) {
    const from = layout.rowOf(before.lane);
    if (from !== undefined) arrow(context, { x: pxAt(view, before.end), y: middle(from, camera) }, { x: left, y }, theme.before, camera);
  }
  for (const after of detail.after.slice(0, MOST_ARROWS)) {
    const to = layout.rowOf(after.lane);
    if (to !== undefined) arrow(context, { x: right, y }, { x: pxAt(view, after.start), y: middle(to, camera) }, theme.after, camera);
  }
}

/** Draws a bracket from the item's creation to its start. */
function drawWait(context: CanvasRenderingContext2D, detail: ItemDetail, camera: Camera, top: number, band: number, theme: Theme): void {
  const created = detail.states?.["created"];
  if (created === null || created === undefined || created >= detail.start || band === 0) return;
  const from = Math.max(-4, pxAt(camera.view, created));
  const to = Math.min(camera.width + 4, pxAt(camera.view, detail.start));
  if (to <= from) return;
  context.strokeStyle = theme.outline;
  context.lineWidth = 1;
  context.strokeRect(Math.round(from) + 0.5, top - 0.5, Math.round(to - from), band + 1);
}

function arrow(context: CanvasRenderingContext2D, from: Point, to: Point, colour: string, camera: Camera): void {
  const off = (x: number): boolean => x < -2000 || x > camera.width + 2000;
  if ((from.x < 0 && to.x < 0) || (from.x > camera.width && to.x > camera.width)) return;
  const a = { x: off(from.x) ? Math.sign(from.x) * 2000 : from.x, y: from.y };
  const b = { x: off(to.x) ? Math.sign(to.x) * 2000 : to.x, y: to.y };
  const bend = Math.max(14, Math.min(80, Math.abs(b.x - a.x) / 2));
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x - 5, b.y);
  context.stroke();
  context.beginPath();
  context.moveTo(b.x, b.y);
  context.lineTo(b.x - 7, b.y - 4);
  context.lineTo(b.x - 7, b.y + 4);
  context.fill();
}

let split: { steps: readonly CriticalStep[]; walks: (readonly [number, readonly CriticalStep[]])[] } | null = null;

/** Splits the steps into the paths of the runs, each with the index of its first step. */
export function walks(steps: readonly CriticalStep[]): readonly (readonly [number, readonly CriticalStep[]])[] {
  if (split?.steps === steps) return split.walks;
  const starts = [0, ...steps.flatMap((step, at) => (at > 0 && step.start < (steps[at - 1]?.start ?? 0) ? [at] : []))];
  split = { steps, walks: starts.map((from, at) => [from, steps.slice(from, starts[at + 1])] as const) };
  return split.walks;
}

/** Draws the critical path as one line across lanes. */
export function drawWalk(context: CanvasRenderingContext2D, steps: readonly CriticalStep[], at: number, layout: Layout, camera: Camera, theme: Theme): void {
  const { view } = camera;
  const end = view.start + camera.width * view.nsPerPx;
  let first = 0;
  let high = steps.length;
  while (first < high) {
    const half = (first + high) >> 1;
    if ((steps[half]?.end ?? 0) < view.start) first = half + 1;
    else high = half;
  }
  let last = first;
  while (last < steps.length && (steps[last]?.start ?? Infinity) <= end && last - first <= MOST_STEPS) last++;
  if (last - first <= MOST_STEPS) {
    context.strokeStyle = theme.criticalText;
    context.lineWidth = 1.5;
    context.beginPath();
    let open = false;
    for (const step of steps.slice(Math.max(0, first - 1), last + 1)) {
      const row = step.lane === null ? undefined : layout.rowOf(step.lane);
      if (row === undefined) continue;
      const y = middle(row, camera);
      const x = Math.max(-50, pxAt(view, step.start));
      if (open) context.lineTo(x, y);
      else context.moveTo(x, y);
      context.lineTo(Math.min(camera.width + 50, pxAt(view, step.end)), y);
      open = true;
    }
    context.stroke();
  }
  const now = steps[at];
  const row = now === undefined || now.lane === null ? undefined : layout.rowOf(now.lane);
  if (now === undefined || row === undefined) return;
  const a = Math.max(-4, pxAt(view, now.start));
  const b = Math.min(camera.width + 4, pxAt(view, now.end));
  context.strokeStyle = theme.criticalText;
  context.lineWidth = 2.5;
  context.strokeRect(a - 1, row.y + row.runTop - 2 - camera.scrollY, Math.max(3, b - a + 2), row.runHeight + 4);
}
