import { pxAt } from "../layout/view";
import type { Info } from "../protocol";
import { tileStart } from "../tiles/level";
import { short } from "../format";
import { type Camera, type Scene, narrowOf } from "./scene";
import type { Theme } from "./theme";

const FONT = "11px system-ui, sans-serif";
const LEAST = 26;
const MOST_LABELS = 600;
const LONGEST = 80;

const widths = new Map<string, number>();

function widthOf(context: CanvasRenderingContext2D, text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    width = context.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

/** Shortens a text to the available width; empty if too little of it would remain. */
export function fitText(text: string, room: number, width: (text: string) => number): string {
  if (width(text) <= room) return text;
  const each = width(text) / text.length;
  const count = Math.floor(room / each) - 1;
  return count < 2 ? "" : `${text.slice(0, count)}…`;
}

/** Draws names on items that are wide enough. */
export function drawLabels(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, info: Info, theme: Theme, line: number): void {
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = theme.itemText;
  const { view } = camera;
  const measure = (text: string): number => widthOf(context, text);
  let drawn = 0;
  for (const { tile, row, from, to } of scene.placements) {
    if (tile?.kind !== "exact" || row.group) continue;
    const origin = tileStart(tile);
    const narrow = narrowOf(tile);
    const height = row.runHeight / Math.max(1, row.rows);
    if (height < 10) continue;
    for (let i = 0; i < tile.n && drawn < MOST_LABELS; i++) {
      if (narrow[i] === 1) continue;
      const start = origin + (tile.start[i] ?? 0);
      const shown = Math.max(start, view.start);
      // An item in several tiles is labelled once, where it begins on the screen.
      if (shown < from || shown >= to || (tile.row[i] ?? 0) >= row.rows) continue;
      const left = pxAt(view, shown);
      const right = Math.min(camera.width, pxAt(view, start + (tile.duration[i] ?? 0)));
      if (right - left < LEAST || right < 0 || left > camera.width) continue;
      const text = fitText(short(info.names[tile.name[i] ?? 0] ?? "", LONGEST), right - left - 9, measure);
      if (text === "") continue;
      const dim = line !== 0 && tile.line[i] !== line;
      if (dim) context.fillStyle = theme.faintText;
      context.fillText(text, left + 5, row.y + row.runTop + ((tile.row[i] ?? 0) + 0.5) * height - camera.scrollY + 0.5);
      if (dim) context.fillStyle = theme.itemText;
      drawn++;
    }
  }
}
